"""Value idioms that leave the tensor world: Python values, decisions, loops, NumPy.

They read single numbers (`raw`), whose change surely moves what they return.
"""

from .registry import value


def number(w, text):
    """A Python number as a tensor of the child's shape."""
    return f"torch.tensor({text})" if not w.shape else f"torch.full({w.shape_text}, {text})"


@value(raw="scalar", weight=3)
def if_positive(w, s, d):
    t = w.new("t")
    low, high = w.num(), w.num()
    w.line(f"if {s[0]} > 0.2:")
    w.line(f"    {t} = {low}")
    w.line("else:")
    w.line(f"    {t} = {low} + {abs(float(high)) + 1.0}")
    return number(w, t)


@value(raw="scalar", sources=(2, 2), weight=2)
def if_else_of_other(w, s, d):
    # Both branches use the other source, so its arrow does not hang on the branch taken.
    t = w.new("t")
    w.line(f"if {w.rng.choice(('bool({})', '{}', 'not ({})')).format(f'{s[0]} > 0.3')}:")
    w.line(f"    {t} = 0.5 * {s[1]}")
    w.line("else:")
    # No round number, at which both branches would agree.
    w.line(f"    {t} = 2.013 + 1.5 * {s[1]}")
    return t


@value(raw="scalar")
def conditional_expression(w, s, d):
    return number(w, f"0.4 if bool({s[0]} > 0) else 3.0")


@value(raw="int", weight=2)
def int_index(w, s, d):
    table = "[0.3, -1.2, 2.1, 0.8, -2.4, 1.6]"
    i = w.let(w.rng.choice((f"int({s[0]})", f"{s[0]}.item()", f"{s[0]}.tolist()")), "i")
    form = w.rng.choice(("list", "dict", "tensor"))
    if form == "list":
        return number(w, f"{table}[{i}]")
    if form == "dict":
        return number(w, f"dict(enumerate({table}))[{i}]")
    return w.spread(f"torch.tensor({table})[{i}]")


@value(raw="int")
def index_protocol(w, s, d):
    return number(w, f"[0.3, -1.2, 2.1, 0.8, -2.4, 1.6][{s[0]}]")


@value(raw="int", sources=(2, 2), weight=2)
def range_loop(w, s, d):
    # One term at least, so that the other source always is a parent.
    t = w.let(w.const(), "t")
    w.line(f"for _ in range(int({s[0]}) + 1):")
    w.line(f"    {t} = {t} + 0.5 + 0.1 * {s[1]}.sin()")
    return t


@value(raw="int")
def range_loop_alone(w, s, d):
    t = w.let(w.num(), "t")
    w.line(f"for _ in range({s[0]}):")
    w.line(f"    {t} += 0.7")
    return number(w, t)


@value(raw="int")
def while_loop(w, s, d):
    n = w.let("0", "n")
    w.line(f"while {n} < {s[0]} and {n} < 6:")
    w.line(f"    {n} += 1")
    return number(w, f"0.3 + 0.8 * {n}")


@value(raw="int")
def break_loop(w, s, d):
    t = w.let("0.2", "t")
    w.line("for step in range(6):")
    w.line(f"    if step >= {s[0]}:")
    w.line("        break")
    w.line(f"    {t} += 0.9")
    return number(w, t)


@value(raw="scalar", weight=2)
def item_number(w, s, d):
    read = w.rng.choice(("{}.item()", "float({}.detach())", "{}.tolist()"))
    t = w.let(read.format(s[0]), "t")
    return number(w, f"0.5 * float({t}) + 0.3")


@value(raw="scalar")
def item_times_tensor(w, s, d):
    return f"({w.const()} + 0.4 * {s[0]}.item())"


@value(raw="int")
def size_of_site(w, s, d):
    size = w.rng.choice(
        (
            f"torch.ones(int({s[0]}) + 1).sum()",
            f"torch.arange({s[0]} + 2).sum() * 1.0",
            f"torch.linspace(0.5, 1.0, 7)[:{s[0]} + 1].sum()",
            f"torch.ones(2, int({s[0]})).sum()",
        )
    )
    return w.spread(size)


@value(sources=(1, 3), flat=True, weight=1.5)
def numpy_round_trip(w, s, d):
    row = f"torch.stack([{', '.join(s)}]).detach().numpy()"
    return f"torch.from_numpy({row} * 0.7 + 0.1) @ {w.vector(len(s))}"


@value()
def numpy_array(w, s, d):
    array = w.let(f"np.asarray({s[0]}.detach()) * np.float32(1.5)", "array")
    return f"torch.as_tensor({array}, dtype=torch.float32)"


@value(decoys=(0, 2), flat=True, weight=2)
def tensor_of_items(w, s, d):
    items, (at,) = w.mix([f"{x}.item()" for x in s], [f"{x}.item()" for x in d])
    return f"torch.tensor([{items}])[{at}]"


@value(decoys=(0, 2), flat=True, weight=2)
def tensor_of_tensors(w, s, d):
    # A tensor that needs a gradient may not become a number unasked.
    items, (at,) = w.mix([f"{x}.detach()" for x in s], [f"{x}.detach()" for x in d])
    return f"torch.tensor([{items}])[{at}]"


@value(sources=(1, 3), flat=True)
def list_of_numbers(w, s, d):
    numbers = w.let(f"torch.stack([{', '.join(s)}]).tolist()", "numbers")
    return f"torch.tensor(0.4 * sum({numbers}) - 0.2)"


@value(sources=(2, 2), flat=True, discrete=False)
def compare_two(w, s, d):
    t = w.let(f"1.0 if {s[0]} > {s[1]} else -2.0", "t")
    return f"torch.tensor({t})"


@value(sources=(2, 3), flat=True, discrete=False)
def any_of_several(w, s, d):
    flag = w.let(f"bool((torch.stack([{', '.join(s)}]) > 0.5).any())", "flag")
    return f"torch.tensor(2.5 if {flag} else 0.1)"


@value(raw="int")
def flags_of_int(w, s, d):
    # Every comparison is a value of its own; their sum moves with each of them.
    return number(w, f"sum(0.9 for k in range(4) if k < {s[0]}) + 0.2")
