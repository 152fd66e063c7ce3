// What htmx does not do by itself: JSON bodies, the command that equals a button or form, copying, and charts.
"use strict";

// A refresh leaves menus open, and previews and forms that keep their input as they are.
Object.assign(Idiomorph.defaults.callbacks, {
  beforeAttributeUpdated: (name) => name !== "open",
  beforeNodeMorphed: (node) => !node.dataset?.preview && !("keep" in (node.dataset ?? {})),
});

// The rows of a long table, and of a list of lights, are one tab stop. Arrow keys move between their links.
document.addEventListener("keydown", (event) => {
  const links = [...(event.target.closest("[data-rows]")?.querySelectorAll("th a, li a") ?? [])], at = links.indexOf(event.target);
  const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (links[to]) {
    links[to].focus();
    event.preventDefault();
  }
});

const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

// callOf returns the request that an element with data-call makes, and the same as commands. The members of a
// form's body are its fields that have a value; a dot separates the names of nested members.
function callOf(element) {
  const verb = ["post", "put", "delete"].find((name) => element.hasAttribute("hx-" + name));
  const call = { method: verb.toUpperCase(), path: element.getAttribute("hx-" + verb), body: element.dataset.body ?? "" };
  const words = [];
  if (element.localName === "form") {
    const body = {}, positions = (element.dataset.words ?? "").split(" "), members = [];
    for (const field of element.elements) {
      const text = field.value?.trim(); // a fieldset has none
      if (!field.name || !text || field.disabled || (field.type === "checkbox" && !field.checked)) continue;
      if (call.path.includes("{" + field.name + "}")) {
        call.path = call.path.replace("{" + field.name + "}", encodeURIComponent(text));
      } else {
        const steps = field.name.split("."), last = steps.pop();
        const value = { int: () => (/^-?\d+$/.test(text) ? Number(text) : text), bool: () => true, list: () => text.split(/[\s,]+/) }[field.dataset.type];
        steps.reduce((inner, step) => (inner[step] ??= {}), body)[last] = value ? value() : text;
      }
      if (positions.includes(field.name)) words[positions.indexOf(field.name)] = (field.dataset.type === "list" ? text.split(/[\s,]+/) : [text]).map(quote).join(" ");
      else members.push(field.dataset.flag ? field.dataset.flag + " " + quote(text) : quote(field.name + "=" + text));
    }
    call.body = JSON.stringify(body);
    words.push(...members);
  }
  const data = call.body ? " -H 'Content-Type: application/json' -d " + quote(call.body) : "";
  call.curl = "curl -X " + call.method + " " + quote(location.origin + call.path) + data;
  call.cli = [element.dataset.cli, ...words, element.dataset.flags].filter(Boolean).join(" ");
  return call;
}

htmx.defineExtension("json", { encodeParameters: (xhr, parameters, element) => callOf(element).body });

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (!("call" in detail.elt.dataset)) return;
  const call = callOf(detail.elt);
  detail.path = call.path;
  detail.headers["Content-Type"] = "application/json";
  if (call.method === "DELETE") for (const name of [...detail.formData.keys()]) detail.formData.delete(name);
});

// show reports the outcome of a call at the bottom of the page.
let lastCurl = "";
function show(state, text, curl = "") {
  const result = document.getElementById("result");
  result.dataset.state = state;
  result.querySelector("[data-text]").textContent = text;
  result.querySelector("button").hidden = !curl;
  lastCurl = curl;
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!("call" in detail.elt.dataset)) {
    if (detail.successful && document.getElementById("result")?.dataset.state === "lost") show("", "Connected again.");
    return;
  }
  const call = callOf(detail.elt);
  let reply = {};
  try { reply = JSON.parse(detail.xhr.responseText); } catch { /* the connection was lost */ }
  let text = reply.error?.message ?? reply.reason ?? reply.message ?? "";
  for (const [field, faults] of Object.entries(reply.fields ?? {})) {
    for (const fault of faults) if (!text.includes(fault.reason)) text += " " + field + " " + fault.reason + ".";
  }
  show(detail.successful ? "good" : "bad", `${call.method} ${call.path} → ${detail.xhr.status || "no response"}. ${text}`, call.curl);
  htmx.trigger(document.body, "changed");
});

