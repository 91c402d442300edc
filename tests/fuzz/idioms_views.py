"""Value idioms that write through views, by masks, by lists of places, and into shared memory."""

from .registry import value


@value(decoys=(3, 3), flat=True)
def write_square(w, s, d):
    # A buffer and its views of other shapes are one memory.
    square = w.let("torch.zeros(4)", "buf")
    shapes = ("view(2, 2)", "reshape(2, 2)", "unflatten(0, (2, 2))")
    view = w.let(f"{square}.{w.rng.choice(shapes)}", "square")
    places = w.rng.sample(range(4), 4)
    for at, x in w.rng.sample(list(zip(places, [*s, *d], strict=True)), 4):
        row, column = divmod(at, 2)
        forms = (
            f"{view}[{row}, {column}]",
            f"{view}.T[{column}, {row}]",
            f"{view}[{row}][{column}]",
            f"{square}[{at}]",
        )
        w.line(f"{w.rng.choice(forms)} = {x}")
    row, column = divmod(places[0], 2)
    return w.rng.choice((f"{square}[{places[0]}]", f"{view}[{row}, {column}]"))


@value(decoys=(1, 1), flat=True)
def write_row_or_column(w, s, d):
    square = w.let("torch.zeros(2, 2)", "square")
    if w.rng.random() < 0.5:
        w.line(f"{square}[:, 0] = {d[0]}")
        w.line(f"{square}[1] = {s[0]}")
        return f"{square}[1, {w.rng.randrange(2)}]"
    w.line(f"{square}[1] = {d[0]}")
    w.line(f"{square}[:, 0] = {s[0]}")
    return f"{square}[{w.rng.randrange(2)}, 0]"


@value(decoys=(1, 1), flat=True)
def write_diagonal(w, s, d):
    square = w.let(f"torch.zeros(2, 2) + {d[0]}", "square")
    w.line(f"{square}.diagonal().copy_({s[0]}.expand(2))")
    return f"{square}[1, 1]"


@value(decoys=(1, 1))
def write_places(w, s, d):
    items, (at,) = w.mix(s, d)
    places = w.rng.sample(range(4), 2)
    buf = w.let(f"torch.zeros({w.rows(4)})", "buf")
    w.line(f"{buf}[{places}] = torch.stack([{items}])")
    return f"{buf}[{places[at]}]"


@value(decoys=(1, 1))
def write_by_mask(w, s, d):
    items, (at,) = w.mix(s, d)
    buf = w.let(f"torch.zeros({w.rows(3)})", "buf")
    w.line(f"{buf}[torch.tensor([True, False, True])] = torch.stack([{items}])")
    return f"{buf}[{2 * at}]"


@value(decoys=(1, 1))
def write_steps(w, s, d):
    items, (at,) = w.mix(s, d)
    buf = w.let(f"torch.zeros({w.rows(4)})", "buf")
    w.line(f"{buf}[::2] = torch.stack([{items}])")
    w.line(f"{buf}[1::2] -= {w.const()}")
    return f"{buf}[{2 * at}]"


@value(decoys=(1, 1))
def add_slices_in_place(w, s, d):
    items, (at,) = w.mix(s, d)
    buf = w.let(f"torch.ones({w.rows(3)})", "buf")
    w.line(f"{buf}[1:] += torch.stack([{items}])")
    return f"{buf}[{1 + at}]"


@value(decoys=(1, 1), flat=True)
def index_put(w, s, d):
    items, (at,) = w.mix(s, d)
    buf = w.let("torch.zeros(3)", "buf")
    extra = w.rng.choice(("", ", accumulate=True"))
    w.line(f"{buf}.index_put_((torch.tensor([2, 0]),), torch.stack([{items}]){extra})")
    return f"{buf}[{2 - 2 * at}]"


@value(decoys=(1, 2))
def cat_out(w, s, d):
    parts = [f"{x}[None].detach()" for x in (*s, *d)]
    order = w.rng.sample(range(len(parts)), len(parts))
    buf = w.let(f"torch.empty({w.rows(len(parts))})", "out")
    w.line(f"torch.cat([{', '.join(parts[i] for i in order)}], out={buf})")
    return f"{buf}[{order.index(0)}]"


@value(decoys=(1, 1))
def swap_in_place(w, s, d):
    buf = w.let(f"torch.stack([{s[0]}, {d[0]}])", "buf")
    old = w.let(f"{buf}[0].clone()", "old")
    w.line(f"{buf}[0] = {buf}[1]")
    w.line(f"{buf}[1] = {old}")
    return f"{buf}[1]"


@value(decoys=(1, 1))
def shift_in_place(w, s, d):
    buf = w.let(f"torch.stack([{s[0]}, {d[0]}, {w.const()}])", "buf")
    w.line(f"{buf}[1:] = {buf}[:-1].clone()")
    return f"{buf}[1]"


@value(decoys=(1, 2), flat=True)
def unfold_pick(w, s, d):
    items = ", ".join([*d[:1], *s, *d[1:], "torch.tensor(0.3)"])
    return f"torch.stack([{items}]).unfold(0, 2, 1)[{w.rng.choice(('0, 1', '1, 0'))}]"


@value(decoys=(1, 2), flat=True)
def strided_pick(w, s, d):
    items = ", ".join([*d, *s])
    return f"torch.stack([{items}]).as_strided((1,), (1,), {len(d)})[0]"


@value(decoys=(1, 1))
def pad_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    return f"F.pad(torch.stack([{items}], -1), (2, 1))[..., {2 + at}]"


@value(decoys=(2, 2))
def meshed_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    t = w.let(f"torch.stack([{items}])", "t")
    forms = (
        f"torch.tensor_split({t}, 3)[{at}][0]",
        f"torch.swapaxes({t}, 0, -1).swapaxes(0, -1)[{at}]",
        f"torch.hstack([{t}.reshape(-1), torch.zeros(2)])[:{3 * w.size}].reshape({t}.shape)[{at}]",
        f"torch.vstack([{t}.reshape(3, -1), {t}.reshape(3, -1)])[{at + 3}].reshape({w.shape_text})",
        f"torch.diff(torch.cat([torch.zeros_like({t}[:1]), {t}.cumsum(0)]), dim=0)[:1].sum() * 0"
        f" + {t}[{at}]",
    )
    return w.rng.choice(forms)


@value(decoys=(0, 1), flat=True)
def numpy_memory(w, s, d):
    # The array and the tensor are one memory; the value passes as a Python number.
    buf = w.let("torch.zeros(3)", "buf")
    array = w.let(f"{buf}.numpy()", "array")
    w.line(f"{array}[1] = {s[0]}.item()")
    for x in d:
        w.line(f"{array}[0] = {x}.item()")
    return f"{buf}[1]"


@value(decoys=(0, 1), flat=True)
def number_written(w, s, d):
    buf = w.let("torch.zeros(3)", "buf")
    w.line(f"{buf}[2] = {s[0]}.item()")
    for x in d:
        w.line(f"{buf}[1] = {x}.item()")
    return f"{buf}[2]"
