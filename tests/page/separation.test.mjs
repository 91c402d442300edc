// The page's separation against the library's: all pairs and all conditioning sets.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}.js`));
const { closure, independentOf, plainly, separated } = await load("separation");
const { entropy, information } = await load("numbers");
const { read, write, DEFAULTS } = await load("state");
const { puzzle } = await load("quiz");
const cases = JSON.parse(readFileSync(process.env.CASES, "utf8"));

for (const { name, graph, answers } of cases.small) {
  test(`all queries of ${name}`, () => {
    const n = graph.names.length;
    let i = 0;
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < n; b++) {
        for (let mask = 0; mask < 2 ** n; mask++) {
          if ((mask >> a) & 1 || (mask >> b) & 1) continue;
          const given = graph.names.map((_, v) => v).filter((v) => (mask >> v) & 1);
          const mine = (separated(graph, [a], [b], given).separated ? 1 : 0) + (plainly(graph, [a], [b], given) ? 2 : 0);
          assert.equal(String(mine), answers[i], `${a} ${b} | ${given}`);
          i += 1;
        }
      }
    }
    assert.equal(i, answers.length);
  });
}

test("random larger graphs, with trails", () => {
  for (const { graph, a, b, given, separated: wanted, determined } of cases.large) {
    const found = separated(graph, [a], [b], given);
    assert.equal(found.separated, wanted);
    assert.deepEqual(found.determined, determined);
    assert.deepEqual(closure(graph, given).added, determined);
    assert.equal(independentOf(graph, a, given).includes(b), wanted);
    if (!wanted) {
      assert.equal(found.trail[0], a);
      assert.equal(found.trail.at(-1), b);
    }
  }
});

test("mutual informations of listed joints", () => {
  for (const { table, x, y, z, nats } of cases.numbers) {
    assert.ok(Math.abs(information(table, x, y, z) - nats) < 1e-12);
  }
  assert.ok(entropy(cases.numbers[0].table, [cases.numbers[0].table.sites[0]]) > 0);
});

test("a state survives its address", () => {
  const state = { ...DEFAULTS, tau: 7, text: "a?b&c=#", figure: "10.10", x1: -1.5 };
  assert.deepEqual(read(write(state)), state);
  assert.equal(write(DEFAULTS), "");
  assert.deepEqual(read("#tau=nonsense&unknown=1&k="), DEFAULTS);
});

test("a puzzle is the same for the same seed", () => {
  assert.deepEqual(puzzle(3), puzzle(3));
  const answers = Array.from({ length: 60 }, (_, i) => puzzle(i + 1).answer.separated);
  assert.ok(answers.includes(true) && answers.includes(false));
});
