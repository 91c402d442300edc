"""Fill the gaps of observed sequences: marginals, joint, log-evidence, samples."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Real
from torch import Tensor

from pgm_rnn.errors import BadOption, DataError, TooLarge
from pgm_rnn.fitting import check
from pgm_rnn.missing.exact import by_branching
from pgm_rnn.missing.gibbs import by_gibbs
from pgm_rnn.missing.merging import TooMany, by_merging, meets
from pgm_rnn.missing.particles import by_particles
from pgm_rnn.missing.posterior import Posterior
from pgm_rnn.options import choice, huge, positive
from pgm_rnn.sequences import Program
from pgm_rnn.sequences.ends import padding

METHODS = ("auto", "exact", "gibbs", "smc", "importance")
BUDGET = 10_000_000  # branches of one sequence
BLOCK = 10_000  # fillings of a block, which 20 chains score at once


@dataclass(frozen=True)
class Infilled:
    """What stood in the gaps of a batch; a row a sequence."""

    # of each sequence: P(symbol at the gap | the rest); if real, mean and standard deviation
    marginals: tuple[Float[Tensor, "gaps k"], ...]
    joint: tuple[Float[Tensor, "*k"] | None, ...]  # [k, .., k]; None unless exact and small
    log_evidence: Float[Tensor, " batch"]  # log P(the observed steps | x), nats; nan from "gibbs"
    samples: Real[Tensor, "samples batch tau"] = field(repr=False)  # gaps from the posterior
    cell_steps: int  # states that were computed
    method: str
    # standard errors of an approximation
    errors: tuple[Float[Tensor, "gaps k"], ...] | None = field(default=None, repr=False)
    evidence_errors: Float[Tensor, " batch"] | None = field(default=None, repr=False)
    effective: tuple[float, ...] | None = None  # effective sample sizes of weighted particles
    other: "Infilled | None" = field(default=None, repr=False)  # "auto": a second approximation
    disagreement: Float[Tensor, " batch"] | None = None  # largest total variation to `other`


def infill(
    model: Program,
    y: Real[Tensor, "batch tau"],
    x: Real[Tensor, "batch ..."] | None = None,
    method: str = "auto",
    *,
    samples: int = 1,
    seed: int = 0,
    budget: int = BUDGET,
    particles: int = 1000,
    sweeps: int = 100,
    blocks: Iterable[Iterable[int]] = (),
) -> Infilled:
    """P(y at the gaps | the observed y, x) under a figure's program; gaps are -1 (NaN if real).

        P(y_M | y_O) = P(y_M, y_O) / sum over fillings of P(y_M, y_O)

    Over y alone a recurrent net is the complete graph (fig 10.7), so all k^m fillings of m gaps
    count. The methods:

    "exact"       follows all fillings from the first gap on; where states coincide (finite h, or
                  a state that reads no y) branches meet again, and the work is linear in the gaps
    "gibbs"       `sweeps` sweeps of 20 chains; gaps of one block, steps counted from 1, are redrawn
                  together; no evidence
    "smc"         `particles` particles, resampled where few carry the weight
    "importance"  likelihood weighting: the same without resampling
    "auto"        exact if k^m is within `budget`, else gibbs (smc if y is real) with `other`, by
                  importance, and their `disagreement`, a total variation (of real gaps: the
                  difference of the means in standard deviations)

    Of a real-valued gap the marginal is its mean and standard deviation, by particles only.
    Raises BadOption, DataError, and TooLarge where "exact" is beyond the budget.

    >>> import torch, pgm_rnn
    >>> f = pgm_rnn.figure("10.8", tau=3, k=2)
    >>> round(infill(f.model, torch.tensor([[0, -1, 1]])).marginals[0].sum().item(), 12)
    1.0
    """
    net = check.program(model)
    choice("method", method, METHODS)
    for name, value, least in (
        ("samples", samples, 0), ("seed", seed, 0), ("budget", budget, 1),
        ("particles", particles, 20), ("sweeps", sweeps, 1),
    ):  # fmt: skip
        positive(name, value, least)
    if net.length_rule is not None:
        raise BadOption(f"{net.title} has no gaps to fill: infill takes the figures of one length")
    y = check.sequences(net, y, gaps=True)
    x = check.context(net, x, y)
    chosen = _choose(net, y, method, budget)
    together = _blocks(blocks, y, net.output.symbols, budget)
    if together and chosen != "gibbs" and method != "auto":
        raise BadOption(f'blocks are redrawn by method="gibbs" alone, not by {method!r}')
    random = torch.Generator().manual_seed(seed)

    def run(how: str) -> Infilled:
        found = []
        for i, row in enumerate(y):
            mine = None if x is None else x[i : i + 1]
            if how == "exact" and meets(net):
                found.append(by_merging(net, row, mine, budget))
            elif how == "exact":
                found.append(by_branching(net, row, mine))
            elif how == "gibbs":
                found.append(
                    by_gibbs(net, row, mine, sweeps=sweeps, blocks=together, random=random)
                )
            else:
                found.append(
                    by_particles(
                        net, row, mine, particles=particles, resample=how == "smc", random=random
                    )
                )
            if found[-1].log_evidence == -torch.inf:
                raise DataError(
                    f"sequence {i + 1}: the observed steps have probability 0 under this program, "
                    "so nothing can be said of its gaps"
                )
        return _gathered(found, y, samples, random, how)

    with torch.no_grad():
        try:
            answer = run(chosen)
        except TooMany as error:
            if method == "exact":
                raise _too_large(str(error), error.branches, budget) from None
            chosen = "gibbs"
            answer = run(chosen)
        if method == "auto" and chosen != "exact":
            answer = _beside(answer, run("importance"), net.output.symbols is None)
    return answer


def _choose(net: Program, y: Tensor, method: str, budget: int) -> str:
    """The method for this data, else BadOption or TooLarge."""
    k = net.output.symbols
    if k is None:
        if method in ("exact", "gibbs"):
            raise BadOption(
                f"method = {method!r} needs symbols: output = {net.output.name!r} is real-valued, "
                'and its gaps have no finite table. Use method="smc" or "importance"'
            )
        return "smc" if method == "auto" else method
    if method not in ("auto", "exact"):
        return method
    if meets(net):
        return "exact"
    gaps = padding(y).sum(-1)
    row = int(gaps.argmax())
    m = int(gaps[row])
    if k**m <= budget:
        return "exact"
    if method == "auto":
        return "gibbs"
    what = f"sequence {row + 1} has {m} gaps: k^m = {k}^{m} = {huge(k**m)} branches"
    raise _too_large(what, k**m, budget)


def _too_large(what: str, branches: int, budget: int) -> TooLarge:
    return TooLarge(
        f"{what}; the budget is {budget:,}. Give fewer gaps, raise budget, or use "
        'method="gibbs", "smc", "importance" or "auto" (two of them and their disagreement)',
        entries=branches,
        bytes=8 * branches,
        limit=budget,
    )


def _blocks(
    blocks: Iterable[Iterable[int]], y: Tensor, k: int | None, budget: int
) -> list[list[int]]:
    """Blocks of steps, counted from 0. Raises DataError unless they are gaps of every row."""
    try:
        found = [sorted(block) for block in blocks]
        whole = all(isinstance(t, int) and not isinstance(t, bool) for b in found for t in b)
    except TypeError:
        found, whole = [], False
    if not whole or not all(found):
        raise DataError(f"blocks = {blocks!r} should hold tuples of steps, such as [(2, 4)]")
    listed = [t for block in found for t in block]
    for t in listed:
        if not 1 <= t <= y.shape[1] or not bool(padding(y)[:, t - 1].all()):
            raise DataError(f"blocks names step {t}, which is not a gap of every sequence")
    if len(set(listed)) < len(listed):
        raise DataError(f"blocks = {found} names a step twice")
    limit = min(budget, BLOCK)
    for block in found:
        if k is not None and k ** len(block) > limit:
            raise TooLarge(
                f"a block of {len(block)} gaps has {k}^{len(block)} = {huge(k ** len(block))} "
                f"fillings; the limit is {limit:,}. Use smaller blocks",
                entries=k ** len(block),
                bytes=8 * k ** len(block),
                limit=limit,
            )
    return [[t - 1 for t in block] for block in found]


def _gathered(
    found: list[Posterior], y: Tensor, samples: int, random: torch.Generator, method: str
) -> Infilled:
    drawn = y.repeat(samples, 1, 1)
    for i, (row, p) in enumerate(zip(y, found, strict=True)):
        gaps = padding(row)
        if samples and gaps.any():
            drawn[:, i, gaps] = p.draw(samples, random).to(drawn.dtype)
    exact = method == "exact"
    effective = tuple(p.effective for p in found if p.effective is not None)
    return Infilled(
        tuple(p.marginals for p in found),
        tuple(p.joint for p in found),
        torch.stack([p.log_evidence for p in found]),
        drawn,
        sum(p.cell_steps for p in found),
        method,
        None if exact else tuple(p.errors for p in found if p.errors is not None),
        None if exact else torch.tensor([p.evidence_error for p in found]),
        effective or None,
    )


def _beside(one: Infilled, two: Infilled, real: bool) -> Infilled:
    """`one`, with a second approximation and how far apart they are."""
    apart = []
    for a, b in zip(one.marginals, two.marginals, strict=True):
        if not len(a):
            apart.append(0.0)
        elif real:
            apart.append(((a - b)[:, 0].abs() / b[:, 1].clamp(min=1e-12)).max().item())
        else:
            apart.append(((a - b).abs().sum(-1) / 2).max().item())
    return Infilled(
        one.marginals, one.joint,
        two.log_evidence if one.method == "gibbs" else one.log_evidence,
        one.samples, one.cell_steps + two.cell_steps, f"{one.method} and importance", one.errors,
        two.evidence_errors if one.method == "gibbs" else one.evidence_errors, two.effective,
        two, torch.tensor(apart),
    )  # fmt: skip
