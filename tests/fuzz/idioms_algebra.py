"""Value idioms of linear algebra, containers and helper functions."""

from .registry import value


@value(sources=(1, 3), flat=True, weight=2)
def inner_product(w, s, d):
    t = w.let("torch.stack([" + ", ".join(s) + "])")
    weights = w.let(w.vector(len(s)), "c")
    return w.rng.choice(
        (
            f"({t} @ {weights})",
            f"torch.dot({t}, {weights})",
            f"torch.einsum('i,i->', {t}, {weights})",
            f"torch.matmul({weights}[None], {t}[:, None])[0, 0]",
            f"torch.bmm({weights}[None, None], {t}[None, :, None])[0, 0, 0]",
            f"F.linear({t}, {weights}[None])[0]",
            f"torch.mv({weights}[None], {t}).squeeze()",
            f"torch.outer({t}, {weights}).diagonal().sum()",
            f"torch.tensordot({t}, {weights}, dims=1)",
            f"F.conv1d({t}[None, None], {weights}[None, None])[0, 0, 0]",
        )
    )


@value(sources=(1, 3))
def einsum_batch(w, s, d):
    t = "torch.stack([" + ", ".join(s) + "])"
    return f"torch.einsum('i...,i->...', {t}, {w.vector(len(s))})"


@value(decoys=(1, 1), flat=True, weight=2)
def matmul_row(w, s, d):
    # Each row of a product has its own row's parents.
    items, (at,) = w.mix(s, d)
    column = w.let(f"torch.stack([{items}]).unsqueeze(1)")
    return w.rng.choice(
        (
            f"({column} @ torch.tensor([[0.4, -0.7]]))[{at}, 1]",
            f"torch.mm({column}, torch.tensor([[1.5]]))[{at}, 0]",
            f"torch.einsum('ij,jk->ik', {column}, torch.tensor([[0.3]]))[{at}].sum()",
            f"F.linear({column}, torch.tensor([[0.6], [0.2]]))[{at}, 0]",
            f"torch.bmm({column}.unsqueeze(0), torch.ones(1, 1, 2))[0, {at}, 1]",
        )
    )


@value(sources=(1, 3), decoys=(0, 1), weight=1.5)
def container(w, s, d):
    items = [f"{w.num()} * {x}" for x in s] + d
    state = w.let("{" + f"'h': [{', '.join(items)}], 'n': {len(s)}" + "}", "state")
    return f"sum({state}['h'][:{state}['n']])"


@value(sources=(2, 2), decoys=(0, 1))
def helper_function(w, s, d):
    # Only what the helper uses of its arguments counts.
    name = w.top_function("mix", "(a, b, *rest)", "return 0.8 * a - 0.3 * b")
    return f"{name}({', '.join([*s, *d])})"


@value(decoys=(1, 2), sources=(1, 2))
def broadcast_pair(w, s, d):
    both = w.let(f"torch.broadcast_tensors({', '.join([*s, *d])})", "both")
    return "(" + " + ".join(f"{w.num()} * {both}[{i}]" for i in range(len(s))) + ")"
