"""What a table and a recurrent net cost in parameters."""

from typing import Any

from pgm_rnn.catalog import program
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import COLOURS, DASHES, MARKERS, series
from pgm_rnn.sequences import Size


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Count the parameters that the programs of figs 10.7 and 10.8 declare."""
    taus, ks, H = range(1, settings["longest"] + 1), settings["k"], settings["hidden"]
    rows: list[Row] = []
    found: dict[str, list[float]] = {}
    for k in ks:
        tables = [_count("fig_10_7", tau, k, H) for tau in taus]
        nets = [_net(tau, k, H, settings["mutate"]) for tau in taus]
        last = taus[-1]
        rows += [
            Row(f"free entries, k {k}", k**last - 1, tables[-1], 0, unit="parameters"),
            Row(f"net, k {k}", H * H + 2 * k * H + H + k, nets[-1], 0, unit="parameters"),
            Row(f"net, k {k}: growth in tau", 0, nets[-1] - nets[0], 0, unit="parameters"),
        ]
        found |= {f"table {k}": [float(n) for n in tables], f"net {k}": [float(n) for n in nets]}
    return Measured(tuple(rows), {"tau": [float(t) for t in taus], **found})


def _count(stem: str, tau: int, k: int, hidden: int) -> int:
    """Numbers in the shapes that a program declares (a table need not fit in memory for that)."""
    total = 0
    for shape in program(stem).parameters(Size(tau, k, hidden, k, k, 1)).values():
        entries = 1
        for n in shape:
            entries *= n
        total += entries
    return total


def _net(tau: int, k: int, hidden: int, untied: bool) -> int:
    one = _count("fig_10_8", tau, k, hidden)
    return tau * one if untied else one


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Parameters against tau."""
    taus = series(record, "tau")[0]
    for i, k in enumerate(record["settings"]["k"]):
        colour, dash = COLOURS[i % 6], DASHES[i % 6]
        ax.plot(taus, [k**t - 1 for t in taus], color=colour, ls=dash, lw=1.2)
        ax.plot(taus, series(record, f"table {k}")[0], MARKERS[i % 6], color=colour, ms=5,
                label=f"table, k = {k}")  # fmt: skip
        ax.plot(taus, series(record, f"net {k}")[0], color=colour, ls=dash, lw=2.4, alpha=0.5,
                label=f"net, k = {k}")  # fmt: skip
    ax.set(yscale="log", xlabel="length tau", ylabel="free parameters")
    ax.legend(ncols=2)
    return ax


EXPERIMENT = Experiment(
    name="cost",
    claim="A table over y(1..tau) has k^tau - 1 free entries, as many as the joint; the net's "
    "count does not grow with tau",
    about="figs 10.7 and 10.8",
    seconds=1,
    settings={"longest": 12, "k": [2, 4, 8], "hidden": 16},
    small={"longest": 6, "k": [2, 3]},
    mutation="every step gets weights of its own",
    theory_from="k^tau - 1, and H^2 + 2kH + H + k",
    measured_from="the shapes that the programs declare",
    measure=measure,
    plot=plot,
)
