"""Exact posteriors of the gaps in one sequence, by following every filling.

Before the first gap there is one branch; each gap multiplies the branches by k. Branches are one
batch dimension, taken depth first in chunks, so that only their weights are ever all in memory.
A few fillings are scored whole, in one fused call, which costs less than steps in Python.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from pgm_rnn.missing.posterior import Posterior, repeated
from pgm_rnn.sequences import Program, Steps, steps, teacher_forced

CHUNK = 30_000  # branches that are followed side by side
FEW = 32  # fillings that are scored whole
SMALL = 4096  # entries of a joint table that is kept

Leaves = tuple[Tensor, int]  # log P(filling, rest) of some fillings, cell steps


def by_branching(
    net: Program, y: Int[Tensor, " tau"], x: Real[Tensor, "1 ..."] | None
) -> Posterior:
    """P(gaps | rest) of one sequence `y`, -1 at the gaps; `x` is its context.

    All k^m fillings are weighed: P(y_M | y_O) = P(y_M, y_O) / sum of P(y_M, y_O).
    """
    k, gaps = net.output.symbols, int((y < 0).sum())
    assert k is not None
    chunks = list(fillings(net, y, x))
    weight = torch.cat([w for w, _ in chunks])  # the first gap counts slowest
    total = weight.logsumexp(0)
    share = (weight - total).exp()
    places = k ** torch.arange(gaps - 1, -1, -1)

    def draw(n: int, random: torch.Generator) -> Tensor:
        u = torch.rand(n, generator=random, dtype=share.dtype)
        which = torch.searchsorted(share.cumsum(0), u).clamp(max=len(share) - 1)
        return which.unsqueeze(-1) // places % k

    tables = [share.reshape(k**gap, k, -1).sum((0, 2)) for gap in range(gaps)]
    return Posterior(
        torch.stack(tables) if tables else share.new_zeros(0, k),
        total,
        draw,
        sum(n for _, n in chunks),
        share.reshape([k] * gaps) if len(share) <= SMALL else None,
    )


def fillings(
    net: Program, y: Int[Tensor, " tau"], x: Real[Tensor, "1 ..."] | None
) -> Iterator[Leaves]:
    """All fillings of one sequence's gaps, chunk by chunk, with their joint log-probability.

    The chunks come in the order of the fillings: the first gap counts slowest.
    """
    k = net.output.symbols
    assert k is not None
    if k ** int((y < 0).sum()) <= FEW and not net.finite:
        yield _scored_whole(net, y, x, k)
    else:
        yield from _branches(net, y, x, k)


def _scored_whole(net: Program, y: Tensor, x: Tensor | None, k: int) -> Leaves:
    gaps = (y < 0).nonzero().flatten()
    count = k ** len(gaps)
    filled = y.repeat(count, 1)
    for i, gap in enumerate(gaps.tolist()):
        filled[:, gap] = torch.arange(count) // k ** (len(gaps) - 1 - i) % k
    o = teacher_forced(net, filled, repeated(x, count))
    return net.output.log_prob(o, filled).sum(-1), count * len(y)


def _branches(net: Program, y: Tensor, x: Tensor | None, k: int) -> Iterator[Leaves]:
    recursion = steps(net)
    stack = [(1, recursion.first(1, x), torch.zeros(1, dtype=net.dtype))]
    work, tau = 1, len(y)
    while stack:
        t, state, weight = stack.pop()
        while t <= tau:
            gap = int(y[t - 1]) < 0
            if gap and len(weight) > 1 and len(weight) * k > CHUNK:
                half = len(weight) // 2
                stack.append((t, state[half:], weight[half:]))
                state, weight = state[:half], weight[:half]
            o = recursion.outputs(state, t).expand(len(weight), -1)
            if gap:
                weight = (weight.unsqueeze(-1) + net.output.scores(o)).flatten()
            else:
                weight = weight + _score(net, o, int(y[t - 1]))
            if t < tau:
                state = _advanced(recursion, state, t, y[t - 1], x, k)
                work += len(weight)
            t += 1
        yield weight, work
        work = 0


def _score(net: Program, o: Float[Tensor, "branches o"], symbol: int) -> Float[Tensor, " branches"]:
    """log P of one symbol under every branch: a column and a sum, not all of log softmax."""
    if net.output.name == "categorical":
        return o[:, symbol] - o.logsumexp(-1)
    return net.output.scores(o)[:, symbol]


def _advanced(
    recursion: Steps, state: Tensor, t: int, y_t: Tensor, x: Tensor | None, k: int
) -> Tensor:
    """The next state of each branch, of k branches for each at a gap."""
    n = len(state)
    symbols = torch.arange(k) if int(y_t) < 0 else y_t.reshape(1)
    if recursion.fan is not None:
        return recursion.fan(state, t, x, symbols).flatten(0, 1)
    wide, read = state.repeat_interleave(len(symbols), 0), symbols.repeat(n)
    return recursion.advance(wide, t, read, repeated(x, len(wide)))
