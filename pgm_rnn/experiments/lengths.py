"""Three rules for when to stop, on a law of lengths that no constant chance fits."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.errors import BadOption
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
    _check(law)
    tick("a constant chance")
    rows = [Row("best constant chance", constant_halt(law), _constant(y, n, p, settings, seed),
                settings["tolerance"])]  # fmt: skip
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


def constant_halt(law: Tensor, forced: bool = True) -> float:
    """Least KL of a coin with one chance h, nats; `forced`: the largest length ends in any case.

    P(t) = h (1 - h)^(t-1), and (1 - h)^(L-1) at the largest length L. Without an end that is forced
    the best h is 1/mean.
    """
    t = torch.arange(1, len(law) + 1)
    h = torch.linspace(0.0005, 0.9995, 100_000, dtype=torch.float64).unsqueeze(-1)
    log_p = h.log() + (t - 1) * (1 - h).log()
    if forced:
        log_p[:, -1] = ((len(law) - 1) * (1 - h).log())[:, 0]
    return (law * (law.log() - log_p)).sum(-1).min().item()


def _constant(y: Tensor, n: Tensor, p: Tensor, settings: Settings, seed: int) -> float:
    """KL of the halting program, fitted with a coin that sees no state: v is 0."""
    net = figure("halt", tau=y.shape[1], k=2, hidden=2, seed=seed).model
    assert isinstance(net, Program)
    torch.nn.init.zeros_(net.get_parameter("v"))
    net.get_parameter("v").requires_grad_(False)
    fit(net, y, weights=p, steps=settings["steps"], lr=settings["lr"], seed=seed)
    with torch.no_grad():
        return (p * (p.log() - log_prob(net, y))).sum().item()


def _check(law: Tensor) -> None:
    if (law <= 0).any() or abs(law.sum().item() - 1) > 1e-9:
        raise BadOption(f"law = {law.tolist()} should be positive and sum to 1")


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
    theory_from="0 for the true law; for a constant chance the best of 100,000",
    measured_from="log P(y, tau) of the fitted programs, all sequences of all lengths listed",
    measure=measure,
    plot=plot,
)  # fmt: skip
