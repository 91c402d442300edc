"""Shared parameters assume that the same law holds at every t; telling t lifts that."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.training import expected_loss, trained
from pgm_rnn.fitting import log_prob
from pgm_rnn.sequences import Program, clock

# All pairs (y(t-1), y(t)) at every t occur in these four rows, so weights on their steps make an
# exact expectation for a net without memory.
PAIRS = ((0, 0), (1, 1), (0, 1), (1, 0))


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Nets told t in different ways, on independent y(t) whose chance changes with t."""
    p = _chances(settings["tenths"])
    tau = len(p)
    entropy = _entropy(p).sum().item()
    rows, beyond = [], {}
    y, weights = _pairs(p)
    for name, x in (
        ("no t", torch.zeros(1, tau, 1, dtype=torch.float64)),
        ("scalar t", clock(tau)),
        ("one-hot t", clock(tau, "onehot")),
    ):
        tick(f"memoryless, {name}")
        shown = torch.zeros_like(x) if settings["mutate"] else x
        net = trained("10.10", y, shown.expand(4, -1, -1), weights, steps=settings["steps"],
                      seed=seed, hidden=settings["hidden"], k=2, frozen=("W",))  # fmt: skip
        with torch.no_grad():
            scores = log_prob(net, y, shown.expand(4, -1, -1), per_step=True)
        loss = -(weights * scores).sum().item()
        if name == "no t":
            rows.append(Row("memoryless, no t", _pooled(p), loss, settings["tolerance"]))
        if name == "one-hot t":
            rows.append(Row("memoryless, one-hot t", entropy, loss, settings["tolerance"]))
        beyond[name] = _beyond(net, p, x, name, settings["mutate"])
    tick("weights untied at each step")
    rows.append(Row("untied weights", entropy, _untied(y, weights), 1e-9))
    tick("a recurrent net without t")
    random = torch.Generator().manual_seed(seed)
    drawn = torch.bernoulli(p.expand(settings["sequences"], -1), generator=random).long()
    frozen = ("W",) if settings["mutate"] else ()
    net = trained("text", drawn, None, None, steps=settings["steps_net"], seed=seed, k=2,
                  hidden=settings["hidden"], batch_size=256, frozen=frozen)  # fmt: skip
    fresh = torch.bernoulli(p.expand(settings["sequences"], -1), generator=random).long()
    with torch.no_grad():
        truth = torch.where(fresh == 1, p, 1 - p).log().sum(-1)
        excess = (truth - log_prob(net, fresh)).mean().item()
    rows.append(
        Row("a net that counts, no t", entropy, entropy + excess, settings["net_tolerance"])
    )
    tick("random crops")
    rows.append(_crops(settings, seed))
    return Measured(tuple(rows), {"beyond: " + name: [loss] for name, loss in beyond.items()})


def _chances(tenths: str) -> Tensor:
    return torch.tensor([int(c) / 10 for c in tenths], dtype=torch.float64)


def _entropy(p: Tensor) -> Tensor:
    return -(p * p.log() + (1 - p) * (1 - p).log())


def _pairs(p: Tensor) -> tuple[Tensor, Tensor]:
    """Four sequences and a weight for each of their steps: P(y(t-1)) P(y(t)), [4, tau]."""
    tau = len(p)
    y = torch.tensor([[pair[t % 2] for t in range(tau)] for pair in PAIRS])
    here = torch.where(y == 1, p, 1 - p)
    before = torch.cat([torch.full((4, 1), 0.5, dtype=p.dtype), here[:, :-1]], 1)
    return y, here * before


def _pooled(p: Tensor) -> float:
    """The best that a net can do which sees y(t-1) and no t: one table for t > 1 (and y(1))."""
    first, later = _entropy(p[:1]).sum(), torch.zeros((), dtype=p.dtype)
    for bit in (p[:-1], 1 - p[:-1]):
        share = (bit * p[1:]).sum() / bit.sum()
        later = later + bit.sum() * _entropy(share)
    return (first + later).item()


def _untied(y: Tensor, weights: Tensor) -> float:
    """Loss of a table a step, P(y(t) | y(t-1)), counted from the same weights."""
    loss = 0.0
    for t in range(y.shape[1]):
        code = y[:, t] + (2 * y[:, t - 1] if t else 0)
        w = weights[:, t]
        both = torch.zeros(4, dtype=w.dtype).index_add_(0, code, w)
        past = both.reshape(2, 2).sum(-1).repeat_interleave(2)
        loss -= (w * (both / past)[code].log()).sum().item()
    return loss


