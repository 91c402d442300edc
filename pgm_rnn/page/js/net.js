// The recurrent programs in the browser, on weights that were trained in Python.
// A net is { U, W, V, R, b, c, v, d, length, tau, k }: matrices as rows.

export function generator(seed) {
  // mulberry32: small, good enough for pictures, the same everywhere
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const add = (...vectors) => vectors[0].map((_, i) => vectors.reduce((s, v) => s + v[i], 0));

// A row vector times a matrix.
export function times(row, matrix) {
  const found = matrix[0].map(() => 0);
  row.forEach((r, i) => matrix[i].forEach((m, j) => (found[j] += r * m)));
  return found;
}

export function logSumExp(values) {
  const peak = Math.max(...values);
  return peak + Math.log(values.reduce((s, v) => s + Math.exp(v - peak), 0));
}

export function logSoftmax(values) {
  const total = logSumExp(values);
  return values.map((v) => v - total);
}

export const sigmoid = (a) => 1 / (1 + Math.exp(-a));

// h(t) = tanh(b + W h + U y (+ R x)); y is a symbol, or null where nothing is read.
export function update(net, h, y, extra = null) {
  const parts = [net.b, times(h, net.W)];
  if (y !== null) parts.push(net.U[y]);
  if (extra !== null) parts.push(times(extra, net.R));
  return add(...parts).map(Math.tanh);
}

export const start = (net) => net.b.map(() => 0);

export const outputs = (net, h) => add(net.c, times(h, net.V));

export function draw(logits, random) {
  const p = logSoftmax(logits).map(Math.exp);
  let u = random();
  for (let i = 0; i < p.length; i++) {
    u -= p[i];
    if (u < 0) return i;
  }
  return p.length - 1;
}

// log P(y) of fig 10.8's net.
export function logProb(net, y) {
  let h = start(net);
  let total = 0;
  for (const symbol of y) {
    total += logSoftmax(outputs(net, h))[symbol];
    h = update(net, h, symbol);
  }
  return total;
}

// The exact posterior of the gaps (-1): all fillings, branching from the first gap on.
export function infill(net, y) {
  let branches = [{ h: start(net), weight: 0, filling: [] }];
  let steps = 1;
  y.forEach((symbol, t) => {
    const next = [];
    for (const branch of branches) {
      const score = logSoftmax(outputs(net, branch.h));
      const choices = symbol < 0 ? score.map((_, s) => s) : [symbol];
      for (const s of choices) {
        next.push({
          h: t < y.length - 1 ? update(net, branch.h, s) : branch.h,
          weight: branch.weight + score[s],
          filling: symbol < 0 ? [...branch.filling, s] : branch.filling,
        });
        if (t < y.length - 1) steps += 1;
      }
    }
    branches = next;
  });
  const evidence = logSumExp(branches.map((b) => b.weight));
  const gaps = y.filter((s) => s < 0).length;
  const k = net.c.length;
  const marginals = Array.from({ length: gaps }, () => new Array(k).fill(0));
  for (const b of branches) {
    const p = Math.exp(b.weight - evidence);
    b.filling.forEach((s, g) => (marginals[g][s] += p));
  }
  return { marginals, evidence, branches: branches.length, steps };
}

// Likelihood weighting with n particles: gaps are drawn from the past alone.
export function weighted(net, y, n, random) {
  const k = net.c.length;
  const gaps = y.filter((s) => s < 0).length;
  const marginals = Array.from({ length: gaps }, () => new Array(k).fill(0));
  const particles = [];
  for (let i = 0; i < n; i++) {
    let h = start(net);
    let weight = 0;
    const filling = [];
    for (const symbol of y) {
      const logits = outputs(net, h);
      const s = symbol < 0 ? draw(logits, random) : symbol;
      if (symbol < 0) filling.push(s);
      else weight += logSoftmax(logits)[s];
      h = update(net, h, s);
    }
    particles.push({ weight, filling });
  }
  const total = logSumExp(particles.map((p) => p.weight));
  for (const p of particles) {
    const share = Math.exp(p.weight - total);
    p.filling.forEach((s, g) => (marginals[g][s] += share));
  }
  return { marginals, evidence: total - Math.log(n) };
}

// One sequence of a rule for the length; the largest length is net.tau.
export function sampleLength(net, rule, random) {
  const y = [];
  const total = rule === "tau" ? 1 + draw(net.length, random) : net.tau;
  const left = (t) => (rule === "tau" ? [(total - t) / net.tau] : null);
  let h = rule === "tau" ? add(net.b, times(left(0), net.R)).map(Math.tanh) : start(net);
  while (y.length < total) {
    const s = draw(outputs(net, h), random);
    if (rule === "eos" && s === net.k) break;
    y.push(s);
    h = update(net, h, s, left(y.length));
    if (rule === "halt" && y.length < total) {
      const coin = net.d + h.reduce((sum, value, i) => sum + value * net.v[i], 0);
      if (random() < sigmoid(coin)) break;
    }
  }
  return y;
}

// P(y(t) | x) of fig 10.9 for t = 1..tau, exact over all beginnings; entry "input", "initial", "both".
export function contextual(net, x, entry) {
  let states = [{ h: entry === "input" ? start(net) : add(net.b, times(x, net.R)).map(Math.tanh), p: 1 }];
  const found = [];
  for (let t = 1; t <= net.tau; t++) {
    const here = new Array(net.c.length).fill(0);
    const next = [];
    for (const { h, p } of states) {
      logSoftmax(outputs(net, h)).forEach((score, s) => {
        const q = p * Math.exp(score);
        here[s] += q;
        if (t < net.tau) next.push({ h: update(net, h, s, entry === "initial" ? null : x), p: q });
      });
    }
    found.push(here);
    states = next;
  }
  return found;
}
