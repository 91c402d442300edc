"""Distractors: uses of a tensor that carry nothing of it to the child.

Each returns an expression that is added to the child's location, or "" where there is none.
"""

from .registry import distractor


@distractor(weight=2)
def like(w, s, d):
    return w.rng.choice(
        (
            f"torch.zeros_like({d[0]})",
            f"torch.ones_like({d[0]})",
            f"torch.full_like({d[0]}, 0.4)",
            f"{d[0]}.new_zeros({w.shape_text})",
            f"{d[0]}.new_full({w.shape_text}, 0.3)",
            f"{d[0]}.new_tensor(0.7)",
            f"torch.empty_like({d[0]}).fill_(0.2)",
            f"{d[0]}.new_ones(1).sum()",
            f"torch.zeros({d[0]}.shape)",
            f"torch.full({d[0]}.size(), 0.2)",
        )
    )


@distractor(weight=2)
def shape_and_type(w, s, d):
    return w.rng.choice(
        (
            f"0.1 * {d[0]}.dim()",
            f"0.1 * {d[0]}.numel()",
            f"torch.tensor(0.3, dtype={d[0]}.dtype)",
            f"torch.tensor(float(len({d[0]}.shape)))",
            f"torch.tensor(0.4 if {d[0]}.dtype == torch.float32 else 0.7)",
            f"float({d[0]}.is_floating_point())",
            f"(0.5 if {d[0]}.requires_grad else 0.5)",
            f"float(isinstance({d[0]}, torch.Tensor))",
            f"(0.2 if {d[0]} is None else 0.1)",
            f"(0.2 if torch.is_tensor({d[0]}) else 0.1)",
            f"torch.zeros((), device={d[0]}.device)",
        )
    )


@distractor(weight=2)
def as_other(w, s, d):
    return w.rng.choice(
        (
            f"{w.const()}.expand_as({d[0]})",
            f"{w.const()}.type_as({d[0]})",
            f"{w.const()}.view_as({d[0]})",
            f"torch.tensor(0.6).to({d[0]}.dtype)",
            f"torch.broadcast_to(torch.tensor(0.5), {d[0]}.shape)",
        )
    )


@distractor(weight=2)
def times_zero(w, s, d):
    return w.rng.choice(
        (f"{d[0]} * 0", f"0 * {d[0]}", f"{d[0]} * 0.0", f"torch.mul({d[0]}, 0)", f"{d[0]}.mul(0)")
    )


@distractor()
def power_zero(w, s, d):
    return w.rng.choice((f"{d[0]} ** 0", f"{d[0]}.pow(0)", f"torch.pow({d[0]}, 0)"))


@distractor(decoys=(1, 3), weight=2)
def other_of_stack(w, s, d):
    items, (at,) = w.mix([w.const()], d)
    return f"torch.stack([{items}])[{at}]"


@distractor(weight=1.5)
def overwritten(w, s, d):
    buf = w.let(f"torch.zeros({w.rows(2)})", "buf")
    w.line(f"{buf}[0] = {d[0]}")
    w.line(w.rng.choice((f"{buf}[0] = 0.3", f"{buf}.zero_()", f"{buf}[0].fill_(0.2)",
                         f"{buf}[0] = {w.const()}", f"{buf}.copy_({w.const()})",
                         f"{buf}[:] = 0.1")))  # fmt: skip
    return f"{buf}[0]"


@distractor()
def clone_before_write(w, s, d):
    # A copy taken before the write does not see it.
    buf = w.let(f"torch.zeros({w.rows(2)})", "buf")
    copy = w.let(w.rng.choice((f"{buf}.clone()", f"{buf} + 0.1", f"{buf}[[0, 1]]")), "copy")
    w.line(f"{buf}[1] = {d[0]}")
    return f"{copy}[1]"


@distractor()
def unused_result(w, s, d):
    unused = w.let(f"torch.tanh({d[0]}) * 2.0", "unused")
    return w.rng.choice(("", f"({unused} is not None) * 0.2"))


@distractor()
def unused_argument(w, s, d):
    name = w.top_function("first", "(a, b)", "return 0.5 * a")
    return f"{name}({w.const()}, {d[0]})"


@distractor()
def unused_number(w, s, d):
    w.line(f"{w.new('number')} = {d[0]}{w.rng.choice(('.tolist()', '.detach().numpy()'))}")
    return ""


@distractor()
def zero_sized(w, s, d):
    return f"torch.stack([{d[0]}, {w.const()}])[:0].sum(0)"


@distractor()
def deleted(w, s, d):
    t = w.let(f"{d[0]} + 1.0", "t")
    w.line(f"{t} = {w.const()}")
    return t
