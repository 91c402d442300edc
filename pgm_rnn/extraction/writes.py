"""In-place writes: which elements of the first argument now come from where."""

from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.call import as_bits, leaves
from pgm_rnn.extraction.elements import Elements, Origin, labels_of
from pgm_rnn.extraction.tracker import Tracker

_REPLACE = {"copy_", "fill_", "zero_", "__set__", "normal_", "bernoulli_", "uniform_", "random_",
            "exponential_", "geometric_", "cauchy_", "log_normal_"}  # fmt: skip
_PLACE = {"index_put_", "index_copy_", "index_fill_", "scatter_", "masked_fill_", "masked_scatter_",
          "index_put", "scatter"}  # fmt: skip
_SHAPE = {"squeeze_", "unsqueeze_", "transpose_", "t_", "swapaxes_", "swapdims_", "detach_",
          "requires_grad_", "as_strided_", "resize_", "rename_", "share_memory_"}  # fmt: skip


def before(tracker: Tracker, name: str, args: tuple, kwargs: dict) -> Origin:
    """The origin that the target of a write will have, asked before the write happens."""
    target = args[0]
    old = tracker.origin(target)
    rest = (args[1:], kwargs)
    if name in _SHAPE:
        return old
    if name == "__setitem__":
        return _setitem(tracker, old, target, args[1], args[2])
    if name == "index_put_" and len(args) >= 3:
        adds = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
        places = tuple(args[1])
        if not adds:
            return _setitem(tracker, old, target, places, args[2])
        if len(places) == 1 and _distinct(places[0]):
            added = _setitem(tracker, 0, target, places, args[2])
            labels = _labels(tracker, added, target)
            return _elements(
                tracker, tracker.algebra.join_labels(_labels(tracker, old, target), labels)
            )
    if name in _REPLACE:
        source = args[1] if len(args) > 1 else kwargs.get("src", kwargs.get("other"))
        return _spread(tracker, source, target) if isinstance(source, Tensor) else 0
    if name in ("mul_", "multiply_", "__imul__") and _is_zero(args[1:]):
        return 0
    if name in ("pow_", "__ipow__") and _is_zero(args[1:]):
        return 0
    if name == "masked_fill_":
        return _masked_fill(tracker, old, target, *args[1:])
    if name == "scatter_" and len(args) == 4 and not kwargs:
        return _scatter(tracker, old, target, *args[1:])
    if name in ("index_copy_", "index_fill_") and len(args) == 4:
        return _index_copy(tracker, old, target, *args[1:])
    if name in ("scatter_add_", "index_add_") and len(args) == 4 and _distinct(args[2]):
        return _add(tracker, old, target, name, *args[1:])
    others = tracker.bits(rest)
    if not others:
        return old
    if not isinstance(old, Elements) and not any(
        isinstance(tracker.origin(t), Elements) for t in leaves(rest)
    ):
        return tracker.algebra.join([as_bits(old), others])
    if name in _ELEMENTWISE:
        labels = _labels(tracker, old, target)
        for tensor in leaves(rest):
            theirs = _labels(tracker, tracker.origin(tensor), tensor)
            labels = tracker.algebra.join_labels(labels, theirs.broadcast_to(target.shape))
        return _elements(tracker, labels)
    return tracker.algebra.join([as_bits(old), others])


_ELEMENTWISE = frozenset(
    """
    add_ sub_ subtract_ mul_ multiply_ div_ divide_ true_divide_ floor_divide_ remainder_ fmod_
    pow_ clamp_ clip_ clamp_min_ clamp_max_ lerp_ addcmul_ addcdiv_ logical_and_ logical_or_
    logical_xor_ bitwise_and_ bitwise_or_ bitwise_xor_ eq_ ne_ lt_ le_ gt_ ge_ copysign_ hypot_
    atan2_ xlogy_ __iadd__ __isub__ __imul__ __idiv__ __itruediv__ __iand__ __ior__ __ixor__
    __ipow__ __imod__ __ifloordiv__
    """.split()  # noqa: SIM905
)


