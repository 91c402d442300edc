"""The independences of a graph as a short list.

All statements would be C(n,2) 2^(n-2). Of each pair of nodes that no edge joins, one minimal
separator is given, and statements of the same form are one record, so that for an unrolled
recurrent net the list does not grow with its length.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import combinations

import networkx as nx

from pgm_rnn import graph
from pgm_rnn.separation.numbered import Numbered, numbered
from pgm_rnn.separation.separators import minimal
from pgm_rnn.separation.templates import (
    Pair,
    Place,
    Run,
    Template,
    Term,
    instance,
    templates,
    time_at,
)


@dataclass(frozen=True)
class Independence:
    """x is independent of y given `given`, at all times that `where` allows.

    >>> g = nx.DiGraph([(f"y_{t}", f"y_{t + 1}") for t in range(1, 6)])
    >>> for statement in independencies(g): print(statement)
    y(t) ⊥ y(s) given y(t-1) for all s <= t-2
    """

    x: str  # "y(t)", the later one
    y: str  # "y(s)"
    given: tuple[str, ...]  # ("h(t)",)
    where: tuple[str, ...]  # ("s < t",); empty for a statement about two single nodes
    covers: tuple[tuple[str, str, frozenset[str]], ...] = field(repr=False)  # (x, y, given)

    def __str__(self) -> str:
        condition = f" given {', '.join(self.given)}" if self.given else ""
        domain = f" for all {', '.join(self.where)}" if self.where else ""
        return f"{self.x} ⊥ {self.y}{condition}{domain}"


def independencies(g: nx.DiGraph) -> tuple[Independence, ...]:
    """One minimal separator for each pair that is not adjacent, merged over time.

    Pairs that nothing separates are left out, and so are inputs and parameters. Knows
    determinism. Every concrete statement in `covers` is separated, and no smaller given set
    would do. Takes about n^2 queries. Raises GraphError.
    """
    n = numbered(g)
    places = _places(g)
    names = {place: name for name, place in places.items()}
    first = {family: i for i, family in reversed([*enumerate(p[0] for p in places.values())])}
    statements: dict[tuple[str, str], dict[Pair, frozenset[Place]]] = defaultdict(dict)
    universe: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for a, b in combinations([v for v in range(len(n.names)) if v not in set(n.fixed)], 2):
        early, late = sorted(
            (places[n.names[a]], places[n.names[b]]),
            key=lambda p: (-1 if p[1] is None else p[1], first[p[0]]),
        )
        (family_s, s), (family_t, t) = early, late
        universe[family_s, family_t].append((s, t))
        found = None if _adjacent(n, a, b) else minimal(n, [a], [b], None)
        if found is not None:
            given = frozenset(places[n.names[v]] for v in found)
            statements[family_s, family_t][s, t] = given
    return tuple(
        _record(template, families, names)
        for families, given in statements.items()
        for template in templates(given, universe[families])
    )


def _places(g: nx.DiGraph) -> dict[str, Place]:
    """Family and time of each node; a second node in one place is a family of its own."""
    places: dict[str, Place] = {}
    taken: set[Place] = set()
    for node in g:
        place = (graph.family(g, node), graph.time(g, node))
        places[node] = (node, None) if place in taken else place
        taken.add(places[node])
    return places


def _adjacent(n: Numbered, a: int, b: int) -> bool:
    if b in n.children[a] or a in n.children[b]:
        return True
    named = len(n.names)
    return any(p >= named and p in n.parents[b] for p in n.parents[a])


def _record(template: Template, families: tuple[str, str], names: dict[Place, str]) -> Independence:
    early, late = families
    s_term, t_term = _moving(template)
    env = {"s": s_term, "t": t_term}
    return Independence(
        x=_write(late, t_term),
        y=_write(early, s_term),
        given=tuple(_write_run(run, env) for run in template.form),
        where=_where(template, (early, s_term), (late, t_term), names),
        covers=tuple(
            (
                names[late, t],
                names[early, s],
                frozenset(names[place] for place in instance(template.form, s, t)),
            )
            for s, t in template.pairs
        ),
    )


def _moving(template: Template) -> tuple[Term | None, Term | None]:
    """s and t as terms: a number where only one occurs, s = t - lag where only one lag does."""
    earlier = {s for s, _ in template.pairs}
    later = {t for _, t in template.pairs}
    s, t = next(iter(earlier)), next(iter(later))
    t_term = None if t is None else ("", t) if len(later) == 1 else ("t", 0)
    if s is None:
        return None, t_term
    if len(earlier) == 1:
        return ("", s), t_term
    lags = {t - s for s, t in template.pairs if s is not None and t is not None}
    if t_term == ("t", 0) and len(lags) == 1:
        return ("t", -next(iter(lags))), t_term
    return ("s", 0), t_term


def _where(
    template: Template,
    early: tuple[str, Term | None],
    late: tuple[str, Term | None],
    there: Collection[Place],
) -> tuple[str, ...]:
    """The bounds in words, the relation of s and t first; read back, they say `template.pairs`.

    A reader takes every time at which both nodes are there.
    """
    moving = [name for name, (_, term) in (("s", early), ("t", late)) if term == (name, 0)]
    if not moving:
        return ()
    if len(moving) == 1:
        times = [k for pair in template.pairs if (k := pair[moving == ["t"]]) is not None]
        return (_limits(moving[0], times, early, late, there),)
    lag = template.bounds[0][2]
    words = ["s < t" if lag == 1 else f"s <= {_sum('t', -lag)}"]
    for name, relation, limit in template.bounds:
        if name in moving:
            words.append(f"{name} {relation} {limit}")
        elif relation == "<=":
            words.append(f"s >= {_sum('t', -limit)}")
    return tuple(words)


def _limits(
    name: str,
    times: list[int],
    early: tuple[str, Term | None],
    late: tuple[str, Term | None],
    there: Collection[Place],
) -> str:
    """The limits of the one time that moves; the upper one only where both nodes go on."""
    low, high = min(times), max(times)

    def goes_on(after: int) -> bool:
        return all(
            (family, None if term is None else time_at(term, after, after)) in there
            for family, term in (early, late)
        )

    beyond = {k for _, k in there if k is not None and k > high}
    return f"{low} <= {name} <= {high}" if any(map(goes_on, beyond)) else f"{name} >= {low}"


def _write_run(run: Run, env: dict[str, Term | None]) -> str:
    family, low, high = run
    if low is None or high is None:
        return family
    low, high = _replace(low, env), _replace(high, env)
    if low == high:
        return _write(family, low)
    return f"{family}({_sum(*low)}..{_sum(*high)})"


def _replace(term: Term, env: dict[str, Term | None]) -> Term:
    anchor, k = term
    base = env.get(anchor)
    return term if base is None else (base[0], base[1] + k)


def _write(family: str, term: Term | None) -> str:
    return family if term is None else f"{family}({_sum(*term)})"


def _sum(anchor: str, k: int) -> str:
    """
    >>> _sum("t", -1), _sum("t", 0), _sum("", 3)
    ('t-1', 't', '3')
    """
    return str(k) if not anchor else f"{anchor}{k:+d}" if k else anchor
