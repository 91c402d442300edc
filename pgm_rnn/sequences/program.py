"""A figure's generative program, bound to parameters of its own."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import pyro.distributions as dist
import torch
from torch import Tensor, nn

from pgm_rnn.errors import BadOption, TooLarge
from pgm_rnn.options import choice, huge, positive
from pgm_rnn.sequences.outputs import Output, output

CELLS = {"tanh": torch.tanh, "relu": torch.relu}
STATES = 3  # how many values a finite state has
LIMIT = 2**30  # bytes of parameters that a program may have


@dataclass(frozen=True)
class Size:
    """The widths of a program's vectors: h (state), y and o (output), x (context)."""

    tau: int
    k: int
    h: int
    y: int
    o: int
    x: int


class Program(nn.Module):
    """A generative program with its own seeded parameters, named by the book's letters.

    `program(y=None, x=None, batch=1)` runs the story: `y` is [batch, tau], observed; a shorter
    `y` is an observed beginning; None samples every step of `batch` sequences. `x` likewise, for
    the figures that have one: [batch, tau, x_dim], or [batch, x_dim] where x is one vector; with
    a finite state x is a symbol, [batch, tau] or [batch]. Parameters are float64, so that exact
    statements can be checked to 1e-12.

    Programs with a rule for the length ("eos", "halt" or "tau") run one sequence at a time and
    return [1, length]; `tau` is their largest length, and padding (-1, or NaN) in an observed y
    says where it has ended.
    """

    U: Tensor
    V: Tensor
    W: Tensor
    R: Tensor
    b: Tensor
    c: Tensor

    def __init__(
        self,
        story: Callable,
        parameters: Callable[[Size], dict[str, tuple[int, ...]]],
        *,
        title: str,
        tau: int,
        k: int,
        hidden: int,
        cell: str,
        output_family: str,
        state: str,
        seed: int,
        inputs: str | None = None,
        x_dim: int = 2,
        entry: str = "input",
        figure: str = "",
        length: str | None = None,
        x_steps: Callable[[int], int] | None = None,
    ):
        super().__init__()
        self.story, self.title, self.inputs, self.entry = story, title, inputs, entry
        self.figure, self.length_rule = figure, length
        self.options = {
            "tau": tau, "k": k, "hidden": hidden, "cell": cell, "output": output_family,
            "state": state, "entry": entry, "x_dim": x_dim, "seed": seed,
        }  # fmt: skip
        self.tau = positive("tau", tau)
        self.x_length = self.tau if x_steps is None else x_steps(self.tau)
        self.k = positive("k", k)
        self.cell = choice("cell", cell, CELLS)
        self.finite = choice("state", state, ("real", "finite")) == "finite"
        self.hidden = STATES if self.finite else positive("hidden", hidden)
        self.output: Output = output(output_family, k)
        if self.finite and self.output.symbols is None:
            raise BadOption(
                f'state = "finite" needs symbols to read; output = {output_family!r} is real. '
                'Use output="categorical" or "bernoulli", or state="real"'
            )
        self.x_dim = positive("x_dim", x_dim)
        self.size = Size(
            self.tau, self.k, self.hidden, self.output.y_width, self.output.o_width, self.x_dim
        )
        shapes = parameters(self.size)
        self._check_memory(shapes)
        random = torch.Generator().manual_seed(positive("seed", seed, 0))
        for letter, shape in shapes.items():
            fan_in = shape[0] if letter == "W" else 1
            start = torch.randn(shape, generator=random, dtype=torch.float64) / math.sqrt(fan_in)
            self.register_parameter(letter, nn.Parameter(start))
        if self.finite:
            symbols = max(self.k, self.output.symbols or 1)
            for count in (1, 2):
                shape = (STATES, *[symbols] * count)
                table = torch.randint(STATES, shape, generator=random)
                self.register_buffer(f"states_{count}", table)

    def _check_memory(self, shapes: dict[str, tuple[int, ...]]) -> None:
        entries = sum(math.prod(shape) for shape in shapes.values())
        size = 8 * entries
        if size > LIMIT:
            raise TooLarge(
                f"{self.title} with tau = {self.tau} and k = {self.k} needs {huge(entries)} table "
                f"entries, {huge(size)} bytes; the limit is {LIMIT:,} bytes. Lower tau or k",
                entries=entries,
                bytes=size,
                limit=LIMIT,
            )

    def forward(self, y: Tensor | None = None, x: Tensor | None = None, batch: int = 1) -> Tensor:
        """Run the story once; returns the sequence y, [batch, tau]."""
        if y is not None and (y.ndim != 2 or y.shape[1] > self.tau):
            raise BadOption(
                f"y has shape {list(y.shape)}; {self.title} with tau = {self.tau} takes "
                f"[batch, {self.tau}], or fewer steps to sample the rest"
            )
        if y is not None and self.output.name == "bernoulli" and not y.is_floating_point():
            y = y.to(self.dtype).masked_fill(y < 0, torch.nan)  # Pyro's Bernoulli reads floats
        if self.length_rule is not None and (batch if y is None else len(y)) != 1:
            raise BadOption(
                f"{self.title} tells one sequence a run, since each ends on its own; for many use "
                "pgm_rnn.sample(model, n) or pgm_rnn.log_prob(model, y)"
            )
        if self.inputs is None:
            if x is not None:
                raise BadOption(f"{self.title} has no x; figs 10.3, 10.4, 10.9 and 10.10 do")
            return self.story(self, y, batch=batch if y is None else len(y))
        if x is not None:
            self._check_x(x, y)
            x = x if self.finite else x.to(self.dtype)
        given = y if y is not None else x
        return self.story(self, y, x, batch=batch if given is None else len(given))

    def _check_x(self, x: Tensor, y: Tensor | None) -> None:
        steps = [self.x_length] if self.inputs == "sequence" else []
        wanted = [*steps] if self.finite else [*steps, self.x_dim]
        if list(x.shape[1:]) != wanted or x.ndim == 0:
            raise BadOption(
                f"x has shape {list(x.shape)}; {self.title} with tau = {self.tau} takes "
                f"[batch{''.join(f', {n}' for n in wanted)}]: one x for each of its steps"
                if steps
                else f"x has shape {list(x.shape)}; {self.title} takes "
                f"[batch{''.join(f', {n}' for n in wanted)}]: one x for the whole sequence"
            )
        if y is not None and len(x) != len(y):
            raise BadOption(f"x holds {len(x)} sequences and y {len(y)}; they should be as many")

    # -- the words in which a story is told -----------------------------------------------------

    def start(self) -> Tensor:
        """h(0): zeros, or the first of the finite states. Shape [hidden]."""
        h = torch.zeros(self.hidden, dtype=self.dtype)
        if self.finite:
            h[0] = 1
        return h

    def encode(self, y: Tensor) -> Tensor:
        """y(t) as the vector that enters the net: one-hot for symbols. Shape [..., y]."""
        return self.output.encode(y, self.dtype)

    def context(self) -> dist.Distribution:
        """The plain base distribution of x: standard normal, or a fair symbol where h is finite."""
        if self.finite:
            return dist.Categorical(torch.ones(self.k, dtype=self.dtype))
        return dist.Normal(torch.zeros(self.x_dim, dtype=self.dtype), 1.0).to_event(1)

    def f(self, a: Tensor) -> Tensor:
        """The net's nonlinearity; tanh is eq 10.9."""
        return CELLS[self.cell](a)

    def next_state(self, h: Tensor, *symbols: Tensor) -> Tensor:
        """A random function of the old state and the symbols read, with STATES values (one-hot)."""
        table: Tensor = getattr(self, f"states_{len(symbols)}")
        index = (h.argmax(-1), *(s.long() for s in symbols))
        return nn.functional.one_hot(table[index], STATES).to(self.dtype)

    @property
    def dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype


def given(sequence: Tensor | None, t: int) -> Tensor | None:
    """The observed value of step t (from 1), [batch, ...]; None where it is to be sampled."""
    return None if sequence is None or t > sequence.shape[1] else sequence[:, t - 1]


def sequence(steps: list[Tensor], batch: int = 1) -> Tensor:
    """The steps side by side, [..., tau]; enumerated ones have more dimensions than others."""
    if not steps:  # a sequence that ended before its first step
        return torch.zeros(batch, 0, dtype=torch.long)
    return torch.stack(torch.broadcast_tensors(*steps), -1)
