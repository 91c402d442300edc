"""All runs of a small discrete program: every combination of its sites' values, with its weight."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyro
import torch
from pyro import poutine
from pyro.poutine.messenger import Messenger
from pyro.poutine.util import site_is_subsample
from torch import Tensor

from pgm_rnn.errors import ProgramError, TooLarge

MOST = 2**22  # combinations of values
ONE_BY_ONE = 2**14  # combinations for a program that does not broadcast
_WRAPPERS = {"Independent", "MaskedDistribution", "ExpandedDistribution"}


@dataclass(frozen=True)
class Variable:
    """A random site: its values, and where its elements stand among the digits of a combination."""

    name: str
    support: Tensor  # [values, *event]
    shape: torch.Size  # of the site's batch; one digit an element
    plates: int  # the largest plate dimension it stands in


@dataclass
class Table:
    """Every combination: its log weight, and each site's value coded by a number."""

    log_weight: Tensor  # [combinations]
    codes: dict[str, Tensor]  # site -> [combinations]
    values: dict[str, Tensor]  # site -> [codes, *shape], the value that each code stands for
    batched: bool = field(default=True)


class _Fixed(Messenger):
    """Gives every random site a value, and collects log weights and deterministic values."""

    def __init__(self, values: dict[str, Tensor]):
        super().__init__()
        self.values = values
        self.log_weights: list[Tensor] = []
        self.seen: dict[str, Tensor] = {}

    def _pyro_sample(self, msg: Any) -> None:
        if not site_is_subsample(msg) and msg["name"] in self.values:
            msg["value"], msg["is_observed"] = self.values[msg["name"]], True

    def _pyro_post_sample(self, msg: Any) -> None:
        if site_is_subsample(msg):
            return
        name, fn = msg["name"], msg["fn"]
        if kind_of(fn) == "deterministic":
            self.seen[name] = msg["value"]
        else:
            self.log_weights.append(_unmasked(fn).log_prob(msg["value"]))


def enumerate_runs(model: Callable, args: tuple, kwargs: dict) -> Table:
    """Run `model` for every combination of its discrete sites' values.

    All combinations run at once along a leading dimension; a program that does not broadcast
    (the result of single runs differs) runs one combination at a time.
    Raises ProgramError for a continuous site, TooLarge for too many combinations.
    """
    variables, deterministic = _variables(model, args, kwargs)
    count = math.prod(len(v.support) ** v.shape.numel() for v in variables)
    _check_size(count, MOST, variables, len(deterministic), "")
    digits = _digits(variables, count)
    try:
        table = _batched(model, args, kwargs, variables, digits, count)
        if table is not None and _agrees(model, args, kwargs, variables, digits, table):
            return _coded(variables, digits, table, batched=True)
    except Exception:  # a program that takes a Python value of all combinations at once
        pass
    _check_size(count, ONE_BY_ONE, variables, len(deterministic), " one by one")
    table = _single(model, args, kwargs, variables, digits, range(count))
    return _coded(variables, digits, table, batched=False)


def kind_of(fn: Any) -> str:
    """ "deterministic", "factor" or "stochastic", by the distribution below its wrappers."""
    name = type(_base(fn)).__name__
    return {"Delta": "deterministic", "Unit": "factor"}.get(name, "stochastic")


def _base(fn: Any) -> Any:
    while type(fn).__name__ in _WRAPPERS:
        fn = fn.base_dist
    return fn


def _unmasked(fn: Any) -> Any:
    while type(fn).__name__ == "MaskedDistribution":
        fn = fn.base_dist
    return fn


def _variables(model: Callable, args: tuple, kwargs: dict) -> tuple[list[Variable], list[str]]:
    with torch.random.fork_rng(devices=[]):
        trace = poutine.trace(model).get_trace(*args, **kwargs)
    found, functions = [], []
    for name, site in trace.nodes.items():
        if site["type"] != "sample" or site_is_subsample(site):
            continue
        fn: Any = site["fn"]
        kind = kind_of(fn)
        if kind == "deterministic":
            functions.append(name)
        elif kind == "stochastic":
            if not getattr(_base(fn), "has_enumerate_support", False):
                raise ProgramError(
                    f"site {name!r} is {type(_base(fn)).__name__}, which has no finite list of "
                    "values; the exact joint needs discrete sites (of a figure: "
                    'state="finite" with output="categorical" or "bernoulli")'
                )
            support = _unmasked(fn).enumerate_support(expand=False)
            event, value = fn.event_shape, site["value"]
            assert value is not None
            found.append(
                Variable(
                    name,
                    support.reshape(len(support), *event),
                    value.shape[: value.ndim - len(event)],
                    max((-f.dim for f in site["cond_indep_stack"] if f.dim is not None), default=0),
                )
            )
    if not found:
        raise ProgramError("the program has no random site, so it has no joint distribution")
    return found, functions


