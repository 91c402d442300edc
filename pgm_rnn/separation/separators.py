"""Minimal sets that separate, found by leaving out one node at a time.

Within the ancestors of x and y, more given nodes never connect what fewer separate: separation
there is a cut of the moral graph, and closures only grow. So if any allowed set separates, all
allowed ancestors do, and when no single node can be left out, no several can.
Source: Tian, Paz, Pearl, "Finding minimal d-separators", 1998; here with closures.
"""

from collections.abc import Iterable

import networkx as nx

from pgm_rnn.errors import BadOption
from pgm_rnn.separation.closure import closure, given_only
from pgm_rnn.separation.numbered import Numbered, numbered, numbers, query
from pgm_rnn.separation.reach import ancestors, apart, mask_of, roll


def minimal_separator(
    g: nx.DiGraph,
    x: str | Iterable[str],
    y: str | Iterable[str],
    within: str | Iterable[str] | None = None,
) -> frozenset[str] | None:
    """A set that separates x from y and of which no part does; None when there is none.

    It holds no node of x or y, no input or parameter and, unless `within` is None, only nodes of
    `within`. Of several minimal sets it is one near the later side, so that it has the same
    form at every step of a recurrent net. Raises what `separated` raises.

    >>> g = nx.DiGraph([("y_1", "h_1"), ("h_1", "h_2"), ("h_2", "y_3"), ("y_2", "h_2")])
    >>> minimal_separator(g, "y_1", "y_3"), minimal_separator(g, "y_1", "y_3", within=["y_2"])
    (frozenset({'h_2'}), None)
    """
    n = numbered(g)
    xs, ys = query(g, n, x, y)
    allowed = None if within is None else set(numbers(g, n, within))
    found = minimal(n, xs, ys, allowed)
    return None if found is None else frozenset(n.names[v] for v in found)


def minimal(n: Numbered, x: list[int], y: list[int], allowed: set[int] | None) -> set[int] | None:
    """`minimal_separator` on numbers."""
    above = ancestors(n, mask_of(n, (*x, *y, *n.fixed)))
    barred = {*x, *y, *n.fixed}
    start = {
        v
        for v in range(len(n.names))
        if above[v] and v not in barred and (allowed is None or v in allowed)
    }

    def cuts(members: Iterable[int]) -> bool:
        return apart(n, x, y, closure(n, members)[0])

    if not cuts(start):
        return None
    place = {v: i for i, v in enumerate(n.order)}
    later = max(x, y, key=lambda side: max(place[v] for v in side))
    # Where a ball from the later side stops is mostly enough, and far smaller.
    near = start & _touched(n, later, given_only(n, start))
    found = near if cuts(near) else start
    for v in sorted(found, key=place.__getitem__):
        if cuts(found - {v}):
            found = found - {v}
    return found


def _touched(n: Numbered, sources: list[int], known: bytearray) -> set[int]:
    """Every node that a ball from `sources` meets."""
    sources = [v for v in sources if not known[v]]
    ball = roll(n, sources, known, bytearray(len(n.parents)))
    return {state // 2 for state in ball.states}


def markov_blanket(g: nx.DiGraph, node: str) -> frozenset[str]:
    """A minimal set given which the node is independent of all the others.

    No part of it is enough. It is the ordinary blanket (parents, children, their other parents)
    less whatever determinism makes needless: a function needs its arguments only, a constant
    nothing. Of several minimal sets it is one near the node's parents. Raises BadOption for a
    family.

    >>> g = nx.DiGraph([("x", "h"), ("h", "y"), ("z", "y")])
    >>> sorted(markov_blanket(g, "h"))
    ['x', 'y', 'z']
    >>> g.nodes["h"]["kind"] = "deterministic"
    >>> sorted(markov_blanket(g, "h"))
    ['x']
    """
    n = numbered(g)
    named = numbers(g, n, node)
    if len(named) != 1:
        raise BadOption(f"{node!r} stands for {len(named)} nodes; a blanket belongs to one")
    fixed = set(n.fixed)
    others = [v for v in range(len(n.names)) if v not in fixed and v != named[0]]

    def covers(members: set[int]) -> bool:
        rest = [v for v in others if v not in members]
        return apart(n, named, rest, closure(n, members)[0])

    blanket = _touched(n, named, given_only(n, others)) & set(others)
    # By weak union it is enough to try single nodes: if a smaller blanket lies within, so does
    # every set between the two.
    place = {v: i for i, v in enumerate(n.order)}
    for v in sorted(blanket, key=place.__getitem__, reverse=True):
        if covers(blanket - {v}):
            blanket = blanket - {v}
    return frozenset(n.names[v] for v in blanket)
