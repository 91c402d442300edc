"""Calls that no torch function mode sees: compiled functions, vmap's way in and out, DLPack.

They are wrapped while a run lasts. A compiled function's outputs may come from all of its
arguments; an argument that it has written into is known by its version.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._functorch.predispatch as predispatch

from pgm_rnn.extraction.call import leaves
from pgm_rnn.extraction.tracker import Tracker


@contextmanager
def compiled_calls(tracker: Tracker) -> Iterator[None]:
    """Follow values through TorchScript and vmap for the duration."""

    def script(original: Callable) -> Callable:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            held = [*leaves((args, kwargs)), *_weights(self)]
            versions = [t._version for t in held]
            out = original(self, *args, **kwargs)
            sources = tracker.opaque(held)
            for tensor, version in zip(held, versions, strict=True):
                if tensor._version != version:
                    tracker.write(tensor, sources)
            for tensor in leaves(out):
                if not any(tensor is t for t in held):
                    tracker.set(tensor, sources)
            return out

        return call

    def batch(original: Callable) -> Callable:
        def call(tensor: Any, *args: Any) -> Any:
            out = original(tensor, *args)
            if out is not tensor:
                tracker.set(out, tracker.opaque(tensor))
            return out

        return call

    capsules: dict[int, int] = {}

    def lend(original: Callable) -> Callable:
        def call(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            capsule = original(tensor, *args, **kwargs)
            capsules[id(capsule)] = tracker.opaque(tensor)
            return capsule

        return call

    def borrow(original: Callable) -> Callable:
        def call(lent: Any, *args: Any, **kwargs: Any) -> Any:
            sources = capsules.get(id(lent), 0)
            out = original(lent, *args, **kwargs)
            tracker.set(out, tracker.origin(lent) if isinstance(lent, torch.Tensor) else sources)
            return out

        return call

    places: list[tuple[Any, str, Callable]] = [
        *((module, "to_dlpack", lend) for module in (torch, torch.utils.dlpack)),
        *((module, "from_dlpack", borrow) for module in (torch, torch.utils.dlpack)),
        (torch._C.ScriptFunction, "__call__", script),
        (torch._C.ScriptMethod, "__call__", script),
        (predispatch, "_add_batch_dim_impl", batch),
        (predispatch, "_remove_batch_dim_impl", batch),
    ]
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for (owner, name, wrap), (_, _, original) in zip(places, kept, strict=True):
        setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        for owner, name, original in kept:
            setattr(owner, name, original)


def _weights(function: Any) -> list[torch.Tensor]:
    """The parameters of the module that a scripted method belongs to."""
    if not isinstance(function, torch._C.ScriptMethod):
        return []
    return list(torch.jit._recursive.wrap_cpp_module(function.owner).parameters())
