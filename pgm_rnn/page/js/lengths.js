// Part 3: how a sequence ends; sampled live, beside the exact distribution.
import { byId, element, fill } from "./dom.js";
import { generator, sampleLength } from "./net.js";

const MANY = 500;

export function histogram(net, rule, seed) {
  const random = generator(seed);
  const counts = new Array(net.tau + 1).fill(0);
  const shown = [];
  for (let i = 0; i < MANY; i++) {
    const y = sampleLength(net, rule, random);
    counts[y.length] += 1;
    if (i < 8) shown.push(y);
  }
  return { counts, shown };
}

export function lengths(data, state, save) {
  function render() {
    const rule = Object.hasOwn(data.nets, state.rule) ? state.rule : "eos";
    const net = data.nets[rule];
    const { counts, shown } = histogram(net, rule, state.seed);
    document.querySelectorAll("[data-rule]").forEach((button) =>
      button.setAttribute("aria-pressed", String(button.dataset.rule === rule)));
    fill(byId("length-samples"), ...shown.map((y) =>
      element("li", {}, y.length ? y.map((s) => "ab"[s]).join(" ") : "(empty)")));
    const law = data.laws[rule];
    fill(byId("length-bars"), ...law.probability.map((p, n) => {
      const share = counts[n] / MANY;
      const bar = element("div", { class: "column" });
      const drawn = element("span", { class: "column-fill" });
      const exact = element("span", { class: "column-line" });
      drawn.style.height = (200 * share).toFixed(1) + "%";
      exact.style.bottom = (200 * p).toFixed(1) + "%";
      bar.append(drawn, exact);
      return element("div", { class: "column-box" }, bar, element("span", { class: "column-label" }, String(n)));
    }));
    fill(byId("length-table"), ...law.probability.map((p, n) =>
      element("tr", {}, element("th", { scope: "row" }, String(n)), element("td", {}, (counts[n] / MANY).toFixed(3)), element("td", {}, p.toFixed(4)))));
    byId("length-words").textContent =
      `${MANY} sequences with seed ${state.seed}. Exactly: ${(100 * law.forced).toFixed(2)} % are ended only because ${net.tau} is the largest length.`;
    byId("length-seed").value = state.seed;
  }
  document.querySelectorAll("[data-rule]").forEach((button) =>
    button.addEventListener("click", () => {
      state.rule = button.dataset.rule;
      save();
      render();
    }));
  byId("length-seed").addEventListener("change", () => {
    state.seed = Math.abs(Math.round(Number(byId("length-seed").value))) || 0;
    save();
    render();
  });
  byId("length-again").addEventListener("click", () => {
    state.seed += 1;
    save();
    render();
  });
  render();
}
