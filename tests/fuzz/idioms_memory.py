"""Value idioms that write: buffers, slices, views taken before the write, `out=`, scatter."""

from .registry import value


def _buffer(w, n):
    """A fresh buffer of n rows of the child's shape."""
    return w.let(w.rng.choice((f"torch.zeros({w.rows(n)})", f"torch.empty({w.rows(n)}).fill_(0.2)",
                               f"torch.full(({w.rows(n)},), 0.1)")), "buf")  # fmt: skip


def _fill(w, buf, s, d, form="{buf}[{i}] = {x}"):
    """Write sources and decoys into rows of the buffer in random order; the sources' rows."""
    rows = w.rng.sample(range(len(s) + len(d) + 1), len(s) + len(d))
    orders = list(zip(rows, [*s, *d], strict=True))
    for i, x in w.rng.sample(orders, len(orders)):
        w.line(form.format(buf=buf, i=i, x=x))
    return rows[: len(s)]


@value(decoys=(0, 2), weight=3)
def buffer_write(w, s, d):
    buf = _buffer(w, len(s) + len(d) + 1)
    (at,) = _fill(w, buf, s, d)
    return f"{buf}[{at}]"


@value(decoys=(0, 2))
def buffer_last_dim(w, s, d):
    n = len(s) + len(d) + 1
    buf = w.let(f"torch.zeros({w.rows_last(n)})", "buf")
    (at,) = _fill(w, buf, s, d, "{buf}[..., {i}] = {x}")
    return f"{buf}[..., {at}]"


@value(sources=(1, 3), decoys=(0, 1))
def buffer_sum(w, s, d):
    buf = _buffer(w, len(s) + len(d) + 1)
    rows = _fill(w, buf, s, d)
    return "(" + " + ".join(f"{w.num()} * {buf}[{i}]" for i in rows) + ")"


@value(decoys=(1, 3), weight=2)
def slice_write(w, s, d):
    items, (at,) = w.mix(s, d)
    n = len(s) + len(d)
    buf = _buffer(w, n + 2)
    w.line(f"{buf}[1:{n + 1}] = torch.stack([{items}])")
    return f"{buf}[{at + 1}]"


@value(decoys=(1, 1), weight=2)
def overwrite(w, s, d):
    buf = _buffer(w, 2)
    w.line(f"{buf}[1] = {d[0]}")
    w.line(f"{buf}[1] = {s[0]}")
    return f"{buf}[1]"


@value(sources=(1, 3), weight=2)
def add_in_place(w, s, d):
    t = w.let(w.const(), "acc")
    for x in s:
        factor = w.num()
        w.line(w.rng.choice((f"{t} += {factor} * {x}", f"{t}.add_({x}, alpha={factor})",
                             f"{t}.sub_({factor} * {x})")))  # fmt: skip
    return t


@value(sources=(2, 2), discrete=False)
def multiply_in_place(w, s, d):
    t = w.let(f"{s[0]}.clone()", "acc")
    w.line(w.rng.choice((f"{t} *= {s[1]}", f"{t}.mul_({s[1]}).tanh_()", f"{t}.lerp_({s[1]}, 0.4)")))
    return t


@value(decoys=(0, 1), weight=2)
def add_to_element(w, s, d):
    buf = _buffer(w, 3)
    for x in d:
        w.line(f"{buf}[0] += {x}")
    forms = (f"{buf}[2] += {s[0]}", f"{buf}[2].add_({s[0]})", f"{buf}[1:][1] -= {s[0]}")
    w.line(w.rng.choice(forms))
    return f"{buf}[2]"


@value(decoys=(0, 1), weight=2)
def copy_in_place(w, s, d):
    buf = _buffer(w, 2)
    for x in d:
        w.line(f"{buf}[0].copy_({x})")
    w.line(f"{buf}[1].copy_({s[0]})")
    return f"{buf}[1]"


@value(flat=True)
def fill_in_place(w, s, d):
    buf = _buffer(w, 3)
    w.line(f"{buf}[1:].fill_({s[0]})")
    return f"{buf}[{w.rng.choice((1, 2))}]"


