"""Rules that pick or move elements: do the same to the map.

A rule gets a Call and answers with the origin of the output (a list of origins where there are
several outputs), or None where it cannot be precise; the caller then takes the union.
"""

import torch
from torch import Tensor

from pgm_rnn.extraction.call import Call, as_bits, leaves


def copy(call: Call):
    """The elements of the first argument, one by one."""
    source = call.args[0]
    if call.func in _AS:
        return call.done(call.func(call.labels(source), *call.args[1:], **call.kwargs))
    return call.origin(source) if call.out.shape == source.shape else None


def replay(call: Call):
    """Do to the map what was done to the tensor."""
    moved = call.func(call.labels(call.args[0]), *call.args[1:], **call.kwargs)
    also = call.bits(call.tensors(1))
    if isinstance(moved, Tensor):
        return call.done(moved, also)
    return [call.done(m, also) for m in moved]


def pad(call: Call):
    """A constant border carries nothing."""
    if call.argument(2, "mode", default="constant") != "constant":
        return None
    return call.done(torch.nn.functional.pad(call.labels(call.args[0]), call.argument(1, "pad")))


def stack(call: Call):
    """The maps side by side."""
    if call.args and isinstance(call.args[0], Tensor):  # block_diag(a, b)
        return call.done(call.func(*map(call.labels, call.args)))
    tensors = call.argument(0, "tensors")
    origins = [call.origin(t) for t in tensors]
    if all(t.ndim == 0 for t in tensors):
        labels = torch.tensor([call.algebra.label(as_bits(o)) for o in origins])
        return call.done(labels.reshape(call.out.shape))
    keywords = {k: v for k, v in call.kwargs.items() if k in ("dim", "axis")}
    return call.done(call.func([call.labels(t) for t in tensors], *call.args[1:], **keywords))


def pairwise(call: Call):
    """Output i comes from argument i."""
    tensors = list(leaves(call.args))
    return [
        call.origin(t)
        if t.shape == out.shape
        else call.done(torch.broadcast_to(call.labels(t), out.shape))
        for t, out in zip(tensors, call.out, strict=True)
    ] if call.func is torch.broadcast_tensors else None  # fmt: skip


def gather(call: Call):
    """Picked by an index of the output's shape."""
    tensors = [a for a in [*call.args, *call.kwargs.values()] if isinstance(a, Tensor)]
    source, index = tensors[0], tensors[1]
    wanted = call.labels(index)
    if wanted.shape != call.out.shape:
        return None
    if call.bits([index]):  # a random place: any element may be the one
        return call.done(wanted, as_bits(call.origin(source)))
    moved = [call.labels(source) if a is source else a for a in call.args]
    return call.done(call.func(*moved, **call.kwargs))


def select(call: Call):
    """Picked along one dimension by an index."""
    dim, index = call.argument(1, "dim"), call.argument(2, "index")
    source = call.labels(call.args[0])
    if not call.bits([index]):
        return call.done(call.func(source, dim, index))
    dim = dim % max(source.ndim, 1)
    merged = call.algebra.reduce(source.movedim(dim, -1)).unsqueeze(dim)
    shape = [-1 if d == dim else 1 for d in range(source.ndim)]
    return call.done(call.algebra.join_labels(merged, call.labels(index).reshape(shape)))


def index(call: Call):
    """`tensor[index]`, with random places among the indices."""
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


def filled(call: Call):
    """Only the fill value counts."""
    value = call.argument(1 if call.func is not Tensor.new_full else 2, "fill_value", "data")
    return (
        call.done(call.labels(value).expand(call.out.shape)) if isinstance(value, Tensor) else None
    )


_AS = {Tensor.view_as, Tensor.reshape_as, Tensor.expand_as}
