"""Three rules for when to stop, on a law of lengths that no constant chance fits."""

import math
from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.fitting import fit, log_prob
from pgm_rnn.sequences import Program, by_coin


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """KL of each fitted rule, over all sequences of all lengths; symbols are fair bits."""
    law = torch.tensor(settings["law"], dtype=torch.float64)
    longest = len(law)
    y = torch.tensor(
        [list(s) + [-1] * (longest - n) for n in range(1, longest + 1)
         for s in product((0, 1), repeat=n)]
    )  # fmt: skip
    n = (y >= 0).sum(-1)
    p = law[n - 1] * 0.5**n
    random = torch.Generator().manual_seed(seed)
    which = torch.multinomial(p, settings["steps"] * 512, replacement=True, generator=random)
    rows = [Row("best constant halt", constant_halt(law), _constant(law), 1e-6)]
    for rule in ("eos", "halt", "tau"):
        tick(rule)
        net = figure(rule, tau=longest, k=2, hidden=settings["hidden"], seed=seed).model
        assert isinstance(net, Program)
        if settings["mutate"]:
            torch.nn.init.zeros_(net.W)
            net.W.requires_grad_(False)
        fit(net, y[which], steps=settings["steps"], batch_size=512, lr=settings["lr"],
            seed=seed)  # fmt: skip
        with torch.no_grad():
            far = (p * (p.log() - log_prob(net, y))).sum().item()
        rows.append(Row(f"KL, {rule}", 0.0, far, settings["tolerance"], "at most"))
        if rule == "eos":
            rows.append(Row("end symbol as a coin", 0.0, _as_coin(net, y), 1e-12))
    return Measured(tuple(rows))


def constant_halt(law: Tensor) -> float:
    """KL from the law to the best geometric one, chance 1/mean: in closed form, nats."""
    mean = (law * torch.arange(1, len(law) + 1)).sum().item()
    h = 1 / mean
    entropy = -(law * law.log()).sum().item()
    return -(math.log(h) + (mean - 1) * math.log(1 - h)) - entropy


def _constant(law: Tensor) -> float:
    """The same by trying chances."""
    t = torch.arange(1, len(law) + 1)
    h = torch.linspace(0.001, 0.999, 99_801, dtype=torch.float64).unsqueeze(-1)
    log_p = h.log() + (t - 1) * (1 - h).log()
    return (law * (law.log() - log_p)).sum(-1).min().item()


def _as_coin(net: Program, y: Tensor) -> float:
    """Largest difference between an end symbol and the same hazards as a coin, nats."""
    with torch.no_grad():
        empty = log_prob(net, torch.full((1, net.tau), -1))
        far = by_coin(net, y) + torch.log1p(-empty.exp()) - log_prob(net, y)
    return far.abs().max().item()


def plot(record: dict[str, Any], ax: Any) -> Any:
    """KL of each rule."""
    return compared(record, ax)


EXPERIMENT = Experiment(
    name="lengths",
    claim="An end symbol, a coin whose chance the state sets, and the length drawn first all learn "
    "a law of lengths with two peaks; a constant chance cannot",
    about="section 10.2.3, the length of the sequence",
    seconds=15,
    settings={
        "law": [0.02, 0.02, 0.38, 0.02, 0.02, 0.02, 0.02, 0.46, 0.02, 0.02], "hidden": 16,
        "steps": 700, "lr": 0.05, "tolerance": 0.03,
    },
    small={"law": [0.05, 0.45, 0.05, 0.4, 0.05], "steps": 400, "tolerance": 0.06},
    mutation="h is reset at each step: W is 0, so that the state cannot count",
    theory_from="0 for the true law; 1/mean in closed form for a constant chance",
    measured_from="log P(y, tau) of the fitted programs, all sequences of all lengths listed",
    measure=measure,
    plot=plot,
)  # fmt: skip
