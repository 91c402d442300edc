"""Missing values: what exact answers cost, and how approximations fail."""

import math
from typing import Any

import torch

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import COLOURS, MARKERS
from pgm_rnn.missing import Infilled
from pgm_rnn.missing import infill as fill
from pgm_rnn.sequences import Program

LATE = (3, 4, 5, 6, 7, 8)  # gaps that later steps tell
TWINS = (3, 6, 13, 16)  # gaps of which two and two copy each other


def copying(k: int, lag: int, tau: int, error: float) -> Program:
    """Fig 10.8 as a shift register: y(t) = y(t - lag) but for errors."""
    net = figure("10.8", tau=tau, k=k, hidden=k * lag, cell="relu").model
    assert isinstance(net, Program)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
        net.U[:, :k] = torch.eye(k)
        net.W[: k * (lag - 1), k:] = torch.eye(k * (lag - 1))
        net.V[-k:] = torch.eye(k) * math.log((1 - error) / error * (k - 1))
    return net


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Exact against SMC, likelihood weighting and Gibbs, by total variation and log-evidence."""
    k, lag = settings["k"], settings["lag"]
    net = copying(k, lag, 2 * lag, settings["error"])
    random = torch.Generator().manual_seed(seed)
    base = torch.randint(k, (1, lag), generator=random).repeat(1, 2)
    rows: list[Row] = []
    found: dict[str, list[float]] = {}
    gaps = {"late": [t for t in LATE if t <= lag], "twins": [t for t in TWINS if t <= 2 * lag]}
    for name, steps in gaps.items():
        y = base.clone()
        y[:, [t - 1 for t in steps]] = -1
        tick(f"{name}: exact")
        true = fill(net, y)
        ways: dict[str, dict[str, Any]] = {
            "smc": {"particles": settings["particles"]},
            "importance": {"particles": settings["particles"]},
            "gibbs": {"sweeps": settings["sweeps"]},
        }
        if name == "twins":
            pairs = [(t, t + lag) for t in steps if t + lag in steps]
            ways["gibbs, blocks"] = {"sweeps": settings["sweeps"], "blocks": pairs}
            ways["gibbs, longer"] = {"sweeps": 4 * settings["sweeps"]}
        for way, options in ways.items():
            tick(f"{name}: {way}")
            seen = y.clone()
            if settings["mutate"]:  # what comes after the first gap is not looked at
                seen = y[:, : steps[-1]] if name == "late" else y[:, :lag]
            if settings["mutate"] and name == "twins":
                options = {**options, "blocks": ()}
            got = fill(net, seen, method=way.split(",")[0], seed=seed, **options)
            found[f"{name}: {way}"] = [
                _tv(got, true), (got.log_evidence - true.log_evidence).item(),
                float(got.cell_steps), float(true.cell_steps),
                0.0 if got.effective is None else got.effective[0] / settings["particles"],
            ]  # fmt: skip
    smc, alone = found["late: smc"], found["twins: gibbs"]
    rows = [
        Row("late: SMC's log-evidence is off by", settings["off"], abs(smc[1]), 0, "at least",
            unit="nats"),
        Row("late: SMC's effective size", 0.09, smc[4], 0, "at least", unit="share"),
        Row("twins: Gibbs is off by", 0.1, alone[0], 0, "at least", unit="total variation"),
        Row("twins: four times the sweeps", alone[0] / 2, found["twins: gibbs, longer"][0], 0,
            "at least", unit="total variation"),
        Row("twins: Gibbs in blocks is off by", 0.0, found["twins: gibbs, blocks"][0], 0.08,
            "at most", unit="total variation"),
    ]  # fmt: skip
    return Measured(tuple(rows), found)


def _tv(a: Infilled, b: Infilled) -> float:
    """Largest total variation between two answers at any gap."""
    n = min(len(a.marginals[0]), len(b.marginals[0]))
    return ((a.marginals[0][:n] - b.marginals[0][:n]).abs().sum(-1) / 2).max().item()


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Total variation to the exact answer against the work."""
    names = list(record["series"][0])
    for i, name in enumerate(names):
        points = [seed[name] for seed in record["series"]]
        ax.plot([p[2] for p in points], [max(p[0], 1e-3) for p in points], MARKERS[i % 6],
                color=COLOURS[i % 6], ms=6, mfc="none" if name.startswith("late") else None,
                label=name)  # fmt: skip
    for name, dash in (("late", "--"), ("twins", ":")):
        exact = next(v for n, v in record["series"][0].items() if n.startswith(name))[3]
        ax.axvline(exact, color="black", lw=1.0, ls=dash, label=f"{name}: exact")
    ax.set(xscale="log", yscale="log", xlabel="work, cell steps",
           ylabel="total variation to exact")  # fmt: skip
    ax.legend(ncols=2, fontsize=8.5)
    return ax


EXPERIMENT = Experiment(
    name="infill",
    claim="Where the evidence comes after the gap SMC is sure and wrong; where two gaps copy each "
    "other Gibbs never moves, unless both are redrawn together",
    about="fig 10.8 with missing values",
    seconds=6,
    settings={
        "k": 5, "lag": 10, "error": 1e-3, "particles": 1000, "sweeps": 20, "off": 5.0,
    },
    small={"sweeps": 10},
    mutation="the evidence after the gaps is ignored",
    theory_from="the exact posterior, all fillings followed",
    measured_from="SMC, likelihood weighting and Gibbs",
    measure=measure,
    plot=plot,
)  # fmt: skip
