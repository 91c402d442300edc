"""Time as an input: the step's number t for programs that read x(t)."""

import torch
from jaxtyping import Float
from torch import Tensor

from pgm_rnn.options import choice, positive

KINDS = ("scalar", "onehot")


def clock(
    tau: int, kind: str = "scalar", *, trained: int | None = None, batch: int = 1
) -> Float[Tensor, "{batch} {tau} width"]:
    """The step's number as x(t), for figs 10.3, 10.4 and 10.10.

    "scalar": x(t) = t / trained, [batch, tau, 1]. Beyond the trained length it grows past 1: the
    net extrapolates, and nothing was learned there.
    "onehot": x(t) has a 1 at place t, [batch, tau, trained]. Beyond the trained length x(t) is all
    zeros: those steps are the net without a clock, all alike.
    `trained` is the length the program is (or was) fitted on; by default `tau`. Raises BadOption.

    >>> clock(3, "onehot", trained=2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    choice("kind", kind, KINDS)
    tau, batch = positive("tau", tau), positive("batch", batch)
    length = positive("trained", tau if trained is None else trained)
    if kind == "scalar":
        x = torch.arange(1, tau + 1, dtype=torch.float64).unsqueeze(-1) / length
    else:
        x = torch.eye(max(tau, length), length, dtype=torch.float64)[:tau]
    return x.expand(batch, *x.shape)
