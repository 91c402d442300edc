"""The numbers among a program's arguments, in tensors, arrays or lists, as one numbered row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pgm_rnn.extraction.nudges import other_data


@dataclass(frozen=True)
class Piece:
    """One tensor, array or list of numbers; `put` changes the program's own object in place."""

    path: str
    start: int  # the number of its first element
    value: Tensor
    put: Callable[[Tensor], None]


def pieces(arguments: Iterator[tuple[str, Any]]) -> list[Piece]:
    """All numbers that a program is given, in order; tuples of numbers cannot be changed."""
    found: list[Piece] = []
    start = 0
    for path, value, put in _walk(arguments):
        found.append(Piece(path, start, value.detach().clone(), put))
        start += value.numel()
    return found


def _walk(named: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Tensor, Callable]]:
    seen: set[int] = set()
    todo = list(named)
    while todo:
        path, value = todo.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Tensor):
            if value.layout is torch.strided and value.numel():
                yield path, value, _into_tensor(value)
        elif isinstance(value, np.ndarray):
            if value.dtype.kind in "fiub" and value.size and value.flags.writeable:
                yield path, torch.tensor(value), _into_array(value)
        elif isinstance(value, list) and value and all(_is_number(v) for v in value):
            decimal = any(isinstance(v, float) for v in value)
            exact = torch.float64 if decimal else None
            yield path, torch.tensor(value, dtype=exact), _into_list(value)
        elif isinstance(value, (list, tuple)):
            names = getattr(value, "_fields", range(len(value)))
            todo[:0] = [(f"{path}.{n}", v) for n, v in zip(names, value, strict=True)]
        elif isinstance(value, dict):
            todo[:0] = [(f"{path}.{key}", v) for key, v in value.items()]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool)


def _into_tensor(tensor: Tensor) -> Callable[[Tensor], None]:
    def put(value: Tensor) -> None:
        tensor.data.copy_(value)

    return put


def _into_array(array: np.ndarray) -> Callable[[Tensor], None]:
    def put(value: Tensor) -> None:
        array[...] = value.numpy()

    return put


def _into_list(items: list) -> Callable[[Tensor], None]:
    def put(value: Tensor) -> None:
        items[:] = value.tolist()

    return put


def other_contents(data: list[Piece], mask: Tensor, which: int) -> dict[int, Tensor]:
    """Other contents where `mask`, over all numbers in order, says so: piece -> its contents.

    `which` counts through the ways in which each piece can be changed, the last one repeated.
    """
    changed = {}
    for i, piece in enumerate(data):
        mine = mask[piece.start : piece.start + piece.value.numel()].reshape(piece.value.shape)
        if not bool(mine.any()):
            continue
        others = other_data(piece.value)
        if others:
            changed[i] = torch.where(mine, others[min(which, len(others) - 1)], piece.value)
    return changed
