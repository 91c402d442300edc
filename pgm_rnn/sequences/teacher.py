"""All o(t) of observed sequences at once: teacher forcing through one fused recurrent call.

Given y, the input of every step is known beforehand, so the states need no loop in Python:
torch's own `rnn_tanh` (what `nn.RNN` calls) runs them with the program's U, V, W, R, b and c.
"""

from typing import Any

import torch
from jaxtyping import Float, Real
from torch import Tensor
from torch.nn.functional import pad

from pgm_rnn.sequences.program import Program
from pgm_rnn.sequences.steps import steps

FUSED = {"tanh": torch.rnn_tanh, "relu": torch.rnn_relu}


def teacher_forced(
    net: Program, y: Real[Tensor, "batch tau"], x: Real[Tensor, "batch ..."] | None = None
) -> Float[Tensor, "batch tau o"]:
    """o(1..tau) of figure `net` given all of y (and x).

    The same numbers as the program's own sites compute one by one. Raises BadOption for a
    program that is not a figure's.
    """
    if net.finite or net.figure == "10.7":
        return _step_by_step(net, y, x)
    return net.c + _states(net, y, x) @ net.V


def states_read(
    net: Program,
    y: Real[Tensor, "batch tau"],
    left: Float[Tensor, "batch tau+1 1"] | None = None,
) -> Float[Tensor, "batch tau+1 hidden"]:
    """h(0..tau) of a program with a rule for the length.

    h(t) has read y(1..t); `left` is what "tau" feeds: the share that is left.
    """
    start = net.start().expand(len(y), -1)
    if net.finite:
        recursion, found = steps(net), [start]
        for t in range(1, y.shape[1] + 1):
            found.append(recursion.advance(found[-1], t, y[:, t - 1], None))
        return torch.stack(found, 1)
    read, weights = net.encode(y), net.U
    if left is not None:
        start = net.f(net.b + left[:, 0] @ net.R)
        read, weights = torch.cat([read, left[:, 1:]], -1), torch.cat([net.U, net.R])
    return torch.cat([start.unsqueeze(1), _run(net, read, weights, start)], 1)


def _states(
    net: Program, y: Real[Tensor, "batch tau"], x: Any
) -> Float[Tensor, "batch tau hidden"]:
    """The states that emit y(1..tau)."""
    batch, tau = y.shape
    start = net.start().expand(batch, -1)
    if net.figure == "10.3":
        return _run(net, x, net.U, start)
    if net.figure == "10.10":
        read = torch.cat([x, _shifted(net, y)], -1)
        return _run(net, read, torch.cat([net.U, net.R]), start)
    if net.figure == "10.4":  # o is linear in h, so W o = W (c + V h): a recurrence of h alone
        first = net.f(net.b + x[:, 0] @ net.U)
        later = _run(net, x[:, 1:], net.U, first, W=net.V @ net.W, b=net.b + net.c @ net.W)
        return torch.cat([first.unsqueeze(1), later], 1)
    if net.figure == "text":
        return _run(net, _shifted(net, y), net.U, start)
    read, weights = net.encode(y[:, :-1]), net.U
    if net.figure == "10.9":
        if net.entry != "input":
            start = net.f(net.b + x @ net.R)
        if net.entry != "initial":
            read = torch.cat([read, x.unsqueeze(1).expand(-1, tau - 1, -1)], -1)
            weights = torch.cat([net.U, net.R])
    return torch.cat([start.unsqueeze(1), _run(net, read, weights, start)], 1)


def _shifted(net: Program, y: Real[Tensor, "batch tau"]) -> Float[Tensor, "batch tau y_width"]:
    """y(0..tau-1) as the net reads it, nothing at first."""
    return pad(net.encode(y[:, :-1]), (0, 0, 1, 0))


def _run(
    net: Program,
    read: Float[Tensor, "batch steps width"],
    weights: Float[Tensor, "width hidden"],
    start: Float[Tensor, "batch hidden"],
    W: Float[Tensor, "hidden hidden"] | None = None,
    b: Float[Tensor, " hidden"] | None = None,
) -> Float[Tensor, "batch steps hidden"]:
    if read.shape[1] == 0:
        return read.new_zeros(len(start), 0, start.shape[-1])
    W = net.W if W is None else W
    b = net.b if b is None else b
    flat = [weights.T.contiguous(), W.T.contiguous(), b, torch.zeros_like(b)]
    h = start.unsqueeze(0).contiguous()
    return FUSED[net.cell](read, h, flat, True, 1, 0.0, net.training, False, True)[0]


def _step_by_step(
    net: Program, y: Real[Tensor, "batch tau"], x: Real[Tensor, "batch ..."] | None
) -> Float[Tensor, "batch tau o"]:
    recursion = steps(net)
    state = recursion.first(len(y), x)
    found = []
    for t in range(1, y.shape[1] + 1):
        found.append(recursion.outputs(state, t).expand(len(y), -1))
        if t < y.shape[1]:
            state = recursion.advance(state, t, y[:, t - 1], x)
    return torch.stack(found, 1)
