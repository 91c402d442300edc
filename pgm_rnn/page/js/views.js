// Part 1: one law, two graphs; what a table costs and what a net costs.
import { byId, element, fill } from "./dom.js";
import { picture } from "./picture.js";

const LAPTOP = 16 * 2 ** 30; // bytes

export function tableEntries(k, tau) {
  return BigInt(k) ** BigInt(tau);
}

export const netParameters = (hidden, k) => hidden * hidden + 2 * k * hidden + hidden + k;

export function views(data, state, save) {
  const words = {
    complete: "The complete graph: every past y points at every later one. Nothing is independent of anything.",
    hidden: "With h as a node each stage is the same: y(t) and h(t-1) make h(t), and h(t) makes y(t+1). h is a function, drawn with a double ring.",
    substituted: "h substituted: each y takes over the parents of the h it read. What is left is the complete graph, the same law.",
    random: "If h were random and removed, its children would stay tied to each other: the arrows with two heads. Only because h is a function does removing it leave plain arrows.",
  };

  function render() {
    const tau = Math.min(Math.max(Math.round(state.tau), 2), 8);
    const view = data.views[state.view][String(Math.min(tau, data.largest[state.view]))];
    const kind = Object.keys(words).includes(state.view) ? state.view : "hidden";
    fill(byId("views-picture"), picture(view));
    byId("views-words").textContent = words[kind] +
      (tau > data.largest[kind] ? ` (Drawn at tau = ${data.largest[kind]}; the numbers are for tau = ${tau}.)` : "");
    document.querySelectorAll("[data-view]").forEach((button) =>
      button.setAttribute("aria-pressed", String(button.dataset.view === kind)));
    const k = Math.min(Math.max(Math.round(state.k), 2), 10);
    byId("tau").value = tau;
    byId("k").value = k;
    byId("tau-out").textContent = tau;
    byId("k-out").textContent = k;
    const entries = tableEntries(k, tau);
    const full = Math.ceil(Math.log(LAPTOP / 8) / Math.log(k));
    fill(
      byId("views-cost"),
      row("A table of P(y(1), ..., y(tau))", `${k}^${tau} = ${entries.toLocaleString("en")} entries, ${(entries - 1n).toLocaleString("en")} of them free`),
      row("A recurrent net with H = " + data.hidden, `H² + 2kH + H + k = ${netParameters(data.hidden, k).toLocaleString("en")} parameters, at every tau`),
      row("Largest number of parents", `${tau - 1} in the complete graph; ${tau > 1 ? 2 : 1} with h as a node`),
      row("Where the table leaves a laptop", `with k = ${k} it passes 16 GB of memory at tau = ${full}`),
    );
  }

  const row = (name, value) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value));
  document.querySelectorAll("[data-view]").forEach((button) =>
    button.addEventListener("click", () => {
      state.view = button.dataset.view;
      save();
      render();
    }));
  for (const name of ["tau", "k"]) {
    byId(name).addEventListener("input", () => {
      state[name] = Number(byId(name).value);
      save();
      render();
    });
  }
  if (!Object.hasOwn(data.views, state.view)) state.view = "hidden";
  render();
}
