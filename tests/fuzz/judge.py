"""The judge of last resort: the arrows of a small discrete program, found by running it.

Every site is held at every one of its values, by plain `poutine.condition`, and each run
tells the conditional distribution of every site given those before it. A parent is a site
whose change alone changes that distribution, or the value of a deterministic site, for some
values of the other sites. Neither the extractor nor the plan is asked.
"""

from collections.abc import Callable, Iterator
from itertools import product

import pyro
import torch
from pyro import poutine

Value = tuple[float, ...]

# A deterministic site is a number of any size for its children, so it is also held at these:
# values that its own parents happen to give may all lie on one side of a child's decision.
EXTRA = (-2.5, 3.5)
MOST = 4  # of the values that a deterministic site takes are held


def arrows(model: Callable, *args, limit: int = 500, **kwargs) -> set[tuple[str, str]] | None:
    """Every (parent, child) of the program; None if it takes more than `limit` runs."""
    names, values = _values(model, args, kwargs, limit)
    # Nothing depends on the last site, so one value of it will do.
    last = {names[-1]: list(values[names[-1]])[:1]}
    choices = [list((values | last)[name]) for name in names]
    if _number(choices) > limit:
        return None
    tables: dict[str, dict[tuple[Value, ...], Value]] = {name: {} for name in names}
    for combination in product(*choices):
        held = {name: values[name][key] for name, key in zip(names, combination, strict=True)}
        for name, facts in _facts(poutine.condition(model, data=held), args, kwargs):
            tables[name][combination[: names.index(name)]] = facts
    return {
        (parent, child)
        for child in names
        for at, parent in enumerate(names[: names.index(child)])
        if _moves(tables[child], at)
    }


def _moves(table: dict[tuple[Value, ...], Value], at: int) -> bool:
    """Whether two rows that differ in one place alone have different facts."""
    seen: dict[tuple[Value, ...], Value] = {}
    for row, facts in table.items():
        others = (*row[:at], *row[at + 1 :])
        if not _close(seen.setdefault(others, facts), facts):
            return True
    return False


def _close(a: Value, b: Value) -> bool:
    """Equal but for the rounding of single precision."""
    return len(a) == len(b) and all(abs(x - y) < 1e-6 for x, y in zip(a, b, strict=True))


def _values(
    model: Callable, args: tuple, kwargs: dict, limit: int
) -> tuple[list[str], dict[str, dict[Value, torch.Tensor]]]:
    """The sites in order, and every value of each: the support, or what the sites before give."""
    trace = poutine.trace(model).get_trace(*args, **kwargs)
    names = [name for name in trace.nodes if trace.nodes[name]["type"] == "sample"]
    values: dict[str, dict[Value, torch.Tensor]] = {}
    for name in names:
        fn = trace.nodes[name]["fn"]
        if fn.has_enumerate_support:
            values[name] = {_key(v): v for v in fn.enumerate_support()}
    free = list(values)
    deterministic = [name for name in names if name not in values]
    choices = [list(values[name]) for name in free]
    if deterministic and _number(choices) <= limit:
        for combination in product(*choices):
            held = {name: values[name][key] for name, key in zip(free, combination, strict=True)}
            run = poutine.trace(poutine.condition(model, data=held)).get_trace(*args, **kwargs)
            for name in deterministic:
                value = run.nodes[name]["value"]
                values.setdefault(name, {})[_key(value)] = value
    for name in deterministic:
        value = trace.nodes[name]["value"]
        taken = list(values.get(name, {_key(value): value}).values())[:MOST]
        taken += [torch.full_like(value, x) for x in EXTRA]
        values[name] = {_key(v): v for v in taken}
    return names, values


def _facts(model: Callable, args: tuple, kwargs: dict) -> Iterator[tuple[str, Value]]:
    """For every site of one run its probabilities, or its value if it is deterministic."""
    trace = poutine.trace(model).get_trace(*args, **kwargs)
    for name, node in trace.nodes.items():
        if node["type"] != "sample":
            continue
        fn = node["fn"]
        if fn.has_enumerate_support:
            yield name, _key(fn.log_prob(fn.enumerate_support()).exp())
        else:
            yield name, _key(_delta(fn).v)


def _delta(fn: pyro.distributions.Distribution) -> pyro.distributions.Delta:
    """The point mass inside a masked one; its own value, not the one that it is held at."""
    while not isinstance(fn, pyro.distributions.Delta):
        fn = fn.base_dist
    return fn


def _key(value: torch.Tensor) -> Value:
    """A tensor's numbers as a key; rounding makes equal what single precision tells apart."""
    return tuple(round(x, 7) for x in value.detach().double().reshape(-1).tolist())


def _number(choices: list[list]) -> int:
    """How many combinations there are."""
    n = 1
    for choice in choices:
        n *= max(1, len(choice))
    return n
