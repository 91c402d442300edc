// Exact information from a listed joint: rows of codes and their probabilities.
// A table is { sites, codes, values, p }: codes has a letter for each site in each row, one row
// after the other; the probability of a row is values[p[row]].

function grouped(table, sites) {
  const columns = sites.map((s) => table.sites.indexOf(s));
  const wide = table.sites.length;
  return table.p.map((_, row) => columns.map((c) => table.codes[row * wide + c]).join(""));
}

function entropyOf(keys, table) {
  const sums = new Map();
  keys.forEach((key, i) => sums.set(key, (sums.get(key) || 0) + table.values[table.p[i]]));
  let h = 0;
  for (const q of sums.values()) if (q > 0) h -= q * Math.log(q);
  return h;
}

// H(sites) in nats.
export function entropy(table, sites) {
  return entropyOf(grouped(table, sites), table);
}

// I(X; Y | Z) = H(XZ) + H(YZ) - H(XYZ) - H(Z), nats, at least 0.
export function information(table, x, y, z) {
  const h = (sites) => entropy(table, [...new Set(sites)]);
  return Math.max(0, h([...x, ...z]) + h([...y, ...z]) - h([...x, ...y, ...z]) - h(z));
}
