"""Value idioms without writing: arithmetic, stacks and picks, views, sums."""

from .registry import value


@value(weight=3)
def arithmetic(w, s, d):
    return w.rng.choice(
        (
            f"({s[0]} * {w.num()} + {w.num()})",
            f"({w.num()} - {s[0]})",
            f"({s[0]} / {w.num()})",
            f"torch.sub({s[0]}, {w.num()}, alpha=0.5)",
            f"torch.add({w.num()} * {s[0]}, 0.1)",
            f"(-{s[0]})",
        )
    )


@value(sources=(2, 4), weight=2)
def weighted_sum(w, s, d):
    return "(" + " + ".join(f"{w.num()} * {x}" for x in s) + ")"


@value(sources=(2, 2), discrete=False)
def product(w, s, d):
    return w.rng.choice((f"({s[0]} * {s[1]})", f"torch.lerp({s[0]}, {s[1]}, 0.3)"))


@value()
def function_of_one(w, s, d):
    name = w.rng.choice(("tanh", "sigmoid", "sin", "exp", "softplus"))
    if name == "exp":
        return f"torch.exp(0.1 * {s[0]}.sin())"
    return f"F.softplus({s[0]})" if name == "softplus" else f"torch.{name}({s[0]})"


@value()
def clone_or_detach(w, s, d):
    return f"{s[0]}.{w.rng.choice(('clone()', 'detach()', 'detach().clone()', 'contiguous()'))}"


@value()
def change_of_type(w, s, d):
    return f"{s[0]}.{w.rng.choice(('double().float()', 'to(torch.float64).to(torch.float32)'))}"


@value(discrete=False)
def flat_function(w, s, d):
    # The derivative is 0 everywhere, and a tensor that happens to be 0 is no Python number.
    return w.rng.choice(
        (
            f"torch.relu(-{s[0]}.abs() - 1.0)",
            f"({s[0]} * torch.zeros(()))",
            f"({s[0]} * 1e-30)",
            f"{s[0]}.sign()",
            f"{s[0]}.clamp(0.0, 1e-3)",
            f"{s[0]}.round()",
        )
    )


@value(discrete=False)
def where_one(w, s, d):
    return f"torch.where({s[0]} > 0, {w.const()}, {w.const()})"


@value(sources=(3, 3), discrete=False)
def where_three(w, s, d):
    return f"torch.where({s[0]} > 0.1, {s[1]}, {s[2]})"


@value(sources=(1, 2), discrete=False)
def masked_fill(w, s, d):
    return f"{s[0]}.masked_fill({s[-1]} > 0, {w.num()})"


@value(decoys=(1, 3), weight=3)
def stack_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    return f"torch.stack([{items}])[{at}]"


@value(decoys=(1, 2))
def stack_last_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    return f"torch.stack([{items}], -1)[..., {at}]"


@value(decoys=(1, 3), weight=2)
def cat_pick(w, s, d):
    items, (at,) = w.mix([f"{x}[None]" for x in s], [f"{x}[None]" for x in d])
    return w.rng.choice(
        (f"torch.cat([{items}])[{at}]", f"torch.cat(({items}), dim=0).select(0, {at})")
    )


@value(sources=(2, 4), weight=2)
def stack_sum(w, s, d):
    stacked = "torch.stack([" + ", ".join(f"{w.num()} * {x}" for x in s) + "])"
    return stacked + w.rng.choice((".sum(0)", ".mean(0)", ".logsumexp(0)"))


@value(sources=(2, 4), discrete=False)
def stack_reduce(w, s, d):
    stacked = "torch.stack([" + ", ".join(s) + "])"
    return stacked + w.rng.choice(
        (
            ".amax(0)", ".std(0)", ".prod(0)", ".softmax(0)[0]", ".sort(0).values[0]",
            ".topk(2, 0).values[1]", ".max(0).values", ".norm(dim=0)", ".argmax(0).float()",
        )
    )  # fmt: skip


@value(sources=(1, 3), decoys=(1, 2), weight=2)
def slice_sum(w, s, d):
    items = [*d[:1], *(f"{w.num()} * {x}" for x in s), *d[1:]]
    return f"torch.stack([{', '.join(items)}])[1:{1 + len(s)}].sum(0)"


