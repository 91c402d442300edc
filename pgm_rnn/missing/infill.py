"""Fill the gaps of observed sequences: marginals, joint, log-evidence, samples."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from pgm_rnn.errors import BadOption, TooLarge
from pgm_rnn.fitting import check
from pgm_rnn.missing.exact import fillings
from pgm_rnn.options import choice, positive
from pgm_rnn.sequences import Program

METHODS = ("auto", "exact")
BUDGET = 10_000_000  # branches of one sequence
SMALL = 4096  # entries of a joint table that is kept


@dataclass(frozen=True)
class Infilled:
    """What stood in the gaps of a batch; a row a sequence."""

    marginals: tuple[Tensor, ...]  # of each sequence [gaps, k]: P(y at the gap | the rest)
    joint: tuple[Tensor | None, ...]  # of each sequence [k, .., k], None where it is large
    log_evidence: Tensor  # [batch], log P(the observed steps | x), nats
    samples: Tensor = field(repr=False)  # [samples, batch, tau]: the gaps drawn from the posterior
    cell_steps: int  # states that were computed
    method: str


def infill(
    model: Program,
    y: Tensor,
    x: Tensor | None = None,
    method: str = "auto",
    *,
    samples: int = 1,
    seed: int = 0,
    budget: int = BUDGET,
) -> Infilled:
    """P(y at the gaps | the observed y, x) under a figure's program; gaps are -1.

        P(y_M | y_O) = P(y_M, y_O) / sum over fillings of P(y_M, y_O)

    Over y alone a recurrent net is the complete graph (fig 10.7), so all k^m fillings of m gaps
    count: up to the first gap there is one branch, and each gap makes k of every one. "exact"
    follows them all; "auto" is the same now. Raises BadOption for another method or a real-valued
    output, DataError for data that cannot be read, TooLarge beyond `budget` branches.

    >>> import torch, pgm_rnn
    >>> f = pgm_rnn.figure("10.8", tau=3, k=2)
    >>> round(infill(f.model, torch.tensor([[0, -1, 1]])).marginals[0].sum().item(), 12)
    1.0
    """
    net = check.program(model)
    choice("method", method, METHODS)
    positive("samples", samples, 0)
    positive("seed", seed, 0)
    positive("budget", budget)
    k = net.output.symbols
    if k is None:
        raise BadOption(
            f"output = {net.output.name!r} is real-valued: its gaps have no finite table. "
            'Use output="categorical" or "bernoulli"'
        )
    y = check.sequences(net, y, gaps=True)
    x = check.context(net, x, y)
    for row, gaps in enumerate((y < 0).sum(-1).tolist()):
        if k**gaps > budget:
            raise TooLarge(
                f"sequence {row + 1} has {gaps} gaps: k^m = {k}^{gaps} = {k**gaps:,} branches; "
                f"the budget is {budget:,}. Give fewer gaps, or raise budget",
                entries=k**gaps,
                bytes=8 * k**gaps,
                limit=budget,
            )
    random = torch.Generator().manual_seed(seed)
    marginals, joints, evidence, work = [], [], [], 0
    drawn = y.repeat(samples, 1, 1)
    with torch.no_grad():
        for i, row in enumerate(y):
            mine = None if x is None else x[i : i + 1]
            chunks = list(fillings(net, row, mine))
            weight = torch.cat([w for w, _ in chunks])  # the first gap counts slowest
            work += sum(n for _, n in chunks)
            total = weight.logsumexp(0)
            share = (weight - total).exp()
            gaps = int((row < 0).sum())
            marginals.append(_marginals(share, gaps, k))
            joints.append(share.reshape([k] * gaps) if len(share) <= SMALL else None)
            evidence.append(total)
            if samples and gaps:
                u = torch.rand(samples, generator=random, dtype=share.dtype)
                which = torch.searchsorted(share.cumsum(0), u).clamp(max=len(share) - 1)
                places = k ** torch.arange(gaps - 1, -1, -1)
                drawn[:, i, row < 0] = (which.unsqueeze(-1) // places % k).to(drawn.dtype)
    return Infilled(tuple(marginals), tuple(joints), torch.stack(evidence), drawn, work, "exact")


def _marginals(share: Tensor, gaps: int, k: int) -> Tensor:
    """P(each gap) out of the shares of all fillings, [gaps, k]."""
    tables = [share.reshape(k**gap, k, -1).sum((0, 2)) for gap in range(gaps)]
    return torch.stack(tables) if tables else share.new_zeros(0, k)
