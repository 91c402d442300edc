"""The torch function mode that follows values through a running program.

The hot path is a look-up of the function's kind, an OR over the arguments' origins and one
attribute on the output; everything else is handed to the tracker.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from pgm_rnn.extraction import writes
from pgm_rnn.extraction.call import leaves
from pgm_rnn.extraction.kinds import KIND, MEETS, Kind
from pgm_rnn.extraction.tracker import Tracker

# bound once: the mode looks at them at every call
UNITE, SILENT, WRITE = Kind.UNITE, Kind.SILENT, Kind.WRITE
_PRECISE = frozenset({Kind.STACK, Kind.FILLED, Kind.LITERAL})  # not even for one origin
_JOINS = frozenset(Kind) - {
    Kind.STACK,
    Kind.FILLED,
    Kind.LITERAL,
    Kind.COPY,
    Kind.REPLAY,
    Kind.MOVE,
}
_CONTAINERS = frozenset({list, tuple, dict, slice})  # torch.Size is none of them


class OriginMode(TorchFunctionMode):
    """Follows origins for one tracker; `hear` is told of every Python value taken."""

    def __init__(self, tracker: Tracker, hear: Callable[[tuple, Any], Any] | None = None):
        super().__init__()
        self.tracker = tracker
        self.hear = hear  # gets the arguments and the value, answers with the value to hand out
        self.paused = False  # while a site is drawn: its value stands for itself

    def escape(self, values: Any) -> None:
        """Told of tensors whose value leaves for where it cannot be followed."""
        note = getattr(self.hear, "escape", None)
        if note is not None:
            note(values)

    def pause(self, paused: bool) -> None:
        """Stop or go on following values."""
        self.paused = paused

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kind = KIND.get(func, UNITE)
        if kind is SILENT or self.paused:
            return func(*args, **kwargs) if kwargs else func(*args)
        if kind is WRITE or (kwargs and _writes(kwargs)):
            return self._write(func, args, kwargs or {})
        if kind is Kind.ITERATE:
            return iter(self.__torch_function__(Tensor.unbind, types, args, kwargs))
        out = func(*args, **kwargs) if kwargs else func(*args)
        if kind is Kind.VALUE:
            return self.hear(args, out) if self.hear else out
        if kind is Kind.ESCAPE:
            self.escape(args)
            return out

        tracker = self.tracker
        attribute, written = tracker.attribute, tracker.written
        if kind is Kind.STACK and not written and args and args[0].__class__ in (list, tuple):
            origins = [t.__dict__.get(attribute, 0) for t in args[0]]
            if not any(origins):
                return out
            if all(o.__class__ is int for o in origins):
                tracker.stack(func, args, kwargs or {}, out, origins)
                return out
        parts: list[Any] = []  # the non-empty origins among the arguments
        plain = True  # are all of them integers?
        for value in (*args, *kwargs.values()) if kwargs else args:
            if isinstance(value, Tensor):
                origin = tracker.origin(value) if written else value.__dict__.get(attribute)
                if origin:
                    parts.append(origin)
                    plain = plain and origin.__class__ is int
            elif value.__class__ in _CONTAINERS:
                if value.__class__ is tuple and value and value[0].__class__ is int:
                    value = [v for v in value if v.__class__ is not int]  # most often a shape
                for tensor in leaves(value):
                    origin = tracker.origin(tensor)
                    if origin:
                        parts.append(origin)
                        plain = plain and origin.__class__ is int
        if not parts:
            return out
        if kind is Kind.PLACE:
            new = writes.before(tracker, func.__name__ + "_", args, kwargs or {})
            tracker.set(out, new)
            return out
        if (kind is Kind.PRODUCT or kind is Kind.POWER) and _vanishes(kind, args):
            return out
        one = plain and len(parts) == 1 and kind not in _PRECISE
        if kind is Kind.COPY and len(args) > 1:  # `z.to(other)` has nothing of the other
            first = tracker.origin(args[0])
            if first.__class__ is int:
                if first and out is not args[0]:
                    out.__dict__[attribute] = first
                return out
        if not isinstance(out, Tensor) or not (
            one or (plain and kind in _JOINS and func not in MEETS)
        ):
            tracker.after(kind, func, args, kwargs or {}, out)
        elif not args or out is not args[0]:
            out.__dict__[attribute] = parts[0] if one else tracker.algebra.join(parts)
        return out

    def _write(self, func: Any, args: tuple, kwargs: dict) -> Any:
        tracker = self.tracker
        if not _writes(kwargs):
            new = writes.before(tracker, func.__name__, args, kwargs)
            out = func(*args, **kwargs)
            writes.after(tracker, func, args[0], new)
            return out
        rest = {k: v for k, v in kwargs.items() if k not in ("out", "inplace")}
        out = func(*args, **kwargs)
        if tracker.bits((args, rest, out)):
            kind = KIND.get(func, Kind.UNITE)
            for tensor, origin in tracker.origins(kind, func, args, rest, out):
                tracker.write(tensor, origin)
        return out


def _writes(kwargs: dict) -> bool:
    return kwargs.get("out") is not None or kwargs.get("inplace") is True


def _vanishes(kind: Kind, args: tuple) -> bool:
    """Multiplication by the Python number 0, or the Python exponent 0, carries no value."""
    if len(args) < 2:
        return False
    number = args[1]
    if kind is Kind.PRODUCT and isinstance(args[0], (int, float)):
        number = args[0]
    return isinstance(number, (int, float)) and number == 0
