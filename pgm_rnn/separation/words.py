"""Names, sets and verdicts in plain words."""

from collections.abc import Iterable, Sequence

from pgm_rnn.graph import family_time

OPENED = "collider opened by "  # a role on a trail, followed by the given node
SHOWN = 4  # clauses of an explanation; the record holds them all


def shown(name: str) -> str:
    """A node as the book writes it.

    >>> shown("y_3"), shown("x")
    ('y(3)', 'x')
    """
    family, time = family_time(str(name))
    return family if time is None else f"{family}({time})"


def listed(names: Iterable[str], last: str = ", ") -> str:
    """Names with their runs of times merged, joined by commas and, at the end, by `last`.

    >>> listed(["x_1", "y_7", "x_3", "x_2", "U"]), listed(["h_1", "y_2"], last=" and ")
    ('x(1..3), y(7), U', 'h(1) and y(2)')
    """
    families: dict[str, list[int | None]] = {}
    for name in names:
        family, time = family_time(str(name))
        families.setdefault(family, []).append(time)
    parts = []
    for family, times in families.items():
        parts += [family] * (None in times)
        parts += [
            f"{family}({a})" if a == b else f"{family}({a}..{b})"
            for a, b in runs(t for t in times if t is not None)
        ]
    return last.join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else "nothing"


def runs(times: Iterable[int]) -> list[tuple[int, int]]:
    """Whole numbers as runs from first to last.

    >>> runs([5, 1, 2, 3])
    [(1, 3), (5, 5)]
    """
    found: list[tuple[int, int]] = []
    for t in sorted(set(times)):
        if found and found[-1][1] == t - 1:
            found[-1] = (found[-1][0], t)
        else:
            found.append((t, t))
    return found


def set_of(names: Iterable[str]) -> str:
    """A set inside a sentence: braces where it needs commas."""
    text = listed(names)
    return f"{{{text}}}" if ", " in text else text


def header(x: Sequence[str], y: Sequence[str], verb: str, given: Sequence[str]) -> str:
    """ "y(1) and y(4) are independent given x(1..4)"."""
    condition = f" given {listed(given)}" if given else ""
    return f"{set_of(x)} and {set_of(y)} {verb}{condition}"


def trail_words(trail: Sequence[tuple[str, str]], arrows: Sequence[str]) -> str:
    """The trail with its arrows, and what opens its colliders."""
    if not arrows:
        return f"{shown(trail[0][0])} is on both sides"
    steps = [f"{shown(node)} {arrow}" for (node, _), arrow in zip(trail, arrows, strict=False)]
    if len(steps) > 2 * SHOWN:
        steps[SHOWN:-SHOWN] = ["..."]
    opened = [
        f"; {shown(node)} is a collider, and "
        + ("given" if role == f"{OPENED}{node}" else f"{shown(role.removeprefix(OPENED))} is given")
        for node, role in trail
        if role.startswith(OPENED)
    ]
    if len(opened) > SHOWN:
        opened[SHOWN:] = ["; ..."]
    return f"{' '.join(steps)} {shown(trail[-1][0])} is open{''.join(opened)}"


def reasons_words(
    why: Sequence[tuple[str, str]], derivation: Sequence[tuple[str, tuple[str, ...]]]
) -> str:
    """Where the ball stops, with the derivation of what is determined there."""
    if not why:
        return "no trail joins them"
    parents = dict(derivation)
    needed = {node for node, _ in why if node in parents}
    for node, above in reversed(derivation):  # what determines a determined node explains it
        if node in needed:
            needed.update(p for p in above if p in parents)
    clauses = _derived([(node, above) for node, above in derivation if node in needed])
    for reason, one, many in (
        ("given", "is given", "are given"),
        ("fixed", "is fixed", "are fixed"),
        ("closed collider", "is a closed collider", "are closed colliders"),
    ):
        nodes = [node for node, found in why if found == reason]
        if nodes:
            clauses.append(f"{listed(nodes, last=' and ')} {one if len(nodes) == 1 else many}")
    return ", ".join(clauses[:SHOWN] + ["..."] * (len(clauses) > SHOWN))


def _derived(steps: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """One clause for each pattern of a node and its parents, so that length does not matter."""
    patterns: dict[tuple, list[tuple[str, tuple[str, ...]]]] = {}
    for node, above in steps:
        family, time = family_time(str(node))
        shape = frozenset(_relative(p, time) for p in above)
        patterns.setdefault((family, time is None, shape), []).append((node, above))
    clauses = []
    for found in patterns.values():
        node, above = found[0]
        if not above:
            nodes = [name for name, _ in found]
            verb = "is a constant" if len(nodes) == 1 else "are constants"
            clauses.append(f"{listed(nodes, last=' and ')} {verb}")
            continue
        clause = f"{shown(node)} is determined by {listed(above, last=' and ')}"
        clauses.append(clause + (f" and so on to {shown(found[-1][0])}" if found[1:] else ""))
    return clauses


def _relative(name: str, time: int | None) -> tuple[str, int | None]:
    family, own = family_time(str(name))
    return family, own if own is None or time is None else own - time
