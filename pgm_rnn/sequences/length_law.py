"""The exact distribution of the length, by following every sequence until it ends."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid

from pgm_rnn.errors import BadOption, TooLarge
from pgm_rnn.options import huge, positive
from pgm_rnn.sequences.merge import merged
from pgm_rnn.sequences.program import Program
from pgm_rnn.sequences.steps import steps
from pgm_rnn.sequences.variable import module_of

BUDGET = 2**20  # branches side by side


@dataclass(frozen=True)
class LengthLaw:
    """P(tau), and what it leaves out."""

    probability: Float[Tensor, " max_length+1"]  # P(tau = 0), P(tau = 1), ...
    tail: float  # P(tau > max_length)
    forced: float  # the part of P(tau = largest) that never said stop; 0 if not reached


def length_distribution(model: Program, max_length: int | None = None) -> LengthLaw:
    """P(tau) of a program with a rule for the length, exact, up to `max_length`.

        P(tau = t) = sum over y(1..t) of P(y(1..t), it ends after t)

    "tau" reads it off its table. "eos" and "halt" follow all k^t beginnings; those whose states
    coincide (a finite h) are one. At the program's largest length a sequence is ended in any case;
    `forced` is how often. The probabilities and the tail add up to 1. Raises BadOption for a
    program without a rule and for real-valued outputs, TooLarge for more than 2^20 beginnings.

    >>> import pgm_rnn
    >>> law = length_distribution(pgm_rnn.figure("eos", tau=4, k=2).model)
    >>> round(law.probability.sum().item() + law.tail, 12)
    1.0
    """
    if not isinstance(model, Program) or model.length_rule is None:
        raise BadOption(
            'this program has one length, tau; rules for when to stop have figure("eos"), '
            'figure("halt") and figure("tau")'
        )
    net = model
    last = net.tau if max_length is None else positive("max_length", max_length, 0)
    last = min(last, net.tau)
    with torch.no_grad():
        if net.length_rule == "tau":
            table = torch.log_softmax(net.get_parameter("length"), -1).exp()
            found, forced = torch.cat([table.new_zeros(1), table])[: last + 1], 0.0
        else:
            found, forced = _followed(net, last)
    tail = max(0.0, 1.0 - found.sum().item()) if last < net.tau else 0.0
    return LengthLaw(found, tail, forced)


def _followed(net: Program, last: int) -> tuple[Tensor, float]:
    k = net.output.symbols
    if k is None:
        raise BadOption(
            f"output = {net.output.name!r} is real-valued: its beginnings cannot be counted out. "
            "Draw samples and count their lengths: pgm_rnn.sample(model, 10_000)"
        )
    recursion = steps(net)
    state, weight = recursion.first(1, None), torch.zeros(1, dtype=net.dtype)
    found = torch.zeros(last + 1, dtype=net.dtype)
    for t in range(1, last + 2):
        if t > net.tau:  # it has all its steps and is ended now
            return found, found[-1].item()
        score = net.output.scores(recursion.outputs(state, t).expand(len(weight), -1))
        if net.length_rule == "eos":
            found[t - 1] += (weight + score[:, -1]).exp().sum()
        if t > last:
            break
        if len(weight) * k > BUDGET:
            raise TooLarge(
                f"{k}^{t} = {huge(k**t)} beginnings to follow; the limit is {BUDGET:,}. Lower "
                'max_length, or use state="finite", where equal states are one',
                entries=k**t, bytes=8 * k**t * net.hidden, limit=BUDGET,
            )  # fmt: skip
        symbols = torch.arange(k).repeat(len(weight))
        state = recursion.advance(state.repeat_interleave(k, 0), t, symbols, None)
        weight = (weight.unsqueeze(-1) + score[:, :k]).flatten()
        if net.finite:
            state, weight = merged(state, weight)
        if t == net.tau:
            found[t] += weight.exp().sum()
        elif net.length_rule == "halt":
            coin = module_of(net).halting(net, state)
            found[t] += (weight + logsigmoid(coin)).exp().sum()
            weight = weight + logsigmoid(-coin)
    return found, 0.0
