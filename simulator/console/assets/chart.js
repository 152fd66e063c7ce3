// The chart: drawn by the server, and fetched again when something changed in the world while somebody can see it.
export function start() {
  const chart = document.getElementById("chart");
  const plot = chart.querySelector("[data-plot]");
  if (!plot) {
    return;
  }
  const { world, pair } = document.body.dataset;
  let period = "1h";
  let drawing = false;
  let again = false; // something changed meanwhile

  const fetched = async () => {
    const answer = await fetch("/console/chart?" + new URLSearchParams({ world, pair, period }));
    if (!answer.ok) {
      return;
    }
    const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    if (svg.localName !== "svg") {
      return;
    }
    plot.replaceChildren(document.importNode(svg, true));
    for (const part of ["low", "high", "last"]) {
      chart.querySelector(`[data-${part}]:not(svg)`).textContent = svg.dataset[part];
    }
  };
  const draw = async () => {
    again = true;
    if (drawing) {
      return;
    }
    drawing = true;
    while (again) {
      again = false;
      try {
        await fetched();
      } catch {
        break; // the words above the panels say that nothing is live
      }
    }
    drawing = false;
  };
  for (const button of chart.querySelectorAll("[data-period]")) {
    button.addEventListener("click", () => {
      period = button.dataset.period;
      for (const other of chart.querySelectorAll("[data-period]")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
      draw();
    });
  }
  document.addEventListener("patched", () => {
    if (!document.hidden) {
      draw();
    }
  });
}
