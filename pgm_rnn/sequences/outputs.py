"""Output families: what the numbers o(t) say about y(t), and how y(t) is read back in."""

import math
from dataclasses import dataclass

import pyro.distributions as dist
import torch
from jaxtyping import Float, Real
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, logsigmoid

from pgm_rnn.options import choice, positive


@dataclass(frozen=True)
class Output:
    """A family of distributions of y(t) given o(t).

    `o_width` numbers make its parameters; an observed y(t) is read as `y_width` numbers.
    """

    name: str
    o_width: int
    y_width: int
    symbols: int | None  # how many values y(t) has, None if it is real

    def __call__(self, o: Float[Tensor, "*steps o"]) -> dist.Distribution:
        """The distribution of y(t): softmax of o (eq 10.11), or a density around o."""
        if self.name == "categorical":
            return dist.Categorical(logits=o)
        if self.name == "bernoulli":
            return dist.Bernoulli(logits=o[..., 0])
        if self.name == "normal":
            return dist.Normal(o[..., 0], 1.0)
        return dist.Laplace(o[..., 0], 1.0)

    def log_prob(
        self, o: Float[Tensor, "*steps o"], y: Real[Tensor, "*steps"]
    ) -> Float[Tensor, "*steps"]:
        """log p(y(t) | o(t)) in nats, in the shape of y: minus the usual losses.

        Cross-entropy (symbols), binary cross-entropy, half the squared error and log(2 pi)/2
        (unit Gaussian), the absolute error and log 2 (Laplace).
        """
        if self.name == "categorical":
            flat = cross_entropy(
                o.reshape(-1, self.o_width), y.reshape(-1).long(), reduction="none"
            )
            return -flat.reshape(y.shape)
        y, o = y.to(o.dtype), o[..., 0]
        if self.name == "bernoulli":
            return -binary_cross_entropy_with_logits(o, y, reduction="none")
        if self.name == "normal":
            return -0.5 * (y - o) ** 2 - 0.5 * math.log(2 * math.pi)
        return -(y - o).abs() - math.log(2)

    def scores(self, o: Float[Tensor, "*steps o"]) -> Float[Tensor, "*steps symbols"]:
        """log P of every symbol, nats: log softmax (or of 0 and 1 for a coin)."""
        if self.name == "bernoulli":
            return torch.stack([logsigmoid(-o[..., 0]), logsigmoid(o[..., 0])], -1)
        return torch.log_softmax(o, -1)

    def sample(
        self, o: Float[Tensor, "*steps o"], generator: torch.Generator | None, temperature: float
    ) -> Real[Tensor, "*steps"]:
        """Draw y(t) from p(y | o)^(1/temperature), normalised."""
        if self.name == "categorical":
            chances = torch.softmax((o - o.amax(-1, keepdim=True)) / temperature, -1)
            return torch.multinomial(chances, 1, generator=generator).squeeze(-1)
        o = o[..., 0]
        if self.name == "bernoulli":
            return torch.bernoulli(torch.sigmoid(o / temperature), generator=generator)
        if self.name == "normal":
            noise = torch.randn(o.shape, generator=generator, dtype=o.dtype)
            return o + math.sqrt(temperature) * noise
        u = torch.rand(o.shape, generator=generator, dtype=o.dtype) - 0.5
        return o - temperature * u.sign() * torch.log1p(-2 * u.abs().clamp(max=0.5 - 1e-12))

    def encode(
        self, y: Real[Tensor, "*steps"], dtype: torch.dtype
    ) -> Float[Tensor, "*steps y_width"]:
        """y(t) as numbers: one-hot for symbols, itself otherwise."""
        if self.name == "categorical":
            return torch.nn.functional.one_hot(y.long(), self.y_width).to(dtype)
        return y.to(dtype).unsqueeze(-1)


FAMILIES = ("categorical", "bernoulli", "normal", "laplace")


def output(name: str, k: int) -> Output:
    """The output family `name`; `k` is the number of symbols of a categorical one.

    "categorical" has k logits; "bernoulli" one logit; "normal" and "laplace" have a location
    and unit scale, so that their cross-entropies are squared and absolute error.
    Raises BadOption.
    """
    choice("output", name, FAMILIES)
    k = positive("k", k)
    if name == "categorical":
        return Output(name, k, k, k)
    return Output(name, 1, 1, 2 if name == "bernoulli" else None)
