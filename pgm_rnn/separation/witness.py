"""A connected pair, proved so: a small program on the same graph in which it is dependent."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import networkx as nx

from pgm_rnn.errors import BadOption, TooLarge
from pgm_rnn.separation.numbered import Numbered, numbered
from pgm_rnn.separation.programs import (
    WHOLE,
    Program,
    Values,
    information,
    joint,
    random_program,
    width,
)
from pgm_rnn.separation.reach import ancestors, mask_of, way_down
from pgm_rnn.separation.verdict import Verdict, separated
from pgm_rnn.separation.words import OPENED, header

LEAST = 1e-6  # nats
LIMIT = 200_000  # entries of one table
SEEDS = 12

# (values of a stochastic node, of a deterministic one, does the trail lead)
STYLES = (
    (2, 2, False),
    (3, 2, False),
    (4, 3, False),
    (2, 2, True),
    (3, 2, True),
    (3, 3, True),
    (4, 3, True),
)


@dataclass(frozen=True)
class Witness:
    """A finite program on the ancestors of a query, and its I(X; Y | Z) in nats.

    Tables map parent values to weights out of `whole`, functions to a value. The common parent
    behind a bidirected edge has the name "a <-> b".
    """

    x: tuple[str, ...]
    y: tuple[str, ...]
    given: tuple[str, ...]
    nats: float
    sizes: Mapping[str, int] = field(repr=False, hash=False)  # in topological order
    parents: Mapping[str, tuple[str, ...]] = field(repr=False, hash=False)
    tables: Mapping[str, Mapping[Values, Values]] = field(repr=False, hash=False)
    functions: Mapping[str, Mapping[Values, int]] = field(repr=False, hash=False)
    seed: int = 0
    whole: int = WHOLE

    def __str__(self) -> str:
        values = max(self.sizes.values())
        return (
            f"{header(self.x, self.y, 'are dependent', self.given)}: {self.nats:.3g} nats "
            f"in a program with at most {values} values a node (seed {self.seed})"
        )


def witness(
    g: nx.DiGraph,
    x: str | Iterable[str],
    y: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> Witness:
    """A program on `g` in which x and y, connected given z, are dependent.

    Its exact I(X; Y | Z) is above 1e-6 nats. Random tables and functions are tried in a fixed
    order, so the same query gives the same program. Raises BadOption if x and y are separated,
    or if no try does it (a trail of very many steps), and TooLarge.

    >>> g = nx.DiGraph([("y_1", "h"), ("y_2", "h")])
    >>> g.nodes["h"]["kind"] = "deterministic"
    >>> witness(g, "y_1", "y_2", "h").nats > 1e-6
    True
    """
    verdict = separated(g, x, y, given)
    sides = [verdict.x, verdict.y, verdict.given]
    if verdict:
        text = header(verdict.x, verdict.y, "are independent", verdict.given)
        raise BadOption(f"{text} in every program on this graph: there is no witness")
    n = numbered(g)
    # An input without parents is a constant; one with parents is a node that is always given.
    fixed = {v for v in n.fixed if not n.parents[v]}
    more = (n.names[v] for v in n.fixed if v not in fixed)
    sides[2] = tuple(dict.fromkeys((*verdict.given, *more)))
    xs, ys, zs = ([n.number[name] for name in side] for side in sides)

    above = ancestors(n, mask_of(n, (*xs, *ys, *zs)))
    order = [v for v in n.order if above[v]]
    functions = _functions(n)
    parents = {v: n.parents[v] for v in order}
    kept = sorted({*xs, *ys, *zs})
    places = [[kept.index(v) for v in side] for side in (xs, ys, zs)]
    best, tried, needed = 0.0, 0, 0
    led = _leaders(n, verdict)
    for stochastic, deterministic, guided in STYLES:
        leaders = led if guided else {}
        size = {
            v: 1 if v in fixed else deterministic if v in functions else stochastic for v in order
        }
        entries = width(size, parents, set(kept))
        needed = max(needed, entries)
        if entries > LIMIT:
            continue
        for seed in range(SEEDS):
            program = random_program(order, parents, functions, size, leaders=leaders, seed=seed)
            nats = information(joint(program, kept), *places)
            if nats > LEAST:
                return _record(n, program, sides, nats, seed)
            best, tried = max(best, nats), tried + 1
    if not tried:
        raise TooLarge(
            f"a witness would need a table of {needed:,} entries; the limit is {LIMIT:,}. "
            "Ask about fewer or nearer nodes",
            entries=needed,
            bytes=needed * 100,
            limit=LIMIT,
        )
    raise BadOption(
        f"{header(sides[0], sides[1], 'are connected', sides[2])}, but in {tried} random programs "
        f"they shared at most {best:.1g} nats: the trail is long. Ask about nearer nodes"
    )


def _functions(n: Numbered) -> set[int]:
    """The deterministic nodes that are functions of named parents alone."""
    named = len(n.names)
    return {v for v in n.functions if all(p < named for p in n.parents[v])}


def _leaders(n: Numbered, verdict: Verdict) -> dict[int, set[int]]:
    """For each node that the trail enters by an arrow, the parents that it comes from.

    Below a collider the way leads on to the given node that opens it.
    """
    led: dict[int, set[int]] = defaultdict(set)
    nodes = [n.number[name] for name, _ in verdict.trail]
    for a, b, arrow in zip(nodes, nodes[1:], verdict.arrows, strict=False):
        if arrow == "<->":
            source = next(p for p in n.parents[a] if p >= len(n.names) and p in n.parents[b])
            led[a].add(source)
            led[b].add(source)
        else:
            parent, child = (a, b) if arrow == "->" else (b, a)
            led[child].add(parent)
    for v, (_, role) in zip(nodes, verdict.trail, strict=True):
        if role.startswith(OPENED):
            way = way_down(
                n, v, mask_of(n, (*n.fixed, *(n.number[name] for name in verdict.given)))
            )
            for parent, child in pairwise(way):
                led[child].add(parent)
    return led


def _record(
    n: Numbered, program: Program, sides: list[tuple[str, ...]], nats: float, seed: int
) -> Witness:
    def name(v: int) -> str:
        if v < len(n.names):
            return n.names[v]
        return " <-> ".join(str(n.names[c]) for c in n.children[v])

    return Witness(
        x=sides[0],
        y=sides[1],
        given=sides[2],
        nats=nats,
        sizes={name(v): k for v, k in program.size.items()},
        parents={name(v): tuple(map(name, above)) for v, above in program.parents.items()},
        tables={name(v): table for v, table in program.tables.items()},
        functions={name(v): rule for v, rule in program.functions.items()},
        seed=seed,
    )
