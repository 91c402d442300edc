"""A program and its weights in float64, so that a small influence is not rounded away."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.isolation import Surroundings, modules
from pgm_rnn.extraction.program import Program


@contextmanager
def doubled(call: Program, parameters: list[Tensor]) -> Iterator[Program]:
    """The same call on copies of its tensors in float64; its weights are float64 meanwhile.

    `parameters` are those that a run has met; weights of modules that the program's function
    closes over, or names in its module, are found besides.
    """
    weights = {id(p): p for p in parameters if p.dtype == torch.float32}
    for module in [*modules(call.model), *_named_modules(call.model)]:
        for tensor in (*module.parameters(), *module.buffers()):
            if tensor.dtype == torch.float32:
                weights[id(tensor)] = tensor
    kept = [(tensor, tensor.data) for tensor in weights.values()]
    default = torch.get_default_dtype()
    call.surroundings.restore()
    try:
        for tensor, data in kept:
            tensor.data = data.double()
        torch.set_default_dtype(torch.float64)
        args, kwargs = _double(call.args), _double(call.kwargs)
        held = list(_tensors((args, kwargs)))
        yield Program(call.model, args, kwargs, Surroundings(call.model, held))
    finally:
        torch.set_default_dtype(default)
        for tensor, data in kept:
            tensor.data = data


def _named_modules(model: Any) -> list[torch.nn.Module]:
    """The modules that a function uses by a global name."""
    function: Callable = getattr(model, "forward", model)
    function = getattr(function, "__func__", function)
    code, names = getattr(function, "__code__", None), getattr(function, "__globals__", {})
    found = [names.get(name) for name in code.co_names] if code is not None else []
    return [m for m in found if isinstance(m, torch.nn.Module)]


def _double(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().double() if value.dtype == torch.float32 else value.detach().clone()
    if isinstance(value, dict):
        return type(value)((k, _double(v)) for k, v in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_double, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_double, value))
    return value


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
