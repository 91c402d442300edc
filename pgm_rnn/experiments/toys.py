"""Toy processes as Pyro programs, small enough that all their sequences can be listed.

Each maker returns a program without arguments; its sites are bits (or symbols) x_1, ..., y_1, ...
`listed` gives every sequence with its probability, and `pgm_rnn.joint` its entropies.
"""

from collections.abc import Callable

import pyro
import pyro.distributions as dist
import torch
from torch import Tensor

from pgm_rnn.numbers import Joint, joint

Program = Callable[[], None]


def _bit(name: str, p: Tensor | float) -> Tensor:
    return pyro.sample(name, dist.Bernoulli(torch.as_tensor(p, dtype=torch.float64)))


def _noisy(name: str, bit: Tensor, noise: float) -> Tensor:
    """The bit, flipped with probability `noise`."""
    return _bit(name, noise + (1 - 2 * noise) * bit)


def coin(tau: int, noise: float) -> Program:
    """y(t) = x(t) xor c xor noise, with one fair c for the whole sequence."""

    def model() -> None:
        c = _bit("c", 0.5)
        for t in range(1, tau + 1):
            _noisy(f"y_{t}", (_bit(f"x_{t}", 0.5) + c) % 2, noise)

    return model


def chain(tau: int, noise: float) -> Program:
    """y(t) = y(t-1) xor x(t) xor noise, y(0) = 0."""

    def model() -> None:
        y = torch.zeros((), dtype=torch.float64)
        for t in range(1, tau + 1):
            y = _noisy(f"y_{t}", (_bit(f"x_{t}", 0.5) + y) % 2, noise)

    return model


def parity(tau: int, noise: float) -> Program:
    """y(t) = x(1) xor .. xor x(t) xor noise."""

    def model() -> None:
        s = torch.zeros((), dtype=torch.float64)
        for t in range(1, tau + 1):
            s = (s + _bit(f"x_{t}", 0.5)) % 2
            _noisy(f"y_{t}", s, noise)

    return model


def ahead(tau: int, noise: float) -> Program:
    """y(t) = x(t+1) xor noise; the last y is free and fair."""

    def model() -> None:
        x = [_bit(f"x_{t}", 0.5) for t in range(1, tau + 1)]
        for t in range(1, tau + 1):
            _noisy(f"y_{t}", x[t], noise) if t < tau else _bit(f"y_{t}", 0.5)

    return model


def markov(tau: int, rows: Tensor) -> Program:
    """y(1) uniform, P(y(t) = j | y(t-1) = i) = rows[i, j], [k, k]."""

    def model() -> None:
        y = pyro.sample("y_1", dist.Categorical(torch.ones(len(rows), dtype=torch.float64)))
        for t in range(2, tau + 1):
            y = pyro.sample(f"y_{t}", dist.Categorical(rows[y.long()]))

    return model


def copied(tau: int, k: int, lag: int) -> Program:
    """The first `lag` symbols are uniform; y(t) = y(t - lag) from then on."""

    def model() -> None:
        y: list[Tensor] = []
        for t in range(tau):
            law = torch.full((k,), 1 / k, dtype=torch.float64)
            if t >= lag:
                law = torch.eye(k, dtype=torch.float64)[y[t - lag].long()]
            y.append(pyro.sample(f"y_{t + 1}", dist.Categorical(law)))

    return model


def hidden_markov(tau: int, initial: Tensor, transition: Tensor, emission: Tensor) -> Program:
    """z(1) ~ initial [s], z(t) ~ transition[z(t-1)] [s, s], y(t) ~ emission[z(t)] [s, k]."""

    def model() -> None:
        z = None
        for t in range(1, tau + 1):
            z = pyro.sample(
                f"z_{t}", dist.Categorical(initial if z is None else transition[z.long()])
            )
            pyro.sample(f"y_{t}", dist.Categorical(emission[z.long()]))

    return model


def listed(program: Program, tau: int, *families: str) -> tuple[Joint, list[Tensor], Tensor]:
    """The joint, the values of each family [n, tau] in every sequence, and P, [n]."""
    law = joint(program)
    names = [f"{family}_{t}" for family in families for t in range(1, tau + 1)]
    values, p = law.table(*names)
    return law, list(values.split(tau, -1)), p
