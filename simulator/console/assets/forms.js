// Forms: their fields, by name, are the body of a call. A dot in a name leads into an object.
import { make, show, tell } from "./calls.js";

// value is what a field contributes; undefined: nothing.
function value(field) {
  if (field.type === "checkbox") {
    return field.checked || undefined;
  }
  const text = field.value.trim();
  if (text === "") {
    return undefined;
  }
  switch (field.dataset.type) {
    case "int":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text; // what is no number is left to the answer to explain
    case "list":
      return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
    default:
      return text;
  }
}

function callOf(form) {
  const body = {};
  for (const field of form.elements) {
    const content = field.name && !field.disabled ? value(field) : undefined;
    if (content === undefined) {
      continue;
    }
    const names = field.name.split(".");
    let place = body;
    for (const name of names.slice(0, -1)) {
      place = place[name] ??= {};
    }
    place[names.at(-1)] = content;
  }
  return { method: form.dataset.method, path: form.dataset.path, body };
}

// takes shows those fields of a fault that its kind has.
function takes(select) {
  const takes = select.selectedOptions[0].dataset.takes.split(" ");
  for (const label of select.form.querySelectorAll("[data-take]")) {
    label.hidden = !takes.includes(label.dataset.take);
    label.querySelector("input, select").disabled = label.hidden;
  }
}

// on shows those fields and kinds of a fault that its plane has.
function on(select) {
  for (const label of select.form.querySelectorAll("[data-on]")) {
    label.hidden = label.dataset.on !== select.value;
    label.querySelector("input, select").disabled = label.hidden;
  }
  const kinds = select.form.querySelector("[data-kinds]");
  for (const option of kinds.options) {
    option.hidden = option.disabled = !option.dataset.planes.split(" ").includes(select.value);
  }
  if (kinds.selectedOptions[0].disabled) {
    kinds.value = [...kinds.options].find((option) => !option.disabled).value;
  }
  takes(kinds);
}

// bring imports the world of a file.
async function bring(form) {
  const file = form.querySelector("input[type=file]").files[0];
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    tell("The file is no JSON: choose one that was exported here.", true);
    return;
  }
  const id = content?.world?.id;
  if (typeof id !== "string") {
    tell("The file is no world: choose one that was exported here.", true);
    return;
  }
  await make([{ method: "POST", path: "/_sim/v1/worlds/" + encodeURIComponent(id) + "/import", body: content }]);
}

export function start() {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    event.preventDefault();
    if ("import" in form.dataset) {
      await bring(form);
    } else {
      await make([callOf(form)]);
    }
  });
  const preview = (event) => {
    const form = event.target.closest?.("form[data-method]");
    if (form && !event.target.closest("button[data-call]")) {
      show([callOf(form)]);
    }
  };
  document.addEventListener("focusin", preview);
  document.addEventListener("input", preview);
  for (const select of document.querySelectorAll("[data-kinds]")) {
    select.addEventListener("change", () => takes(select));
    takes(select);
  }
  for (const select of document.querySelectorAll("[data-planes]:not(option)")) {
    select.addEventListener("change", () => on(select));
    on(select);
  }
}
