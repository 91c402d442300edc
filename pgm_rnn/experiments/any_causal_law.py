"""Fig 10.10 represents every causal law, and exactly what it cannot."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.experiments.training import expected_loss
from pgm_rnn.fitting import log_prob
from pgm_rnn.numbers import joint
from pgm_rnn.sequences import Program, remember


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Store a random causal table in a finite h; then one that also reads x(t+1)."""
    import pyro
    import pyro.distributions as dist

    k, tau = settings["k"], settings["tau"]
    random = torch.Generator().manual_seed(seed)
    # table[t] has an axis for each of x(1..t+1), y(1..t-1) and y(t)
    tables = [
        torch.randn(*[k] * (min(t + 1, tau) + t), generator=random, dtype=torch.float64)
        for t in range(1, tau + 1)
    ]

    def read(x: tuple, y: tuple, ahead: bool) -> Tensor:
        t = len(y) + 1
        seen = x[: min(t + 1, tau)] if ahead else (*x[:t], *[0] * (min(t + 1, tau) - t))
        return tables[t - 1][(*seen, *y)]

    def program() -> None:
        x = [
            pyro.sample(f"x_{t}", dist.Categorical(torch.ones(k, dtype=torch.float64)))
            for t in range(1, tau + 1)
        ]
        y: list[Tensor] = []
        for t in range(1, tau + 1):
            index = (*x[: min(t + 1, tau)], *y)
            y.append(pyro.sample(f"y_{t}", dist.Categorical(logits=tables[t - 1][index])))

    net = figure("10.10", tau=tau, k=k, state="finite", seed=seed).model
    assert isinstance(net, Program)
    tick("a causal law")
    blind = settings["mutate"]
    remember(net, lambda x, y: read(x, (0,) * len(y) if blind else y, ahead=False))
    pairs = list(product(product(range(k), repeat=tau), repeat=2))
    xs = torch.tensor([x for x, _ in pairs])
    ys = torch.tensor([y for _, y in pairs])
    told = [sum(torch.log_softmax(read(x, y[:t], False), -1)[y[t]].item() for t in range(tau))
            for x, y in pairs]  # fmt: skip
    far = log_prob(net, ys, xs).detach().exp() - torch.tensor(told, dtype=torch.float64).exp()
    tick("a law that looks ahead")
    law = joint(program)
    lost = full = 0.0
    names = [f"x_{t}" for t in range(1, tau + 1)]
    for t in range(1, tau + 1):
        past = [f"y_{s}" for s in range(1, t)]
        full += law.entropy(f"y_{t}", [*names, *past])
        if t < tau:
            lost += law.mutual_information(f"y_{t}", names[t:], [*names[:t], *past])
    values, p = law.table(*names, *[f"y_{t}" for t in range(1, tau + 1)])
    x, y = values.long().split(tau, -1)
    best = figure("10.10", tau=tau, k=k, state="finite", seed=seed).model
    assert isinstance(best, Program)
    remember(best, lambda xs, ys: _projected(x, y, p, xs, ys, k))
    reached = expected_loss(best, y, x, p)
    return Measured(
        (
            Row("causal law: largest difference of a probability", 0.0, far.abs().max().item(),
                1e-12, unit="probability"),
            Row("law that looks ahead: lost", lost, reached - full, 1e-9),
        )
    )  # fmt: skip


def _projected(x: Tensor, y: Tensor, p: Tensor, xs: tuple, ys: tuple, k: int) -> Tensor:
    """log P(y(t) | x(1..t), y(1..t-1)) of a listed law: the best that a causal net can do."""
    t = len(xs)
    fits = (x[:, :t] == torch.tensor(xs)).all(-1)
    if ys:
        fits &= (y[:, : t - 1] == torch.tensor(ys)).all(-1)
    share = torch.zeros(k, dtype=p.dtype).index_add_(0, y[fits, t - 1], p[fits])
    return (share / share.sum()).log()


def plot(record: dict[str, Any], ax: Any) -> Any:
    """What is lost."""
    return compared(record, ax, ["law that looks ahead: lost"])


EXPERIMENT = Experiment(
    name="any-causal-law",
    claim="With a state that stores its history, fig 10.10 is any law of the form "
    "prod P(y_t | x_1..t, y_<t); of another it loses sum I(Y_t; X_>t | X_1..t, Y_<t)",
    about="fig 10.10",
    seconds=4,
    settings={"k": 2, "tau": 4},
    small={"tau": 3},
    mutation="feedback is removed: the state stores x alone",
    theory_from="the random tables themselves, and mutual informations of the data program",
    measured_from="log P(y | x) of fig 10.10's program, all sequences listed",
    measure=measure,
    plot=plot,
)
