"""A net that represents a law need not be found by gradient steps."""

import math
from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import series, spread, theory
from pgm_rnn.fitting import fit, log_prob
from pgm_rnn.sequences import Program

GAIN, SURE = 30.0, 40.0


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Parity of all bits, asked at the end only: by hand, and by Adam from a random start."""
    rows, reached = [], []
    lengths = list(range(settings["shortest"], settings["longest"] + 1))
    for length in lengths:
        x = torch.tensor(list(product((0, 1), repeat=length)))
        y = x.cumsum(1) % 2
        exact = hand_set(length, settings["mutate"])
        loss = -log_prob(exact, y, x.unsqueeze(-1), per_step=True)[:, -1].mean().item()
        rows.append(Row(f"set by hand, length {length}", 0.0, loss, 1e-6, unit="nats at the end"))
        tick(f"Adam, length {length}")
        reached.append(_searched(x, y, length, settings, seed))
    return Measured(tuple(rows), {"length": [float(n) for n in lengths], "trained": reached})


def hand_set(length: int, damaged: bool = False) -> Program:
    """Two tanh units that keep the parity s exactly, for fig 10.3.

    a = tanh(G (s + u - 1.5)),   o = tanh(G (s + u - .5)),   s = (o - a)/2
    """
    net = figure("10.3", tau=length, k=2, hidden=2, x_dim=1).model
    assert isinstance(net, Program)
    with torch.no_grad():
        net.U.copy_(torch.full((1, 2), GAIN))
        net.W.copy_(torch.tensor([[-GAIN / 2, -GAIN / 2], [GAIN / 2, GAIN / 2]]))
        net.b.copy_(torch.tensor([-1.5 * GAIN, -0.5 * GAIN]))
        net.V.copy_(torch.tensor([[SURE / 2, -SURE / 2], [-SURE / 2, SURE / 2]]))
        net.c.copy_(torch.tensor([SURE / 2, -SURE / 2]))
        if damaged:
            net.W.zero_()
    return net


def _searched(x: Tensor, y: Tensor, length: int, settings: Settings, seed: int) -> float:
    """Nats at the end after Adam from a random start."""
    net = figure("10.3", tau=length, k=2, hidden=settings["hidden"], x_dim=1, seed=seed).model
    assert isinstance(net, Program)
    weights = torch.zeros(y.shape, dtype=torch.float64)
    weights[:, -1] = 1.0
    found = fit(net, y, x.unsqueeze(-1), weights=weights, steps=settings["steps"], seed=seed)
    return found.loss


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Nats at the end against the length."""
    lengths = series(record, "length")[0]
    theory(ax, lengths, [0.0] * len(lengths), "set by hand: exact", 2)
    theory(ax, lengths, [math.log(2)] * len(lengths), "chance, log 2", 1)
    spread(ax, lengths, series(record, "trained"), "Adam from a random start", 0)
    ax.set(xlabel="length of the sequence", ylabel="nats at the end")
    ax.legend()
    return ax


EXPERIMENT = Experiment(
    name="optimisation-price",
    claim="Two tanh units, set by hand, keep the parity of any sequence; gradient steps from a "
    "random start stay at chance once it is long",
    about="fig 10.3; the price of optimisation in section 10.2.3",
    seconds=10,
    settings={"shortest": 3, "longest": 8, "hidden": 2, "steps": 600},
    small={"longest": 4, "steps": 20},
    mutation="h is reset at each step: W is 0",
    theory_from="0 nats: parity is a function of the bits",
    measured_from="loss at the last step over all bit sequences (Adam's are shown, not asserted)",
    measure=measure,
    plot=plot,
)