def _beyond(net: Program, p: Tensor, x: Tensor, name: str, blind: bool) -> float:
    """Excess nats on tau + 1 .. 2 tau, where the same chances come again."""
    tau = len(p)
    kind = {"scalar t": "scalar", "one-hot t": "onehot"}.get(name)
    longer = torch.zeros(1, 2 * tau, 1, dtype=p.dtype) if kind is None or blind else clock(
        2 * tau, kind, trained=tau
    )  # fmt: skip
    if longer.shape[-1] != x.shape[-1]:
        longer = longer.expand(-1, -1, x.shape[-1])
    options: dict[str, Any] = {**net.options, "tau": 2 * tau}
    wide = figure("10.10", **options).model
    assert isinstance(wide, Program)
    wide.load_state_dict(net.state_dict())
    y, weights = _pairs(p.repeat(2))
    with torch.no_grad():
        scores = log_prob(wide, y, longer.expand(4, -1, -1), per_step=True)
    loss = -(weights * scores)[:, tau:].sum().item()
    return loss - _entropy(p).sum().item()


def _crops(settings: Settings, seed: int) -> Row:
    """Windows at a random offset t0: what telling the absolute t wins is I(Y; t0)."""
    p, window = _chances(settings["crop_tenths"]), settings["window"]
    offsets = len(p) - window + 1
    y = torch.tensor(list(product((0, 1), repeat=window)))
    given = torch.stack(
        [
            torch.where(y == 1, p[o : o + window], 1 - p[o : o + window]).prod(-1)
            for o in range(offsets)
        ]
    )  # fmt: skip  [offsets, sequences]
    mean = given.mean(0)
    theory = (given / offsets * (given / mean).log()).sum().item()
    hot = torch.eye(len(p), dtype=torch.float64)
    x = torch.cat([hot[o : o + window].expand(len(y), -1, -1) for o in range(offsets)])
    weights = (given / offsets).flatten()
    told = trained("10.3", y.repeat(offsets, 1), torch.zeros_like(x) if settings["mutate"] else x,
                   weights, steps=settings["steps"], seed=seed, hidden=settings["hidden"],
                   k=2)  # fmt: skip
    shown = torch.zeros_like(x) if settings["mutate"] else x
    with_t = expected_loss(told, y.repeat(offsets, 1), shown, weights)
    blind = trained("text", y, None, mean, steps=settings["steps"], seed=seed,
                    hidden=settings["hidden"], k=2)  # fmt: skip
    gap = expected_loss(blind, y, None, mean) - with_t
    return Row("random crops: gap", theory, gap, settings["crop_tolerance"])


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Loss of each arm; the legend names the excess beyond the trained t."""
    compared(record, ax)
    beyond = []
    for name, values in record["series"][0].items():
        beyond.append(f"{name.removeprefix('beyond: ')} {values[0]:.1f}")
    title = "excess nats on tau+1..2tau: " + ", ".join(beyond)
    ax.set_title(title, fontsize=9.5)
    return ax


EXPERIMENT = Experiment(
    name="stationarity",
    claim="Shared weights assume the same law at every t: a net without memory must be told t, a "
    "recurrent one can count; on random crops t is worth I(Y; t0)",
    about="parameter sharing in section 10.2.3",
    seconds=18,
    settings={
        "tenths": "11111199991911111999", "hidden": 16, "steps": 600, "steps_net": 1500,
        "sequences": 20_000, "tolerance": 0.02, "net_tolerance": 0.15, "crop_tolerance": 0.03,
        "crop_tenths": "111111999919111119999191", "window": 6,
    },
    small={
        "tenths": "119919", "steps": 400, "steps_net": 300, "sequences": 3000,
        "crop_tenths": "11199919", "window": 4, "crop_tolerance": 0.06, "tolerance": 0.03,
    },
    mutation="t is not told, and h is reset at each step",
    theory_from="entropies of the chances; the best table that is pooled over t; I(Y; t0) listed",
    measured_from="losses of trained programs, exact (the counting net's on fresh sequences)",
    measure=measure,
    plot=plot,
)  # fmt: skip
