// Separation that knows deterministic nodes, as pgm_rnn.separated: one truth, two languages.
// A graph is { names, parents, order, functions, fixed }; numbers from names.length on are common
// parents without a name, one for each bidirected edge.

export function childrenOf(graph) {
  const children = graph.parents.map(() => []);
  graph.parents.forEach((above, v) => above.forEach((p) => children[p].push(v)));
  return children;
}

// What is known once `given` is: a function of known things is known.
export function closure(graph, given) {
  const known = graph.parents.map(() => false);
  for (const v of given) known[v] = true;
  for (const v of graph.fixed) known[v] = true;
  const added = [];
  for (const v of graph.functions) {
    if (!known[v] && graph.parents[v].every((p) => known[p])) {
      known[v] = true;
      added.push(v);
    }
  }
  return { known, added };
}

function ancestors(graph, known) {
  const found = known.slice();
  for (const v of graph.order.slice().reverse()) {
    if (found[v]) for (const p of graph.parents[v]) found[p] = true;
  }
  return found;
}

// The Bayes ball from `sources`; state 2v came from a child, 2v + 1 from a parent.
export function roll(graph, sources, known, targets) {
  const children = childrenOf(graph);
  const named = graph.names.length;
  const opened = ancestors(graph, known);
  const before = new Map(sources.map((v) => [2 * v, 2 * v]));
  const states = sources.map((v) => 2 * v);
  const visit = (state, from) => {
    if (!before.has(state)) {
      before.set(state, from);
      states.push(state);
    }
  };
  for (const state of states) {
    const v = state >> 1;
    if (targets.has(v)) return { states, before, hit: state };
    if (!known[v]) for (const c of children[v]) visit(2 * c + 1, state);
    if (state % 2 ? opened[v] : !known[v]) {
      for (const p of graph.parents[v]) {
        if (p < named) visit(2 * p, state);
        else for (const c of children[p]) if (c !== v) visit(2 * c + 1, state);
      }
    }
  }
  return { states, before, hit: null };
}

// x and y are lists of node numbers.
export function separated(graph, x, y, given) {
  const { known, added } = closure(graph, given);
  const freeX = x.filter((v) => !known[v]);
  const freeY = y.filter((v) => !known[v]);
  if (!freeX.length || !freeY.length) {
    return { separated: true, determined: added, trail: [], known, reached: new Set() };
  }
  const ball = roll(graph, freeX, known, new Set(freeY));
  const trail = [];
  if (ball.hit !== null) {
    let state = ball.hit;
    trail.unshift(state >> 1);
    while (ball.before.get(state) !== state) {
      state = ball.before.get(state);
      trail.unshift(state >> 1);
    }
  }
  const reached = new Set(ball.states.map((s) => s >> 1));
  return { separated: ball.hit === null, determined: added, trail, known, reached };
}

// What ordinary d-separation says: functions are like any other node.
export function plainly(graph, x, y, given) {
  return separated({ ...graph, functions: [] }, x, y, given).separated;
}

// All nodes that are independent of x given `given`.
export function independentOf(graph, x, given) {
  const { known } = closure(graph, given);
  if (known[x]) return graph.names.map((_, v) => v).filter((v) => v !== x);
  const ball = roll(graph, [x], known, new Set());
  const reached = new Set(ball.states.map((s) => s >> 1));
  return graph.names.map((_, v) => v).filter((v) => v !== x && (known[v] || !reached.has(v)));
}
