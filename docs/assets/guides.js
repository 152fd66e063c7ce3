// What the pages of the public listener do by themselves: copy buttons on code, the contents of a guide, and the
// search over guides, errors and operations.
"use strict";

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// A block with commands is copied without its outputs.
for (const block of document.querySelectorAll(".code")) {
  const button = element("button", { type: "button", textContent: "Copy" });
  const commands = [...block.querySelectorAll(".command")].map((command) => command.textContent);
  const text = commands.join("\n") || block.querySelector("pre").textContent.trimEnd();
  button.setAttribute("aria-label", "Copy " + text.split("\n", 1)[0]);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}

// The contents stand open where there is room beside the text.
const contents = document.querySelector(".contents"), roomy = matchMedia("(min-width: 1200px)");
if (contents) {
  const fit = () => { contents.open = roomy.matches; };
  roomy.addEventListener("change", fit);
  fit();
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const headings = [...document.querySelectorAll(".prose :is(h2, h3)")].filter((heading) => links.has(heading.id));
  const mark = () => {
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    for (const [id, link] of links) link.toggleAttribute("data-read", id === read?.id);
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

// The search. Every word must occur; a word in a title counts more than in a text.
const form = document.querySelector(".search"), field = form.querySelector("input"), panel = form.querySelector("div");
const list = panel.querySelector("ul"), status = panel.querySelector("p");
let index;

function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    const title = entry.low.indexOf(word), text = entry.lowText.indexOf(word);
    if (title < 0 && text < 0 && !entry.lowGuide.includes(word)) return 0;
    if (entry.low === word) sum += 60;
    if (title >= 0) sum += title === 0 || /\W/.test(entry.low[title - 1]) ? 24 : 8;
    if (text >= 0) sum += text === 0 || /\W/.test(entry.lowText[text - 1]) ? 3 : 1;
    if (entry.lowGuide.includes(word)) sum += 4;
  }
  return entry.lowText.includes(words.join(" ")) || entry.low.includes(words.join(" ")) ? sum + 10 : sum;
}

// excerpt returns the part of a text in which most of the words occur, with the words marked.
function excerpt(text, words) {
  const low = text.toLowerCase(), starts = [0];
  for (const word of words) {
    for (let at = low.indexOf(word); at >= 0 && starts.length < 200; at = low.indexOf(word, at + 1)) starts.push(Math.max(0, at - 40));
  }
  const count = (start) => words.filter((word) => low.slice(start, start + 150).includes(word)).length;
  const best = starts.reduce((a, b) => (count(b) > count(a) ? b : a));
  const from = best ? low.indexOf(" ", best) + 1 : 0;
  const part = (from ? "…" : "") + text.slice(from, from + 160) + (text.length > from + 160 ? "…" : "");
  const pattern = new RegExp("(" + words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|") + ")", "i");
  return part.split(pattern).map((piece, i) => (i % 2 ? element("mark", { textContent: piece }) : piece));
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  panel.hidden = words.length === 0;
  if (panel.hidden) return;
  index ??= fetch("/docs/search.json").then((response) => response.json()).then((entries) => entries.map((entry) => ({
    ...entry, low: entry.title.toLowerCase(), lowText: entry.text.toLowerCase(), lowGuide: entry.guide.toLowerCase(),
  })));
  let entries;
  try {
    entries = await index;
  } catch {
    index = undefined;
    status.textContent = "The server did not respond.";
    return;
  }
  const found = entries.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
  found.sort(([a], [b]) => b - a);
  status.textContent = found.length === 0 ? "Nothing found. Try fewer or other words." :
    found.length > 12 ? `The best 12 of ${found.length} results` : found.length === 1 ? "1 result" : `${found.length} results`;
  list.replaceChildren(...found.slice(0, 12).map(([, entry]) => element("li", {},
    element("a", { href: entry.url },
      element("strong", { textContent: entry.title }),
      entry.guide === entry.title ? "" : element("span", { className: "in", textContent: entry.guide }),
      element("span", { className: "excerpt" }, ...excerpt(entry.text, words))))));
}

form.hidden = false;
field.addEventListener("input", search);
field.addEventListener("focus", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  const stops = [field, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
  const to = stops[at + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
  if (event.key === "Escape") {
    panel.hidden = true;
    field.focus();
    event.preventDefault();
  } else if (to) {
    to.focus();
    event.preventDefault();
  }
});
const close = ({ target }) => { if (!form.contains(target)) panel.hidden = true; };
addEventListener("click", close);
addEventListener("focusin", close);
list.addEventListener("click", () => { panel.hidden = true; });
addEventListener("keydown", (event) => {
  const typing = event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing) {
    field.focus();
    event.preventDefault();
  }
});
