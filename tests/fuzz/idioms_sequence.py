"""Value idioms in which one call takes several sites and one element of its result is read."""

from .registry import value


@value(decoys=(1, 1))
def broadcast_beside_other(w, s, d):
    # Of different shapes: else the call hands back its own arguments.
    return f"torch.broadcast_tensors({s[0]}, torch.stack([{d[0]}, {d[0]}]))[0][0]"


@value(decoys=(1, 2), discrete=False)
def embedding_row(w, s, d):
    items, (at,) = w.mix([f"({x} > 0).long()" for x in s], [f"({x} > 0).long()" for x in d])
    weight = f"torch.tensor([[{w.num()}, {w.num()}], [{w.num()}, {w.num()}]])"
    return f"F.embedding(torch.stack([{items}]), {weight})[{at}][..., 0]"


@value(decoys=(1, 2), discrete=False)
def one_hot_row(w, s, d):
    items, (at,) = w.mix([f"({x} > 0).long()" for x in s], [f"({x} > 0).long()" for x in d])
    return f"(F.one_hot(torch.stack([{items}]), 2)[{at}][..., 1] * {w.num()})"


@value(sources=(1, 2), decoys=(1, 2), flat=True)
def causal_attention(w, s, d):
    # A step sees itself and those before it; the decoys come after.
    row = w.let(f"torch.stack([{', '.join([*s, *d])}])[None, :, None].expand(1, -1, 2)", "row")
    call = f"F.scaled_dot_product_attention({row}, {row}, {row}, is_causal=True)"
    return f"{call}[0, {len(s) - 1}].sum()"


@value(sources=(1, 2), decoys=(1, 2), flat=True)
def causal_multihead(w, s, d):
    net = w.top_lines("free_attention", "free_attention = torch.nn.MultiheadAttention(2, 1)")
    row = w.let(f"torch.stack([{', '.join([*s, *d])}])[:, None, None].expand(-1, 1, 2)", "row")
    size = len(s) + len(d)
    mask = f"torch.ones({size}, {size}).triu(1).bool()"
    return f"{net}({row}, {row}, {row}, attn_mask={mask})[0][{len(s) - 1}].sum()"


@value(sources=(2, 2), decoys=(1, 2), flat=True)
def convolution_window(w, s, d):
    # Width 2: the first two steps make the first output.
    row = w.let(f"torch.stack([{', '.join([*s, *d])}]).reshape(1, 1, -1)", "row")
    return f"F.conv1d({row}, torch.tensor([[[{w.num()}, {w.num()}]]]))[0, 0, 0]"
