"""A fixed vector as context: each way in carries what it tells."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.training import trained
from pgm_rnn.fitting import log_prob
from pgm_rnn.sequences import Program

PERIOD = 4
HIGH, LOW = 0.9, 0.1


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Train fig 10.9 with each entry of x, a pattern of period 4; excess over the true law."""
    tau, near = settings["tau"], settings["tolerance"]
    random = torch.Generator().manual_seed(seed)
    chance = torch.full((PERIOD, PERIOD), LOW) + (HIGH - LOW) * torch.eye(
        PERIOD
    )  # [pattern, phase]
    chance = chance.double().repeat(1, -(-tau // PERIOD))[:, :tau]
    x, y = _drawn(chance, settings["sequences"], random)
    x_new, y_new = _drawn(chance, settings["held_out"], random)
    truth = torch.where(y_new == 1, chance[x_new], 1 - chance[x_new]).log().sum(-1)
    hot = torch.eye(PERIOD, dtype=torch.float64)
    rows = []
    for entry in ("input", "initial", "both"):
        tick(f"x as {entry}")
        frozen = ("R",) if settings["mutate"] else ()
        net = trained(
            "10.9", y, hot[x], steps=settings["steps"], seed=seed, hidden=settings["hidden"], k=2,
            entry=entry, batch_size=settings["batch"], frozen=frozen,
        )  # fmt: skip
        # As an input, x enters h(1) and later ones: fig 10.9's y(1) does not know it.
        least = first_step() if entry == "input" else 0.0
        rows.append(Row(f"excess, x as {entry}", least, _excess(net, y_new, hot[x_new], truth),
                        near))  # fmt: skip
    tick("without x")
    net = trained("10.8", y, steps=settings["steps"], seed=seed, hidden=settings["hidden"], k=2,
                  batch_size=settings["batch"])  # fmt: skip
    rows.append(Row("excess without x", information(tau), _excess(net, y_new, None, truth),
                    2 * near, "at least"))  # fmt: skip
    rows.append(Row("x R as a bias", 0.0, _as_bias(seed), 1e-12, unit="nats per sequence"))
    return Measured(tuple(rows))


def first_step() -> float:
    """I(X; Y_1) in nats: what fig 10.9 loses where x enters h(1) first."""
    q = torch.tensor([HIGH, LOW, LOW, LOW, (HIGH + 3 * LOW) / PERIOD], dtype=torch.float64)
    entropy = -(q * q.log() + (1 - q) * (1 - q).log())
    return (entropy[-1] - entropy[:-1].mean()).item()


def information(tau: int) -> float:
    """I(X; Y) in nats: Y matters only through how often each phase was 1."""
    sizes = [len(range(phase, tau, PERIOD)) for phase in range(PERIOD)]
    chance = torch.full((PERIOD, PERIOD), LOW) + (HIGH - LOW) * torch.eye(PERIOD)
    total = 0.0
    for ones in product(*[range(n + 1) for n in sizes]):
        given = torch.ones(PERIOD, dtype=torch.float64)
        for phase, (n, m) in enumerate(zip(sizes, ones, strict=True)):
            q = chance[:, phase].double()
            choose = torch.lgamma(torch.tensor([n + 1.0, m + 1.0, n - m + 1.0]).double())
            given = given * (choose[0] - choose[1] - choose[2]).exp() * q**m * (1 - q) ** (n - m)
        mean = given.mean()
        total += (given / PERIOD * (given / mean).log()).sum().item()
    return total


def _drawn(chance: Tensor, n: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    x = torch.randint(PERIOD, (n,), generator=random)
    return x, torch.bernoulli(chance[x], generator=random).long()


def _excess(net: Program, y: Tensor, x: Tensor | None, truth: Tensor) -> float:
    """Mean of log P_true - log P_net over sequences that were not trained on."""
    with torch.no_grad():
        return (truth - log_prob(net, y, x)).mean().item()


def _as_bias(seed: int) -> float:
    """Largest difference between fig 10.9 given x and fig 10.8 with b + x R in place of b."""
    with_x = figure("10.9", tau=6, k=3, seed=seed).model
    without = figure("10.8", tau=6, k=3, seed=seed).model
    assert isinstance(with_x, Program)
    assert isinstance(without, Program)
    random = torch.Generator().manual_seed(seed)
    y = torch.randint(3, (20, 6), generator=random)
    x = torch.randn(1, 2, generator=random, dtype=torch.float64)
    kept = {name: value for name, value in with_x.state_dict().items() if name != "R"}
    without.load_state_dict({**kept, "b": with_x.b + (x @ with_x.R)[0]})
    with torch.no_grad():
        far = log_prob(with_x, y, x.expand(20, -1)) - log_prob(without, y)
    return far.abs().max().item()


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Excess of each way in."""
    names = [r["quantity"] for r in record["rows"] if r["quantity"].startswith("excess")]
    return compared(record, ax, names)


EXPERIMENT = Experiment(
    name="context",
    claim="x as the first state, or as that and an input at each step, carries all that a pattern "
    "tells; as an input alone all but I(X; Y_1), since y(1) comes before it; without x at least "
    "I(X; Y) nats are lost",
    about="fig 10.9",
    seconds=15,
    settings={
        "tau": 24, "hidden": 8, "steps": 1200, "sequences": 20_000, "held_out": 20_000,
        "batch": 256, "tolerance": 0.02,
    },
    small={"tau": 8, "steps": 500, "sequences": 8_000, "tolerance": 0.08},
    mutation="x is dropped: R is 0",
    theory_from="0 for the true law; I(X; Y_1); I(X; Y) by counts of ones a phase",
    measured_from="log P_true - log P_net on sequences held out",
    measure=measure,
    plot=plot,
)  # fmt: skip
