// Part 6: every experiment, drawn small from its numbers: theory a line, measurements points.
import { byId, element, fill, nats, shape } from "./dom.js";

function brief(value) {
  return Math.abs(value) >= 1e5 ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(3)));
}

export function plot(experiment) {
  const rows = experiment.rows;
  const weight = (unit) => rows.filter((r) => r.unit === unit && Math.abs(r.value) + Math.abs(r.theory) > 1e-9).length;
  const unit = rows.map((r) => r.unit).reduce((best, u) => (weight(u) > weight(best) ? u : best));
  const shown = rows.filter((r) => r.unit === unit).slice(0, 9);
  const values = shown.flatMap((r) => [r.theory, ...r.values]);
  const least = Math.min(0, ...values);
  const low = least > -1e-2 * Math.max(...values) ? 0 : least;
  const high = Math.max(...values, low + 1e-9);
  const logarithmic = low >= 0 && high > 1e5;
  const scale = (v) => logarithmic ? Math.log10(1 + v) / Math.log10(1 + high) : (v - low) / (high - low);
  const y = (v) => 110 - 96 * scale(v);
  const x = (i) => 56 + (246 * (i + 0.5)) / shown.length;
  const svg = shape("svg", { viewBox: "0 0 310 140", class: "plot", role: "img",
    "aria-label": `${experiment.claim} ${shown.map((r) => `${r.quantity}: theory ${nats(r.theory)}, measured ${nats(r.value)}`).join("; ")}` });
  svg.append(shape("line", { x1: 52, y1: 10, x2: 52, y2: 114, class: "axis" }));
  for (const v of [low, high]) svg.append(shape("text", { x: 48, y: y(v) + 4, "text-anchor": "end", class: "tick" }, brief(v)));
  svg.append(shape("text", { x: 56, y: 134, class: "tick" }, unit + (logarithmic ? ", logarithmic" : "")));
  shown.forEach((r, i) => {
    const half = 110 / shown.length;
    svg.append(shape("line", { x1: x(i) - half, x2: x(i) + half, y1: y(r.theory), y2: y(r.theory), class: "theory" }));
    r.values.forEach((v, j) => svg.append(shape("circle", { cx: x(i) + 5 * (j - (r.values.length - 1) / 2), cy: y(v), r: 3.4, class: "measured" })));
    svg.append(shape("text", { x: x(i), y: 122, "text-anchor": "middle", class: "tick" }, String(i + 1)));
  });
  return svg;
}

export function experiments(data) {
  fill(byId("experiment-list"), ...data.map((e) => {
    const head = ["", "quantity", "theory", "measured", "unit"].map((h) => element("th", { scope: "col" }, h));
    const rows = e.rows.map((r, i) => element("tr", {}, element("td", {}, String(i + 1)), element("th", { scope: "row" }, r.quantity),
      element("td", {}, ({ "at most": "≤ ", "at least": "≥ " }[r.rule] || "") + nats(r.theory)), element("td", {}, nats(r.value)), element("td", {}, r.unit)));
    return element(
      "figure", { class: "experiment" },
      element("h4", {}, e.name), plot(e),
      element("figcaption", {}, `${e.claim} (${e.about}; ${e.seeds} seed${e.seeds > 1 ? "s" : ""}). ${e.verdict ? "The claim holds." : "The claim fails."}`),
      element("details", {}, element("summary", {}, "The numbers"),
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": e.name + ": the numbers" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)))),
    );
  }));
}
