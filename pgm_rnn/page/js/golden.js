// Numbers that Python computed, computed again here: the badge shows the largest difference.
import { information } from "./numbers.js";
import { contextual, infill, logProb } from "./net.js";
import { plainly, separated } from "./separation.js";

export function check(data) {
  let largest = 0;
  let count = 0;
  const wrong = [];
  const compare = (mine, theirs) => {
    largest = Math.max(largest, Math.abs(mine - theirs));
    count += 1;
  };
  for (const g of data.golden.verdicts) {
    const figure = data.figures.find((f) => f.name === g.figure);
    const at = (name) => figure.graph.names.indexOf(name);
    const given = g.given.map(at);
    const mine = separated(figure.graph, [at(g.a)], [at(g.b)], given).separated;
    const plain = plainly(figure.graph, [at(g.a)], [at(g.b)], given);
    count += 2;
    if (mine !== g.separated || plain !== g.plain) wrong.push(`${g.figure}: ${g.a}, ${g.b}`);
    if (g.nats !== null) compare(information(figure.table, [g.a], [g.b], g.given), g.nats);
  }
  for (const g of data.golden.logProbs || []) compare(logProb(data.missing.net, g.y), g.value);
  for (const g of data.golden.infills || []) {
    const mine = infill(data.missing.net, g.y);
    compare(mine.evidence, g.evidence);
    mine.marginals.forEach((row, i) => row.forEach((p, s) => compare(p, g.marginals[i][s])));
  }
  for (const g of data.golden.contexts || []) {
    contextual(data.context.nets[g.entry], g.x, g.entry).forEach((row, t) => row.forEach((p, s) => compare(p, g.p[t][s])));
  }
  return { largest, count, wrong };
}
