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

// shows are the results that the steps of the deposit show, by data-shows.
const shows = {
  address: ({ data }) => data[0].address,
  events: ({ data }) => data.slice(-4).map(({ type, data: t }) => `${type}: ${amount(t.amount)} ${t.currency}`).join("\n") || "no events yet",
  balance: ({ data }) => `${amount(data.available.amount)} ${data.currency} available, ${amount(data.pending.amount)} pending`,
};

const amount = (text, digits = 0) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: 18 }).format(text);
const journal = document.getElementById("main").dataset.console;

// scan shows an address as a code to scan. An image cannot send the headers of the request, so that it is a data URL.
async function scan(figure, url, options, { data }) {
  const response = await fetch(url.replace(/(?=\?|$)/, "/qr"), options);
  if (!response.ok) return;
  figure.querySelector("img").src = "data:image/svg+xml," + encodeURIComponent(await response.text());
  figure.querySelector("code").textContent = data[0].payment_uri ?? data[0].address;
  figure.hidden = false;
}

async function send(form) {
  const reply = form.querySelector("[data-reply]"), [badge, note] = reply.querySelectorAll("span"), link = reply.querySelector("a");
  const result = form.querySelector("output"), body = reply.querySelector("pre");
  const { url, options } = callOf(form), began = performance.now();
  const code = form.querySelector("[data-code]");
  if (result) result.textContent = "";
  if (code) code.hidden = true;
  link.hidden = true;
  try {
    const response = await fetch(url, options), took = Math.round(performance.now() - began), json = await response.json();
    const id = response.headers.get("X-Request-Id");
    badge.textContent = response.status;
    badge.className = "badge " + (response.ok ? "good" : response.status < 500 ? "warn" : "bad");
    note.textContent = `${json.error?.name ?? response.statusText} in ${took} ms`;
    body.textContent = JSON.stringify(json, null, 2);
    link.href = journal + "/journal?entry=" + id;
    link.hidden = !journal || !id;
    if (result && response.ok) result.textContent = shows[form.dataset.shows](json);
    if (code && response.ok) scan(code, url, options, json);
  } catch (error) {
    badge.textContent = "no response";
    badge.className = "badge bad";
    note.textContent = error.message;
    body.textContent = "";
  }
  body.hidden = !body.textContent;
  reply.hidden = false;
}

function copy(button, text) {
  navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; });
}

for (const form of document.querySelectorAll("form[data-method]")) {
  const preview = () => { form.querySelector("[data-curl]").textContent = callOf(form).curl; };
  form.addEventListener("input", preview);
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  form.querySelector("[data-copy]").addEventListener("click", ({ target }) => copy(target, callOf(form).curl));
  preview();
}

// The later steps of a deposit are about the user, the currency and the network of the first one.
for (const command of document.querySelectorAll("[data-command]")) {
  const template = command.textContent, { form } = document.querySelector("[data-shows=address] button"), pay = document.getElementById("pay");
  const fill = () => {
    const fields = Object.fromEntries(new FormData(form));
    command.textContent = template.replace(/\{([^}]+)\}/g, (_, name) => fields[name]);
    for (const field of document.querySelectorAll("[data-shows=balance] input")) {
      field.value = fields[field.name];
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (pay) pay.href = journal + "/deposits?" + new URLSearchParams({ network: fields.network, currency: fields.currency, profile_id: fields["X-BU-PROFILE-ID"] });
  };
  form.addEventListener("input", fill);
  command.nextElementSibling.addEventListener("click", ({ target }) => copy(target, command.textContent));
  fill();
}

const shown = ["BTCNGN", "USDTNGN", "ETHUSD", "USDTGHS", "BTCKES", "EURUSD", "USDNGN", "SOLUSD"];
const rows = document.getElementById("pairs"), state = document.getElementById("stream"), pairs = new Map();
const sparks = new Map(shown.map((id) => [id, document.createElement("td")]));

// cell returns a cell. Its label is shown on a phone, where the table has no header.
function cell(text, name, label) {
  const td = Object.assign(document.createElement("td"), { textContent: text, className: name });
  if (label) td.dataset.label = label;
  return td;
}

// spark draws the prices of a pair over the last 24 hours.
function spark(prices) {
  const low = Math.min(...prices), high = Math.max(...prices), svg = "http://www.w3.org/2000/svg";
  const line = document.createElementNS(svg, "polyline"), picture = document.createElementNS(svg, "svg");
  line.setAttribute("points", prices.map((price, i) => `${(120 * i) / (prices.length - 1)},${1 + (22 * (high - price)) / (high - low || 1)}`).join(" "));
  picture.setAttribute("class", "spark");
  picture.setAttribute("viewBox", "0 0 120 24");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  picture.append(line);
  return picture;
}

function update({ data }) {
  for (const pair of JSON.parse(data)) pairs.set(pair.id, pair);
  rows.replaceChildren(...shown.filter((id) => pairs.has(id)).map((id) => {
    const pair = pairs.get(id), row = document.createElement("tr"), name = document.createElement("th"), digits = pair.counter_decimal;
    name.scope = "row";
    name.textContent = pair.base + "/" + pair.counter;
    const badge = Object.assign(document.createElement("span"), { textContent: pair.status, className: "badge " + pair.status });
    const status = cell("", ""), change = Number(pair.percentage_change);
    status.append(badge);
    row.append(
      name, cell(amount(pair.buy_price.amount, digits), "n", "buy"), cell(amount(pair.sell_price.amount, digits), "n", "sell"), sparks.get(id),
      cell((change > 0 ? "+" : "") + change.toFixed(2) + " %", "n"), status,
    );
    return row;
  }));
  state.textContent = "live";
  state.className = "badge good";
}

fetch("/docs/sparklines.json?pairs=" + shown).then((response) => (response.ok ? response.json() : {})).then((lines) => {
  for (const [id, prices] of Object.entries(lines)) sparks.get(id).append(spark(prices));
});

const stream = new EventSource("/v1/pairs/stream");
stream.addEventListener("snapshot", update);
stream.addEventListener("change", update);
stream.addEventListener("error", () => {
  state.textContent = "connection lost";
  state.className = "badge bad";
});
