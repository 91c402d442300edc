// Part 5: a sequence with gaps, filled exactly, and by likelihood weighting beside it.
import { bar, byId, element, fill } from "./dom.js";
import { generator, infill, weighted } from "./net.js";

const MOST = 7; // gaps: 3^7 = 2,187 branches

export function parse(text, symbols) {
  const y = [];
  for (const c of text) {
    if (c === "?") y.push(-1);
    else if (symbols.includes(c)) y.push(symbols.indexOf(c));
    else return { error: `"${c}" is not a symbol here; write ${[...symbols].join(", ")}, and ? for a gap.` };
  }
  if (!y.length) return { error: "Type a sequence, for example ab?abc?bc." };
  if (y.length > 12) return { error: "At most 12 symbols here." };
  if (y.filter((s) => s < 0).length > MOST) return { error: `At most ${MOST} gaps here: the work is k to the power of the gaps.` };
  return { y };
}

export function missing(data, state, save) {
  function render() {
    const input = byId("missing-text");
    if (document.activeElement !== input) input.value = state.text;
    const { y, error } = parse(state.text, data.symbols);
    input.setAttribute("aria-invalid", String(Boolean(error)));
    byId("missing-error").textContent = error || "";
    if (error) return;
    const exact = infill(data.net, y);
    const near = weighted(data.net, y, 100, generator(state.seed));
    const places = y.map((s, t) => [s, t + 1]).filter(([s]) => s < 0).map(([, t]) => t);
    fill(byId("missing-bars"), ...places.map((t, g) => element(
      "div", { class: "step" },
      element("h4", {}, `y(${t})`),
      ...exact.marginals[g].map((p, s) => bar(data.symbols[s], p)),
      element("p", { class: "aside" }, "by 100 weighted particles: " +
        near.marginals[g].map((p, s) => `${data.symbols[s]} ${p.toFixed(2)}`).join(", ")),
    )));
    const m = places.length;
    byId("missing-words").textContent = m
      ? `${m} gap${m > 1 ? "s" : ""}: ${data.symbols.length}^${m} = ${exact.branches.toLocaleString("en")} re-runs of the state from the first gap on, ${exact.steps.toLocaleString("en")} steps. log P(the rest) = ${exact.evidence.toFixed(4)} nats.`
      : `No gap. log P(y) = ${exact.evidence.toFixed(4)} nats.`;
  }
  byId("missing-text").addEventListener("input", () => {
    state.text = byId("missing-text").value;
    save();
    render();
  });
  render();
}
