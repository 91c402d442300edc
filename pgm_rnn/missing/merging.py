"""Exact posteriors where branches meet again: a finite state, or a state that reads no y.

The branches of step t are its distinct states, so the work is at most states times k a step, and
linear in the gaps: the forward-backward algorithm on the states that can occur.
"""

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from pgm_rnn.missing.exact import SMALL
from pgm_rnn.missing.posterior import Posterior, repeated
from pgm_rnn.sequences import Program, steps
from pgm_rnn.sequences.merge import summed


class TooMany(Exception):
    """More branches than the budget, at one step."""

    def __init__(self, branches: int, step: int):
        super().__init__(f"{branches:,} branches at step {step}")
        self.branches, self.step = branches, step


def meets(net: Program) -> bool:
    """Whether branches of this program may meet again."""
    return net.figure != "10.7" and (net.finite or not steps(net).reads_y)


def by_merging(
    net: Program, y: Int[Tensor, " tau"], x: Real[Tensor, "1 ..."] | None, budget: int
) -> Posterior:
    """P(gaps | rest) of one sequence `y`, -1 at the gaps; `x` is its context.

        forward     a(s', t+1) = sum over s, y(t) leading to s' of a(s, t) P(y(t) | s)
        backward    b(s, t)    = sum over y(t) of P(y(t) | s) b(next(s, y(t)), t+1)

    Raises TooMany where more than `budget` states follow at one step.
    """
    k, tau = net.output.symbols, len(y)
    assert k is not None
    recursion = steps(net)
    state, work = recursion.first(1, x), 1
    scores, nexts = [], []  # of step t: [states, k]; the number of the next state, [states, k]
    forward = [torch.zeros(1, dtype=net.dtype)]
    for t in range(1, tau + 1):
        n = len(state)
        score = net.output.scores(recursion.outputs(state, t).expand(n, -1))
        if int(y[t - 1]) >= 0:  # one symbol has a chance
            score = score.masked_fill(torch.arange(k) != y[t - 1], -torch.inf)
        scores.append(score)
        if t == tau:
            break
        symbols = torch.arange(k) if int(y[t - 1]) < 0 else y[t - 1 : t].long()
        if recursion.reads_y:
            many = n * len(symbols)
            wide, read = state.repeat_interleave(len(symbols), 0), symbols.repeat(n)
        else:
            many, wide, read = n, state, symbols[:1].expand(n)
        if many > budget:  # states that do not meet, such as beliefs
            raise TooMany(many, t)
        after = recursion.advance(wide, t, read, repeated(x, many))
        work += many
        state, where = torch.unique(after, dim=0, return_inverse=True)
        follow = torch.zeros(n, k, dtype=torch.long)
        follow[:, symbols] = where.reshape(n, -1).expand(n, len(symbols))
        nexts.append(follow)
        flow = (forward[-1].unsqueeze(-1) + score)[:, symbols]
        forward.append(summed(flow.flatten(), follow[:, symbols].flatten(), len(state)))
    backward = [scores[-1]]  # [states, k]: log P(y(t) | s) + b of the next state
    for score, follow in zip(reversed(scores[:-1]), reversed(nexts), strict=True):
        backward.append(score + backward[-1].logsumexp(-1)[follow])
    backward.reverse()
    total = backward[0].logsumexp((0, 1))
    gaps = (y < 0).nonzero().flatten().tolist()
    shares = [(forward[g].unsqueeze(-1) + backward[g] - total).exp().sum(0) for g in gaps]

    def draw(n: int, random: torch.Generator) -> Tensor:
        at, found = torch.zeros(n, dtype=torch.long), []
        for t in range(tau):
            chances = backward[t].softmax(-1)[at]
            symbol = torch.multinomial(chances, 1, generator=random).squeeze(-1)
            if int(y[t]) < 0:
                found.append(symbol)
            if t < tau - 1:
                at = nexts[t][at, symbol]
        return torch.stack(found, -1) if found else torch.zeros(n, 0, dtype=torch.long)

    return Posterior(
        torch.stack(shares) if shares else total.new_zeros(0, k), total, draw, work,
        _joint(scores, nexts, y, k, total) if k ** len(gaps) <= SMALL else None,
    )  # fmt: skip


def _joint(
    scores: list, nexts: list, y: Int[Tensor, " tau"], k: int, total: Float[Tensor, ""]
) -> Float[Tensor, "*k"]:
    """The joint table of a few gaps: every filling walks through the states."""
    gaps = int((y < 0).sum())
    count = k**gaps
    weight, at, seen = torch.zeros(count, dtype=total.dtype), torch.zeros(count).long(), 0
    for t, score in enumerate(scores):
        symbol = y[t].expand(count)
        if int(y[t]) < 0:
            seen += 1
            symbol = torch.arange(count) // k ** (gaps - seen) % k
        weight = weight + score[at, symbol.long()]
        if t < len(nexts):
            at = nexts[t][at, symbol.long()]
    return (weight - total).exp().reshape([k] * gaps)
