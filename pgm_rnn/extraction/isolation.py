"""Run a program and leave no trace of the run: random states, parameters, buffers, arguments."""

import gc
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyro
import pyro.poutine.runtime
import torch
from torch import Tensor
from torch.distributions import Distribution


class Surroundings:
    """What a run may change and must not: taken once, put back after every run."""

    def __init__(self, model: Callable, arguments: list[Tensor]):
        self.torch_state = torch.default_generator.get_state()
        self.random_state = random.getstate()
        numpy = sys.modules.get("numpy")
        self.numpy_state = numpy.random.get_state() if numpy else None
        buffers = [b for m in modules(model) for b in m.buffers()]
        self.contents = [(t, t.detach().clone()) for t in (*arguments, *buffers)]
        self.store = _store_tables()

    def restore(self) -> None:
        """Put everything back, so that the next run starts where the first one did."""
        torch.default_generator.set_state(self.torch_state)
        random.setstate(self.random_state)
        if self.numpy_state is not None:
            sys.modules["numpy"].random.set_state(self.numpy_state)
        for tensor, content in self.contents:
            # not by its version: batch norm, for one, writes its buffers without raising it
            if not torch.equal(tensor, content):
                tensor.data.copy_(content)
        store = pyro.get_param_store()
        for name, table in self.store.items():
            setattr(store, name, dict(table))


def _store_tables() -> dict[str, dict]:
    store = pyro.get_param_store()
    return {
        name: dict(getattr(store, name)) for name in ("_params", "_param_to_name", "_constraints")
    }


def modules(model: Any) -> list[torch.nn.Module]:
    """The modules that a program plainly holds: itself, or what its function closes over."""
    found: list[torch.nn.Module] = []
    if isinstance(model, torch.nn.Module):
        found.append(model)
    for cell in getattr(model, "__closure__", None) or ():
        try:
            value = cell.cell_contents
        except ValueError:  # a name that is not bound yet
            continue
        if isinstance(value, torch.nn.Module):
            found.append(value)
    return found


@contextmanager
def isolated(model: Callable, arguments: list[Tensor]) -> Iterator[Surroundings]:
    """Surroundings that are put back at the end, whatever happens inside.

    Validation of distributions is off inside and garbage collection paused: both only cost time.
    """
    surroundings = Surroundings(model, arguments)
    validate = Distribution._validate_args
    pyro_validate = pyro.distributions.distribution.Distribution
    grad = torch.is_grad_enabled()
    collecting = gc.isenabled()
    stack = list(pyro.poutine.runtime._PYRO_STACK)
    del pyro_validate
    gc.disable()
    Distribution.set_default_validate_args(False)
    try:
        yield surroundings
    finally:
        Distribution.set_default_validate_args(validate)
        torch.set_grad_enabled(grad)
        pyro.poutine.runtime._PYRO_STACK[:] = stack
        surroundings.restore()
        if collecting:
            gc.enable()
