"""How many sequences a table needs, and how many a net."""

import math
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import series, spread, theory
from pgm_rnn.experiments.toys import listed, markov
from pgm_rnn.experiments.training import expected_loss, trained
from pgm_rnn.fitting import fit
from pgm_rnn.options import positive
from pgm_rnn.sequences import Program

SMOOTHING = 0.5


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Excess KL of a counted table, of an order-1 table and of a net, on an order-1 chain."""
    k, tau = settings["k"], settings["tau"]
    start = torch.Generator().manual_seed(0)  # one chain; the seed draws the data
    rows_of = torch.softmax(1.5 * torch.randn(k, k, generator=start).double(), -1)
    random = torch.Generator().manual_seed(seed)
    y, p, entropy = _chain(tau, rows_of)
    rows: list[Row] = []
    found: dict[str, list[float]] = {"table": [], "net": [], "order 1": [], "expected": []}
    for n in settings["N"]:
        tick(f"N = {n:,}")
        expected = expected_excess(y, p, k, n)
        repeats = positive("repeats", settings["repeats"], 2)
        smoothing = 10 * SMOOTHING if settings["mutate"] else SMOOTHING
        measured = []
        for _ in range(repeats):
            counts = _drawn(p, n, random)
            measured.append(_table(y, counts, p, k, smoothing, seed) - entropy)
        spread_of = torch.tensor(measured).std().item() / math.sqrt(repeats)
        mean = sum(measured) / repeats
        near = 5 * spread_of + 1e-4
        rows.append(Row(f"table, N {n:,}", expected, mean, near))
        net = trained("text", y, None, counts, steps=settings["steps"], seed=seed,
                      hidden=settings["hidden"], k=k)  # fmt: skip
        excess = expected_loss(net, y, None, p) - entropy
        if 100 <= n <= 10_000:  # with fewer, the net of so many steps has learned them by heart
            rows.append(Row(f"net, N {n:,}", mean, excess, 0.0, "at most"))
        found["table"].append(mean)
        found["net"].append(excess)
        found["order 1"].append(_order_one(y, counts, p, k) - entropy)
        found["expected"].append(expected)
    tick("(k^tau - 1) / 2N")
    mild = torch.softmax(0.5 * torch.randn(k, k, generator=start).double(), -1)
    n = settings["many"]
    for length in settings["lengths"]:
        y_mild, p_mild, _ = _chain(length, mild)
        ratio = expected_excess(y_mild, p_mild, k, n) / ((k**length - 1) / (2 * n))
        rows.append(Row(f"(k^tau - 1)/2N, tau {length}", 1.0, ratio, 0.02, unit="ratio, large N"))
    return Measured(tuple(rows), {"N": [float(n) for n in settings["N"]], **found})


def expected_excess(y: Tensor, p: Tensor, k: int, n: int) -> float:
    """E[KL] of a table counted from n sequences, exact: binomial sums, nats per sequence.

    Row (past) of step t counts n(past, s) ~ Bin(n, P(past, s)) and n(past) ~ Bin(n, P(past)):

        sum P(past) [ sum q log q - sum q E log(n(past, s) + 1/2) + E log(n(past) + k/2) ]
    """
    total, tau = 0.0, y.shape[1]
    for t in range(1, tau + 1):
        code = (y[:, :t].long() * k ** torch.arange(t - 1, -1, -1)).sum(-1)
        both = torch.zeros(k**t, dtype=p.dtype).index_add_(0, code, p).reshape(-1, k)
        past = both.sum(-1)
        q = both / past.unsqueeze(-1)
        logs = _expected_log(both.flatten(), n, SMOOTHING).reshape(-1, k)
        total += (both * q.log() - both * logs).sum().item()
        total += (past * _expected_log(past, n, k * SMOOTHING)).sum().item()
    return total


def _expected_log(p: Tensor, n: int, add: float) -> Tensor:
    """E log(B + add), B ~ Binomial(n, p), for each p; summed where the mass is."""
    distinct, where = torch.unique(torch.round(p, decimals=14), return_inverse=True)
    found = []
    for q in distinct.tolist():
        if q >= 1 - 1e-12:
            found.append(math.log(n + add))
            continue
        wide = 12 * math.sqrt(n * q * (1 - q)) + 30
        m = torch.arange(max(0, int(n * q - wide)), min(n, int(n * q + wide)) + 1).double()
        log_mass = (
            math.lgamma(n + 1) - torch.lgamma(m + 1) - torch.lgamma(n - m + 1)
            + m * math.log(q) + (n - m) * math.log1p(-q)
        )  # fmt: skip
        found.append((log_mass.exp() * (m + add).log()).sum().item())
    return torch.tensor(found, dtype=torch.float64)[where]


def _chain(tau: int, rows: Tensor) -> tuple[Tensor, Tensor, float]:
    law, (y,), p = listed(markov(tau, rows), tau, "y")
    return y.long(), p, law.entropy("y")


def _drawn(p: Tensor, n: int, random: torch.Generator) -> Tensor:
    """How often each sequence comes among n draws."""
    which = torch.multinomial(p, n, replacement=True, generator=random)
    return torch.bincount(which, minlength=len(p)).double()


def _table(y: Tensor, counts: Tensor, p: Tensor, k: int, smoothing: float, seed: int) -> float:
    net = figure("10.7", tau=y.shape[1], k=k, seed=seed).model
    assert isinstance(net, Program)
    fit(net, y, weights=counts, smoothing=smoothing)
    return expected_loss(net, y, None, p)


def _order_one(y: Tensor, counts: Tensor, p: Tensor, k: int) -> float:
    """Loss of counted P(y(1)) and one transition matrix for all t."""
    first = torch.full((k,), SMOOTHING, dtype=p.dtype).index_add_(0, y[:, 0], counts)
    pairs = torch.full((k, k), SMOOTHING, dtype=p.dtype)
    for t in range(1, y.shape[1]):
        pairs.index_put_((y[:, t - 1], y[:, t]), counts, accumulate=True)
    score = (first / first.sum()).log()[y[:, 0]]
    moves = (pairs / pairs.sum(-1, keepdim=True)).log()
    for t in range(1, y.shape[1]):
        score = score + moves[y[:, t - 1], y[:, t]]
    return -(p * score).sum().item()


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Excess nats against the number of sequences."""
    n = series(record, "N")[0]
    theory(ax, n, series(record, "expected")[0], "table, expected exactly", 0)
    for i, (name, label) in enumerate(
        (("table", "table (fig 10.7)"), ("net", "recurrent net"), ("order 1", "order-1 table"))
    ):
        spread(ax, n, series(record, name), label, i)
    ax.set(xscale="log", yscale="log", xlabel="training sequences N",
           ylabel="excess, nats per sequence")  # fmt: skip
    ax.legend()
    return ax


EXPERIMENT = Experiment(
    name="sample-efficiency",
    claim="A table over k^tau sequences learns each entry alone, about (k^tau - 1)/2N nats too "
    "much; a net with shared parameters needs far fewer sequences",
    about="figs 10.7 and 10.8, eq 10.31",
    seconds=12,
    settings={
        "k": 3, "tau": 6, "hidden": 8, "steps": 300, "repeats": 10,
        "N": [30, 100, 300, 1000, 10_000, 100_000], "lengths": [3, 4, 5, 6], "many": 20_000,
    },
    small={"tau": 4, "N": [100, 1000], "lengths": [3, 4], "steps": 150},
    mutation="the table is smoothed by 5 in place of 1/2",
    theory_from="binomial sums over the listed sequences; (k^tau - 1)/2N",
    measured_from="tables counted and nets trained on drawn sequences, their exact excess",
    measure=measure,
    plot=plot,
)  # fmt: skip
