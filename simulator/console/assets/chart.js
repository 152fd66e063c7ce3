// The chart: drawn by the server, fetched again every few seconds while somebody can see it.
const every = 3000;

export function start() {
  const chart = document.getElementById("chart");
  const plot = chart.querySelector("[data-plot]");
  if (!plot) {
    return;
  }
  const { world, pair } = document.body.dataset;
  let period = "1h";
  const draw = async () => {
    const asked = period;
    const query = new URLSearchParams({ world, pair, period });
    let text;
    try {
      const answer = await fetch("/console/chart?" + query);
      if (!answer.ok) {
        return;
      }
      text = await answer.text();
    } catch {
      return; // the words above the panels say that nothing is live
    }
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (asked !== period || svg.localName !== "svg") {
      return;
    }
    plot.replaceChildren(document.importNode(svg, true));
    for (const part of ["low", "high", "last"]) {
      chart.querySelector(`[data-${part}]:not(svg)`).textContent = svg.dataset[part];
    }
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
  setInterval(() => {
    if (!document.hidden && document.body.dataset.live === "true") {
      draw();
    }
  }, every);
}
