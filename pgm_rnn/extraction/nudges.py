"""Other values that a site or a piece of data might have had, to see what hangs on it."""

from typing import Any

import torch
from pyro.distributions.util import broadcast_shape
from torch import Tensor
from torch.distributions import biject_to

from pgm_rnn.extraction.recorder import base

_FEW = 20  # data with at most so many distinct values are symbols, though they be floats


def other_values(value: Tensor, fn: Any) -> list[Tensor]:
    """Other values of a site, the most telling ones first; `fn` is its distribution or None.

    Small and large steps, all elements at once and some of them, within the support where the
    distribution says what it is: a derivative that is zero at one value hides an arrow, a value
    out of range only raises.
    """
    found: list[Tensor] = []
    for make in (_symbols, _draws, _steps) if fn is not None else (_steps,):
        try:
            found += make(value, fn)
        except Exception:  # no support, no sampler, a value outside: other ways remain
            continue
    return [other for other in _different(value, found) if fn is None or _possible(other, fn)]


def _possible(value: Tensor, fn: Any) -> bool:
    """Is a value in the support? Yes where the distribution cannot say."""
    try:
        return bool(base(fn).support.check(value).all())
    except Exception:
        return True


def other_data(value: Tensor) -> list[Tensor]:
    """Other contents of a tensor of data: symbols stay symbols that occur in it."""
    if value.dtype == torch.bool:
        return [~value]
    distinct = value.unique()
    whole = not value.is_floating_point() or bool((distinct == distinct.round()).all())
    if 1 < len(distinct) <= _FEW and whole:
        place = torch.searchsorted(distinct, value.contiguous())
        steps = range(1, min(len(distinct), 4))
        turned = [distinct[(place + step) % len(distinct)] for step in steps]
        return _different(value, [*turned, torch.zeros_like(value)])
    if not value.is_floating_point():
        return _different(value, [value + 1, (value - 1).clamp(min=0), torch.zeros_like(value)])
    away = value + 0.4 * (value.abs() + 0.1)
    return _different(value, [away, -value, value + 30, torch.zeros_like(value)])


def _symbols(value: Tensor, fn: Any) -> list[Tensor]:
    """The next values of a finite support, then random others, then others in some places."""
    plain = base(fn)
    if not plain.has_enumerate_support or plain.event_shape:
        return []
    support = plain.enumerate_support(expand=False)
    broadcast_shape(support.shape[1:], value.shape)
    place = (support == value).to(torch.uint8).argmax(0)
    count = len(support)
    if count < 2:
        return []
    steps = [torch.full(place.shape, 1), torch.randint(1, count, place.shape)]
    some = torch.rand(place.shape) < 0.5
    if value.numel() > 1:
        steps.append(steps[1] * some)
    steps += [torch.full(place.shape, step) for step in range(2, min(count, 5))]
    flat = support.reshape(count)
    return [flat[(place + step) % count].to(value.dtype) for step in steps]


def _draws(value: Tensor, fn: Any) -> list[Tensor]:
    """What its distribution might have drawn instead, and steps within its support."""
    found = [draw for draw in (fn.sample() for _ in range(2)) if draw.shape == value.shape]
    plain = base(fn)
    if not value.is_floating_point() or plain.support.is_discrete:
        return found
    way = biject_to(plain.support)
    free = way.inv(value)
    noise = torch.randn(free.shape, dtype=free.dtype)
    for step in (noise, 4 * noise):
        moved = way(free + step)
        if moved.shape == value.shape and bool(torch.isfinite(moved).all()):
            found.append(moved)
    return found


def _steps(value: Tensor, fn: Any) -> list[Tensor]:
    """Steps that look at the value alone."""
    if value.dtype == torch.bool:
        some = torch.rand(value.shape) < 0.5
        return [~value, value ^ some]
    rolled = [value.roll(1, -1)] if value.ndim and value.shape[-1] > 1 else []
    if not value.is_floating_point() and not value.is_complex():
        lower = value - 1 if bool((value < 0).any()) else (value - 1).clamp(min=0)
        return [value + 1, lower, *rolled, torch.zeros_like(value)]
    filled = torch.nan_to_num(value) if not value.is_complex() else value
    near = filled + torch.randn(value.shape, dtype=value.dtype) * (filled.abs() + 1) / 2
    return [
        near,
        *rolled,
        -filled,
        filled + 30 * (filled.abs() + 1),
        filled - 30 * (filled.abs() + 1),
        torch.zeros_like(value),
    ]


def _different(value: Tensor, found: list[Tensor]) -> list[Tensor]:
    return [f for f in found if f.shape == value.shape and not torch.equal(f, value)]
