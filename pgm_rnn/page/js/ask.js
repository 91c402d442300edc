// Ask the graph: two ends, observed nodes, a verdict in words with its reasons and its number.
import { byId, element, fill, nats } from "./dom.js";
import { information } from "./numbers.js";
import { legend, neighbour, picture } from "./picture.js";
import { independentOf, plainly, separated } from "./separation.js";

// Several names as one text, whatever they hold.
const together = (names) => names.map(encodeURIComponent).join("|");

function apart(text) {
  try {
    return text.split("|").map(decodeURIComponent);
  } catch {
    return []; // an address that someone wrote by hand
  }
}

const list = (words) => words.join(", ");

export function verdict(figure, a, b, given) {
  const { graph } = figure;
  const found = separated(graph, [a], [b], given);
  const plain = plainly(graph, [a], [b], given);
  const name = (v) => figure.spoken[v];
  const names = graph.names;
  let measured = null;
  if (figure.table && [a, b, ...given].every((v) => figure.table.sites.includes(names[v]))) {
    measured = information(figure.table, [names[a]], [names[b]], given.map((v) => names[v]));
  }
  const after = given.length ? " given " + list(given.map(name)) : "";
  const words = found.separated
    ? `${name(a)} and ${name(b)} are independent${after}.`
    : `${name(a)} and ${name(b)} may be dependent${after}.`;
  const why = [];
  if (found.determined.length) {
    why.push("Determined by what is given: " + list(found.determined.map(name)) + ".");
  }
  if (found.separated) {
    why.push(
      found.known[a] || found.known[b]
        ? `${name(found.known[a] ? a : b)} is known, so nothing can tell more about it.`
        : stops(figure, found, given),
    );
    if (!plain) why.push("Ordinary d-separation, which takes h for random, would say dependent.");
  } else {
    why.push("An open way: " + way(figure, found.trail) + ".");
  }
  return { ...found, plain, words, why, measured };
}

function way(figure, trail) {
  const { graph, spoken } = figure;
  let text = spoken[trail[0]];
  for (let i = 1; i < trail.length; i++) {
    const [u, v] = [trail[i - 1], trail[i]];
    const arrow = graph.parents[v].includes(u) ? " → " : graph.parents[u].includes(v) ? " ← " : " ↔ ";
    text += arrow + spoken[v];
  }
  return text;
}

// Known nodes that a reached node touches: there the ball stops.
function stops(figure, found, given) {
  const { graph, spoken } = figure;
  const at = graph.names.map((_, v) => v).filter(
    (v) => found.known[v] && (graph.parents[v].some((p) => found.reached.has(p)) ||
      [...found.reached].some((r) => graph.parents[r] && graph.parents[r].includes(v))),
  );
  if (!at.length) return "No way leads from one to the other.";
  const said = (v) => (given.includes(v) ? "given" : graph.fixed.includes(v) ? "fixed" : "determined");
  return "Every way is stopped, at " + list(at.map((v) => `${spoken[v]} (${said(v)})`)) + " or at a collider.";
}

