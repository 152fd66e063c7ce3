// Calls of the control API: shown when a button is focused or pointed at, made when it is pressed.
const bar = document.getElementById("call");
const said = document.getElementById("said");
const copy = document.getElementById("copy-call");

// quote makes one word of a text, for every POSIX shell.
export const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// curl is a call as a command.
export function curl({ method, path, body }) {
  const words = ["curl"];
  if (method !== "GET") {
    words.push("-X " + method);
  }
  words.push(quote(location.origin + path));
  if (body !== undefined) {
    words.push("-H 'Content-Type: application/json'", "-d " + quote(JSON.stringify(body)));
  }
  return words.join(" ");
}

// tell says something to whoever listens to the page.
export function tell(text, bad = false) {
  said.textContent = text;
  said.classList.toggle("bad", bad);
}

// show puts calls into the bar, ready to be copied.
export function show(calls) {
  bar.textContent = calls.map(curl).join("\n");
  copy.dataset.copy = bar.textContent;
  document.getElementById("command").hidden = false;
}

// reason is what an error answer says.
function reason(answer) {
  const fields = Object.entries(answer?.error?.fields ?? answer?.fields ?? {});
  const more = fields.flatMap(([name, faults]) => faults.map((fault) => name + ": " + fault.reason));
  return [answer?.error?.message ?? "no reason was given", ...more].join("; ");
}

// make makes calls one after the other and says what came of them. It returns the last answer, undefined where one failed.
export async function make(calls) {
  show(calls);
  let answer;
  for (const call of calls) {
    const name = call.method + " " + call.path;
    try {
      const got = await fetch(call.path, {
        method: call.method,
        headers: call.body === undefined ? {} : { "Content-Type": "application/json" },
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
      });
      const text = await got.text();
      try {
        answer = text === "" ? null : JSON.parse(text);
      } catch {
        answer = null;
      }
      if (!got.ok) {
        tell(name + " → " + got.status + ": " + reason(answer), true);
        return undefined;
      }
      tell(name + " → " + got.status);
    } catch (failure) {
      tell(name + " failed: " + failure.message, true);
      return undefined;
    }
  }
  return answer;
}

// callsOf are the calls of a button.
export function callsOf(button) {
  const text = button.dataset.callsOf ? document.getElementById(button.dataset.callsOf).value : button.dataset.call;
  return JSON.parse(text);
}

const pressable = "button[data-call], button[data-calls-of]";

function preview(event) {
  const button = event.target.closest?.(pressable);
  if (button) {
    show(callsOf(button));
  }
}

// save offers a document as a file.
function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function start() {
  document.addEventListener("focusin", preview);
  document.addEventListener("pointerover", preview);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(pressable);
    if (!button) {
      return;
    }
    const answer = await make(callsOf(button));
    if (answer !== undefined && "export" in button.dataset) {
      save(document.body.dataset.world.replaceAll(/[^A-Za-z0-9._-]/g, "_") + ".json", answer.data ?? answer);
    }
  });
}
