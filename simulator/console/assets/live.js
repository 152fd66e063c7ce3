// What changes by itself: the server says which items of a panel changed, and this puts them in their places. Nodes stay where they can, so that
// the focus, what is unfolded and what was typed stay too.
import { apply } from "./filters.js";

const kept = new Set(["open", "hidden"]); // attributes that belong to whoever looks

// morph makes a node what another one is.
function morph(node, wanted) {
  if (node.nodeType !== wanted.nodeType || node.nodeName !== wanted.nodeName) {
    node.replaceWith(wanted);
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== wanted.data) {
      node.data = wanted.data;
    }
    return;
  }
  for (const { name } of [...node.attributes]) {
    if (!kept.has(name) && !wanted.hasAttribute(name)) {
      node.removeAttribute(name);
    }
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (node.getAttribute(name) !== value) {
      node.setAttribute(name, value);
    }
  }
  const now = [...node.childNodes];
  const then = [...wanted.childNodes];
  then.forEach((child, i) => (i < now.length ? morph(now[i], child) : node.append(child)));
  now.slice(then.length).forEach((child) => child.remove());
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html; // by the server, which escaped what it shows
  return template.content.firstElementChild;
}

function patch({ panel, order, items }) {
  const list = document.querySelector(`[data-live="${panel}"]`);
  const nodes = new Map([...list.children].map((node) => [node.dataset.key, node]));
  for (const [key, html] of Object.entries(items)) {
    const wanted = parse(html);
    if (nodes.has(key)) {
      morph(nodes.get(key), wanted);
    } else {
      nodes.set(key, wanted);
      list.append(wanted);
    }
  }
  if (order) {
    const keep = new Set(order);
    for (const [key, node] of nodes) {
      if (!keep.has(key)) {
        node.remove();
      }
    }
    order.forEach((key, i) => {
      if (list.children[i] !== nodes.get(key)) {
        list.insertBefore(nodes.get(key), list.children[i] ?? null);
      }
    });
  }
  apply(panel);
}

// reveal scrolls the board to the pair that is looked at, and leaves the page where it is.
function reveal() {
  const list = document.querySelector('[data-live="prices"]');
  const close = list.querySelector(".close");
  if (close) {
    list.scrollTop = close.offsetTop - list.offsetTop;
  }
}

export function start() {
  reveal();
  const { world, pair } = document.body.dataset;
  const state = document.getElementById("live");
  const say = (text) => {
    if (state.textContent !== text) {
      state.textContent = text;
    }
  };
  const events = new EventSource("/console/events?" + new URLSearchParams({ world, pair }));
  events.addEventListener("patch", (event) => {
    patch(JSON.parse(event.data));
    document.dispatchEvent(new CustomEvent("patched"));
    say("Live.");
  });
  events.addEventListener("over", (event) => {
    events.close();
    say("No longer live: " + JSON.parse(event.data));
  });
  events.addEventListener("error", () => {
    const closed = events.readyState === EventSource.CLOSED;
    say(closed ? "Not live: too many consoles are open, or the world is gone. Reload to try again." : "Not live: the server does not answer. Trying again.");
  });
}
