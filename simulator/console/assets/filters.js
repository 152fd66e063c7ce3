// Filters: which items of a list are shown, by what they say or by one of their attributes.
function fits(item, field) {
  const want = field.value.trim().toLowerCase();
  const by = field.dataset.by;
  return want === "" || (by ? item.dataset[by] ?? "" : item.textContent).toLowerCase().includes(want);
}

// apply filters a list anew.
export function apply(panel) {
  const fields = [...document.querySelectorAll(`[data-filter="${panel}"]`)];
  if (fields.length === 0) {
    return;
  }
  for (const item of document.querySelector(`[data-live="${panel}"]`).children) {
    item.hidden = item.dataset.key !== "none" && !fields.every((field) => fits(item, field));
  }
}

export function start() {
  for (const field of document.querySelectorAll("[data-filter]")) {
    field.addEventListener("input", () => apply(field.dataset.filter));
    apply(field.dataset.filter); // a browser may have kept what was typed before a reload
  }
}
