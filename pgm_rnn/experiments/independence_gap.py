"""What eq 10.35 costs: the nats that y -> h feedback wins."""

from typing import Any

from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.toys import chain, coin, listed, parity
from pgm_rnn.experiments.training import expected_loss, trained

PROCESSES = {"coin": coin, "chain": chain, "parity": parity}


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Train figs 10.3 and 10.10 on three processes; gap = difference of their exact losses."""
    tau, rows = settings["tau"], []
    for name, process in PROCESSES.items():
        law, (x, y), p = listed(process(tau, settings["noise"]), tau, "x", "y")
        gap = causal = 0.0
        for t in range(1, tau + 1):
            x_now = [f"x_{s}" for s in range(1, t + 1)]
            past = [f"y_{s}" for s in range(1, t)]
            causal += law.entropy(f"y_{t}", x_now)
            gap += law.mutual_information(f"y_{t}", past, x_now) if past else 0.0
        losses = {}
        for figure in ("10.3", "10.10"):
            tick(f"{name}, fig {figure}")
            shown = "10.3" if settings["mutate"] else figure
            net = trained(
                shown, y, x.unsqueeze(-1), p, steps=settings["steps"], seed=seed,
                hidden=settings["hidden"],
            )  # fmt: skip
            losses[figure] = expected_loss(net, y, x.unsqueeze(-1), p)
        near = settings["tolerance"]
        rows += [
            Row(f"{name}: 10.3", causal, losses["10.3"], near),
            Row(f"{name}: 10.10", causal - gap, losses["10.10"], near),
            Row(f"{name}: gap", gap, losses["10.3"] - losses["10.10"], near),
        ]
    return Measured(tuple(rows))


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Losses and gap of each process."""
    return compared(record, ax)


EXPERIMENT = Experiment(
    name="independence-gap",
    claim="Without feedback the best loss is sum H(Y_t | X_1..t); feedback wins exactly "
    "sum I(Y_t; Y_<t | X_1..t)",
    about="figs 10.3 and 10.10, eq 10.35",
    seconds=12,
    settings={"tau": 5, "noise": 0.1, "hidden": 16, "steps": 900, "tolerance": 0.02},
    small={"tau": 3, "steps": 400, "tolerance": 0.02},
    mutation="feedback is removed: fig 10.3 stands in for fig 10.10",
    theory_from="entropies of the data program, all sequences listed",
    measured_from="losses of the trained programs, exact over the same sequences",
    measure=measure,
    plot=plot,
)
