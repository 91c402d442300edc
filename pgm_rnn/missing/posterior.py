"""What every method answers for one sequence."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Draw = Callable[[int, torch.Generator], Tensor]  # how many -> that many fillings, [draws, gaps]


@dataclass(frozen=True)
class Posterior:
    """P(gaps | the rest) of one sequence."""

    marginals: Tensor  # [gaps, k]; of a real-valued y [gaps, 2], mean and standard deviation
    log_evidence: Tensor  # log P(the rest), nats; nan where the method gives none
    draw: Draw
    cell_steps: int
    joint: Tensor | None = None  # [k, .., k] if small
    errors: Tensor | None = None  # standard errors of the marginals
    evidence_error: float = 0.0  # standard error of log_evidence
    effective: float | None = None  # effective sample size of weighted particles


def repeated(x: Tensor | None, n: int) -> Tensor | None:
    """The context of one sequence, for n branches."""
    return None if x is None else x.expand(n, *x.shape[1:])


def counted(symbols: Tensor, weight: Tensor, k: int) -> Tensor:
    """The weighted shares of the symbols in [draws, gaps], [gaps, k]."""
    hot = torch.nn.functional.one_hot(symbols.long(), k).to(weight.dtype)
    return torch.einsum("n,ngk->gk", weight, hot)
