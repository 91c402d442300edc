// Part 4: one vector x as context; what each way in makes of it.
import { bar, byId, element, fill } from "./dom.js";
import { contextual } from "./net.js";

export function context(data, state, save) {
  function render() {
    const entry = Object.hasOwn(data.nets, state.entry) ? state.entry : "input";
    const net = data.nets[entry];
    const clamp = (v) => Math.min(2, Math.max(-2, v));
    const x = [clamp(state.x1), clamp(state.x2)];
    const found = contextual(net, x, entry);
    document.querySelectorAll("input[name=entry]").forEach((radio) => (radio.checked = radio.value === entry));
    for (const name of ["x1", "x2"]) {
      byId(name).value = clamp(state[name]);
      byId(name + "-out").textContent = clamp(state[name]).toFixed(1);
    }
    fill(byId("context-bars"), ...found.map((p, t) => element("div", { class: "step" }, element("h4", {}, `y(${t + 1})`), ...p.map((q, s) => bar("ab"[s], q)))));
    byId("context-words").textContent = {
      input: "x R is added to h at every step from h(1) on: a bias that depends on the input. y(1) comes before it and does not move.",
      initial: "x makes the first state h(0), and is never seen again: the net must carry it.",
      both: "x makes the first state and is added at every step.",
    }[entry];
  }
  for (const name of ["x1", "x2"]) {
    byId(name).addEventListener("input", () => {
      state[name] = Number(byId(name).value);
      save();
      render();
    });
  }
  document.querySelectorAll("input[name=entry]").forEach((radio) =>
    radio.addEventListener("change", () => {
      state.entry = radio.value;
      save();
      render();
    }));
  render();
}
