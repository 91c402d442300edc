// Part 7: questions whose answers the library computed; wrong ones are refuted on the graph.
import { byId, element, fill } from "./dom.js";
import { generator } from "./net.js";
import { separated } from "./separation.js";

export function quiz(data, show) {
  const answered = new Map();
  fill(byId("quiz-list"), ...data.map((question, q) => {
    const reply = element("p", { class: "reply", "aria-live": "polite" });
    const name = "quiz-" + q;
    const options = question.options.map((option, o) => {
      const radio = element("input", { type: "radio", name, id: `${name}-${o}` });
      radio.addEventListener("change", () => answer(option));
      return element("label", { class: "option", for: `${name}-${o}` }, radio, " " + option.text);
    });
    function answer(option) {
      answered.set(q, option.right);
      reply.className = "reply " + (option.right ? "right" : "wrong");
      fill(reply, (option.right ? "Right. " : "Not so. ") + option.because);
      if (option.ask) {
        reply.append(" ", element("button", { type: "button", onclick: () => {
          show(...option.ask);
          byId("ask").scrollIntoView();
          byId("ask-verdict").focus();
        } }, "Show it on the graph"));
      }
      const right = [...answered.values()].filter(Boolean).length;
      byId("quiz-score").textContent = `${right} of ${data.length} right`;
    }
    return element("fieldset", { class: "question" }, element("legend", {}, `${q + 1}. ${question.text}`), ...options, reply);
  }));
  byId("quiz-score").textContent = `0 of ${data.length} right`;
}

// A random small graph with some deterministic nodes, and one question on it.
export function puzzle(seed) {
  const random = generator(seed);
  const n = 4 + Math.floor(random() * 2);
  const names = "ABCDE".slice(0, n).split("");
  const parents = names.map((_, v) => names.map((_, p) => p).filter((p) => p < v && random() < 0.45));
  const functions = names.map((_, v) => v).filter((v) => parents[v].length && random() < 0.4);
  const graph = { names, parents, order: names.map((_, v) => v), functions, fixed: [] };
  const x = 0;
  const y = n - 1;
  const given = names.map((_, v) => v).filter((v) => v !== x && v !== y && random() < 0.5);
  return { graph, x, y, given, answer: separated(graph, [x], [y], given) };
}

export function streak() {
  let seed = 1;
  let run = 0;
  const place = byId("streak");
  function render() {
    const { graph, x, y, given, answer } = puzzle(seed);
    const { names, parents, functions } = graph;
    const arrows = parents.flatMap((above, v) => above.map((p) => `${names[p]} → ${names[v]}`));
    const facts = functions.map((v) => `${names[v]} is a function of ${parents[v].map((p) => names[p]).join(", ")}`);
    const reply = element("p", { class: "reply", "aria-live": "polite" });
    const buttons = [["independent", true], ["perhaps dependent", false]].map(([words, says]) =>
      element("button", { type: "button", onclick: () => {
        const right = says === answer.separated;
        run = right ? run + 1 : 0;
        buttons.forEach((b) => (b.disabled = true));
        reply.className = "reply " + (right ? "right" : "wrong");
        const way = answer.trail.map((v) => names[v]).join(" – ");
        fill(reply, (right ? "Right. " : "Not so. ") +
          (answer.separated
            ? "No open way" + (answer.determined.length ? `; ${answer.determined.map((v) => names[v]).join(", ")} determined` : "") + "."
            : `An open way: ${way}.`) + ` ${run} in a row. `,
          element("button", { type: "button", onclick: () => { seed += 1; render(); place.querySelector("button").focus(); } }, "Next"));
      } }, words));
    fill(place,
      element("p", {}, arrows.length ? arrows.join(", ") + "." : "No arrows."),
      element("p", {}, facts.length ? facts.join("; ") + "." : "All nodes are random."),
      element("p", {}, element("strong", {}, `Are ${names[x]} and ${names[y]} independent${given.length ? " given " + given.map((v) => names[v]).join(", ") : ""}?`)),
      element("p", {}, ...buttons.flatMap((b) => [b, " "])), reply);
  }
  render();
}
