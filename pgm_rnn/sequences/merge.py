"""Branches whose states coincide are one branch, with the sum of their weights."""

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor


def merged(
    state: Real[Tensor, "branches *state"], weight: Float[Tensor, " branches"]
) -> tuple[Real[Tensor, "distinct *state"], Float[Tensor, " distinct"]]:
    """The distinct states and the log of their summed weights."""
    distinct, where = torch.unique(state, dim=0, return_inverse=True)
    return distinct, summed(weight, where, len(distinct))


def summed(
    weight: Float[Tensor, " branches"], where: Int[Tensor, " branches"], groups: int
) -> Float[Tensor, " {groups}"]:
    """logsumexp of the weights of each group."""
    peak = weight.new_full((groups,), -torch.inf).scatter_reduce(0, where, weight, "amax")
    peak = peak.clamp(min=torch.finfo(weight.dtype).min)  # a group of weights 0
    return weight.new_zeros(groups).index_add(0, where, (weight - peak[where]).exp()).log() + peak
