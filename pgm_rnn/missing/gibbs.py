"""Approximate posteriors by Gibbs sampling: one gap (or one block of gaps) at a time."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Int, Real
from torch import Tensor

from pgm_rnn.errors import DataError
from pgm_rnn.missing.posterior import Posterior, counted, repeated
from pgm_rnn.sequences import Program, steps, teacher_forced

CHAINS = 20  # independent chains, whose spread is the standard error


def by_gibbs(
    net: Program,
    y: Int[Tensor, " tau"],
    x: Real[Tensor, "1 ..."] | None,
    *,
    sweeps: int,
    blocks: Sequence[Sequence[int]],
    random: torch.Generator,
) -> Posterior:
    """P(gaps | rest) from CHAINS chains of `sweeps` sweeps, after a quarter as many to settle.

        y_B ~ P(y_B | y_rest), for one block B of gaps after the other

    Every filling of a block is scored in one fused call. Two gaps that copy each other must share
    a block: one at a time, neither can move. Chains start from fillings drawn forward. It gives no
    evidence (nan).
    """
    k = net.output.symbols
    assert k is not None
    gaps = (y < 0).nonzero().flatten()
    chosen = {t for block in blocks for t in block}
    groups = [*[list(b) for b in blocks], *([t] for t in gaps.tolist() if t not in chosen)]
    state, work = _forward(net, y, x, random)
    settle, kept = math.ceil(sweeps / 4), []
    for i in range(settle + sweeps):
        for group in groups:
            state, cost = _redrawn(net, state, x, group, k, random)
            work += cost
        if i >= settle:
            kept.append(state[:, gaps])
    draws = torch.stack(kept)  # [sweeps, chains, gaps]
    even = torch.full((sweeps,), 1 / sweeps, dtype=net.dtype)
    each = torch.stack([counted(draws[:, c], even, k) for c in range(CHAINS)])
    flat = draws.flatten(0, 1)
    spread = each.std(0) if len(gaps) else each.new_zeros(0, k)

    def draw(n: int, generator: torch.Generator) -> Tensor:
        return flat[torch.randint(len(flat), (n,), generator=generator)]

    return Posterior(
        each.mean(0), each.new_tensor(torch.nan), draw, work,
        errors=spread / math.sqrt(CHAINS), evidence_error=math.nan,
    )  # fmt: skip


def _forward(
    net: Program, y: Int[Tensor, " tau"], x: Real[Tensor, "1 ..."] | None, random: torch.Generator
) -> tuple[Int[Tensor, "chains tau"], int]:
    """A filling for each chain, drawn forward."""
    recursion, tau = steps(net), len(y)
    many = repeated(x, CHAINS)
    filled = y.repeat(CHAINS, 1)
    state = recursion.first(CHAINS, many)
    for t in range(1, tau + 1):
        if int(y[t - 1]) < 0:
            o = recursion.outputs(state, t).expand(CHAINS, -1)
            filled[:, t - 1] = net.output.sample(o, random, 1.0).to(filled.dtype)
        if t < tau:
            state = recursion.advance(state, t, filled[:, t - 1], many)
    return filled, CHAINS * tau


def _redrawn(
    net: Program,
    filled: Int[Tensor, "chains tau"],
    x: Real[Tensor, "1 ..."] | None,
    group: list[int],
    k: int,
    random: torch.Generator,
) -> tuple[Int[Tensor, "chains tau"], int]:
    """Every chain with the steps `group` drawn anew given all others."""
    count = k ** len(group)
    number = torch.arange(count)
    options = torch.stack([number // k ** (len(group) - 1 - i) % k for i in range(len(group))], -1)
    wide = filled.repeat_interleave(count, 0)
    wide[:, group] = options.repeat(len(filled), 1).to(wide.dtype)
    o = teacher_forced(net, wide, repeated(x, len(wide)))
    score = net.output.log_prob(o, wide).sum(-1).reshape(len(filled), count)
    if not torch.isfinite(score.amax(-1)).all():
        raise DataError(
            "every filling of a block has probability 0 given the other gaps; Gibbs cannot go on "
            'from there. Use method="exact" or "smc", or put the gaps into one block'
        )
    which = torch.multinomial(score.softmax(-1), 1, generator=random).squeeze(-1)
    found = filled.clone()
    found[:, group] = options[which].to(found.dtype)
    return found, len(wide) * filled.shape[1]
