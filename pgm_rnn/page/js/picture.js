// Draw a view that the library laid out: { title, box, nodes, edges }.
// A node is { name, kind, observed, square, x, y, rx, ry, rings, label: [[text, style]] }; an edge
// is { tail, head, path, arrows, via, both }.
import { element, shape } from "./dom.js";

export function picture(view, options = {}) {
  const { marks = () => ({}), onNode = null, current = null, words = view.title } = options;
  const svg = shape("svg", {
    viewBox: view.box.join(" "), class: "picture", role: onNode ? "group" : "img",
    "aria-label": words,
  });
  svg.style.maxWidth = view.box[2] * 1.25 + "px";
  if (onNode) svg.style.minWidth = view.box[2] * 0.6 + "px"; // nodes of 24 px and more: then it scrolls
  for (const edge of view.edges) {
    const mark = options.markEdge ? options.markEdge(edge) : "";
    const classes = ["edge", ...edge.via.map((v) => "via-" + v), edge.both ? "both" : "", mark];
    svg.append(
      shape(
        "g", { class: classes.filter(Boolean).join(" ") },
        shape("title", {}, edge.title),
        shape("path", { d: edge.path }),
        ...edge.arrows.map((points) => shape("polygon", { points })),
      ),
    );
  }
  view.nodes.forEach((node, i) => svg.append(drawn(node, i, marks(node, i), onNode, current)));
  return svg;
}

function drawn(node, i, mark, onNode, current) {
  const group = shape("g", {
    class: ["node", node.kind, ...(mark.classes || [])].join(" "), "data-node": node.name,
  });
  if (onNode) {
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", i === current ? "0" : "-1");
    group.setAttribute("aria-label", mark.words || node.name);
    group.setAttribute("aria-pressed", String(Boolean(mark.pressed)));
    group.addEventListener("click", () => onNode("click", i));
    group.addEventListener("keydown", (event) => onNode("key", i, event));
    group.append(shape("rect", {  // a target of at least 24 px, whatever the scale
      class: "target", x: node.x - node.rx - 4, y: node.y - node.ry - 4,
      width: 2 * node.rx + 8, height: 2 * node.ry + 8, rx: 8,
    }));
  } else {
    group.append(shape("title", {}, node.words));
  }
  for (let ring = 0; ring < node.rings; ring++) {
    const inset = 4 * ring;
    const at = { class: ring ? "ring" : "outline" };
    group.append(
      node.square
        ? shape("rect", { ...at, x: node.x - node.rx + inset, y: node.y - node.ry + inset,
                          width: 2 * (node.rx - inset), height: 2 * (node.ry - inset) })
        : shape("ellipse", { ...at, cx: node.x, cy: node.y, rx: node.rx - inset, ry: node.ry - inset }),
    );
  }
  const text = shape("text", { x: node.x, y: node.y + 5, "text-anchor": "middle" });
  node.label.forEach(([piece, style]) => {
    const attributes = style === "super" ? { class: "super", dy: "-5.5" } : { class: style };
    text.append(shape("tspan", attributes, piece));
  });
  group.append(text);
  if (mark.badge) {
    group.append(shape("text", { class: "badge", x: node.x + node.rx - 2, y: node.y - node.ry + 4 }, mark.badge));
  }
  return group;
}

// Where an arrow key leads: the nearest node in that direction.
export function neighbour(view, i, key) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!way) return null;
  const from = view.nodes[i];
  let best = null;
  view.nodes.forEach((node, j) => {
    const dx = node.x - from.x;
    const dy = node.y - from.y;
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (j === i || along <= 1) return;
    const cost = along + 3 * aside;
    if (best === null || cost < best.cost) best = { j, cost };
  });
  return best && best.j;
}

export function legend() {
  const item = (name, words) => element("span", { class: "legend-item" }, element("span", { class: "swatch " + name, "aria-hidden": "true" }), words);
  return element("p", { class: "legend" }, item("observed", "given"), item("determined", "determined: a function of what is given"),
    item("end-a", "A"), item("end-b", "B"), item("trail", "an open way"));
}