def _check_size(
    count: int, limit: int, variables: list[Variable], functions: int, how: str
) -> None:
    if count <= limit:
        return
    size = 8 * count * (len(variables) + functions + 1)
    widest = max(variables, key=lambda v: v.shape.numel() * math.log(max(len(v.support), 1)))
    raise TooLarge(
        f"the joint of {len(variables)} sites has {count:,} combinations, about {size:,} bytes; "
        f"the limit{how} is {limit:,} combinations. Lower tau, k or the batch ({widest.name!r} "
        f"has {len(widest.support)} values in {max(widest.shape.numel(), 1)} elements)",
        entries=count,
        bytes=size,
        limit=limit,
    )


def _digits(variables: list[Variable], count: int) -> dict[str, Tensor]:
    """Per variable [combinations, elements]: which value each element has."""
    rest = torch.arange(count)
    found = {}
    for v in reversed(variables):
        columns = []
        for _ in range(v.shape.numel()):
            columns.append(rest % len(v.support))
            rest = rest // len(v.support)
        empty = torch.zeros(count, 0, dtype=torch.long)
        found[v.name] = torch.stack(columns[::-1], -1) if columns else empty
    return found


def _batched(
    model: Callable, args: tuple, kwargs: dict, variables: list[Variable], digits: dict, count: int
) -> Any:
    """All combinations in one run, along a dimension left of every plate."""
    depth = max([v.plates for v in variables] + [len(v.shape) for v in variables])
    values = {}
    for v in variables:
        shape = [count, *[1] * (depth - len(v.shape)), *v.shape]
        values[v.name] = v.support[digits[v.name].reshape(shape)]
    run = _run(model, args, kwargs, values)
    log_weight = torch.zeros(count, dtype=torch.float64)
    for term in run.log_weights:
        if term.ndim > depth:
            log_weight = log_weight + term.double().reshape(len(term), -1).sum(-1)
        else:
            log_weight = log_weight + term.double().sum()
    seen = {}
    for name, value in run.seen.items():
        if value.ndim <= depth or len(value) != count:  # the same for every combination
            value = value.expand(count, *value.shape)
        seen[name] = value.reshape(count, -1)
    return log_weight, seen


def _single(
    model: Callable, args: tuple, kwargs: dict, variables: list[Variable], digits: dict, rows: Any
) -> Any:
    """One run a combination."""
    weights, seen = [], []
    for row in rows:
        values = {v.name: v.support[digits[v.name][row].reshape(v.shape)] for v in variables}
        run = _run(model, args, kwargs, values)
        weights.append(sum((t.double().sum() for t in run.log_weights), torch.zeros(())))
        seen.append({name: value.reshape(-1) for name, value in run.seen.items()})
    names = seen[0].keys()
    if any(s.keys() != names for s in seen):
        raise ProgramError(
            "some values lead to other sites: the joint of a program whose sites depend on the "
            "branch it takes has no fixed list of variables"
        )
    return torch.stack(weights).double(), {n: torch.stack([s[n] for s in seen]) for n in names}


def _run(model: Callable, args: tuple, kwargs: dict, values: dict[str, Tensor]) -> _Fixed:
    fixed = _Fixed(values)
    with torch.no_grad(), torch.random.fork_rng(devices=[]), pyro.validation_enabled(False), fixed:
        model(*args, **kwargs)
    return fixed


def _agrees(
    model: Callable, args: tuple, kwargs: dict, variables: list[Variable], digits: dict, table: Any
) -> bool:
    """Do some single runs give what the batched one gave?"""
    log_weight, seen = table
    count = len(log_weight)
    rows = sorted({0, count - 1, *(int(r) for r in _spread(count))})
    single, values = _single(model, args, kwargs, variables, digits, rows)
    if not torch.allclose(log_weight[rows], single, rtol=1e-9, atol=1e-9):
        return False
    return all(
        seen[n][rows].shape == values[n].shape
        and torch.allclose(seen[n][rows].double(), v.double())
        for n, v in values.items()
    )


def _spread(count: int) -> Iterator[int]:
    """A few rows in all corners of the table."""
    for i in range(1, 12):
        yield count * i * 7919 // (12 * 7919) % count


def _coded(variables: list[Variable], digits: dict, table: Any, batched: bool) -> Table:
    log_weight, seen = table
    codes, values = {}, {}
    for v in variables:
        size = len(v.support)
        code = torch.zeros(len(log_weight), dtype=torch.long)
        for column in digits[v.name].unbind(-1):
            code = code * size + column
        codes[v.name] = code
        values[v.name] = v.support if v.shape.numel() == 1 else torch.empty(0)
    for name, whole in seen.items():
        rounded = torch.round(whole.double(), decimals=9)  # equal up to the order of additions
        values[name], codes[name] = torch.unique(rounded, dim=0, return_inverse=True)
    return Table(log_weight, codes, values, batched)
