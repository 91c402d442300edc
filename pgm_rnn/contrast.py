"""The book's statements on independence, figure by figure: what the graph says and the numbers.

Each statement is asked of the graph extracted from a figure's program with a finite state, by
ordinary d-separation, by separation that knows that h is a function, and by the exact joint of
that same program.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pgm_rnn.catalog import figure
from pgm_rnn.extraction import extract
from pgm_rnn.graph import sites
from pgm_rnn.numbers import joint
from pgm_rnn.separation import separated

ZERO = 1e-12  # nats, below which a number counts as 0


@dataclass(frozen=True)
class Statement:
    """One statement of the book, or one that corrects it."""

    figure: str
    x: str
    y: str
    given: tuple[str, ...]
    note: str
    entry: str = "input"
    random_start: bool = False  # h(0) is drawn, not fixed


@dataclass(frozen=True)
class Answer:
    """What was found for a statement."""

    statement: Statement
    plain: bool  # ordinary d-separation
    separated: bool  # separation that knows deterministic nodes
    nats: float  # conditional mutual information in the program
    explanation: str


X3 = ("x_1", "x_2", "x_3")
STATEMENTS = (
    Statement("10.7", "y_3", "y_1", ("y_2",), "the complete graph has no independence"),
    Statement("10.8", "y_3", "y_1", ("h_2",), "h decouples past and future"),
    Statement("10.8", "y_3", "y_1", ("h_3",), "h(3) has read y(3): conditioning on it couples"),
    Statement("text", "y_3", "y_1", ("h_3",), "the text's h(3) is fig 10.8's h(2)"),
    Statement("10.3", "y_3", "y_1", X3, "eq 10.35: needs that h is a function of x"),
    Statement(
        "10.3", "y_3", "y_1", X3, "... and a fixed h(0): here it is random", random_start=True
    ),
    Statement("10.3", "y_2", "x_3", ("x_1", "x_2"), "no look-ahead"),
    Statement("10.3", "y_2", "y_1", (), "not independent without x"),
    Statement("10.4", "y_3", "y_1", X3, "feeding back o changes nothing: o is a function of x"),
    Statement("10.10", "y_3", "y_1", X3, "feedback of y removes eq 10.35"),
    Statement("10.10", "y_2", "x_3", ("x_1", "x_2", "y_1"), "so it is not any law of y given x"),
    Statement("10.9", "y_3", "y_1", ("x",), "one vector x does not make the y independent", "both"),
    Statement("10.9", "y_3", "y_1", ("h_2",), "given h, as in fig 10.8", "both"),
    Statement("10.11", "y_3", "y_1", X3, "a second state, backward: eq 10.35's first assumption"),
    Statement("10.11", "y_1", "x_3", ("x_1", "x_2"), "... stays, the second one falls"),
    Statement("10.12", "y_3", "y_1", ("x",), "the decoder reads y back, and y is longer than x"),
    Statement("10.12", "y_3", "x_1", ("C",), "all that y knows of x goes through C"),
)


def contrast(tau: int = 3, k: int = 3, seed: int = 0) -> Iterator[Answer]:
    """Answer every statement, one after the other.

    >>> from itertools import islice
    >>> [(a.plain, a.separated, a.nats > 0) for a in islice(contrast(), 2)]
    [(False, False, True), (True, True, False)]
    """
    known: dict[tuple, tuple] = {}
    for statement in STATEMENTS:
        name, entry = statement.figure, statement.entry
        key = (name, entry, statement.random_start)
        if key not in known:
            model = figure(name, entry=entry, tau=tau, k=k, state="finite", seed=seed).model
            if statement.random_start:
                model.start = lambda width=model.hidden: _random_state(width)  # type: ignore[attr-defined]
            known[key] = (sites(extract(model)), joint(model))
        g, p = known[key]
        verdict = separated(g, statement.x, statement.y, statement.given)
        nats = p.mutual_information(statement.x, statement.y, statement.given)
        nats = nats if nats >= ZERO else 0.0
        yield Answer(statement, verdict.plain, bool(verdict), nats, str(verdict))


def _random_state(width: int) -> Any:
    """h(0) as a random site: one of `width` states, one-hot."""
    import pyro
    import pyro.distributions as dist
    import torch

    states = torch.eye(width, dtype=torch.float64)
    return states[pyro.sample("h_0", dist.Categorical(torch.ones(width)))]


def reading(separated: bool, nats: float) -> str:
    """What a number says beside a verdict.

    >>> reading(True, 3e-16), reading(False, 0.0132)
    ('independent, as implied', 'dependent here, 0.0132 nats')
    >>> reading(False, 0.0)
    'independent in this particular model: its function is one-to-one, or ignores an input'
    """
    if nats >= ZERO:
        return f"dependent here, {nats:.3g} nats"
    if separated:
        return "independent, as implied"
    return "independent in this particular model: its function is one-to-one, or ignores an input"
