"""Small finite programs on a given graph, and their exact information.

Every node takes values 0 .. size - 1. A stochastic node has a table: for each choice of parent
values the weights of its own, whole numbers that sum to WHOLE. A deterministic one has a
function. Inputs and parameters are constant. Weights multiply to whole numbers, so joint
tables are exact and only the last logarithms are not.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from math import log
from random import Random

WHOLE = 1000

Values = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Tables and functions of numbered nodes, in topological order."""

    size: dict[int, int]  # in that order
    parents: dict[int, list[int]]
    tables: dict[int, dict[Values, Values]]  # parent values -> weights
    functions: dict[int, dict[Values, int]]  # parent values -> value


def random_program(
    order: list[int],
    parents: dict[int, list[int]],
    functions: set[int],
    size: dict[int, int],
    *,
    leaders: dict[int, set[int]],
    seed: int,
) -> Program:
    """A program with random tables and functions.

    A node with leaders, some of its parents, follows them: it is a Latin function of these
    alone, one that changes with every single one, exactly or with little noise. Random
    functions forget, so along a long trail without leaders nothing would be left to measure.
    """
    random = Random(seed)
    tables: dict[int, dict[Values, Values]] = {}
    rules: dict[int, dict[Values, int]] = {}
    for v in order:
        choices = list(product(*(range(size[p]) for p in parents[v])))
        follow = None
        if v in leaders:
            at = [i for i, p in enumerate(parents[v]) if p in leaders[v]]
            follow = _latin(random, at, size[v])
        if v in functions:
            rules[v] = {c: follow(c) if follow else random.randrange(size[v]) for c in choices}
        else:
            tables[v] = {
                c: _weights(random, size[v], follow(c) if follow else None) for c in choices
            }
    return Program({v: size[v] for v in order}, parents, tables, rules)


def _latin(random: Random, at: list[int], size: int) -> Callable[[Values], int]:
    """A random function of the values at some places, one-to-one in each if `size` allows."""
    shifts = random.sample(range(size), size)
    return lambda values: shifts[sum(values[i] for i in at) % size]


def _weights(random: Random, size: int, favourite: int | None) -> Values:
    """Positive weights that sum to WHOLE; nearly all on the favourite, if there is one."""
    if favourite is not None:
        spread = [1] * size
        spread[favourite] += WHOLE - size
        return tuple(spread)
    cuts = sorted(random.sample(range(1, WHOLE), size - 1))
    return tuple(b - a for a, b in zip([0, *cuts], [*cuts, WHOLE], strict=True))


def width(size: dict[int, int], parents: dict[int, list[int]], kept: set[int]) -> int:
    """The most entries that the table of `joint` can have on its way, or any one node's own."""
    last = _last_use(list(size), parents)
    live: set[int] = set()
    most = 1
    for i, v in enumerate(size):
        live.add(v)
        entries = own = 1
        for u in live:
            entries *= size[u]
        for u in (v, *parents[v]):
            own *= size[u]
        most = max(most, entries, own)
        live -= {u for u in last[i] if u not in kept}
    return most


def joint(program: Program, kept: list[int]) -> dict[Values, int]:
    """The joint table over `kept`, in weights: nodes come in order and go after their last use.

    Sum-product elimination, forwards: states that agree on all that is still needed are one.
    """
    order = list(program.size)
    last = _last_use(order, program.parents)
    keep = set(kept)
    live: list[int] = []
    table: dict[Values, int] = {(): 1}
    for i, v in enumerate(order):
        at = [live.index(p) for p in program.parents[v]]
        live.append(v)
        stay = [j for j, u in enumerate(live) if u in keep or u not in last[i]]
        new: dict[Values, int] = defaultdict(int)
        for state, weight in table.items():
            choice = tuple(state[j] for j in at)
            for value, w in _outcomes(program, v, choice):
                longer = (*state, value)
                new[tuple(longer[j] for j in stay)] += weight * w
        live = [live[j] for j in stay]
        table = new
    places = [live.index(v) for v in kept]
    return {tuple(state[j] for j in places): weight for state, weight in table.items()}


def _outcomes(program: Program, v: int, choice: Values) -> Iterable[tuple[int, int]]:
    if v in program.functions:
        return [(program.functions[v][choice], 1)]
    return enumerate(program.tables[v][choice])


def _last_use(order: list[int], parents: dict[int, list[int]]) -> list[set[int]]:
    """For each step the nodes that no later step uses."""
    at = {v: i for i, v in enumerate(order)}
    for i, v in enumerate(order):
        for p in parents[v]:
            at[p] = max(at[p], i)
    steps: list[set[int]] = [set() for _ in order]
    for v, i in at.items():
        steps[i].add(v)
    return steps


def information(table: dict[Values, int], x: list[int], y: list[int], z: list[int]) -> float:
    """I(X; Y | Z) in nats of a joint table; x, y, z are places in its keys.

        sum p(x,y,z) log p(x,y,z) p(z) / (p(x,z) p(y,z))

    >>> information({(0, 0): 1, (1, 1): 1}, [0], [1], []) == log(2)
    True
    """

    def marginal(places: list[int]) -> dict[Values, int]:
        out: dict[Values, int] = defaultdict(int)
        for state, weight in table.items():
            out[tuple(state[j] for j in places)] += weight
        return out

    xyz, xz, yz, z_ = (marginal(places) for places in (x + y + z, x + z, y + z, z))
    total = sum(z_.values())
    found = 0.0
    for state, weight in xyz.items():
        a, b, c = state[: len(x)], state[len(x) : len(x) + len(y)], state[len(x) + len(y) :]
        above, below = weight * z_[c], xz[a + c] * yz[b + c]
        if above != below:  # whole numbers: independence gives exactly zero
            found += weight / total * log(above / below)
    return found