export function ask(figures, state, save) {
  const place = byId("ask-picture");
  let cursor = 0;
  let hiddenAnswer = false;
  const figure = () => figures.find((f) => f.name === state.figure) || figures[0];
  const number = (name) => figure().graph.names.indexOf(name);

  function ends() {
    const f = figure();
    const fallback = (wanted, other) => {
      const i = number(wanted);
      return i >= 0 ? i : number(other);
    };
    const a = fallback(state.a, f.start.a);
    let b = fallback(state.b, f.start.b);
    if (b === a) b = (a + 1) % f.graph.names.length;
    const text = number(state.a) < 0 && state.given === "" ? f.start.given : apart(state.given);
    const given = text.filter(Boolean).map(number).filter((v) => v >= 0 && v !== a && v !== b);
    return { a, b, given };
  }

  function change(part) {
    const { a, b, given } = { ...ends(), ...part };
    const names = figure().graph.names;
    Object.assign(state, { a: names[a], b: names[b], given: together(given.map((v) => names[v])) });
    save();
    render();
  }

  function act(tool, i) {
    const { a, b, given } = ends();
    if (tool === "a") return change({ a: i, b: i === b ? a : b, given: given.filter((v) => v !== i) });
    if (tool === "b") return change({ b: i, a: i === a ? b : a, given: given.filter((v) => v !== i) });
    if (i === a || i === b) return say("That is an end; choose another node to observe.");
    return change({ given: given.includes(i) ? given.filter((v) => v !== i) : [...given, i] });
  }

  const say = (words) => (byId("ask-hint").textContent = words);

  function onNode(kind, i, event) {
    const tool = (document.querySelector("input[name=tool]:checked") || { value: "observe" }).value;
    const v = number(figure().view.nodes[i].name); // the drawing may list nodes in another order
    if (kind === "click") {
      cursor = i;
      return act(tool, v);
    }
    const to = neighbour(figure().view, i, event.key);
    if (to !== null) {
      cursor = to;
      event.preventDefault();
      return focusOn(to);
    }
    const by = { Enter: "observe", " ": "observe", a: "a", b: "b", A: "a", B: "b" }[event.key];
    if (by && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      cursor = i;
      act(by, v);
      focusOn(i);
    }
  }

  function focusOn(i) {
    const nodes = [...place.querySelectorAll(".node")];
    nodes.forEach((node, j) => node.setAttribute("tabindex", j === i ? "0" : "-1"));
    if (nodes[i]) nodes[i].focus();
  }

  function render() {
    const f = figure();
    const { a, b, given } = ends();
    const found = verdict(f, a, b, given);
    if (cursor >= f.view.nodes.length) cursor = 0;
    const steps = new Set(found.trail.slice(1).map((v, i) => [v, found.trail[i]].sort().join("-")));
    const shown = !hiddenAnswer;
    const focused = place.contains(document.activeElement);
    fill(
      place,
      picture(f.view, {
        onNode, current: cursor,
        words: `${f.title}. Arrow keys move, Enter observes, a and b set the ends.`,
        marks: (node, i) => {
          const v = f.graph.names.indexOf(node.name);
          const known = given.includes(v);
          const determined = shown && found.determined.includes(v);
          const classes = [
            v === a ? "end-a" : "", v === b ? "end-b" : "", known ? "observed" : "",
            determined ? "determined" : "", shown && found.trail.includes(v) ? "trail" : "",
          ].filter(Boolean);
          const said = [node.words, v === a ? "end A" : "", v === b ? "end B" : "",
            known ? "given" : "", determined ? "determined" : ""].filter(Boolean);
          return { classes, pressed: known, words: said.join(", "), badge: v === a ? "A" : v === b ? "B" : "" };
        },
        markEdge: (edge) => {
          const key = [f.graph.names.indexOf(f.view.nodes[edge.tail].name),
            f.graph.names.indexOf(f.view.nodes[edge.head].name)].sort().join("-");
          return shown && steps.has(key) ? "trail" : "";
        },
      }),
      legend(),
    );
    if (focused) focusOn(cursor);
    byId("ask-figure").value = f.name;
    const answer = byId("ask-verdict");
    byId("ask-question").textContent = `Are ${f.spoken[a]} and ${f.spoken[b]} independent${given.length ? " given " + list(given.map((v) => f.spoken[v])) : ""}?`;
    if (hiddenAnswer) {
      answer.className = "verdict";
      answer.textContent = "Predict first, then reveal.";
      fill(byId("ask-why"));
      return;
    }
    answer.className = "verdict " + (found.separated ? "independent" : "dependent");
    answer.textContent = found.words;
    const number = found.measured === null
      ? (f.table ? "No number: these nodes are not in the listed joint." : "No number here: this program is not small and discrete.")
      : `Measured in the program with a finite h: I = ${nats(found.measured)} nats.`;
    fill(byId("ask-why"), ...found.why.map((w) => element("li", {}, w)), element("li", { class: "measured" }, number));
    const free = independentOf(f.graph, a, given);
    byId("ask-free").textContent = `Independent of ${f.spoken[a]} now: ` +
      (free.length ? list(free.map((v) => f.spoken[v])) : "nothing") + ".";
  }

  const select = byId("ask-figure");
  fill(select, ...figures.map((f) => element("option", { value: f.name }, f.title)));
  select.addEventListener("change", () => {
    Object.assign(state, { figure: select.value, a: "", b: "", given: "" });
    cursor = 0;
    save();
    render();
  });
  document.querySelectorAll("input[name=tool]").forEach((radio) => {
    radio.checked = radio.value === state.tool;
    radio.addEventListener("change", () => {
      state.tool = radio.value;
      save();
    });
  });
  const predict = byId("ask-predict");
  const hide = (hidden) => {
    hiddenAnswer = hidden;
    predict.textContent = hidden ? "Reveal the verdict" : "Hide the verdict, predict first";
    predict.setAttribute("aria-pressed", String(hidden));
    render();
  };
  predict.addEventListener("click", () => hide(!hiddenAnswer));
  document.querySelectorAll("[data-ask]").forEach((button) =>
    button.addEventListener("click", () => {
      const [name, a, b, given] = JSON.parse(button.dataset.ask);
      Object.assign(state, { figure: name, a, b, given: together(given) });
      save();
      hide(false);
      byId("ask").scrollIntoView();
      byId("ask-verdict").focus();
    }),
  );
  hide(state.reveal === 0);
  return { render, show: (name, a, b, given) => {
    Object.assign(state, { figure: name, a, b, given: together(given) });
    save();
    hide(false);
  } };
}

