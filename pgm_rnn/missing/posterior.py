"""What every method answers for one sequence."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Real
from torch import Tensor

Draw = Callable[[int, torch.Generator], Tensor]  # how many -> that many fillings, [draws, gaps]


@dataclass(frozen=True)
class Posterior:
    """P(gaps | the rest) of one sequence."""

    marginals: Float[Tensor, "gaps values"]  # P of each symbol; if real mean, standard deviation
    log_evidence: Float[Tensor, ""]  # log P(the rest), nats; nan where the method gives none
    draw: Draw
    cell_steps: int
    joint: Float[Tensor, "*k"] | None = None  # [k, .., k] if small
    errors: Float[Tensor, "gaps values"] | None = None  # standard errors of the marginals
    evidence_error: float = 0.0  # standard error of log_evidence
    effective: float | None = None  # effective sample size of weighted particles


def repeated(x: Real[Tensor, "1 *context"] | None, n: int) -> Real[Tensor, "{n} *context"] | None:
    """The context of one sequence, for n branches."""
    return None if x is None else x.expand(n, *x.shape[1:])


def counted(
    symbols: Real[Tensor, "draws gaps"], weight: Float[Tensor, " draws"], k: int
) -> Float[Tensor, "gaps {k}"]:
    """The weighted shares of the symbols at each gap."""
    hot = torch.nn.functional.one_hot(symbols.long(), k).to(weight.dtype)
    return torch.einsum("n,ngk->gk", weight, hot)
