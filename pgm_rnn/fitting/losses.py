"""Losses read as distributions: which density a training loss is the negative logarithm of."""

import math
from dataclasses import dataclass

from pgm_rnn.errors import BadOption

NO_DENSITY = {
    "hinge": "exp(-max(0, 1 - y o)) summed over y depends on o, so its normaliser is part of the "
    "loss; use the binary cross-entropy",
    "accuracy": "it is constant almost everywhere, so it has no gradient to follow; use the "
    "categorical cross-entropy",
    "dice": "it is a ratio over a whole batch, not a sum over steps; use the binary cross-entropy",
    "cosine": "it does not change with the length of the vectors, so exp(-loss) cannot be "
    "normalised; use the squared error",
}
OTHERS = {
    "nll": "cross entropy",
    "bce": "binary cross entropy",
    "mse": "squared error",
    "l2": "squared error",
    "mae": "absolute error",
    "l1": "absolute error",
}


@dataclass(frozen=True)
class Reading:
    """A loss as a distribution: -log p(y | o) = scale * loss(o, y) + constant, a step, in nats."""

    loss: str
    output: str  # the option `output` of a figure
    scale: float
    constant: float


_READINGS = {
    r.loss: r
    for r in (
        Reading("cross entropy", "categorical", 1.0, 0.0),
        Reading("binary cross entropy", "bernoulli", 1.0, 0.0),
        Reading("squared error", "normal", 0.5, 0.5 * math.log(2 * math.pi)),
        Reading("absolute error", "laplace", 1.0, math.log(2)),
    )
}


def reading(loss: str) -> Reading:
    """The distribution whose negative log-probability is this loss (book, section 6.2.1).

    Squared error is a Gaussian of unit variance, absolute error a Laplace of unit scale, so a
    sequence of tau steps costs tau/2 log 2 pi (tau log 2) nats more than the loss says; gradients
    are equal. Raises BadOption for a loss without a density, with the reason.

    >>> reading("squared error").output
    'normal'
    """
    name = str(loss).lower().replace("-", " ").replace("_", " ").removesuffix(" loss")
    name = OTHERS.get(name, name.removeprefix("categorical "))
    if name in _READINGS:
        return _READINGS[name]
    why = NO_DENSITY.get(name, "no distribution is known whose negative logarithm it is")
    raise BadOption(
        f"loss {loss!r} has no density to sample from or to score with: {why}. "
        f"Losses with one: {', '.join(_READINGS)}"
    )