const polls = (element) => element.getAttribute?.("hx-trigger")?.includes("every");
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && polls(event.detail.elt)) event.preventDefault();
});
// The response to a refresh is out of date if a filter or a link changed the view since it was sent.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { elt, path } = detail.requestConfig;
  if (polls(elt) && path !== elt.getAttribute("hx-get")) detail.shouldSwap = false;
});
document.addEventListener("htmx:sendError", ({ detail }) => {
  if (polls(detail.elt)) show("lost", "The process does not respond. Retrying every second.");
});

// Copy buttons copy the text in data-copy, or else that of the element before them.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (!button) return;
  const text = button.id === "copy-call" ? lastCurl : button.dataset.copy || button.previousElementSibling.textContent;
  try {
    await navigator.clipboard.writeText(text);
    show("good", "Copied: " + text);
  } catch {
    show("bad", "The browser does not allow copying. The text is: " + text);
  }
});

// Forms show the commands that do the same while they are filled in.
function preview(form) {
  const call = callOf(form);
  for (const code of form.querySelectorAll("[data-preview]")) code.textContent = call[code.dataset.preview];
}
for (const type of ["input", "change"]) {
  document.addEventListener(type, ({ target }) => {
    const form = target.closest?.("form[data-call]");
    if (form) preview(form);
  });
}
const previewAll = () => document.querySelectorAll("form[data-call]").forEach(preview);
document.addEventListener("htmx:afterSettle", previewAll);
document.addEventListener("DOMContentLoaded", () => {
  previewAll();
  document.querySelectorAll("[data-chart]").forEach(chart);
});

const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 8 });

// times labels the marks of a time axis in UTC: dates, minutes or seconds, by the distance of two marks.
const times = (plot, marks, axis, space, step) => marks.map((seconds) => {
  const iso = new Date(seconds * 1000).toISOString();
  return step >= 86400 ? iso.slice(5, 10) : iso.slice(11, step < 60 ? 19 : 16);
});

// chart draws the series at the address in data-chart and keeps them up to date.
function chart(element) {
  let plot, names = "";
  const colour = (name) => {
    element.style.color = `var(--${name})`;
    const value = getComputedStyle(element).color;
    element.style.color = "";
    return value;
  };
  const axis = () => ({ stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") } });
  const palette = ["#3d7dd8", "#c8642c", "#2f9a78", "#9c5fd0", "#b8860b", "#c2477f", "#4a93a8", "#7c8b2f"];
  const line = (series, i) => ({
    label: series.label, spanGaps: true, points: { show: series.role !== "venue" && series.values.filter((v) => v !== null).length === 1 },
    value: (u, v) => (v == null ? "–" : numbers.format(v)),
    stroke: { mid: colour("text"), reference: colour("muted"), buy: colour("good"), sell: colour("bad") }[series.role] ?? palette[i % palette.length],
    width: series.role === "mid" ? 2 : 1, dash: series.role === "reference" ? [4, 4] : undefined,
  });
  const draw = async () => {
    if (!element.isConnected || document.hidden) return;
    const response = await fetch(element.dataset.chart);
    if (!response.ok) return;
    const { x, series } = await response.json();
    const data = [x, ...series.map((s) => s.values)], found = series.map((s) => s.label).join();
    if (plot && found === names) { plot.setData(data); return; }
    plot?.destroy();
    names = found;
    const at = (role) => series.findIndex((s) => s.role === role) + 1;
    const fill = colour("accent").replace("rgb(", "rgba(").replace(")", ", 0.15)");
    element.replaceChildren();
    plot = new uPlot({
      width: element.clientWidth - 16, height: 320, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      axes: [{ ...axis(), values: times }, { ...axis(), size: 100, values: (u, ticks) => ticks.map((v) => numbers.format(v)) }],
      series: [{ label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, ...series.map(line)],
      bands: at("buy") && at("sell") ? [{ series: [at("buy"), at("sell")], fill }] : [],
    }, data, element);
  };
  new ResizeObserver(() => plot?.setSize({ width: element.clientWidth - 16, height: 320 })).observe(element);
  document.body.addEventListener("changed", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { names = ""; draw(); });
  setInterval(draw, 2000);
  draw();
}
