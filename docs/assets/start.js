// The start page of a sandbox: prices from the stream, and a form for each operation with the same call for curl.
"use strict";

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// callOf returns the request that a form makes. Fields are parts of the path, headers, query parameters or members
// of the body; empty ones are left out.
function callOf(form) {
  const { method } = form.dataset, headers = {}, query = new URLSearchParams();
  const body = JSON.parse(form.dataset.body ?? "{}");
  let path = form.dataset.path;
  for (const field of form.elements) {
    const text = field.value.trim();
    if (!field.name || !text) continue;
    if (path.includes("{" + field.name + "}")) path = path.replace("{" + field.name + "}", encodeURIComponent(text));
    else if ("header" in field.dataset) headers[field.name] = text;
    else if (method === "GET") query.set(field.name, text);
    else body[field.name] = text;
  }
  const url = path + (query.size ? "?" + query : "");
  const flags = Object.entries(headers).map(([name, text]) => " -H " + quote(name + ": " + text));
  const call = { url, options: { method, headers }, curl: "curl " + quote(location.origin + url) + flags.join("") };
  if (method === "POST") {
    call.options.body = JSON.stringify(body);
    call.curl += " -d " + quote(call.options.body);
  }
  return call;
}

async function send(form) {
  const output = form.querySelector("[data-response]"), { url, options } = callOf(form), began = performance.now();
  let text;
  try {
    const response = await fetch(url, options);
    const took = Math.round(performance.now() - began);
    text = `${response.status} ${response.statusText} in ${took} ms\n` + JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    text = "The server did not respond: " + error.message;
  }
  output.textContent = text;
  output.hidden = false;
}

function copy(button, text) {
  navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; });
}

for (const form of document.querySelectorAll("form")) {
  const preview = () => { form.querySelector("[data-curl]").textContent = callOf(form).curl; };
  form.addEventListener("input", preview);
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  form.querySelector("[data-copy]").addEventListener("click", ({ target }) => copy(target, callOf(form).curl));
  preview();
}

for (const command of document.querySelectorAll("[data-command]")) {
  command.textContent = command.textContent.replace(/^curl (\S+)/, (_, path) => "curl " + quote(location.origin + path));
  command.nextElementSibling.addEventListener("click", ({ target }) => copy(target, command.textContent));
}

const shown = ["BTCNGN", "USDTNGN", "ETHUSD", "USDTGHS", "BTCKES", "EURUSD", "USDNGN", "SOLUSD"];
const rows = document.getElementById("pairs"), state = document.getElementById("stream"), pairs = new Map();
const cell = (text, name) => Object.assign(document.createElement("td"), { textContent: text, className: name });

function update({ data }) {
  for (const pair of JSON.parse(data)) pairs.set(pair.id, pair);
  rows.replaceChildren(...shown.filter((id) => pairs.has(id)).map((id) => {
    const pair = pairs.get(id), row = document.createElement("tr"), name = document.createElement("th");
    name.scope = "row";
    name.textContent = pair.base + "/" + pair.counter;
    const badge = Object.assign(document.createElement("span"), { textContent: pair.status, className: "badge " + pair.status });
    const status = cell("", "");
    status.append(badge);
    row.append(name, cell(pair.buy_price.amount, "n"), cell(pair.sell_price.amount, "n"), cell(pair.percentage_change + " %", "n"), status);
    return row;
  }));
  state.textContent = "live";
  state.className = "badge good";
}

const stream = new EventSource("/v1/pairs/stream");
stream.addEventListener("snapshot", update);
stream.addEventListener("change", update);
stream.addEventListener("error", () => {
  state.textContent = "connection lost";
  state.className = "badge bad";
});
