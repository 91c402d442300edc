"""A graph as lists of small integers, made once and then walked many times.

Names, attributes and networkx stay at this border; every algorithm of the room works on
numbers. A bidirected edge a <-> b stands for a random common parent that has no name: it
becomes one more number behind those of the nodes, so no algorithm needs a case for it, and a
deterministic node that has one is not a function of its named parents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import networkx as nx

from pgm_rnn.errors import BadOption, GraphError
from pgm_rnn.graph import FIXED, KINDS, check, resolve


@dataclass(frozen=True)
class Numbered:
    """Adjacency lists; numbers from `len(names)` on are parents without a name."""

    names: list[str]  # in the order of the graph
    number: dict[str, int]
    families: frozenset[str]  # of the nodes that have a time
    parents: list[list[int]]
    children: list[list[int]]
    order: list[int]  # every number, parents before their children
    functions: list[int]  # the deterministic nodes, in that order
    fixed: list[int]  # inputs and parameters: as if always given


def numbered(g: nx.DiGraph) -> Numbered:
    """Number the nodes of `g`. Raises GraphError for a cycle, an unknown kind, a stray pair.

    >>> numbered(nx.DiGraph([("y_1", "y_2")])).parents
    [[], [0]]
    """
    names = list(g)
    number = {name: v for v, name in enumerate(names)}
    children = [list(map(number.__getitem__, below)) for _, below in g.adjacency()]
    children += _pairs(g, number)
    parents: list[list[int]] = [[] for _ in children]
    ordered = True  # a program's sites come in topological order already
    for v, below in enumerate(children):
        for c in below:
            parents[c].append(v)
            if c <= v:
                ordered = False
    order = list(range(len(parents))) if ordered else _order(parents, children)
    kinds = [data.get("kind", "stochastic") for _, data in g.nodes(data=True)]
    if len(order) < len(parents) or not set(kinds) <= set(KINDS):
        check(g)  # says which cycle, which kind
    kinds += ["stochastic"] * (len(parents) - len(names))
    return Numbered(
        names=names,
        number=number,
        families=frozenset(_families(g)),
        parents=parents,
        children=children,
        order=order,
        functions=[v for v in order if kinds[v] == "deterministic"],
        fixed=[v for v, kind in enumerate(kinds) if kind in FIXED],
    )


def numbers(g: nx.DiGraph, n: Numbered, names: str | Iterable[str]) -> list[int]:
    """The numbers of a set of nodes, ascending; names as `graph.resolve` reads them."""
    one = isinstance(names, str) or not isinstance(names, Iterable)
    listed: list = [names] if one else list(names)
    # Resolving walks all nodes, which takes longer than most queries do.
    if all(name in n.number and name not in n.families for name in listed):
        return sorted({n.number[name] for name in listed})
    return sorted(n.number[name] for name in resolve(g, listed))


def query(g: nx.DiGraph, n: Numbered, x, y) -> tuple[list[int], list[int]]:
    """The two sides of a query. Raises BadOption if one is empty."""
    found = {"x": numbers(g, n, x), "y": numbers(g, n, y)}
    for side, members in found.items():
        if not members:
            raise BadOption(f"{side} is empty; name at least one node or family on each side")
    return found["x"], found["y"]


def _pairs(g: nx.DiGraph, number: dict[str, int]) -> list[list[int]]:
    """The ends of the bidirected edges, in an order that does not depend on hashes."""
    pairs = g.graph.get("bidirected") or ()
    for pair in pairs:
        if len(pair) != 2 or not set(pair) <= number.keys():
            raise GraphError(
                f"bidirected edge {sorted(map(str, pair))} should join two nodes of the graph"
            )
    return sorted(sorted(number[name] for name in pair) for pair in pairs)


def _order(parents: list[list[int]], children: list[list[int]]) -> list[int]:
    """Parents before children, else as in the graph (Kahn 1962); too short if there is a cycle.

    Keeping to the graph's order leaves the nodes of one step together.
    """
    waiting = [len(above) for above in parents]
    ready = [v for v, count in enumerate(waiting) if not count]
    order = []
    while ready:
        v = heappop(ready)
        order.append(v)
        for c in children[v]:
            waiting[c] -= 1
            if not waiting[c]:
                heappush(ready, c)
    return order


def _families(g: nx.DiGraph) -> Iterator[str]:
    """The families of all nodes with a time, as `graph.family` and `graph.time` say them."""
    for node, data in g.nodes(data=True):
        try:
            family, time = data["family"], data["time"]
        except KeyError:
            # As `family_time` splits it; here its regular expression would take longest of all.
            head, _, digits = str(node).rpartition("_")
            timed = head and digits.isdecimal()
            family = data.get("family", head if timed else node)
            time = data.get("time", digits if timed else None)
        if time is not None:
            yield family
