"""The tensors among a program's arguments, each under the path by which it was passed."""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor


def named_tensors(model: Callable, args: tuple, kwargs: dict) -> dict[str, Tensor]:
    """Path -> tensor: `x`, `batch.0`, `batch.mask`; the same tensor counts once.

    >>> list(named_tensors(lambda x, y=None: 0, (torch.ones(1), [torch.ones(2)]), {}))
    ['x', 'y.0']
    """
    found: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, value in named_arguments(model, args, kwargs):
        for path, tensor in _walk(name, value):
            if id(tensor) not in seen:
                seen.add(id(tensor))
                found[path] = tensor
    return found


def with_defaults(model: Callable, args: tuple, kwargs: dict) -> dict[str, Any]:
    """The keyword arguments of a call, with the defaults that hold tensors spelled out."""
    try:
        signature = inspect.signature(_function(model))
        given = signature.bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return kwargs
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    more = {
        name: p.default
        for name, p in signature.parameters.items()
        if name not in given and p.kind in named and any(_walk(name, p.default))
    }
    return {**more, **kwargs}


def plain_data(model: Callable, args: tuple, kwargs: dict) -> list[str]:
    """The names of arguments that hold numbers in lists or NumPy arrays, which carry no sources.

    >>> plain_data(lambda x, n: 0, ([1.0, 2.0], 3), {})
    ['x']
    """
    return [name for name, value in named_arguments(model, args, kwargs) if _has_numbers(value)]


def _has_numbers(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size > 0
    if isinstance(value, (list, tuple)):
        return any(isinstance(v, (int, float, np.number)) or _has_numbers(v) for v in value)
    return isinstance(value, dict) and any(_has_numbers(v) for v in value.values())


def named_arguments(model: Callable, args: tuple, kwargs: dict) -> Iterator[tuple[str, Any]]:
    """Each argument of a call under its own name."""
    try:
        bound = inspect.signature(_function(model)).bind(*args, **kwargs)
    except (TypeError, ValueError):  # no signature, or a call that the program itself will refuse
        yield from ((f"argument {i}", value) for i, value in enumerate(args))
        yield from kwargs.items()
        return
    kinds = {p.name: p.kind for p in bound.signature.parameters.values()}
    for name, value in bound.arguments.items():
        if kinds[name] is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        else:
            yield name, value


def _function(model: Any) -> Callable:
    """The user's own function below Pyro's handlers, whose signature names the arguments."""
    while True:
        if isinstance(model, functools.partial) and len(model.args) >= 2 and (
            getattr(model.func, "__name__", "") == "_context_wrap"
        ):  # fmt: skip
            model = model.args[1]
        elif type(model).__name__ == "_bound_partial":
            model = model.func
        elif type(model).__module__.startswith("pyro.poutine") and hasattr(model, "fn"):
            model = model.fn
        elif isinstance(model, torch.nn.Module):
            return model.forward
        else:
            return model


def _walk(path: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(f"{path}.{key}", item)
    elif isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", range(len(value)))
        for name, item in zip(names, value, strict=True):
            yield from _walk(f"{path}.{name}", item)
