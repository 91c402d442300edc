"""The log-probability of sequences under a figure's program."""

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from pgm_rnn.fitting import check
from pgm_rnn.sequences import Program, teacher_forced
from pgm_rnn.sequences.variable import length_scores


def log_prob(
    model: Program,
    y: Real[Tensor, "batch tau"],
    x: Real[Tensor, "batch ..."] | None = None,
    per_step: bool = False,
    *,
    lengths: Int[Tensor, " batch"] | None = None,
) -> Float[Tensor, "batch ..."]:
    """log P(y(1..tau) | x) in nats, [batch]; with `per_step` each step's part, [batch, tau].

        log P(y | x) = sum over t of log P(y(t) | y(1..t-1), x)         eq 10.31

    x's own term is left out: the program is a model of y given x. `y` is [batch, tau] and may be
    shorter than the program; `lengths` [batch] says how many steps of a padded row count, the
    others are 0. A program with a rule for the length scores y and where it ends, log P(y, tau):
    without `lengths` padding (-1 or NaN) says it, and `per_step` has one more column for the end.
    Differentiable in the parameters. Raises BadOption for a program that is not a
    figure's, DataError for what it cannot read.

    >>> import torch, pgm_rnn
    >>> f = pgm_rnn.figure("10.7", tau=2, k=2)
    >>> y = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> round(float(log_prob(f.model, y).exp().sum().detach()), 12)
    1.0
    """
    net = check.program(model)
    steps = scores(net, *check.data(net, y, x, lengths))
    return steps if per_step else steps.sum(-1)


def scores(
    net: Program,
    y: Real[Tensor, "batch tau"],
    x: Real[Tensor, "batch ..."] | None,
    lengths: Int[Tensor, " batch"] | None,
) -> Float[Tensor, "batch steps"]:
    """`log_prob` a step of data that was checked (and the end, in a last column)."""
    if net.length_rule is not None:
        assert lengths is not None
        parts, end = length_scores(net, y, lengths)
        return torch.cat([parts, end.unsqueeze(-1)], -1)
    parts = net.output.log_prob(teacher_forced(net, y, x), y)
    # not a product: where a step does not count its log-probability may be -inf
    return parts if lengths is None else torch.where(check.counted(y, lengths), parts, 0.0)