@value(decoys=(0, 1), weight=2)
def view_before_write(w, s, d):
    buf = _buffer(w, 4)
    forms = (
        f"{buf}[1:]",
        f"{buf}.narrow(0, 1, 3)",
        f"{buf}.split([1, 3])[1]",
        f"{buf}.detach()[1:]",
        f"{buf}[1:].unsqueeze(0)[0]",
    )
    view = w.let(w.rng.choice(forms), "view")
    # A detached view allows no write that needs a gradient.
    for x in d:
        w.line(f"{buf}[1] = {x}.detach()")
    w.line(f"{buf}[2] = {s[0]}.detach()")
    return f"{view}[1]"


@value(decoys=(0, 1))
def write_through_view(w, s, d):
    buf = _buffer(w, 4)
    forms = (f"{buf}[2:]", f"{buf}.data[2:]", f"{buf}.flatten(0, 0)[2:]")
    view = w.let(w.rng.choice(forms), "view")
    w.line(f"{view}[1] = {s[0]}.detach()")
    for x in d:
        w.line(f"{view}[0] = {x}.detach()")
    return f"{buf}[3]"


@value(decoys=(0, 1))
def write_data(w, s, d):
    buf = _buffer(w, 3)
    w.line(f"{buf}.data[1] = {s[0]}.detach()")
    for x in d:
        w.line(f"{buf}.data[0] = {x}.detach()")
    return f"{buf}[1]"


@value(sources=(1, 2), weight=1.5)
def out_keyword(w, s, d):
    t = w.let(f"torch.empty({w.shape_text})" if w.rng.random() < 0.5 else w.const(), "out")
    second = f"{s[1]}.detach()" if len(s) > 1 else f"torch.tensor({w.num()})"
    name = w.rng.choice(("add", "sub"))
    if w.rng.random() < 0.5:
        w.line(f"torch.{name}({s[0]}.detach(), {second}, out={t})")
    else:
        w.line("with torch.no_grad():")
        w.line(f"    torch.{name}(0.7 * {s[0]}, {second}, out={t})")
    return t


@value(weight=1.5)
def out_row(w, s, d):
    # The target is a view: the buffer must show what was written through it.
    buf = _buffer(w, 3)
    w.line(f"torch.add({s[0]}.detach(), {w.num()}, out={buf}[1])")
    return f"{buf}[1]"


@value(decoys=(1, 2))
def stack_out(w, s, d):
    items, (at,) = w.mix([f"{x}.detach()" for x in s], [f"{x}.detach()" for x in d])
    t = w.let(f"torch.empty({w.rows(len(s) + len(d))})", "out")
    w.line(f"torch.stack([{items}], out={t})")
    return f"{t}[{at}]"


@value(decoys=(1, 1), flat=True, weight=2)
def scatter(w, s, d):
    items, (at,) = w.mix(s, d)
    places = w.rng.sample(range(4), 2)
    source = f"torch.stack([{items}])"
    index = f"torch.tensor({places})"
    buf = w.let("torch.zeros(4)", "buf")
    form = w.rng.choice(("scatter_", "scatter", "index_copy", "index_add_", "scatter_add", "put"))
    if form == "put":
        w.line(f"{buf}[{index}] = {source}")
        return f"{buf}[{places[at]}]"
    write = f"{buf}.{form}(0, {index}, {source})"
    if not form.endswith("_"):
        return f"{write}[{places[at]}]"
    w.line(write)
    return f"{buf}[{places[at]}]"


@value(sources=(2, 3), raw="int", flat=True)
def write_at_site(w, s, d):
    # Where the value goes is random, so every element may have it.
    buf = w.let("torch.zeros(5)", "buf")
    i = w.let(s[0], "i")
    write = w.rng.choice(("{buf}[{i}] = {x}", "{buf}[{i}] += {x}",
                          "{buf}.scatter_(0, {i}.reshape(1), ({x}).reshape(1))"))  # fmt: skip
    w.line(write.format(buf=buf, i=i, x=f"3.0 + 0.5 * {s[1]}.sin()"))
    t = f"({buf} * {w.vector(5)}).sum()"
    return f"({t} + {w.num()} * {s[2]})" if len(s) > 2 else t


@value(decoys=(1, 1))
def list_of_rows(w, s, d):
    rows = w.let("[]", "rows")
    w.line(f"{rows}.append({d[0]})")
    w.line(f"{rows}.extend([{s[0]}, {w.const()}])")
    return f"torch.stack({rows})[1]"


@value(decoys=(1, 1))
def swapped_rows(w, s, d):
    buf = w.let(f"torch.stack([{d[0]}, {s[0]}])", "buf")
    w.line(f"{buf} = {buf}[[1, 0]]")
    return f"{buf}[0]"
