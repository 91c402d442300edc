"""Fit a figure's program to a law whose sequences are listed with their probabilities."""

from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.fitting import fit, log_prob
from pgm_rnn.sequences import Program


def trained(
    name: str,
    y: Tensor,
    x: Tensor | None = None,
    p: Tensor | None = None,
    *,
    steps: int,
    seed: int,
    lr: float = 0.02,
    batch_size: int | None = None,
    frozen: tuple[str, ...] = (),
    **options: Any,
) -> Program:
    """The program of figure `name` after `steps` steps of Adam (a cosine to 0, norm 1).

    `y` [n, tau], `x` [n, tau, x] ([n, x] for fig 10.9), `p` how likely each row is. Parameters
    named in `frozen` are 0 and stay so: a part of the net that is cut out.
    """
    k = options.pop("k", int(y.max()) + 1)
    if x is not None:
        options["x_dim"] = x.shape[-1]
    net = figure(name, tau=y.shape[1], k=k, seed=seed, **options).model
    assert isinstance(net, Program)
    for letter in frozen:
        parameter = net.get_parameter(letter)
        torch.nn.init.zeros_(parameter)
        parameter.requires_grad_(False)
    fit(net, y, x, weights=p, steps=steps, lr=lr, batch_size=batch_size, seed=seed)
    return net


def expected_loss(net: Program, y: Tensor, x: Tensor | None, p: Tensor) -> float:
    """- sum of p log P(y | x) over all listed sequences, nats per sequence."""
    with torch.no_grad():
        return -(p * log_prob(net, y, x)).sum().item()
