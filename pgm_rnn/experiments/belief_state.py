"""One law over y, two graphs: a hidden Markov model, and the net of its belief."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import series, spread, theory
from pgm_rnn.experiments.toys import hidden_markov
from pgm_rnn.extraction import extract
from pgm_rnn.fitting import log_prob
from pgm_rnn.missing import infill
from pgm_rnn.numbers import joint
from pgm_rnn.reference import compare
from pgm_rnn.separation import separated
from pgm_rnn.sequences import Program, believe


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """The two laws over all y, the two graphs, and the work of m gaps."""
    s, k, tau = settings["states"], settings["k"], settings["tau"]
    random = torch.Generator().manual_seed(seed)
    initial, transition, emission = (
        torch.softmax(torch.randn(*shape, generator=random, dtype=torch.float64), -1)
        for shape in ((s,), (s, s), (s, k))
    )
    markov = hidden_markov(tau, initial, transition, emission)
    net = figure("10.8", tau=tau, k=k, state="finite", seed=seed).model
    assert isinstance(net, Program)
    believe(net, initial, transition, emission)
    if settings["mutate"]:
        update = net.next_state
        net.next_state = partial(_blind, update)  # type: ignore[method-assign]
    tick("the two laws")
    law = joint(markov)
    values, p = law.table(*[f"y_{t}" for t in range(1, tau + 1)])
    far = (log_prob(net, values.long()).detach().exp() - p).abs().max().item()
    tick("the two graphs")
    one, two = extract(markov), extract(net)
    same = float(bool(compare(one, two)))
    past, state = "y_1", "z_2"
    blocked = float(bool(separated(one, past, "y_3", state)))
    tick("gaps")
    gaps, work, linear = list(range(1, tau)), [], []
    for m in gaps:
        y = torch.zeros(1, tau, dtype=torch.long)
        y[0, :m] = -1
        found = infill(net, y, samples=0)
        work.append(float(found.cell_steps))
        linear.append(float(s * s * tau))
    branches = 1.0 + sum(k ** min(t, gaps[-1]) for t in range(1, tau))
    rows = (
        Row("largest difference of a probability", 0.0, far, 1e-13, unit="probability"),
        Row("the graphs are the same", 0.0, same, 0.0, unit="no 0, yes 1"),
        Row("z(2) separates y(1) from y(3)", 1.0, blocked, 0.0, unit="no 0, yes 1"),
        Row(f"the net's work at {gaps[-1]} gaps", branches, work[-1], 0.0, unit="cell steps"),
    )
    return Measured(rows, {"gaps": [float(m) for m in gaps], "net": work, "markov": linear})


def _blind(update: Any, h: Tensor, y: Tensor) -> Tensor:
    """A belief that takes every symbol for the first one."""
    return update(h, torch.zeros_like(y))


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Work against gaps."""
    gaps = series(record, "gaps")[0]
    theory(ax, gaps, series(record, "markov")[0], "hidden Markov model: states^2 a step", 1)
    spread(ax, gaps, series(record, "net"), "the net of its belief, exact", 0)
    ax.set(yscale="log", xlabel="gaps", ylabel="work, cell steps")
    ax.legend()
    return ax


EXPERIMENT = Experiment(
    name="belief-state",
    claim="A hidden Markov model and the net whose h is its belief are one law over y and two "
    "graphs: a random z, or a deterministic h that makes the graph over y complete",
    about="fig 10.8",
    seconds=5,
    settings={"states": 3, "k": 4, "tau": 5},
    small={"tau": 4},
    mutation="the evidence is ignored: the belief never reads y",
    theory_from="the hidden Markov model's joint, listed",
    measured_from="log P(y) of fig 10.8's program with the belief as its state; infill's work",
    measure=measure,
    plot=plot,
)
