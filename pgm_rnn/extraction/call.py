"""One call of a torch function, as a rule sees it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.elements import Algebra, Elements, Origin, labels_of, normal


@dataclass(frozen=True)
class Call:
    """One call of a torch function, and how to ask for origins."""

    algebra: Algebra
    origins: dict[int, Origin]  # of each tensor argument by its id, as it was at the call
    func: Callable
    args: tuple
    kwargs: dict[str, Any]
    out: Any

    def origin(self, tensor: Tensor) -> Origin:
        """What an argument came from."""
        return self.origins[id(tensor)]

    def labels(self, tensor: Any) -> Tensor:
        """The map of an argument; a Python number has an empty one."""
        if not isinstance(tensor, Tensor):
            return torch.zeros((), dtype=torch.long)
        return labels_of(self.algebra, self.origin(tensor), tensor.shape)

    def argument(self, position: int, *names: str, default: Any = None) -> Any:
        """An argument given by position or by one of its names."""
        if len(self.args) > position:
            return self.args[position]
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return default

    def tensors(self, start: int = 0) -> list[Tensor]:
        """The tensors among the arguments from position `start` on, nested ones included."""
        return list(leaves((self.args[start:], self.kwargs)))

    def bits(self, tensors: list[Tensor]) -> int:
        """The union of what some tensors come from."""
        parts = [as_bits(self.origin(t)) for t in tensors]
        return self.algebra.join([p for p in parts if p])

    def done(self, labels: Tensor, also: int = 0) -> Origin:
        """A map, joined with `also` everywhere, in its normal form."""
        if also:
            extra = torch.full((), self.algebra.label(also), dtype=torch.long)
            labels = self.algebra.join_labels(labels, extra)
        return normal(self.algebra, labels)


def as_bits(origin: Origin) -> int:
    """The union over a tensor's elements."""
    return origin.bits if isinstance(origin, Elements) else origin


def leaves(value: Any):
    """The tensors in nested tuples, lists, dicts and slices."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            if isinstance(item, Tensor):
                yield item
            elif isinstance(item, (tuple, list, dict, slice)):
                yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, slice):
        yield from leaves((value.start, value.stop, value.step))
