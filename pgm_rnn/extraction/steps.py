"""Which part of a distribution belongs to which step of a site that holds a whole sequence."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution, TransformedDistribution

from pgm_rnn.errors import BadOption
from pgm_rnn.extraction.recorder import parts

WHOLE = None  # a tensor that every step uses as it is


def along(msg: Any, axis: int) -> list[tuple[Tensor, int | None]]:
    """Each tensor that a site is made of, with its dimension that runs along `axis`.

    `axis` counts from the right in the site's value. A tensor that is broadcast along it, or
    whose place in the distribution is not known, belongs to all steps: WHOLE.
    Raises BadOption where the distribution is joint along the axis, so that its steps are no
    sites of their own.
    """
    fn, value = msg["fn"], msg["value"]
    found: list[tuple[Tensor, int | None]] = []
    known: set[int] = set()
    for tensor, event in _placed(fn, 0, str(msg["name"]), axis):
        known.add(id(tensor))
        found.append((tensor, _dimension(tensor, axis + event)))
    found += [(tensor, WHOLE) for tensor in parts(fn) if id(tensor) not in known]
    events = len(fn.event_shape)
    for outer in (msg["mask"], msg["scale"]):
        if isinstance(outer, Tensor):
            found.append((outer, _dimension(outer, axis + events)))
    assert isinstance(value, Tensor)
    return found


def _dimension(tensor: Tensor, axis: int) -> int | None:
    """`axis` counted from the left, WHOLE where the tensor is broadcast along it."""
    if axis >= 0 or tensor.ndim + axis < 0 or tensor.shape[axis] == 1:
        return WHOLE
    return tensor.ndim + axis


def _placed(fn: Any, right: int, name: str, axis: int) -> Iterator[tuple[Tensor, int]]:
    """Tensors of a distribution, each with how far it is shifted against the value.

    A shift of s: dimension -i of the value is dimension -i + s of the tensor. `right` is the
    shift of what `fn` itself would draw.
    """
    kind = type(fn).__name__
    if kind in ("Independent", "ExpandedDistribution", "ReshapedDistribution"):
        yield from _placed(fn.base_dist, right, name, axis)
    elif kind == "MaskedDistribution":
        if isinstance(fn._mask, Tensor):
            yield fn._mask, right + len(fn.event_shape)
        yield from _placed(fn.base_dist, right, name, axis)
    elif kind == "Delta":
        yield fn.v, right
        yield fn.log_density, right + len(fn.event_shape)
    elif kind == "MixtureSameFamily":
        events = len(fn.event_shape)
        yield from _placed(fn.mixture_distribution, right + events, name, axis)
        yield from _placed(fn.component_distribution, right - 1, name, axis)
    elif isinstance(fn, TransformedDistribution):
        if all(t.domain.event_dim == 0 == t.codomain.event_dim for t in fn.transforms):
            for tensor in parts(fn.transforms):
                yield tensor, right
            yield from _placed(fn.base_dist, right, name, axis)
    else:
        yield from _plain(fn, right, name, axis)


def _plain(fn: Any, right: int, name: str, axis: int) -> Iterator[tuple[Tensor, int]]:
    events = len(fn.event_shape)
    if events and axis + right >= -events:
        raise BadOption(
            f"site {name!r} has a {type(fn).__name__} that is joint along dimension {axis}: its "
            "steps are not sites of their own. Name another dimension, or leave the site whole"
        )
    for parameter, constraint in fn.arg_constraints.items():
        tensor = vars(fn).get(parameter)
        if isinstance(tensor, Tensor):
            # batch dimensions, then the parameter's own: [batch, k] logits of a [batch] value
            yield tensor, right + events - _own(constraint, tensor, fn)
    for inner in vars(fn).values():
        if isinstance(inner, Distribution):
            yield from _placed(inner, right + events - len(inner.event_shape), name, axis)


def _own(constraint: Any, tensor: Tensor, fn: Any) -> int:
    try:
        return int(constraint.event_dim)
    except NotImplementedError:  # a dependent constraint does not say
        return max(tensor.ndim - len(fn.batch_shape), 0)


def pieces(labels: Tensor, dimension: int | None, count: int) -> list[Tensor]:
    """The part of a map that belongs to each of `count` steps."""
    if dimension is WHOLE:
        return [labels] * count
    return list(labels.unbind(dimension))


def check_axis(name: str, value: Tensor, axis: Any) -> int:
    """The named axis of a site's value, counted from the right. Raises BadOption."""
    if isinstance(axis, bool) or not isinstance(axis, int) or not -value.ndim <= axis < value.ndim:
        raise BadOption(
            f"time = {axis!r} for site {name!r} should be one of its {value.ndim} dimensions, "
            f"-{value.ndim} to -1; its shape is {list(value.shape)}"
        )
    return axis if axis < 0 else axis - value.ndim


def number_steps(value: Tensor, axis: int) -> Tensor:
    """For every element of a value the number of its step, from 0."""
    shape = [1] * value.ndim
    shape[axis] = value.shape[axis]
    return torch.arange(value.shape[axis]).reshape(shape).expand(value.shape)