@value(sources=(1, 3), decoys=(1, 2), weight=2)
def cumsum_pick(w, s, d):
    items = ", ".join([*(f"{w.num()} * {x}" for x in s), *d])
    return f"torch.stack([{items}]).cumsum(0)[{len(s) - 1}]"


@value(decoys=(1, 3), weight=2)
def view_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    n = len(s) + len(d)
    t = w.let(f"torch.stack([{items}])")
    return w.rng.choice(
        (
            f"{t}.flip(0)[{n - 1 - at}]",
            f"{t}.roll(1, 0)[{(at + 1) % n}]",
            f"{t}.chunk({n})[{at}].squeeze(0)",
            f"{t}.split(1)[{at}][0]",
            f"{t}.unbind(0)[{at}]",
            f"{t}.unsqueeze(0).transpose(0, 1)[{at}, 0]",
            f"{t}.narrow(0, {at}, 1).squeeze(0)",
            f"{t}[None].expand(2, *{t}.shape)[1, {at}]",
            f"{t}.repeat(2, *[1] * ({t}.dim() - 1))[{n + at}]",
            f"{t}.movedim(0, -1)[..., {at}]",
            f"torch.repeat_interleave({t}, 2, 0)[{2 * at + 1}]",
            f"{t}.reshape({n}, -1)[{at}].reshape({t}[{at}].shape)",
            f"{t}[{at}:][0]",
            f"list({t})[{at}]",
        )
    )


@value(decoys=(3, 3), flat=True)
def matrix_view_pick(w, s, d):
    items, (at,) = w.mix(s, d)
    row, column = divmod(at, 2)
    square = f"torch.stack([{items}]).reshape(2, 2)"
    return w.rng.choice(
        (
            f"{square}.t()[{column}, {row}]",
            f"{square}.permute(1, 0).contiguous()[{column}][{row}]",
            f"{square}.T.flatten()[{2 * column + row}]",
            f"{square}.diagonal()[{row}]" if row == column else f"{square}[{row}, {column}]",
            f"{square}.view(-1, 4)[0, {at}]",
            f"{square}.tril()[{row}, {column}]"
            if column <= row
            else f"{square}.triu()[{row}, {column}]",
        )
    )


@value(decoys=(1, 3), weight=2)
def constant_index(w, s, d):
    items, (at,) = w.mix(s, d)
    t = w.let(f"torch.stack([{items}])")
    n = len(s) + len(d)
    flags = [i == at for i in range(n)]
    return w.rng.choice(
        (
            f"{t}[[{at}, 0]][0]",
            f"{t}[torch.tensor([0, {at}])][1]",
            f"{t}.index_select(0, torch.tensor([{at}]))[0]",
            f"{t}[torch.tensor({flags})][0]",
            f"torch.take_along_dim({t}, torch.full_like({t}[:1], {at}, dtype=torch.long), 0)[0]",
            f"{t}.gather(0, torch.full({t}[:1].shape, {at}))[0]",
        )
    )


@value(sources=(2, 3), raw="int", weight=2)
def index_by_site(w, s, d):
    # A sampled integer picks one of several: all of them are parents, and so is the integer.
    picked = [s[1 + i % (len(s) - 1)] for i in range(5)]
    # different factors, else two values of the integer may pick the same
    factors = w.rng.sample([x / 10 for x in range(-19, 20, 2)], len(picked))
    rows = ", ".join(f"{n} * {x}" for n, x in zip(factors, picked, strict=True))
    t = w.let(f"torch.stack([{rows}])")
    i = w.let(s[0], "i")
    return w.rng.choice(
        (
            f"{t}[{i}]",
            f"{t}.index_select(0, {i}.reshape(1))[0]",
            f"{t}.gather(0, {i}.reshape([1] * {t}.dim()).expand({t}[:1].shape))[0]",
            f"{t}[{i}[None]].squeeze(0)",
            f"torch.take_along_dim({t}, {i}.reshape([1] * {t}.dim()), 0)[0]",
        )
    )


@value(decoys=(1, 2))
def sum_along(w, s, d):
    # The reduced dimension has one element: the others keep their sources apart.
    items, (at,) = w.mix(s, d)
    name = w.rng.choice(("sum", "mean", "amax", "logsumexp"))
    return f"torch.stack([{items}]).unsqueeze(0).{name}(0)[{at}]"
