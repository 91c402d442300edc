"""Exact posteriors of the gaps in one sequence, by following every filling.

Before the first gap there is one branch; each gap multiplies the branches by k. Branches are one
batch dimension, taken depth first in chunks, so that only their weights are ever all in memory.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from pgm_rnn.sequences import Program, steps

CHUNK = 30_000  # branches that are followed side by side

Leaves = tuple[Tensor, int]  # log P(filling, rest) of some fillings, cell steps


def fillings(net: Program, y: Tensor, x: Tensor | None) -> Iterator[Leaves]:
    """All fillings of one sequence's gaps, chunk by chunk, with their joint log-probability.

    `y` is [tau] with -1 at the gaps, `x` the context of one sequence, [1, ...]. The chunks come in
    the order of the fillings: the first gap counts slowest.
    """
    recursion, k = steps(net), net.output.symbols
    assert k is not None
    stack = [(1, recursion.first(1, x), torch.zeros(1, dtype=net.dtype))]
    work = 1
    tau = len(y)
    while stack:
        t, state, weight = stack.pop()
        while t <= tau:
            o = recursion.outputs(state, t).expand(len(weight), -1)
            gap = int(y[t - 1]) < 0
            if gap and len(weight) > 1 and len(weight) * k > CHUNK:
                half = len(weight) // 2
                stack.append((t, state[half:], weight[half:]))
                state, weight, o = state[:half], weight[:half], o[:half]
            if gap:
                symbols = torch.arange(k).repeat(len(weight))
                o = o.repeat_interleave(k, 0)
                state = state.repeat_interleave(k, 0)
                weight = weight.repeat_interleave(k)
            else:
                symbols = y[t - 1].expand(len(weight))
            weight = weight + net.output.log_prob(o, symbols)
            if t < tau:
                many = None if x is None else x.expand(len(weight), *x.shape[1:])
                state = recursion.advance(state, t, symbols, many)
                work += len(weight)
            t += 1
        yield weight, work
        work = 0
