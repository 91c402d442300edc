"""Squared error is a cross-entropy: of a Gaussian with unit variance."""

import math
from typing import Any

import torch

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.fitting import log_prob
from pgm_rnn.sequences import Program, teacher_forced


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Losses and gradients by plain PyTorch beside the programs' log-densities."""
    tau, n = settings["tau"], settings["sequences"]
    random = torch.Generator().manual_seed(seed)
    y = torch.randn(n, tau, generator=random, dtype=torch.float64)
    rows = []
    for output, name, constant in (
        ("normal", "squared error", tau / 2 * math.log(2 * math.pi)),
        ("laplace", "absolute error", tau * math.log(2)),
    ):
        tick(name)
        net = figure("10.8", tau=tau, output=output, seed=seed).model
        assert isinstance(net, Program)
        far = y - teacher_forced(net, y)[..., 0]
        half = 1.0 if settings["mutate"] else 0.5
        plain = half * (far**2).sum() if output == "normal" else far.abs().sum()
        density = -log_prob(net, y).sum()
        ours, theirs = (
            torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(net.parameters()))])
            for loss in (density, plain)
        )
        rows += [
            Row(f"{name}: constant", constant, (density - plain).item() / n, 1e-9),
            Row(f"{name}: largest difference of a gradient", 0.0,
                ((ours - theirs).abs().max() / theirs.abs().max()).item(), 1e-12, unit="relative"),
        ]  # fmt: skip
    return Measured(tuple(rows))


def plot(record: dict[str, Any], ax: Any) -> Any:
    """The constants between loss and cross-entropy."""
    names = [r["quantity"] for r in record["rows"] if r["quantity"].endswith("constant")]
    return compared(record, ax, names)


EXPERIMENT = Experiment(
    name="gaussian-loss",
    claim="Half the squared error is the cross-entropy of a unit Gaussian up to tau/2 log 2 pi, "
    "the absolute error that of a Laplace up to tau log 2: the gradients are the same",
    about="section 10.2.3, losses as log-likelihoods",
    seconds=1,
    settings={"tau": 8, "sequences": 200},
    small={"sequences": 50},
    mutation="the squared error is not halved",
    theory_from="the densities' constants",
    measured_from="log_prob of fig 10.8's program, and plain PyTorch on its outputs",
    measure=measure,
    plot=plot,
)
