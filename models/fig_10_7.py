"""Fig 10.7: the complete graph over y, as a table (Deep Learning, section 10.2.3).

    y(i) -> y(j) for all i < j

    P(y(1..tau)) = prod over t of P(y(t) | y(1..t-1))       eq 10.31, the chain rule

Each factor is a table of its own with one row a past: k^(t-1) rows of k-1 free logits (the last
logit is 0). The tables have k^tau - 1 free parameters in all, as many as the joint table.

Shapes: y [batch, tau] of symbols 0..k-1, table_t [k^(t-1), k-1].
"""

import pyro
import pyro.distributions as dist
import torch
from torch.nn.functional import pad

from pgm_rnn.sequences import given, sequence

FIGURE = "10.7"
TITLE = "fig 10.7"
OUTPUTS = ("categorical",)


def parameters(size):
    """One table a step: sum of k^(t-1) (k-1) = k^tau - 1 numbers."""
    return {f"table_{t}": (size.k ** (t - 1), size.k - 1) for t in range(1, size.tau + 1)}


def model(net, y=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    row = torch.zeros((), dtype=torch.long)  # the number of the past y(1..t-1), in base k
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            table = getattr(net, f"table_{t}")
            logits = pad(table[row], (0, 1))
            y_t = pyro.sample(f"y_{t}", dist.Categorical(logits=logits), obs=given(y, t))
            row = row * net.k + y_t.long()
            steps.append(y_t)
    return sequence(steps)
