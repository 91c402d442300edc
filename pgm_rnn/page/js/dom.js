// Small helpers for elements; every text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  set(made, attributes);
  made.append(...children);
  return made;
}

export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  set(made, attributes);
  made.append(...children);
  return made;
}

function set(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
}

export const byId = (id) => document.getElementById(id);

export function fill(place, ...children) {
  place.replaceChildren(...children);
}

// A number for people: 5 significant digits, and 0 for what is below the rounding of a sum.
export function nats(value) {
  return Math.abs(value) < 1e-12 ? "0" : String(Number(value.toPrecision(4)));
}

export function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A labelled bar for a probability.
export function bar(label, p) {
  const width = (100 * p).toFixed(2) + "%";
  const inner = element("span", { class: "bar-fill" });
  inner.style.width = width;
  return element(
    "div", { class: "bar" },
    element("span", { class: "bar-label" }, label),
    element("span", { class: "bar-track", "aria-hidden": "true" }, inner),
    element("span", { class: "bar-value" }, p.toFixed(4)),
  );
}
