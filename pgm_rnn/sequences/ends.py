"""Where observed sequences end: padding (-1, or NaN where y is real) says it.

A row without padding that is shorter than the program is a beginning: how it goes on, and when it
ends, is sampled.
"""

import torch
from torch import Tensor


def padding(y: Tensor) -> Tensor:
    """Where a sequence has ended, in the shape of y."""
    return torch.isnan(y) if y.is_floating_point() else y < 0


def lengths(y: Tensor) -> Tensor:
    """How many steps stand before the padding, [batch]."""
    return (~padding(y)).sum(-1)


def ended(y: Tensor | None, t: int, end: int | None = None) -> Tensor | None:
    """What is known of step t, [batch]: 1.0 if the sequence has ended before it, else 0.0.

    With a symbol `end`: that symbol in place of padding, else y(t) itself. None where nothing is
    known: no y, or a beginning that is not so long.
    """
    if y is None or t > y.shape[1]:
        return None
    over = padding(y[:, t - 1])
    return over.double() if end is None else y[:, t - 1].masked_fill(over, end)


def length(y: Tensor | None, longest: int) -> Tensor | None:
    """The number tau - 1 of an observed length, [batch]; an observed y counts as whole."""
    return None if y is None else lengths(y).clamp(1, longest) - 1
