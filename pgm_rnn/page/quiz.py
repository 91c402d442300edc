"""The section's questions; every answer key is a query to the library, computed at build time."""

from dataclasses import dataclass, field
from typing import Any

import torch

from pgm_rnn.catalog import figure, program
from pgm_rnn.errors import PgmError
from pgm_rnn.extraction import extract
from pgm_rnn.graph import sites
from pgm_rnn.page.figures import ASKED, SEEDS
from pgm_rnn.separation import separated
from pgm_rnn.sequences import Program, Size, length_distribution


class WrongKey(PgmError, AssertionError):
    """An explanation of the quiz that the library contradicts."""


@dataclass(frozen=True)
class Query:
    """A question to a figure's graph, and what the explanation says of it."""

    figure: str
    a: str
    b: str
    given: tuple[str, ...]
    independent: bool

    def check(self) -> None:
        """Raise WrongKey unless the library says the same."""
        entry, tau = next((e, t) for name, e, t, *_ in ASKED if name == self.figure)
        f = figure(self.figure, entry=entry, tau=tau, k=3, state="finite",
                   seed=SEEDS.get(self.figure, 0))  # fmt: skip
        found = separated(sites(extract(f.model)), self.a, self.b, self.given)
        if bool(found) != self.independent:
            raise WrongKey(f"{self}: the library says {found}")


@dataclass(frozen=True)
class Option:
    """An answer; its query, if any, is what shows that it is right or wrong."""

    text: str
    right: bool
    because: str
    query: Query | None = None


@dataclass(frozen=True)
class Question:
    """A question with its answers, one of them right."""

    text: str
    options: tuple[Option, ...] = field(default=())


