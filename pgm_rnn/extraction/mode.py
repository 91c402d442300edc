"""The torch function mode that follows values through a running program.

The hot path is a look-up of the function's kind, an OR over the arguments' origins and one
attribute on the output; everything else is handed to the tracker.
"""

from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from pgm_rnn.extraction import writes
from pgm_rnn.extraction.kinds import KIND, MEETS, Kind
from pgm_rnn.extraction.replay import leaves
from pgm_rnn.extraction.tracker import Tracker

_ALWAYS_PRECISE = frozenset({Kind.PAIRWISE, Kind.COPY, Kind.FILLED, Kind.LITERAL})
_CONTAINERS = frozenset({list, tuple, dict, slice})
_NOTHING: dict = {}


class OriginMode(TorchFunctionMode):
    """Follows origins for one tracker; `values` hears of every value that leaves tensor land."""

    def __init__(self, tracker: Tracker):
        super().__init__()
        self.tracker = tracker
        self.paused = False

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kind = KIND.get(func, Kind.UNITE)
        if kind is Kind.SILENT or self.paused:
            return func(*args, **kwargs) if kwargs else func(*args)
        if kind is Kind.WRITE or (kwargs and _writes(kwargs)):
            return self._write(func, args, kwargs or {})
        if kind is Kind.ITERATE:
            return iter(self.__torch_function__(Tensor.unbind, types, args, kwargs))
        out = func(*args, **kwargs) if kwargs else func(*args)
        if kind is Kind.VALUE:
            return out
        tracker = self.tracker
        parts, plain = self._origins(args, kwargs)
        if not parts:
            return out
        if kind is Kind.STACK and plain:
            plain = len(parts) == _count(args[0]) and len(set(parts)) == 1
        elif kind is Kind.PRODUCT or kind is Kind.POWER:
            if _vanishes(kind, func, args):
                return out
        if plain and kind not in _ALWAYS_PRECISE and func not in MEETS:
            if kind is Kind.STACK or kind is Kind.REPLAY:
                origin = parts[0] if len(parts) == 1 else tracker.union(kind, func, args, kwargs or {})
            else:
                origin = parts[0] if len(parts) == 1 else tracker.algebra.join(parts)
            attribute = tracker.attribute
            if isinstance(out, Tensor):
                if out is not args[0] if args else True:
                    out.__dict__[attribute] = origin
            else:
                for tensor in leaves(out):
                    tensor.__dict__[attribute] = origin
            return out
        tracker.after(kind, func, args, kwargs or {}, out)
        return out

    def _origins(self, args: tuple, kwargs: dict | None) -> tuple[list[Any], bool]:
        """The non-empty origins among the arguments, and whether all are plain integers."""
        tracker = self.tracker
        attribute = tracker.attribute
        parts: list[Any] = []
        plain = True
        for value in args if not kwargs else (*args, *kwargs.values()):
            if isinstance(value, Tensor):
                origin = (
                    tracker.origin(value)
                    if tracker.written
                    else value.__dict__.get(attribute)
                )
                if origin:
                    parts.append(origin)
                    plain = plain and origin.__class__ is int
            elif value.__class__ in _CONTAINERS or isinstance(value, (tuple, list)):
                for tensor in leaves(value):
                    origin = tracker.origin(tensor)
                    if origin:
                        parts.append(origin)
                        plain = plain and origin.__class__ is int
        return parts, plain

    def _write(self, func: Any, args: tuple, kwargs: dict) -> Any:
        tracker = self.tracker
        if not _writes(kwargs):
            new = writes.before(tracker, func, args, kwargs)
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


def _count(value: Any) -> int:
    return len(value) if isinstance(value, (tuple, list)) else 1


def _vanishes(kind: Kind, func: Any, args: tuple) -> bool:
    """Multiplication by the Python number 0, or the Python exponent 0, carries no value."""
    if len(args) < 2:
        return False
    number = args[1]
    if kind is Kind.PRODUCT and isinstance(args[0], (int, float)):
        number = args[0]
    return isinstance(number, (int, float)) and number == 0
