"""One query: are x and y separated given z, and why."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import networkx as nx

from pgm_rnn.separation.closure import closure, given_only
from pgm_rnn.separation.numbered import Numbered, numbered, numbers, query
from pgm_rnn.separation.reach import DOWN, UP, Roll, apart, mask_of, roll, side_of, way_down
from pgm_rnn.separation.words import OPENED, header, reasons_words, trail_words


@dataclass(frozen=True)
class Verdict:
    """The answer to one query, with its evidence; true when x and y are separated.

    A separated verdict can be checked without this room: each determined node, in order, is
    deterministic with parents among the known; `side` holds x's unknown nodes and none of y's;
    and among the ancestors of x, y and the known, no node together with its parents (and, along
    bidirected edges, with its spouses and theirs) has unknown nodes both within `side` and
    without. A connected one by its trail.
    """

    separated: bool
    x: tuple[str, ...]
    y: tuple[str, ...]
    given: tuple[str, ...]
    determined: tuple[str, ...]  # in the order in which they become known
    trail: tuple[tuple[str, str], ...]  # (node, role); empty if separated
    why: tuple[tuple[str, str], ...]  # (node, reason) where the ball stops; empty if connected
    plain: bool  # what ordinary d-separation says
    arrows: tuple[str, ...] = field(default=(), repr=False)  # between the nodes of the trail
    side: frozenset[str] = field(default=frozenset(), repr=False)
    derivation: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return self.separated

    def __str__(self) -> str:
        if not self:
            text = header(self.x, self.y, "may be dependent", self.given)
            return f"{text}: {trail_words(self.trail, self.arrows)}"
        text = header(self.x, self.y, "are independent", self.given)
        tail = "" if self.plain else " (ordinary d-separation would say dependent)"
        return f"{text}: {reasons_words(self.why, self.derivation)}{tail}"


def separated(
    g: nx.DiGraph,
    x: str | Iterable[str],
    y: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> Verdict:
    """Is x independent of y given z in every program with this graph?

    D-separation: with K the closure of z, drop what is known from x and y; they are separated
    if one is then empty, else if they share no node and no active trail given K joins them.
    Inputs and parameters are as if given; `observed` plays no part, and a factor conditions
    only where it is given. Exact: a "no" is borne out by some program on the graph.

    The sets may overlap in any way. Raises UnknownNode, AmbiguousNode, BadOption for an empty x
    or y, and GraphError for a cycle. Source: Geiger, Verma, Pearl 1990.

    >>> g = nx.DiGraph([("x_1", "h_1"), ("h_1", "y_1"), ("h_1", "h_2"), ("x_2", "h_2"),
    ...                 ("h_2", "y_2")])
    >>> for h in ("h_1", "h_2"): g.nodes[h]["kind"] = "deterministic"
    >>> print(separated(g, "y_1", "y_2", "x"))  # doctest: +NORMALIZE_WHITESPACE
    y(1) and y(2) are independent given x(1..2): h(1) is determined by x(1)
    (ordinary d-separation would say dependent)
    >>> print(separated(g, "x_1", "x_2", "y_2"))
    x(1) and x(2) may be dependent given y(2): x(1) -> h(1) -> h(2) <- x(2) is open; h(2) is a \
collider, and y(2) is given
    """
    n = numbered(g)
    xs, ys = query(g, n, x, y)
    zs = numbers(g, n, given)
    known, added = closure(n, zs)
    free_x = [v for v in xs if not known[v]]
    free_y = [v for v in ys if not known[v]]

    trail: tuple[tuple[str, str], ...] = ()
    why: tuple[tuple[str, str], ...] = ()
    arrows: tuple[str, ...] = ()
    side: frozenset[str] = frozenset()
    reasons = _Reasons(n, zs, added)
    hit = None
    if not free_x or not free_y:
        why = reasons.of(ys if free_x else xs)
    else:
        ball = roll(n, free_x, known, mask_of(n, free_y))
        hit = ball.hit
        if hit is not None:
            trail, arrows = _trail(n, ball, hit, known)
        else:
            blocked = [v for v in xs if known[v]]
            why = (*reasons.of(blocked), *reasons.stops(ball, known, set(blocked)))
            side = frozenset(n.names[v] for v in side_of(n, free_x, free_y, known))

    verdict = hit is None
    names = n.names
    return Verdict(
        separated=verdict,
        x=tuple(names[v] for v in xs),
        y=tuple(names[v] for v in ys),
        given=tuple(names[v] for v in zs),
        determined=tuple(names[v] for v in added),
        trail=trail,
        why=why,
        plain=apart(n, xs, ys, given_only(n, zs)) if added else verdict,
        arrows=arrows,
        side=side,
        derivation=tuple((names[v], reasons.parents(v)) for v in added),
    )


class _Reasons:
    """Why a node lets no ball pass."""

    def __init__(self, n: Numbered, given: list[int], added: list[int]):
        self.n, self.given, self.added = n, set(given), set(added)

    def parents(self, v: int) -> tuple[str, ...]:
        return tuple(self.n.names[p] for p in self.n.parents[v])

    def of(self, nodes: Iterable[int]) -> tuple[tuple[str, str], ...]:
        return tuple((self.n.names[v], self._known(v)) for v in nodes)

    def _known(self, v: int) -> str:
        if v in self.given:
            return "given"
        if v not in self.added:
            return "fixed"
        parents = ", ".join(map(str, self.parents(v)))
        return f"determined by {parents}" if parents else "constant"

    def stops(self, ball: Roll, known: bytearray, seen: set[int]) -> list[tuple[str, str]]:
        """Where the ball stopped, nearest first."""
        found = []
        for state in ball.states:
            v, came = divmod(state, 2)
            if v in seen:
                continue
            if known[v]:
                stopped = came == UP or bool(self.n.children[v])
                reason = self._known(v)
            else:
                # An end of the trail would be no collider; one parent makes none either.
                stopped = came == DOWN and not ball.opened[v] and len(self.n.parents[v]) > 1
                stopped = stopped and ball.before[2 * v + UP] < 0
                reason = "closed collider"
            if stopped:
                seen.add(v)
                found.append((self.n.names[v], reason))
        return found


def _trail(
    n: Numbered, ball: Roll, hit: int, known: bytearray
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The trail that ends in the state `hit`, with roles, and its arrows."""
    states = [hit]
    while ball.before[states[-1]] != states[-1]:
        states.append(ball.before[states[-1]])
    states.reverse()
    nodes = [state // 2 for state in states]
    if len(nodes) == 1:
        return ((n.names[nodes[0]], "shared"),), ()
    arrows = []
    for v, state in zip(nodes, states[1:], strict=False):
        if state % 2 == UP:
            arrows.append("<-")
        else:
            arrows.append("->" if not known[v] and state // 2 in n.children[v] else "<->")
    roles = ["start"]
    for v, into, out in zip(nodes[1:], arrows, arrows[1:], strict=False):
        if into.endswith(">") and out.startswith("<"):
            roles.append(f"{OPENED}{n.names[way_down(n, v, known)[-1]]}")
        else:
            roles.append("fork" if into == "<-" and out == "->" else "chain")
    named = [n.names[v] for v in nodes]
    return tuple(zip(named, [*roles, "end"], strict=True)), tuple(arrows)
