"""All pairs for one given set, as bit sets.

With K the known nodes and A their ancestors, K among them:

    within A   every collider is open, so two nodes are connected exactly when they hang
               together in the moral graph of A without K (union-find; a child's parents are
               chained instead of married, which joins the same nodes)
    outside A  every collider is closed and nothing is known: a trail from v goes up, then down.
               With below(v) the set of v and its descendants, in topological order

                   row(v) = below(v) | row(p) for each parent p that is not known

               where the row of a node within A is its part of A and all that hangs below it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import networkx as nx

from pgm_rnn.separation.closure import closure
from pgm_rnn.separation.numbered import Numbered, numbered, numbers
from pgm_rnn.separation.reach import ancestors


@dataclass(frozen=True)
class Separations:
    """The separated pairs of distinct nodes, none of them given, an input or a parameter.

    A pair is unordered; a node that the given ones determine is separated from every other.
    `len` counts, `in` asks (in either order), iteration goes through the pairs in the order of
    the graph. Pairs that do not count are not in it.
    """

    names: tuple[str, ...] = field(repr=False)
    given: tuple[str, ...]
    rows: tuple[int, ...] = field(repr=False)  # the nodes connected with each, as bits
    free: int = field(repr=False)  # the nodes that pairs are made of, as bits
    number: dict[str, int] = field(repr=False, compare=False)

    @property
    def total(self) -> int:
        """How many pairs there are, separated or not."""
        count = self.free.bit_count()
        return count * (count - 1) // 2

    def __len__(self) -> int:
        # Each connected pair stands in two rows, each node that is not known in its own.
        ones = sum(row.bit_count() for row in self.rows)
        own = sum(1 for row in self.rows if row)
        return self.total - (ones - own) // 2

    def __contains__(self, pair: object) -> bool:
        if not isinstance(pair, tuple | list | frozenset | set) or len(pair) != 2:
            return False
        a, b = (self.number.get(name, -1) for name in pair)
        if a < 0 or b < 0 or a == b or not self.free >> a & self.free >> b & 1:
            return False
        return not self.rows[a] >> b & 1

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for a, row in enumerate(self.rows):
            if not self.free >> a & 1:
                continue
            rest = (self.free & ~row) >> (a + 1)
            while rest:
                low = rest & -rest
                yield self.names[a], self.names[a + low.bit_length()]
                rest ^= low


def separations(g: nx.DiGraph, given: str | Iterable[str] = ()) -> Separations:
    """Every pair of nodes that is separated given `given`.

    Knows determinism, as `separated` does. Raises UnknownNode, AmbiguousNode, GraphError.

    >>> g = nx.DiGraph([("a", "b"), ("b", "c"), ("d", "c")])
    >>> list(separations(g)), ("c", "a") in separations(g, "b"), separations(g).total
    ([('a', 'd'), ('b', 'd')], True, 6)
    """
    n = numbered(g)
    zs = numbers(g, n, given)
    free = (1 << len(n.names)) - 1
    for v in {*zs, *n.fixed}:
        free ^= 1 << v
    return Separations(
        names=tuple(n.names),
        given=tuple(n.names[v] for v in zs),
        rows=tuple(_rows(n, closure(n, zs)[0])),
        free=free,
        number=n.number,
    )


def _rows(n: Numbered, known: bytearray) -> list[int]:
    """For each node the bits of those connected with it, its own among them; 0 if known."""
    parents, children, named = n.parents, n.children, len(n.names)
    inner = ancestors(n, known)
    bit = [1 << v for v in range(named)] + [0] * (len(parents) - named)

    inside = [v for v in n.order if inner[v]]
    outside = [v for v in n.order if not inner[v]]

    below = bit[:]
    for v in reversed(outside):
        for c in children[v]:  # outside A as well, else v would be an ancestor of K
            below[v] |= below[c]

    part = _parts(n, known, inside)
    together = [0] * len(parents)
    for v in inside:
        if not known[v]:
            bits = bit[v]
            for c in children[v]:
                if not inner[c]:
                    bits |= below[c]
            together[part[v]] |= bits

    rows = [0] * len(parents)
    for v in inside:
        if not known[v]:
            rows[v] = together[part[v]]
    for v in outside:
        row = below[v]
        for p in parents[v]:
            row |= rows[p]  # nothing where p is known
        rows[v] = row
    return rows[:named]


def _parts(n: Numbered, known: bytearray, inside: list[int]) -> list[int]:
    """Union-find: what hangs together in the moral graph of A without K."""
    part = list(range(len(n.parents)))
    for v in inside:
        last = -1 if known[v] else v
        for p in n.parents[v]:
            if known[p]:
                continue
            while part[p] != p:
                part[p] = part[part[p]]
                p = part[p]
            if last >= 0:
                while part[last] != last:
                    part[last] = part[part[last]]
                    last = part[last]
                part[last] = p
            last = p
    for v in inside:
        while part[v] != part[part[v]]:
            part[v] = part[part[v]]
    return part
