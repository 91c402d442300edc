// Read the data and the address, start every part, check the numbers.
import { ask } from "./ask.js";
import { context } from "./context.js";
import { byId, download, element, fill } from "./dom.js";
import { experiments } from "./experiments.js";
import { check } from "./golden.js";
import { lengths } from "./lengths.js";
import { missing } from "./missing.js";
import { quiz, streak } from "./quiz.js";
import { keep, read } from "./state.js";
import { views } from "./views.js";

function begin() {
  const data = JSON.parse(byId("data").textContent);
  const state = read(window.location.hash);
  const save = () => keep(state, window);
  document.documentElement.classList.add("live");
  if (state.hide.includes("controls")) document.documentElement.classList.add("no-controls");
  if (state.hide.includes("answers")) state.reveal = 0;
  if (data.views) views(data.views, state, save);
  const asked = ask(data.figures, state, save);
  if (data.lengths) lengths(data.lengths, state, save);
  if (data.context) context(data.context, state, save);
  if (data.missing) missing(data.missing, state, save);
  if (data.experiments) experiments(data.experiments);
  if (data.quiz) {
    quiz(data.quiz, asked.show);
    streak();
  }
  document.querySelectorAll("[data-cell]").forEach((button) => {
    byId(button.dataset.cell).hidden = true;
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      byId(button.dataset.cell).hidden = open;
    });
  });
  downloads(data, state);
  const found = check(data);
  const badge = byId("badge");
  badge.className = "badge " + (found.largest < 1e-9 && !found.wrong.length ? "good" : "bad");
  badge.textContent = found.wrong.length
    ? `Verdicts that differ from Python's: ${found.wrong.join("; ")}`
    : `${found.count} numbers and verdicts of the library, computed again here: largest difference ${found.largest.toExponential(1)}`;
}

// The view as DOT, its nodes where the page shows them: neato -n2 -Tsvg figure.dot
function dot(view) {
  const quoted = (text) => JSON.stringify(text);
  const nodes = view.nodes.map((n) => `  ${quoted(n.name)} [pos="${n.x},${-n.y}!" shape=${n.square ? "box" : "ellipse"} peripheries=${n.rings}];`);
  const edges = view.edges.map((e) => {
    const style = e.via.length === 1 && e.via[0] === "control" ? "dotted" : "solid";
    return `  ${quoted(view.nodes[e.tail].name)} -> ${quoted(view.nodes[e.head].name)} [style=${style}${e.both ? " dir=both" : ""}];`;
  });
  return ["// Render with: neato -n2 -Tsvg figure.dot", "digraph {", ...nodes, ...edges, "}", ""].join("\n");
}

function downloads(data, state) {
  const place = byId("downloads");
  const figure = () => data.figures.find((f) => f.name === state.figure) || data.figures[0];
  const button = (words, act) => element("button", { type: "button", onclick: act }, words);
  fill(
    place,
    button("SVG", () => {
      const svg = byId("ask-picture").querySelector("svg").cloneNode(true);
      svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      const style = "path{fill:none;stroke:#000;stroke-width:1.5}.outline,.ring{fill:#fff;stroke:#000;stroke-width:1.5}.target{display:none}.ring{fill:none}.observed .outline{fill:#ccc}text{font:italic 15px serif}.super{font-size:10px}";
      svg.prepend(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "style"), { textContent: style }));
      download("figure.svg", svg.outerHTML, "image/svg+xml");
    }),
    " ", button("DOT", () => download("figure.dot", dot(figure().view), "text/vnd.graphviz")),
    " ", button("The program", () => download("model.py", figure().source, "text/x-python")),
  );
}

begin();
