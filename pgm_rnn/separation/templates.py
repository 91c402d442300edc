"""Many statements of one form as one template: "y(t), y(s) given h(t) for all s < t".

A statement about a later node b(t) and an earlier a(s) names each run of times in its given set
by its two ends, and each end relative to t, relative to s, or as it is. A form fits another
statement if, with that one's s and t, it gives that one's given set. From a statement in the
middle of those left, the form that fits most is taken, until none is left. The domain of a form
is given by bounds on s, t and t - s, and only where these say it exactly.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from pgm_rnn.separation.words import runs

Place = tuple[str, int | None]  # family and time
Pair = tuple[int | None, int | None]  # s and t; None for a node without time
Term = tuple[str, int]  # ("t", -1) is t - 1, ("", 3) is 3
Run = tuple[str, Term | None, Term | None]  # a family from one term to another


@dataclass(frozen=True)
class Template:
    """A form of given sets, where it holds, and for which (s, t)."""

    form: tuple[Run, ...]
    pairs: tuple[Pair, ...]
    bounds: tuple[tuple[str, str, int], ...]  # ("s", ">=", 2); "lag" is t - s


def templates(given: dict[Pair, frozenset[Place]], universe: list[Pair]) -> list[Template]:
    """The statements of two families, (s, t) -> given set, as templates.

    `universe` holds every (s, t) at which both nodes are, with a statement or without.

    >>> given = {(s, t): frozenset({("h", t)}) for t in range(9) for s in range(t)}
    >>> found, = templates(given, list(given))
    >>> found.form, found.bounds
    ((('h', ('t', 0), ('t', 0)),), (('lag', '>=', 1),))
    """
    left, found = dict(given), []
    while left:
        ordered = sorted(left, key=_order)
        seed = ordered[len(ordered) // 2]
        best: Template | None = None
        for form in _forms(left[seed], *seed):
            fits = [pair for pair in ordered if _fits(form, pair, left[pair])]
            if best is None or len(fits) > len(best.pairs):
                best = _exact(form, fits, universe, seed)
        assert best is not None
        found.append(best)
        for pair in best.pairs:
            del left[pair]
    return sorted(found, key=lambda template: _order(template.pairs[0]))


def instance(form: tuple[Run, ...], s: int | None, t: int | None) -> frozenset[Place]:
    """The given set of a form at (s, t)."""
    places: set[Place] = set()
    for family, low, high in form:
        if low is None or high is None:
            places.add((family, None))
        else:
            places.update((family, k) for k in range(time_at(low, s, t), time_at(high, s, t) + 1))
    return frozenset(places)


def _fits(form: tuple[Run, ...], pair: Pair, given: frozenset[Place]) -> bool:
    """Does the form give this set? No run may be empty: "h(t..s)" for "h(t) if s = t" misleads."""
    if any(low and high and time_at(low, *pair) > time_at(high, *pair) for _, low, high in form):
        return False
    return instance(form, *pair) == given


def time_at(term: Term, s: int | None, t: int | None) -> int:
    """The time that a term stands for.

    >>> time_at(("t", -1), 2, 5), time_at(("", 3), 2, 5)
    (4, 3)
    """
    anchor, k = term
    return k + ((s if anchor == "s" else t if anchor == "t" else 0) or 0)


def _order(pair: Pair) -> tuple[int, int]:
    s, t = pair
    return (-1 if t is None else t, -1 if s is None else s)


def _forms(places: frozenset[Place], s: int | None, t: int | None) -> Iterator[tuple[Run, ...]]:
    """Every form of a given set, the plainest first."""

    def terms(k: int) -> list[Term]:
        anchors = [(name, at) for name, at in (("t", t), ("s", s)) if at is not None]
        near = sorted(anchors, key=lambda anchor: abs(k - anchor[1]))
        return [*((name, k - at) for name, at in near), ("", k)]

    families: dict[str, list[int | None]] = defaultdict(list)
    for family, k in sorted(places, key=str):
        families[family].append(k)
    options: list[list[Run]] = []
    for family, times in families.items():
        if None in times:
            options.append([(family, None, None)])
        for low, high in runs(k for k in times if k is not None):
            ends = list(product(terms(low), terms(high)))
            # A single node is rather one moving node than a run that happens to be short.
            ends.sort(key=lambda ends: low == high and ends[0] != ends[1])
            options.append([(family, a, b) for a, b in ends])
    return product(*options)


def _exact(form: tuple[Run, ...], fits: list[Pair], universe: list[Pair], seed: Pair) -> Template:
    """The template with the largest part of `fits` that bounds can say; it may leave some."""
    parts = [fits]
    for key in (_lag, lambda pair: pair[0], lambda pair: pair[1]):
        split = defaultdict(list)
        for pair in fits:
            split[key(pair)].append(pair)
        parts += split.values()
    parts.append([seed])
    for part in sorted(parts, key=len, reverse=True):
        bounds = _bounds(part, universe)
        if bounds is not None:
            return Template(form, tuple(part), bounds)
    raise AssertionError("bounds on s, t and t - s single out any one pair")


def _lag(pair: Pair) -> int | None:
    s, t = pair
    return None if s is None or t is None else t - s


_VALUE: dict[str, Callable[[Pair], int | None]] = {
    "lag": _lag,
    "s": lambda pair: pair[0],
    "t": lambda pair: pair[1],
}


def _bounds(part: list[Pair], universe: list[Pair]) -> tuple[tuple[str, str, int], ...] | None:
    """The fewest bounds that single out `part` from `universe`; None if none do."""
    bounds = []
    for name, value in _VALUE.items():
        values = [v for v in map(value, part) if v is not None]
        if values:
            bounds += [(name, ">=", min(values)), (name, "<=", max(values))]

    def singled(bounds: list[tuple[str, str, int]]) -> bool:
        return {pair for pair in universe if all(_holds(b, pair) for b in bounds)} == set(part)

    if not singled(bounds):
        return None
    for bound in bounds[1:][::-1]:  # the first, which orders s and t, always stays
        fewer = [b for b in bounds if b != bound]
        if singled(fewer):
            bounds = fewer
    return tuple(bounds)


def _holds(bound: tuple[str, str, int], pair: Pair) -> bool:
    name, relation, limit = bound
    value = _VALUE[name](pair)
    return value is None or (value >= limit if relation == ">=" else value <= limit)
