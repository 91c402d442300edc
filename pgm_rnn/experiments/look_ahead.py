"""Fig 10.10 is not any law of y given x: it cannot look ahead."""

from typing import Any

import torch

from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.toys import ahead, listed
from pgm_rnn.experiments.training import expected_loss, trained


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Train figs 10.3 and 10.10 where y(t) tells x(t+1)."""
    tau = settings["tau"]
    law, (x, y), p = listed(ahead(tau, settings["noise"]), tau, "x", "y")
    every = [f"x_{t}" for t in range(1, tau + 1)]
    causal = full = 0.0
    for t in range(1, tau + 1):
        past = [f"y_{s}" for s in range(1, t)]
        causal += law.entropy(f"y_{t}", [*every[:t], *past])
        full += law.entropy(f"y_{t}", [*every, *past])
    if settings["mutate"]:  # the net is shown x(t+1) at step t
        x = torch.cat([x[:, 1:], x[:, :1]], 1)
    losses = {}
    for figure in ("10.3", "10.10"):
        tick(f"fig {figure}")
        net = trained(
            figure, y, x.unsqueeze(-1), p, steps=settings["steps"], seed=seed,
            hidden=settings["hidden"],
        )  # fmt: skip
        losses[figure] = expected_loss(net, y, x.unsqueeze(-1), p)
    near = settings["tolerance"]
    return Measured(
        (
            Row("10.3", causal, losses["10.3"], near),
            Row("10.10", causal, losses["10.10"], near),
            Row("feedback wins", 0.0, losses["10.3"] - losses["10.10"], near),
            Row("out of reach", causal - full, losses["10.10"] - full, near),
        )
    )


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Losses, and what stays out of reach."""
    return compared(record, ax)


EXPERIMENT = Experiment(
    name="look-ahead",
    claim="Where y(t) tells x(t+1), feedback wins nothing of what a net that looks ahead would: "
    "fig 10.10 is not an arbitrary law of y given x",
    about="fig 10.10",
    seconds=4,
    settings={"tau": 5, "noise": 0.1, "hidden": 16, "steps": 600, "tolerance": 0.01},
    small={"tau": 3, "hidden": 8, "steps": 200, "tolerance": 0.02},
    mutation="x is shifted by a step, so that the net looks ahead",
    theory_from="entropies of the data program, all sequences listed",
    measured_from="losses of the trained programs, exact over the same sequences",
    measure=measure,
    plot=plot,
)
