// The whole state of the page in the address, so that a link shows what its sender saw.

export const DEFAULTS = {
  view: "hidden", tau: 5, k: 3, figure: "10.3", a: "", b: "", given: "", tool: "observe", reveal: 1,
  rule: "eos", seed: 7, x1: 1, x2: 0, entry: "input", text: "ab?abc?bc", hide: "",
};

export function read(hash, defaults = DEFAULTS) {
  const state = { ...defaults };
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (!(key in defaults)) continue;
    if (typeof defaults[key] !== "number") state[key] = value;
    else if (value.trim() !== "" && Number.isFinite(Number(value))) state[key] = Number(value);
  }
  return state;
}

export function write(state, defaults = DEFAULTS) {
  const changed = Object.entries(state).filter(([key, value]) => value !== defaults[key]);
  return changed.length ? "#" + new URLSearchParams(changed).toString() : "";
}

// replaceState throws in a sandboxed frame; the page works without an address then.
export function keep(state, win, defaults = DEFAULTS) {
  try {
    win.history.replaceState(null, "", write(state, defaults) || win.location.pathname);
  } catch {
    /* a frame without an address of its own */
  }
}
