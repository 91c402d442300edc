"""Rules that join elements: element by element and along dimensions.

A rule answers as those in `moves` do.
"""

import torch
from torch import Tensor

from pgm_rnn.extraction.call import Call, as_bits
from pgm_rnn.extraction.elements import Elements, scan


def elementwise(call: Call):
    """Join element by element, with broadcasting."""
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


def along(call: Call):
    """Join along dimensions: sum, softmax, sort."""
    labels = call.labels(call.args[0])
    dims = call.argument(1, "dim", "axis", "normalized_shape")
    if isinstance(dims, Tensor):  # max(a, b)
        return elementwise(call)
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


def batch_norm(call: Call):
    """Every channel, dimension 1, over the whole batch and all places; alone in evaluation."""
    x = call.args[0]
    statistics = [call.argument(i, n) for i, n in ((1, "running_mean"), (2, "running_var"))]
    scales = [call.argument(i, n) for i, n in ((3, "weight"), (4, "bias"))]
    labels = call.labels(x).movedim(1, 0)
    used = call.bits([t for t in scales if isinstance(t, Tensor)])
    if call.argument(5, "training", default=False):
        channels = call.algebra.reduce(labels.flatten(1))
        labels = channels.reshape(-1, *[1] * (labels.ndim - 1)).expand(labels.shape)
    else:
        used = call.algebra.join([used, call.bits([t for t in statistics if t is not None])])
    return call.done(labels.movedim(0, 1), used)


def layer_norm(call: Call):
    """Join over the normalised dimensions, the last ones; with the weights."""
    x, shape = call.args[0], call.argument(1, "normalized_shape")
    kept = x.ndim - len(shape)
    rows = call.algebra.reduce(call.labels(x).flatten(kept))
    used = call.bits([t for t in call.tensors(1) if isinstance(t, Tensor)])
    return call.done(rows.reshape(rows.shape + (1,) * len(shape)).expand(x.shape), used)


def before(call: Call):
    """Join every element with those before it."""
    dim = call.argument(1, "dim")
    done = call.done(scan(call.algebra, call.labels(call.args[0]), dim))
    return done if isinstance(call.out, Tensor) else [done] * len(call.out)


def matmul(call: Call):
    """Rows of the left operand with columns of the right one."""
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


def einsum(call: Call):
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


def linear(call: Call):
    """Rows of the input with rows of the weight."""
    x, weight, bias = (call.argument(i, n) for i, n in enumerate(("input", "weight", "bias")))
    rows = call.algebra.reduce(call.labels(x))
    weights = call.algebra.reduce(call.labels(weight))
    joined = call.algebra.join_labels(rows.unsqueeze(-1), weights)
    if bias is not None:
        joined = call.algebra.join_labels(joined, call.labels(bias))
    return call.done(joined)


def embedding(call: Call):
    """A row of the table for each index."""
    weight, index = call.args[0], call.args[1]
    if call.func is torch.nn.functional.embedding:
        weight, index = index, weight
    labels = call.labels(index).unsqueeze(-1).expand(call.out.shape)
    return call.done(labels, as_bits(call.origin(weight)))


def one_hot(call: Call):
    """A row for each symbol."""
    return call.done(call.labels(call.args[0]).unsqueeze(-1).expand(call.out.shape))


_K_BEFORE_DIM = {
    getattr(owner, name)
    for name in ("topk", "kthvalue", "quantile", "norm", "normalize")
    for owner in (torch, Tensor, torch.nn.functional)
    if hasattr(owner, name)
}