def questions() -> tuple[Question, ...]:
    """The five of the section, and three more."""
    table, short, long = _counts()
    least, forced = _lengths()
    return (
        Question(
            "Why does a recurrent net need so much less than a table for a law over a sequence?",
            (
                Option("It uses one function and one set of weights at every step.", True,
                       f"With k = 3 and H = 16 it has {short} parameters at tau = 5 and {long} at "
                       f"tau = 12; the table has {table:,} entries at tau = 12."),
                Option("It drops the dependence on all but the last step.", False,
                       "y(4) still depends on y(1) given y(2) and y(3): the graph over y is "
                       "complete.", Query("10.8", "y_1", "y_4", ("y_2", "y_3"), False)),
                Option("Its hidden units are random, which spreads the cost.", False,
                       "h(2) is a function of y(1) and y(2): given them it is determined, so nothing "
                       "can tell more about it.", Query("10.8", "h_2", "y_4", ("y_1", "y_2"), True)),
            ),
        ),
        Question(
            "What does h(t) do in fig 10.8?",
            (
                Option("It stands between past and future: given h(2), y(1) tells nothing of y(3).",
                       True, "h(2) has read y(1) and y(2), and all later y hang on it.",
                       Query("10.8", "y_1", "y_3", ("h_2",), True)),
                Option("Given h(3), y(1) tells nothing of y(3).", False,
                       "h(3) has read y(3): given their common child, y(1) and y(3) explain each "
                       "other.", Query("10.8", "y_1", "y_3", ("h_3",), False)),
                Option("It makes the y independent of each other.", False,
                       "Without h being given, y(1) tells something of y(2).",
                       Query("10.8", "y_1", "y_2", (), False)),
            ),
        ),
        Question(
            "Sharing the weights over time assumes ...",
            (
                Option("... that the step from (h, y) to the next is by the same law at every t.",
                       True, "That is a statement on the transition. h can count, so even y's own law "
                       "may change with t; the experiment \"stationarity\" measures it."),
                Option("... that y(t) and y(t+1) are independent.", False,
                       "They are not: see y(1) and y(2).", Query("text", "y_1", "y_2", (), False)),
                Option("... that only the last y matters for the next one.", False,
                       "y(1) still tells something of y(3) once y(2) is given.",
                       Query("text", "y_1", "y_3", ("y_2",), False)),
            ),
        ),
        Question(
            "How can a model decide when to stop?",
            (
                Option("By an end symbol, a coin after each step, or a length drawn first.", True,
                       f"All three are in part 3. The coin gives no sequence below length {least}; "
                       f"the end symbol can end before it begins ({forced:.1%} there)."),
                Option("By an end symbol only, whatever y is.", False,
                       "A real-valued y has no value left over for an end; a coin ends any y. The "
                       "library refuses figure(\"eos\", output=\"normal\")."),
                Option("It cannot; the length must be given.", False,
                       "Part 3 samples three programs that do."),
            ),
        ),
        Question(
            "In fig 10.9 a vector x enters through R. What does x R do, and which model makes the y "
            "independent given its input?",
            (
                Option("It is a bias that depends on x. Independent given x are the y of fig 10.3, "
                       "whose input is a sequence.", True,
                       "Given x(1..3), h is a function of x in fig 10.3, and y(1), y(3) are "
                       "independent: eq 10.35.",
                       Query("10.3", "y_1", "y_3", ("x_1", "x_2", "x_3"), True)),
                Option("It is a bias that depends on x, and fig 10.9 makes the y independent given x.",
                       False, "In fig 10.9 y(1) enters h(1), so that y(2) depends on it also given x.",
                       Query("10.9", "y_1", "y_2", ("x",), False)),
                Option("It is a bias that depends on x, and fig 10.10 makes the y independent given x.",
                       False, "Fig 10.10 is what lifts that assumption: its y enter h.",
                       Query("10.10", "y_1", "y_3", ("x_1", "x_2", "x_3"), False)),
            ),
        ),
        Question(
            "Is eq 10.35 to be read off fig 10.3 by ordinary d-separation?",
            (
                Option("No: it needs that h is a function of x.", True,
                       "For a random h the way y(1) - h(1) - h(2) - y(2) would be open.",
                       Query("10.3", "y_1", "y_2", ("x_1", "x_2"), True)),
                Option("Yes: x stops every way.", False,
                       "No x lies on the way y(1) - h(1) - h(2) - y(2). Given x(2) alone it is open; "
                       "given x(1) too, h(1) is determined, and that stops it.",
                       Query("10.3", "y_1", "y_2", ("x_2",), False)),
            ),
        ),
        Question(
            "Can fig 10.10 be any law of y given x?",
            (
                Option("No: y(1) never depends on x(2) given x(1).", True,
                       "A law in which y(1) tells x(2) is out of its reach.",
                       Query("10.10", "y_1", "x_2", ("x_1",), True)),
                Option("Yes: with feedback every y depends on every x.", False,
                       "Not on later ones: given x(1), y(1) and x(2) are independent.",
                       Query("10.10", "y_1", "x_2", ("x_1",), True)),
            ),
        ),
        Question(
            "Fig 10.4 feeds back o, not y. Are its y independent given x?",
            (
                Option("Yes: o is a function of x.", True, "o(1) is determined by x(1), and so on.",
                       Query("10.4", "y_1", "y_3", ("x_1", "x_2", "x_3"), True)),
                Option("No: it has feedback as fig 10.10 has.", False,
                       "What enters h is o, which x determines; the drawn y enters nothing.",
                       Query("10.4", "y_1", "y_3", ("x_1", "x_2", "x_3"), True)),
            ),
        ),
    )  # fmt: skip


def checked() -> list[dict[str, Any]]:
    """The questions as data, after every key was asked of the library. Raises WrongKey."""
    found = []
    for question in questions():
        if sum(option.right for option in question.options) != 1:
            raise WrongKey(f"{question.text!r} should have one right answer")
        options = []
        for option in question.options:
            ask = None
            if option.query is not None:
                option.query.check()
                q = option.query
                ask = [q.figure, q.a, q.b, list(q.given)]
            options.append({"text": option.text, "right": option.right,
                            "because": option.because, "ask": ask})  # fmt: skip
        found.append({"text": question.text, "options": options})
    return found


def _counts() -> tuple[int, int, int]:
    """Entries of the table at tau = 12, and the net's parameters at tau = 5 and 12; k 3, H 16."""

    def count(stem: str, tau: int) -> int:
        shapes = program(stem).parameters(Size(tau, 3, 16, 3, 3, 1)).values()
        return sum(int(torch.Size(shape).numel()) for shape in shapes)

    short, long = count("fig_10_8", 5), count("fig_10_8", 12)
    if short != long:
        raise WrongKey(f"the net's parameters grow from {short} to {long}")
    return count("fig_10_7", 12) + 1, short, long


def _lengths() -> tuple[int, float]:
    """The shortest length that the coin gives, and P(empty) of an end symbol."""
    coin = length_distribution(_program("halt")).probability
    end = length_distribution(_program("eos")).probability
    return int((coin > 0).nonzero()[0]), end[0].item()


def _program(rule: str) -> Program:
    net = figure(rule, tau=4, k=2).model
    assert isinstance(net, Program)
    return net
