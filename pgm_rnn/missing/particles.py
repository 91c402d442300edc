"""Approximate posteriors by weighted particles: likelihood weighting, and SMC.

Both fill the gaps forward, from the model's own P(y(t) | past), and weigh by what is observed.
Evidence that comes after a gap arrives too late for the choice: then few particles carry it.
"""

import math

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from pgm_rnn.errors import DataError
from pgm_rnn.missing.posterior import Posterior, counted, repeated
from pgm_rnn.sequences import Program, steps
from pgm_rnn.sequences.ends import padding

GROUPS = 10  # independent runs, whose spread is the standard error


def by_particles(
    net: Program,
    y: Real[Tensor, " tau"],
    x: Real[Tensor, "1 ..."] | None,
    *,
    particles: int,
    resample: bool,
    random: torch.Generator,
) -> Posterior:
    """P(gaps | rest) from GROUPS independent sets of particles; `resample` makes it SMC.

        w = prod over observed t of P(y(t) | past),    P(rest) = E[w]

    With `resample` a set whose effective size falls below half is drawn anew, systematically.
    Standard errors come from the spread of the sets, each weighted by its estimate of P(rest).
    """
    size = max(2, math.ceil(particles / GROUPS))
    n = GROUPS * size
    recursion, gaps, tau = steps(net), padding(y), len(y)
    state = recursion.first(n, repeated(x, n))
    weight = torch.zeros(GROUPS, size, dtype=net.dtype)
    evidence = torch.zeros(GROUPS, dtype=net.dtype)
    filled = torch.zeros(n, int(gaps.sum()), dtype=y.dtype)
    seen = 0
    for t in range(1, tau + 1):
        o = recursion.outputs(state, t).expand(n, -1)
        if gaps[t - 1]:
            y_t = net.output.sample(o, random, 1.0).to(y.dtype)
            filled[:, seen] = y_t
            seen += 1
        else:
            y_t = y[t - 1].expand(n)
            weight = weight + net.output.log_prob(o, y_t).reshape(GROUPS, size)
            if resample and seen and t < tau:
                weight, evidence, kept = _resampled(weight, evidence, random)
                state, filled, y_t = state[kept], filled[kept], y_t[kept]
        if t < tau:
            state = recursion.advance(state, t, y_t, repeated(x, n))
    evidence = evidence + weight.logsumexp(-1) - math.log(size)
    return _summary(net, filled, weight, evidence, n * tau)


def _resampled(
    weight: Float[Tensor, "sets size"],
    evidence: Float[Tensor, " sets"],
    random: torch.Generator,
) -> tuple[Float[Tensor, "sets size"], Float[Tensor, " sets"], Int[Tensor, " sets*size"]]:
    groups, size = weight.shape
    share = weight.softmax(-1).nan_to_num(1 / size)
    poor = 1 / (share**2).sum(-1) < size / 2
    kept = torch.arange(groups * size).reshape(groups, size)
    if not poor.any():
        return weight, evidence, kept.flatten()
    start = torch.rand(groups, 1, generator=random, dtype=weight.dtype)
    places = (start + torch.arange(size)) / size
    which = torch.searchsorted(share.cumsum(-1), places).clamp(max=size - 1)
    fresh = which + size * torch.arange(groups).unsqueeze(-1)
    kept = torch.where(poor.unsqueeze(-1), fresh, kept)
    gained = weight.logsumexp(-1) - math.log(size)
    evidence = torch.where(poor, evidence + gained, evidence)
    return torch.where(poor.unsqueeze(-1), 0.0, weight), evidence, kept.flatten()


def _summary(
    net: Program,
    filled: Real[Tensor, "n gaps"],
    weight: Float[Tensor, "sets size"],
    evidence: Float[Tensor, " sets"],
    work: int,
) -> Posterior:
    groups, size = weight.shape
    k = net.output.symbols
    if not torch.isfinite(evidence).any():
        raise DataError(
            "every particle has weight 0: the observed steps have probability 0 under this "
            "program, or too few particles were drawn"
        )
    share = weight.softmax(-1).nan_to_num(0.0)  # a set without any weight
    sets = filled.reshape(groups, size, -1)
    each = torch.stack([_moments(net, s, w, k) for s, w in zip(sets, share, strict=True)])
    importance = evidence.softmax(-1).reshape(-1, *[1] * (each.ndim - 1))
    whole = (share * evidence.softmax(-1).unsqueeze(-1)).flatten()
    found = _moments(net, filled, whole, k)
    errors = ((importance * (each - found)) ** 2).sum(0).sqrt() * math.sqrt(groups / (groups - 1))
    ratio = (evidence - evidence.max()).exp()

    def draw(n: int, generator: torch.Generator) -> Tensor:
        which = torch.multinomial(whole, n, replacement=True, generator=generator)
        return filled[which]

    return Posterior(
        found, evidence.logsumexp(0) - math.log(groups), draw, work, errors=errors,
        evidence_error=(ratio.std() / ratio.mean() / math.sqrt(groups)).item(),
        effective=(1 / (whole**2).sum()).item(),
    )  # fmt: skip


def _moments(
    net: Program, filled: Real[Tensor, "n gaps"], share: Float[Tensor, " n"], k: int | None
) -> Float[Tensor, "gaps values"]:
    if k is not None:
        return counted(filled, share, k)
    mean = share @ filled
    return torch.stack([mean, (share @ (filled - mean) ** 2).clamp(min=0).sqrt()], -1)