def _labels(tracker: Tracker, origin: Origin, tensor: Tensor) -> Tensor:
    return labels_of(tracker.algebra, origin, tensor.shape)


def _elements(tracker: Tracker, labels: Tensor) -> Origin:
    return Elements(tracker.algebra.union(labels), labels)


def _is_zero(rest: tuple) -> bool:
    return len(rest) == 1 and isinstance(rest[0], (int, float)) and rest[0] == 0


def _spread(tracker: Tracker, source: Tensor, target: Tensor) -> Origin:
    origin = tracker.origin(source)
    if isinstance(origin, Elements) and source.shape != target.shape:
        return _elements(tracker, origin.labels.broadcast_to(target.shape))
    return origin


def _setitem(tracker: Tracker, old: Origin, target: Tensor, index: Any, value: Any) -> Origin:
    labels = _labels(tracker, old, target).clone()
    if isinstance(value, Tensor):
        placed = _labels(tracker, tracker.origin(value), value)
        if placed.ndim > labels[index].ndim:  # x[0] = ones(1): leading ones are dropped
            placed = placed.reshape(placed.shape[placed.ndim - labels[index].ndim :])
        labels[index] = placed
    else:
        labels[index] = 0
    return _everywhere(tracker, labels, index, value)


def _masked_fill(tracker: Tracker, old: Origin, target: Tensor, mask: Tensor, value: Any) -> Origin:
    fill = tracker.bits(value)
    labels = torch.where(mask, tracker.algebra.label(fill), _labels(tracker, old, target))
    masks = _labels(tracker, tracker.origin(mask), mask)
    return _elements(tracker, tracker.algebra.join_labels(labels, masks).expand(target.shape))


def _scatter(
    tracker: Tracker, old: Origin, target: Tensor, dim: int, index: Tensor, value: Any
) -> Origin:
    labels = _labels(tracker, old, target).clone()
    if isinstance(value, Tensor):
        labels.scatter_(dim, index, _labels(tracker, tracker.origin(value), value).contiguous())
    else:
        labels.scatter_(dim, index, 0)
    return _everywhere(tracker, labels, index, value)


def _index_copy(
    tracker: Tracker, old: Origin, target: Tensor, dim: int, index: Tensor, value: Any
) -> Origin:
    labels = _labels(tracker, old, target).clone()
    if isinstance(value, Tensor) and value.ndim == target.ndim:
        labels.index_copy_(dim, index, _labels(tracker, tracker.origin(value), value).contiguous())
    else:
        labels.index_fill_(dim, index, tracker.algebra.label(tracker.bits(value)))
    return _everywhere(tracker, labels, index, value)


def _distinct(index: Tensor) -> bool:
    return index.ndim == 1 and index.unique().numel() == index.numel()


def _add(
    tracker: Tracker, old: Origin, target: Tensor, name: str, dim: int, index: Tensor, value: Tensor
) -> Origin:
    """Each place gets at most one addend: it joins what was there."""
    added = torch.zeros(target.shape, dtype=torch.long)
    getattr(added, name)(dim, index, _labels(tracker, tracker.origin(value), value))
    labels = tracker.algebra.join_labels(_labels(tracker, old, target), added)
    return _everywhere(tracker, labels, index, value)


def _everywhere(tracker: Tracker, labels: Tensor, index: Any, value: Any) -> Origin:
    """A random place: every element may or may not have been written."""
    if tracker.bits(index):
        may = tracker.algebra.label(tracker.bits([index, value]))
        labels = tracker.algebra.join_labels(labels, torch.full((), may, dtype=torch.long))
    return _elements(tracker, labels)


def after(tracker: Tracker, func: Any, target: Tensor, new: Origin) -> None:
    """Record a write: in the storage if its views must see it."""
    if func.__name__ in _SHAPE or func.__name__ == "__set__":
        tracker.set(target, new)
        return
    if not isinstance(new, Elements):
        old = tracker.origin(target)
        if not isinstance(old, Elements) and old == new:
            return
    tracker.write(target, new)
