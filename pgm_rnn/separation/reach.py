"""The Bayes ball: which nodes an active trail reaches, in O(V + E).

The ball rolls over pairs (node, how it came). With K the known nodes:

    v not in K                       on to the children;  if it came from a child, to the parents
    came from a parent, v in an(K)   on to the parents: an open collider

It starts everywhere as if from a child. A breadth-first ball finds a shortest active trail.
Its walk never meets a node twice: between two visits it either ran down into an open collider,
so the node is an ancestor of K, or left by the tail of an arrow, and could go straight on.
Sources: Shachter, "Bayes-Ball", 1998; Geiger, Verma, Pearl 1990.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pgm_rnn.separation.numbered import Numbered

# A state is 2 * node + DOWN or UP.
UP, DOWN = 0, 1  # the ball came from a child, from a parent


@dataclass(frozen=True)
class Roll:
    """Where the ball has been: states in order, and the state before each."""

    states: list[int]
    before: list[int]  # -1 where the ball has not been; a start is before itself
    opened: bytearray  # the known nodes and their ancestors
    hit: int | None  # the first state at a target


def ancestors(n: Numbered, mask: bytearray) -> bytearray:
    """A mask of the nodes of `mask` and all their ancestors."""
    found = bytearray(mask)
    for v in reversed(n.order):
        if found[v]:
            for p in n.parents[v]:
                found[p] = 1
    return found


def mask_of(n: Numbered, members: Iterable[int]) -> bytearray:
    """The members as a mask."""
    found = bytearray(len(n.parents))
    for v in members:
        found[v] = 1
    return found


def roll(n: Numbered, sources: Iterable[int], known: bytearray, targets: bytearray) -> Roll:
    """Let the ball roll from `sources`, which are not known, until it meets a target."""
    named, parents, children = len(n.names), n.parents, n.children
    opened = ancestors(n, known)
    before = [-1] * (2 * named)
    states = [2 * v for v in sources]
    for state in states:
        before[state] = state

    def visit(state: int, comes_from: int) -> None:
        if before[state] < 0:
            before[state] = comes_from
            states.append(state)

    for state in states:
        v, came = divmod(state, 2)
        if targets[v]:
            return Roll(states, before, opened, state)
        if not known[v]:
            for c in children[v]:
                visit(2 * c + DOWN, state)
        if opened[v] if came == DOWN else not known[v]:
            for p in parents[v]:
                if p < named:
                    visit(2 * p + UP, state)
                    continue
                # A parent without a name is never known: straight on to its other child.
                for c in children[p]:
                    if c != v:
                        visit(2 * c + DOWN, state)
    return Roll(states, before, opened, None)


def way_down(n: Numbered, collider: int, known: bytearray) -> list[int]:
    """A shortest way from an open collider down to a known node, both ends included.

    It ends at a given or fixed node: others become known only when all their parents are, but
    the collider's own parents, or the last node of the way before the end, are not.
    """
    before = {collider: collider}
    for v in (queue := [collider]):
        if known[v]:
            break
        for c in n.children[v]:
            if c not in before:
                before[c] = v
                queue.append(c)
    way = [v]
    while way[-1] != collider:
        way.append(before[way[-1]])
    return way[::-1]


def apart(n: Numbered, x: Iterable[int], y: Iterable[int], known: bytearray) -> bool:
    """Are x and y separated once exactly `known` is known?

    What is known is a constant, and independent of everything; a shared node that is not known
    is dependent on itself.
    """
    x = [v for v in x if not known[v]]
    y = [v for v in y if not known[v]]
    return not x or not y or roll(n, x, known, mask_of(n, y)).hit is None


def side_of(n: Numbered, x: list[int], y: list[int], known: bytearray) -> list[int]:
    """What hangs together with x in the moral graph of an(x, y, known) without the known.

    For separated x, y this set is a proof (Lauritzen et al. 1990): no node of those ancestors
    has, with its parents, unknown members both in the set and outside it.
    """
    ends = mask_of(n, (*x, *y))
    member = ancestors(n, bytearray(a | b for a, b in zip(ends, known, strict=True)))
    inside, seen = mask_of(n, x), bytearray(len(n.parents))
    found = list(x)
    for v in found:
        for child in (v, *n.children[v]):
            if not member[child] or seen[child]:
                continue
            seen[child] = 1
            for w in (child, *n.parents[child]):
                if not known[w] and not inside[w]:
                    inside[w] = 1
                    found.append(w)
    return sorted(v for v in found if v < len(n.names))
