"""A dependence that no short window sees, and a state carries."""

import math
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.toys import copied, listed
from pgm_rnn.experiments.training import expected_loss, trained


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Windows of every order on a copied sequence, each step with a table of its own, and a net."""
    k, lag = settings["k"], settings["lag"]
    tau = 2 * lag
    _, (y,), p = listed(copied(tau, k, lag), tau, "y")
    y = y.long()
    entropy = lag * math.log(k)
    rows = []
    for order in range(lag + 1):
        loss = _window(y, p, k, order)
        best = entropy if order == lag else tau * math.log(k)
        rows.append(Row(f"order {order}", best, loss, 1e-9))
    tick("the net")
    frozen = ("W",) if settings["mutate"] else ()
    net = trained("text", y, None, p, steps=settings["steps"], seed=seed, k=k, frozen=frozen,
                  hidden=settings["hidden"])  # fmt: skip
    rows.append(Row("recurrent net", entropy, expected_loss(net, y, None, p),
                    settings["tolerance"]))  # fmt: skip
    return Measured(tuple(rows))


def _window(y: Tensor, p: Tensor, k: int, order: int) -> float:
    """- E log P(y(t) | y(t-order..t-1)) with shares counted at each step."""
    loss = 0.0
    for t in range(y.shape[1]):
        seen = y[:, max(0, t - order) : t + 1]
        code = (seen * k ** torch.arange(seen.shape[1])).sum(-1)
        past = (seen[:, :-1] * k ** torch.arange(seen.shape[1] - 1)).sum(-1)
        size = k ** (order + 1)
        both = torch.zeros(size, dtype=p.dtype).index_add_(0, code, p)[code]
        alone = torch.zeros(size, dtype=p.dtype).index_add_(0, past, p)[past]
        loss -= (p * (both / alone).log()).sum().item()
    return loss


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Loss of each window and of the net."""
    return compared(record, ax)


EXPERIMENT = Experiment(
    name="long-range",
    claim="Where symbols repeat after a lag, a window shorter than the lag learns nothing at all; "
    "the state of a recurrent net carries them",
    about="fig 10.8",
    seconds=4,
    settings={"k": 3, "lag": 3, "hidden": 24, "steps": 800, "tolerance": 0.01},
    small={"k": 2, "hidden": 16, "steps": 500, "tolerance": 0.05},
    mutation="h is reset at each step: W is 0",
    theory_from="lag log k, and tau log k for a window that is too short",
    measured_from="windows counted on the listed sequences; the trained net's exact loss",
    measure=measure,
    plot=plot,
)
