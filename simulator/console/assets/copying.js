// Copying: what a button has to copy goes to the clipboard, or is shown to be copied by hand.
import { quote, tell } from "./calls.js";

// command is a sample request of the catalog as a command.
function command({ method, path, headers = {}, body }) {
  const world = document.body.dataset.world;
  const origin = path.startsWith("/_sim/") ? location.origin : document.body.dataset.public;
  const words = ["curl"];
  if (method !== (body === undefined ? "GET" : "POST")) {
    words.push("-X " + method);
  }
  words.push(quote(origin + path.replaceAll("{world}", encodeURIComponent(world))));
  for (const [name, text] of Object.entries(headers)) {
    words.push("-H " + quote(name + ": " + text.replaceAll("{world}", world)));
  }
  if (body !== undefined) {
    words.push("-d " + quote(body));
  }
  return words.join(" ");
}

export function start() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy], button[data-sample]");
    if (!button) {
      return;
    }
    const text = button.dataset.sample ? command(JSON.parse(button.dataset.sample)) : button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied: " + text);
    } catch {
      tell("The browser lets nobody copy; take it from here: " + text, true);
    }
  });
}
