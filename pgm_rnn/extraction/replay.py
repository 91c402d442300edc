"""The precise rules: how a function moves the elements of a map of origins.

A rule is called only where some argument's elements differ in origin. It gets a Call and
answers with the origin of the output (a list of origins where there are several outputs), or
None where it cannot be precise; the caller then takes the union.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.elements import (
    Algebra,
    Elements,
    Origin,
    labels_of,
    normal,
    scan,
)
from pgm_rnn.extraction.kinds import Kind


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


def _copy(call: Call):
    source = call.args[0]
    if call.func in _AS:
        return call.done(call.func(call.labels(source), *call.args[1:], **call.kwargs))
    return call.origin(source) if call.out.shape == source.shape else None


def _replay(call: Call):
    moved = call.func(call.labels(call.args[0]), *call.args[1:], **call.kwargs)
    also = call.bits(call.tensors(1))
    if isinstance(moved, Tensor):
        return call.done(moved, also)
    return [call.done(m, also) for m in moved]


def _pad(call: Call):
    if call.argument(2, "mode", default="constant") != "constant":
        return None
    return call.done(torch.nn.functional.pad(call.labels(call.args[0]), call.argument(1, "pad")))


def _stack(call: Call):
    if call.args and isinstance(call.args[0], Tensor):  # block_diag(a, b)
        return call.done(call.func(*map(call.labels, call.args)))
    tensors = call.argument(0, "tensors")
    origins = [call.origin(t) for t in tensors]
    if all(t.ndim == 0 for t in tensors):
        labels = torch.tensor([call.algebra.label(as_bits(o)) for o in origins])
        return call.done(labels.reshape(call.out.shape))
    keywords = {k: v for k, v in call.kwargs.items() if k in ("dim", "axis")}
    return call.done(call.func([call.labels(t) for t in tensors], *call.args[1:], **keywords))


def _pairwise(call: Call):
    tensors = list(leaves(call.args))
    return [
        call.origin(t)
        if t.shape == out.shape
        else call.done(torch.broadcast_to(call.labels(t), out.shape))
        for t, out in zip(tensors, call.out, strict=True)
    ] if call.func is torch.broadcast_tensors else None  # fmt: skip


def _elementwise(call: Call):
    operands = [a for a in [*call.args, *call.kwargs.values()] if isinstance(a, Tensor)]
    if not isinstance(call.out, Tensor):
        return None
    labels = call.labels(operands[0])
    for operand in operands[1:]:
        origin = call.origin(operand)
        if isinstance(origin, Elements) or origin:
            labels = call.algebra.join_labels(labels, call.labels(operand))
    if labels.shape != call.out.shape:
        labels = torch.broadcast_to(labels, call.out.shape)
    return call.done(labels)


def _along(call: Call):
    labels = call.labels(call.args[0])
    dims = call.argument(1, "dim", "axis", "normalized_shape")
    if isinstance(dims, Tensor):  # max(a, b)
        return _elementwise(call)
    if call.func in _K_BEFORE_DIM:
        dims = call.argument(2, "dim", default=-1)
    outs = [call.out] if isinstance(call.out, Tensor) else list(call.out)
    if dims is None or isinstance(dims, bool):
        return None
    dims = [d % max(labels.ndim, 1) for d in ([dims] if isinstance(dims, int) else dims)]
    kept = [d for d in range(labels.ndim) if d not in dims]
    merged = call.algebra.reduce(labels.permute(*kept, *dims).flatten(len(kept)))
    result = []
    for out in outs:
        shape = [out.shape[d] if out.ndim == labels.ndim and d in dims else labels.shape[d]
                 for d in range(labels.ndim)]  # fmt: skip
        if out.ndim == len(kept):
            result.append(call.done(merged))
            continue
        wide = merged
        for d in sorted(dims):
            wide = wide.unsqueeze(d)
        result.append(call.done(wide.expand(shape)))
    return result[0] if isinstance(call.out, Tensor) else result


def _before(call: Call):
    dim = call.argument(1, "dim")
    done = call.done(scan(call.algebra, call.labels(call.args[0]), dim))
    return done if isinstance(call.out, Tensor) else [done] * len(call.out)


def _matmul(call: Call):
    a, b = call.args[0], call.argument(1, "other", "mat2", "vec", "tensor")
    if call.func in (Tensor.__rmatmul__,):
        a, b = b, a
    left, right = call.labels(a), call.labels(b)
    rows = call.algebra.reduce(left)
    columns = (
        call.algebra.reduce(right.movedim(-2, -1)) if b.ndim > 1 else call.algebra.reduce(right)
    )
    if a.ndim == 1 or b.ndim == 1:
        joined = call.algebra.join_labels(rows, columns)
    else:
        joined = call.algebra.join_labels(rows.unsqueeze(-1), columns.unsqueeze(-2))
    return call.done(joined)


def _einsum(call: Call):
    """Each operand joins along the letters that the output does not have."""
    equation, *operands = call.args
    if not isinstance(equation, str) or not all(isinstance(o, Tensor) for o in operands):
        return None
    terms, arrow, result = equation.replace(" ", "").partition("->")
    if not arrow:
        return None
    shape = dict(zip(_letters(result, call.out.ndim), call.out.shape, strict=True))
    joined = torch.zeros(call.out.shape, dtype=torch.long)
    for term, operand in zip(terms.split(","), operands, strict=True):
        letters = _letters(term, operand.ndim)
        if len(set(letters)) < len(letters):
            return None
        labels = call.labels(operand)
        kept = [d for d, letter in enumerate(letters) if letter in shape]
        gone = [d for d, letter in enumerate(letters) if letter not in shape]
        labels = labels.permute([*kept, *gone])
        if gone:
            labels = call.algebra.reduce(labels.flatten(len(kept)))
        mine = [letters[d] for d in kept]
        order = [mine.index(letter) for letter in shape if letter in mine]
        sizes = [labels.shape[mine.index(k)] if k in mine else 1 for k in shape]
        joined = call.algebra.join_labels(joined, labels.permute(order).reshape(sizes))
    return call.done(joined)


def _letters(term: str, ndim: int) -> list[str]:
    """The letters of an einsum term, the dots written out from the right."""
    dots = ndim - len(term.replace("...", ""))
    before, _, after = term.partition("...")
    return [*before, *(f".{i}" for i in range(-dots, 0)), *after]


def _linear(call: Call):
    x, weight, bias = (call.argument(i, n) for i, n in enumerate(("input", "weight", "bias")))
    rows = call.algebra.reduce(call.labels(x))
    weights = call.algebra.reduce(call.labels(weight))
    joined = call.algebra.join_labels(rows.unsqueeze(-1), weights)
    if bias is not None:
        joined = call.algebra.join_labels(joined, call.labels(bias))
    return call.done(joined)


def _embedding(call: Call):
    weight, index = call.args[0], call.args[1]
    if call.func is torch.nn.functional.embedding:
        weight, index = index, weight
    labels = call.labels(index).unsqueeze(-1).expand(call.out.shape)
    return call.done(labels, as_bits(call.origin(weight)))


def _one_hot(call: Call):
    return call.done(call.labels(call.args[0]).unsqueeze(-1).expand(call.out.shape))


def _gather(call: Call):
    tensors = [a for a in [*call.args, *call.kwargs.values()] if isinstance(a, Tensor)]
    source, index = tensors[0], tensors[1]
    wanted = call.labels(index)
    if wanted.shape != call.out.shape:
        return None
    if call.bits([index]):  # a random place: any element may be the one
        return call.done(wanted, as_bits(call.origin(source)))
    moved = [call.labels(source) if a is source else a for a in call.args]
    return call.done(call.func(*moved, **call.kwargs))


def _select(call: Call):
    dim, index = call.argument(1, "dim"), call.argument(2, "index")
    source = call.labels(call.args[0])
    if not call.bits([index]):
        return call.done(call.func(source, dim, index))
    dim = dim % max(source.ndim, 1)
    merged = call.algebra.reduce(source.movedim(dim, -1)).unsqueeze(dim)
    shape = [-1 if d == dim else 1 for d in range(source.ndim)]
    return call.done(call.algebra.join_labels(merged, call.labels(index).reshape(shape)))


def _index(call: Call):
    source, index = call.labels(call.args[0]), call.args[1]
    whole = index if isinstance(index, tuple) else (index,)
    random = [any(as_bits(call.origin(t)) for t in leaves(i)) for i in whole]
    if not any(random):
        return call.done(source[index])
    # a random place: any element along these dimensions may be the one
    anywhere = tuple(slice(None) if r else i for i, r in zip(whole, random, strict=True))
    if any(isinstance(i, Tensor) and i.dtype == torch.bool and i.ndim > 1 for i in whole):
        anywhere = (...,)
    candidates = call.algebra.union(source[anywhere])
    if all(isinstance(i, Tensor) and i.dtype != torch.bool for i in whole):
        # integer tensors only: output element i is picked by index element i
        lead = torch.broadcast_shapes(*(i.shape for i in whole))
        wanted = torch.zeros(lead, dtype=torch.long)
        for tensor in whole:
            wanted = call.algebra.join_labels(wanted, call.labels(tensor))
        wide = wanted.reshape([*lead, *[1] * (call.out.ndim - len(lead))])
        return call.done(wide.expand(call.out.shape), candidates)
    return call.algebra.join([candidates, call.bits(list(leaves(index)))])


def _cell(call: Call):
    x, state = call.args[0], call.args[1]
    states = [state] if isinstance(state, Tensor) else list(state)
    rows = call.algebra.reduce(call.labels(x))
    for tensor in states:
        rows = call.algebra.join_labels(rows, call.algebra.reduce(call.labels(tensor)))
    outs = [call.out] if isinstance(call.out, Tensor) else list(call.out)
    used = call.bits([w for w in call.args[2:] if isinstance(w, Tensor)])
    many = [call.done(rows.unsqueeze(-1).expand(out.shape), used) for out in outs]
    return many[0] if isinstance(call.out, Tensor) else many


def _recurrent(call: Call):
    """out[t] comes from the inputs up to t (from t on, backwards) and the first state."""
    if not isinstance(call.args[2], (list, tuple)) or (isinstance(call.args[1], (list, tuple)) and \
            not isinstance(call.args[2][0], Tensor)):  # fmt: skip
        return None
    if not isinstance(call.args[3], bool):  # a packed sequence
        return None
    x, state, weights = call.args[:3]
    _, layers, _, _, both, batch_first = call.args[3:9]
    algebra = call.algebra
    states = [state] if isinstance(state, Tensor) else list(state)
    labels = call.labels(x)
    if batch_first and labels.ndim == 3:
        labels = labels.transpose(0, 1)
    rows = algebra.reduce(labels)  # [time, batch]
    start = None
    for tensor in states:
        one = algebra.reduce(call.labels(tensor))  # [layers * directions, batch]
        start = one if start is None else algebra.join_labels(start, one)
    assert start is not None
    used = call.bits(list(weights))
    directions = 2 if both else 1
    finals = []
    for layer in range(layers):
        passes = []
        for direction in range(directions):
            first = start[layer * directions + direction]
            steps = rows.flip(0) if direction else rows
            steps = algebra.join_labels(scan(algebra, steps, 0), first.unsqueeze(0))
            finals.append(steps[-1])
            passes.append(steps.flip(0) if direction else steps)
        rows = passes[0] if directions == 1 else algebra.join_labels(*passes)
    out = call.out[0]
    if directions == 1:
        wide = rows.unsqueeze(-1).expand(*rows.shape, out.shape[-1])
    else:
        half = out.shape[-1] // 2
        wide = torch.cat([p.unsqueeze(-1).expand(*p.shape, half) for p in passes], -1)
    if batch_first and wide.ndim == 3:
        wide = wide.transpose(0, 1)
    last = torch.stack(finals)
    answers = [call.done(wide, used)]
    for tensor in call.out[1:]:
        answers.append(call.done(last.unsqueeze(-1).expand(tensor.shape), used))
    return answers


def _filled(call: Call):
    value = call.argument(1 if call.func is not Tensor.new_full else 2, "fill_value", "data")
    return (
        call.done(call.labels(value).expand(call.out.shape)) if isinstance(value, Tensor) else None
    )


_AS = {Tensor.view_as, Tensor.reshape_as, Tensor.expand_as}
_K_BEFORE_DIM = {
    getattr(owner, name)
    for name in ("topk", "kthvalue", "quantile", "norm", "normalize")
    for owner in (torch, Tensor, torch.nn.functional)
    if hasattr(owner, name)
}

# the output has every element of the arguments in it somewhere
COVERING = frozenset(
    {
        Kind.STACK,
        Kind.MOVE,
        Kind.ELEMENTWISE,
        Kind.PRODUCT,
        Kind.POWER,
        Kind.ALONG,
        Kind.BEFORE,
        Kind.MATMUL,
        Kind.LINEAR,
        Kind.EINSUM,
        Kind.EMBEDDING,
        Kind.ONE_HOT,
        Kind.CELL,
    }
)

RULES: dict[Kind, Callable[[Call], Any]] = {
    Kind.COPY: _copy,
    Kind.REPLAY: _replay,
    Kind.MOVE: _replay,
    Kind.STACK: _stack,
    Kind.PAD: _pad,
    Kind.PAIRWISE: _pairwise,
    Kind.ELEMENTWISE: _elementwise,
    Kind.PRODUCT: _elementwise,
    Kind.POWER: _elementwise,
    Kind.ALONG: _along,
    Kind.BEFORE: _before,
    Kind.MATMUL: _matmul,
    Kind.LINEAR: _linear,
    Kind.EINSUM: _einsum,
    Kind.EMBEDDING: _embedding,
    Kind.ONE_HOT: _one_hot,
    Kind.GATHER: _gather,
    Kind.SELECT: _select,
    Kind.INDEX: _index,
    Kind.RECURRENT: _recurrent,
    Kind.CELL: _cell,
    Kind.FILLED: _filled,
}
