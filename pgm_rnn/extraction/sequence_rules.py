"""Rules that join elements along time: recurrent calls, attention, convolutions.

A rule answers as those in `moves` do.
"""

import torch
from torch import Tensor

from pgm_rnn.extraction.call import Call, as_bits
from pgm_rnn.extraction.elements import scan


def cell(call: Call):
    """One step of a recurrent cell, row by row of the batch."""
    x, state = call.args[0], call.args[1]
    states = [state] if isinstance(state, Tensor) else list(state)
    rows = call.algebra.reduce(call.labels(x))
    for tensor in states:
        rows = call.algebra.join_labels(rows, call.algebra.reduce(call.labels(tensor)))
    outs = [call.out] if isinstance(call.out, Tensor) else list(call.out)
    used = call.bits([w for w in call.args[2:] if isinstance(w, Tensor)])
    many = [call.done(rows.unsqueeze(-1).expand(out.shape), used) for out in outs]
    return many[0] if isinstance(call.out, Tensor) else many


def recurrent(call: Call):
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


def attention(call: Call):
    """out[l] comes from query[l] and from the keys and values that its mask lets it see.

    Shapes: query [..., L, E], key and value [..., S, E], mask [..., L, S].
    """
    query, key, value = call.args[:3]
    mask = call.argument(3, "attn_mask")
    causal = call.argument(5, "is_causal", default=False)
    seen = _seen(mask, causal, query.shape[-2], key.shape[-2])
    sources = _see(call, seen, key, value)
    out = call.algebra.join_labels(call.algebra.reduce(call.labels(query)), sources)
    also = as_bits(call.origin(mask)) if isinstance(mask, Tensor) else 0
    return call.done(out.unsqueeze(-1).expand(call.out.shape), also)


def multihead(call: Call):
    """As `attention`, with weights: query [L, N, E], key and value [S, N, E], or without N."""
    query, key, value = call.args[:3]
    mask = call.kwargs.get("attn_mask")
    padding = call.kwargs.get("key_padding_mask")
    if isinstance(mask, Tensor) and mask.dtype == torch.bool:
        mask = ~mask  # here true means hidden
    seen = _seen(mask, call.kwargs.get("is_causal", False), len(query), len(key))
    if seen.ndim > 2 or call.kwargs.get("static_k") is not None:
        return None
    batched = query.ndim == 3
    if isinstance(padding, Tensor):  # [N, S], true where a key is not to be seen
        hidden = padding if padding.dtype == torch.bool else padding == -torch.inf
        seen = seen & ~(hidden.unsqueeze(-2) if batched else hidden)
    rows = [call.algebra.reduce(call.labels(t)) for t in (query, key, value)]
    mine, keys, values = (r.T if batched else r for r in rows)  # [N, L] and [N, S]
    sources = _join_seen(call, seen, call.algebra.join_labels(keys, values))
    out = call.algebra.join_labels(mine, sources)
    weights = [t for t in [*call.args[3:], *call.kwargs.values()] if isinstance(t, Tensor)]
    used = call.bits(weights)
    result = out.T.unsqueeze(-1) if batched else out.unsqueeze(-1)
    answers = [call.done(result.expand(call.out[0].shape), used)]
    if call.out[1] is not None:
        answers.append(call.algebra.join([call.bits([query, key]), used]))
    return answers


def _seen(mask: Tensor | None, causal: bool, queries: int, keys: int) -> Tensor:
    """Which key each query may see, [..., L, S]."""
    seen = torch.ones(queries, keys, dtype=torch.bool)
    if causal and mask is None:
        return seen.tril()
    if mask is None:
        return seen
    return mask if mask.dtype == torch.bool else mask != -torch.inf


def _see(call: Call, seen: Tensor, key: Tensor, value: Tensor) -> Tensor:
    rows = [call.algebra.reduce(call.labels(t)) for t in (key, value)]
    return _join_seen(call, seen, call.algebra.join_labels(*rows))


def _join_seen(call: Call, seen: Tensor, labels: Tensor) -> Tensor:
    """Join, for every query, the keys that it sees; `labels` is [..., S], the answer [..., L]."""
    return call.algebra.reduce(torch.where(seen, labels.unsqueeze(-2), 0))


def conv1d(call: Call):
    """out[..., t] comes from a window of the input: kernel, stride, padding, dilation."""
    x, weight = call.args[0], call.args[1]
    bias = call.argument(2, "bias")
    stride, padding, dilation, groups = (
        call.argument(i + 3, n, default=d)
        for i, (n, d) in enumerate({"stride": 1, "padding": 0, "dilation": 1, "groups": 1}.items())
    )
    depthwise = groups == x.shape[-2] == weight.shape[0]
    if groups != 1 and not depthwise:
        return None
    stride, padding, dilation = (
        v[0] if isinstance(v, (tuple, list)) else v for v in (stride, padding, dilation)
    )
    steps, width = call.out.shape[-1], weight.shape[-1]
    spare = dilation * (width - 1)
    sides = {"valid": (0, 0), "same": (spare // 2, spare - spare // 2)}
    labels = call.labels(x)  # [..., channels, time]
    if not depthwise:
        labels = call.algebra.reduce(labels.movedim(-2, -1)).unsqueeze(-2)
    padded = torch.nn.functional.pad(labels, sides.get(padding, (padding, padding)))
    starts = torch.arange(steps).unsqueeze(-1) * stride + torch.arange(width) * dilation
    window = call.algebra.reduce(padded[..., starts])
    used = call.bits([t for t in (weight, bias) if isinstance(t, Tensor)])
    return call.done(window.expand(call.out.shape), used)
