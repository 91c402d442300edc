"""Origins element by element, for the tensors that need it.

Most tensors come whole from one set of sources, and an integer says which. Where the elements
of one tensor differ (`stack`, slice writes, data), a map of the tensor's shape holds a number
per element. Two algebras say what such a number means and how two of them join:

- `SetAlgebra`: the number of an interned set of sources; numbers join by union.
- `OwnerAlgebra`: the number of the one argument element that this element is a copy of;
  two different ones give MIXED.
"""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from pgm_rnn.extraction.atoms import Atoms

MIXED = -1
DEEP = 30  # nested unevaluated maps before one is evaluated


class Elements:
    """A map of origins, evaluated when it is first read."""

    __slots__ = ("_labels", "_make", "bits", "depth")

    def __init__(self, bits: int, labels: Tensor | None = None,
                 make: Callable[[], Tensor] | None = None, depth: int = 0):  # fmt: skip
        self.bits = bits
        self._labels = labels
        self._make = make
        self.depth = depth

    @property
    def labels(self) -> Tensor:
        if self._labels is None:
            assert self._make is not None
            self._labels, self._make, self.depth = self._make(), None, 0
        return self._labels


Origin = int | Elements


class Algebra(Protocol):
    """How the origins of one kind of run join."""

    def join(self, parts: list[int]) -> int: ...
    def label(self, origin: int) -> int: ...
    def origin(self, label: int) -> int: ...
    def union(self, labels: Tensor) -> int: ...
    def join_labels(self, a: Tensor, b: Tensor) -> Tensor: ...
    def reduce(self, labels: Tensor) -> Tensor: ...
    def absorbs(self, origins: list[Origin]) -> bool: ...


class SetAlgebra:
    """Labels are numbers of interned sets."""

    def __init__(self, atoms: Atoms):
        self.atoms = atoms
        self.join = atoms.join
        self.label = atoms.number

    def origin(self, label: int) -> int:
        return self.atoms.sets[label]

    def union(self, labels: Tensor) -> int:
        total = 0
        for number in distinct(labels):
            total |= self.atoms.sets[number]
        return total

    def join_labels(self, a: Tensor, b: Tensor) -> Tensor:
        a, b = torch.broadcast_tensors(a, b)
        sets = self.atoms.sets
        size = len(sets)
        pairs = a * size + b
        which, inverse = torch.unique(pairs, return_inverse=True)
        joined = [
            self.label(self.join([sets[pair // size], sets[pair % size]]))
            for pair in which.tolist()
        ]
        return torch.tensor(joined, dtype=torch.long)[inverse]

    def reduce(self, labels: Tensor) -> Tensor:
        """Join along the last dimension."""
        if labels.shape[-1] == 0 or labels.numel() == 0:
            return torch.zeros(labels.shape[:-1], dtype=torch.long)
        rows = labels.reshape(-1, labels.shape[-1])
        which, inverse = torch.unique(rows, dim=0, return_inverse=True)
        joined = []
        for row in which.tolist():
            total = 0
            for number in set(row):
                total |= self.atoms.sets[number]
            joined.append(self.label(total))
        return torch.tensor(joined, dtype=torch.long)[inverse].reshape(labels.shape[:-1])

    def absorbs(self, origins: list[Origin]) -> bool:
        """Does one of the origins make all others of no account?"""
        return False


class OwnerAlgebra:
    """Labels are numbers of argument elements: 0 for none, MIXED for more than one."""

    def join(self, parts: list[int]) -> int:
        found = {part for part in parts if part}
        return found.pop() if len(found) == 1 else MIXED if found else 0

    def label(self, origin: int) -> int:
        return origin

    def origin(self, label: int) -> int:
        return label

    def union(self, labels: Tensor) -> int:
        return self.join(distinct(labels))

    def join_labels(self, a: Tensor, b: Tensor) -> Tensor:
        a, b = torch.broadcast_tensors(a, b)
        mixed = torch.where(a == b, a, MIXED)
        return torch.where(a == 0, b, torch.where(b == 0, a, mixed))

    def reduce(self, labels: Tensor) -> Tensor:
        """Join along the last dimension."""
        if labels.shape[-1] == 0 or labels.numel() == 0:
            return torch.zeros(labels.shape[:-1], dtype=torch.long)
        low = torch.where(labels == 0, torch.iinfo(torch.long).max, labels).amin(-1)
        high = labels.amax(-1)
        empty = (labels == 0).all(-1)
        joined = torch.where(low == high, high, MIXED)
        return torch.where(empty, 0, joined)

    def absorbs(self, origins: list[Origin]) -> bool:
        """Whatever joins something MIXED throughout is MIXED."""
        return any(o.__class__ is int and o == MIXED for o in origins)


def distinct(labels: Tensor) -> list[int]:
    """The distinct numbers in a map."""
    if labels.numel() <= 256:
        return list(set(labels.reshape(-1).tolist()))
    return torch.unique(labels).tolist()


def normal(algebra: Algebra, labels: Tensor) -> Origin:
    """An integer where all elements agree, else the map."""
    found = distinct(labels)
    if len(found) == 1:
        return algebra.origin(found[0])
    if not found:
        return 0
    return Elements(algebra.union(labels), labels)


def labels_of(algebra: Algebra, origin: Origin, shape: torch.Size) -> Tensor:
    """The map of a tensor of this shape and origin."""
    if isinstance(origin, Elements):
        return origin.labels
    return torch.full(shape, algebra.label(origin), dtype=torch.long)


def scan(algebra: Algebra, labels: Tensor, dim: int) -> Tensor:
    """Join every element with those before it along `dim`."""
    steps = list(labels.unbind(dim))
    for t in range(1, len(steps)):
        steps[t] = algebra.join_labels(steps[t - 1], steps[t])
    return torch.stack(steps, dim) if steps else labels
