"""Where every tensor of a run comes from.

The origin of a tensor is kept on the tensor itself, as an attribute, so that nothing stays
alive longer than the program wants and no identity is reused. Once something is written into
a tensor in place, its whole storage gets a map, which every view of it reads.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.call import Call, as_bits, leaves
from pgm_rnn.extraction.elements import DEEP, Algebra, Elements, Origin, labels_of, normal
from pgm_rnn.extraction.kinds import MEETS, Kind
from pgm_rnn.extraction.replay import COVERING, RULES

_UNKNOWN = -2  # an element of a written storage that the tensor's own origin still speaks for
_runs = count()


class _Written:
    """The map of one storage; holding the storage keeps its address from being used again."""

    __slots__ = ("itemsize", "labels", "storage")

    def __init__(self, tensor: Tensor):
        self.storage = tensor.untyped_storage()
        self.itemsize = tensor.element_size()
        size = self.storage.nbytes() // self.itemsize
        self.labels = torch.full((size,), _UNKNOWN, dtype=torch.long)

    def view(self, tensor: Tensor) -> Tensor | None:
        """The part of the map that belongs to a view, None for a view of another item size."""
        if tensor.element_size() != self.itemsize:
            return None
        return self.labels.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


class Tracker:
    """The origins of one run under one algebra."""

    def __init__(self, algebra: Algebra):
        self.algebra = algebra
        self.attribute = f"_pgm_origin_{next(_runs)}"
        self.written: dict[int | None, _Written] = {}
        self.arguments: set[int | None] = set()  # storages whose elements have owners
        self._marked: list[Tensor] = []

    # -- reading and setting -----------------------------------------------------------------

    def origin(self, tensor: Tensor) -> Origin:
        """What a tensor comes from."""
        own: Origin = tensor.__dict__.get(self.attribute, 0)
        if not self.written:
            return own
        written = self.written.get(address(tensor))
        if written is None:
            return own
        labels = written.view(tensor)
        if labels is None:
            return self.algebra.join([as_bits(own), self._whole(written)])
        unknown = labels == _UNKNOWN
        if unknown.any():
            labels = torch.where(unknown, labels_of(self.algebra, own, tensor.shape), labels)
        else:
            labels = labels.clone()
        return normal(self.algebra, labels)

    def bits(self, value: Any) -> int:
        """The union of what the tensors in a nested value come from."""
        parts = []
        for tensor in leaves(value):
            origin = self.origin(tensor)
            if origin:
                parts.append(as_bits(origin))
        return self.algebra.join(parts)

    def opaque(self, value: Any) -> int:
        """`bits` for what goes into a call that cannot be looked into."""
        return self.bits(value)

    def union(self, values: list) -> int:
        """The sources of the tensors in a list side by side: nothing meets anything."""
        total = 0
        for value in values:
            if isinstance(value, Tensor):
                part = as_bits(self.origin(value))
                total = total | part if part >= 0 and total >= 0 else -1
        return total

    def set(self, tensor: Tensor, origin: Origin) -> None:
        """Say what a tensor comes from."""
        tensor.__dict__[self.attribute] = origin

    def mark(self, tensor: Tensor, origin: Origin) -> None:
        """`set` for a tensor that outlives the run: its attribute is removed at the end."""
        self._marked.append(tensor)
        self.set(tensor, origin)
        if self.written and address(tensor) in self.written:
            self.write(tensor, origin)

    def stand_for(self, tensor: Tensor, origin: Origin) -> None:
        """`mark` a tensor that the program handed over: its other views stand for the site too."""
        self.mark(tensor, origin)
        if tensor._is_view() and address(tensor) not in self.arguments:
            self.write(tensor, origin)

    def write(self, tensor: Tensor, origin: Origin) -> None:
        """Record that a tensor's elements were overwritten by something of this origin."""
        storage = address(tensor)
        if storage is None:
            self.set(tensor, origin)
            return
        written = self.written.get(storage)
        if written is None:
            written = self.written[storage] = _Written(tensor)
        labels = written.view(tensor)
        if labels is None:  # another item size: whatever is there may come from either
            everything = self.algebra.join([as_bits(origin), self._whole(written)])
            written.labels.fill_(self.algebra.label(everything))
        elif isinstance(origin, Elements):
            labels.copy_(origin.labels)
        else:
            labels.fill_(self.algebra.label(origin))

    def _whole(self, written: _Written) -> int:
        known = written.labels[written.labels != _UNKNOWN]
        return self.algebra.union(known) if known.numel() else 0

    def close(self) -> None:
        """Remove the run's marks from every tensor that outlives it."""
        for tensor in self._marked:
            tensor.__dict__.pop(self.attribute, None)
        self._marked.clear()
        self.written.clear()

    # -- calls -------------------------------------------------------------------------------

    def after(self, kind: Kind, func: Any, args: tuple, kwargs: dict, out: Any) -> None:
        """Give the outputs of a call their origins."""
        for tensor, origin in self.origins(kind, func, args, kwargs, out):
            if not any(tensor is a for a in args):  # a call may hand back its argument itself
                self.set(tensor, origin)

    def origins(
        self, kind: Kind, func: Any, args: tuple, kwargs: dict, out: Any
    ) -> list[tuple[Tensor, Origin]]:
        """Each output of a call with its origin, precise where a rule knows how."""
        outs = [out] if isinstance(out, Tensor) else list(leaves(out))
        if kind is Kind.LITERAL:
            data = args[0] if args else kwargs.get("data")
            return [(tensor, self._literal(data)) for tensor in outs]
        rule = RULES.get(kind)
        if rule is None or not _strided(args, kwargs):
            union = self.blur(kind, func, args, kwargs)
            return [(tensor, union) for tensor in outs]
        now = {id(t): self.origin(t) for t in leaves((args, kwargs))}
        call = Call(self.algebra, now, func, args, kwargs, out)
        if kind in COVERING and len(outs) == 1:
            return [(outs[0], self._cover(rule, call, kind))]
        origin = rule(call)
        if origin is None:
            origin = self.blur(kind, func, args, kwargs)
        many = origin if isinstance(origin, list) else [origin] * len(outs)
        return list(zip(outs, many, strict=True))

    def stack(self, func: Any, args: tuple, kwargs: dict, out: Tensor, origins: list[int]) -> None:
        """`after` for a stack or cat of tensors that are whole: the shape of a growing history."""
        union = 0
        for origin in origins:
            union = union | origin if union >= 0 and origin >= 0 else -1
        if out.numel() <= 1 or origins.count(origins[0]) == len(origins):
            self.set(out, union)
            return

        def make() -> Tensor:
            now: dict[int, Origin] = {id(t): o for t, o in zip(args[0], origins, strict=True)}
            call = Call(self.algebra, now, func, args, kwargs, out)
            return labels_of(self.algebra, RULES[Kind.STACK](call), out.shape)

        self.set(out, Elements(union, make=make, depth=1))

    def _cover(self, rule: Callable[[Call], Any], call: Call, kind: Kind) -> Origin:
        """The origin of an output that has every element of its arguments in it somewhere.

        Its union is known at once; which element comes from where is worked out if it is asked.
        """
        union = self.collapse(kind, call.func, call.args, call.kwargs)
        if call.out.numel() <= 1:
            return union
        maps = [o for o in call.origins.values() if isinstance(o, Elements)]
        if not maps and kind is not Kind.STACK:
            return union
        if self.algebra.absorbs(list(call.origins.values())) and kind is not Kind.STACK:
            return union

        def make() -> Tensor:
            origin = rule(call)
            return labels_of(self.algebra, union if origin is None else origin, call.out.shape)

        elements = Elements(union, make=make, depth=1 + max((m.depth for m in maps), default=0))
        return normal(self.algebra, elements.labels) if elements.depth > DEEP else elements

    def blur(self, kind: Kind, func: Any, args: tuple, kwargs: dict) -> int:
        """`collapse` where no rule says which element comes from where."""
        return self.collapse(kind, func, args, kwargs)

    def collapse(self, kind: Kind, func: Any, args: tuple, kwargs: dict) -> int:
        """The union of the arguments' origins, with the letters they meet."""
        if kind in (Kind.COPY, Kind.FILLED):
            args = args[:1] if kind is Kind.COPY else args[1:]
        if kind in (Kind.STACK, Kind.REPLAY, Kind.MOVE, Kind.PAIRWISE):
            return self.union(list(leaves((args, kwargs))))
        meets = MEETS.get(func)
        if meets is None or not hasattr(self.algebra, "atoms"):
            return self.bits((args, kwargs))
        each = [self.bits(a) for a in args] + [self.bits(v) for v in kwargs.values()]
        parts = []
        for position, part in enumerate(each):
            partner = None
            if position in meets:
                partner = 0
                for other in meets[position]:
                    partner |= each[other] if other < len(each) else 0
            parts.append((part, partner))
        return self.algebra.atoms.meet(parts)

    def _literal(self, data: Any) -> Origin:
        """The origin of `torch.tensor(data)`, element by element."""
        if isinstance(data, Tensor):
            return self.origin(data)
        if not isinstance(data, (list, tuple)) or not any(True for _ in leaves(data)):
            return 0

        def labels(value: Any) -> Tensor:
            if isinstance(value, (list, tuple)):
                return torch.stack([labels(v) for v in value])
            if isinstance(value, Tensor):
                return labels_of(self.algebra, self.origin(value), value.shape)
            return torch.zeros((), dtype=torch.long)

        return normal(self.algebra, labels(data))


def _strided(args: tuple, kwargs: dict) -> bool:
    return not any(t.layout is not torch.strided or t.is_nested for t in leaves((args, kwargs)))


def address(tensor: Tensor) -> int | None:
    """The identity of a tensor's storage, shared by all its views."""
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None
