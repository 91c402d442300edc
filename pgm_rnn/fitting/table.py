"""Fig 10.7 fitted in closed form: a table's maximum likelihood is counting."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pgm_rnn.sequences import Program

LEAST = 1e-300  # stands for probability 0 in a table of finite logits


def count(
    net: Program,
    y: Int[Tensor, "batch tau"],
    weights: Float[Tensor, " batch"],
    lengths: Int[Tensor, " batch"],
    smoothing: float,
) -> int:
    """Set the tables to the counted shares, in place; returns the contexts never seen.

        P(y(t) = j | past) = (n(past, j) + s) / (n(past) + s k),   s = smoothing

    A past without any count (and s = 0) says nothing: its row is uniform.
    """
    unseen = 0
    row = torch.zeros(len(y), dtype=torch.long)
    with torch.no_grad():
        for t in range(1, net.tau + 1):
            table = getattr(net, f"table_{t}")
            counts = torch.full((len(table), net.k), float(smoothing), dtype=torch.float64)
            if t <= y.shape[1]:
                here = lengths >= t
                seen = y[here, t - 1]
                counts.index_put_((row[here], seen), weights[here], accumulate=True)
                row = torch.where(here, row * net.k + y[:, t - 1].clamp(min=0), 0)
            total = counts.sum(-1, keepdim=True)
            unseen += int((total == smoothing * net.k).sum())
            share = torch.where(total > 0, counts / total.clamp(min=LEAST), 1 / net.k)
            logits = share.clamp(min=LEAST).log()
            table.copy_((logits[:, :-1] - logits[:, -1:]).to(table.dtype))
    return unseen


def count_lengths(
    net: Program,
    lengths: Int[Tensor, " batch"],
    weights: Float[Tensor, " batch"],
    smoothing: float,
) -> None:
    """Set P(tau) to the counted shares of the lengths, in place; uniform without any count."""
    counts = torch.full((net.tau,), float(smoothing), dtype=torch.float64)
    counts.index_add_(0, lengths - 1, weights.double())
    with torch.no_grad():
        table = net.get_parameter("length")
        total = counts.sum()
        share = counts / total if total > 0 else torch.full_like(counts, 1 / len(counts))
        table.copy_(share.clamp(min=LEAST).log().to(table.dtype))
