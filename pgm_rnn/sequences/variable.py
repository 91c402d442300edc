"""Sequences of any length as one distribution: the three rules for when to stop.

A value is padded: [batch, tau], -1 (NaN where y is real) after the end; tau is the largest length.
Every length has its mass, and all of them sum to one, since the sequence ends at tau in any case.
"""

import sys
from typing import Any

import torch
from jaxtyping import Float, Int, Real
from pyro.distributions import TorchDistribution
from pyro.distributions import constraints as c
from torch import Tensor
from torch.nn.functional import logsigmoid

from pgm_rnn.errors import BadOption, DataError
from pgm_rnn.sequences.ends import lengths as lengths_of
from pgm_rnn.sequences.program import Program
from pgm_rnn.sequences.teacher import states_read

FIRST = {"eos": 0, "halt": 1, "tau": 1}  # the shortest sequence of each rule


class VariableLength(TorchDistribution):
    """P(y(1..tau), tau) of a program with a rule for the length ("eos", "halt", "tau").

        eos     prod of P(y(t) | past) P(end | y(1..tau))
        halt    prod of P(y(t) | past) (1 - halt(t)) over t < tau, times P(y(tau) | past) halt(tau)
        tau     P(tau) prod of P(y(t) | past, tau - t)

    where at the largest length the factor of the end is 1. Event shape [largest tau]; `batch`
    sequences. All parameters are the program's own, so it trains through one fused call.
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012  (torch's own convention)
    has_rsample = False

    def __init__(self, net: Program, batch: int = 1, validate_args: Any = None):
        if net.length_rule is None:
            raise BadOption(
                f'{net.title} has one length, tau; figure("eos"), figure("halt") and '
                'figure("tau") have a rule for when to stop'
            )
        self.net = net
        super().__init__(torch.Size([batch]), torch.Size([net.tau]), validate_args=validate_args)

    @property
    def support(self) -> Any:
        return c.independent(c.real if self.net.output.symbols is None else c.integer, 1)

    def log_prob(self, value: Real[Tensor, "batch tau"]) -> Float[Tensor, " batch"]:
        """log P(y, tau) in nats."""
        steps, end = length_scores(self.net, value, lengths_of(value))
        return steps.sum(-1) + end

    def sample(self, sample_shape: Any = torch.Size()) -> Tensor:  # noqa: B008
        """Sequences padded after their end, [..., batch, tau]."""
        many = torch.Size(sample_shape).numel() * self.batch_shape[0]
        with torch.no_grad():
            drawn = draw(self.net, many)
        return drawn.reshape(*sample_shape, *self.batch_shape, self.net.tau)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "VariableLength":
        return VariableLength(self.net, torch.Size(batch_shape)[0], validate_args=False)


def length_scores(
    net: Program, y: Real[Tensor, "batch tau"], lengths: Int[Tensor, " batch"]
) -> tuple[Float[Tensor, "batch tau"], Float[Tensor, " batch"]]:
    """log P of each step, 0 after the end; and of the end itself; nats.

    `y` may be narrower than the program. Differentiable in the parameters.
    Raises DataError for a length that the rule cannot give.
    """
    first = FIRST[str(net.length_rule)]
    wrong = (lengths < first) | (lengths > net.tau)
    if wrong.any():
        row = int(wrong.nonzero()[0])
        raise DataError(
            f"sequence {row + 1} has length {int(lengths[row])}; {net.title} gives {first} to "
            f"{net.tau}" + (' (figure("eos") can be empty)' if first else "")
        )
    live = torch.arange(y.shape[1]) < lengths.unsqueeze(-1)
    y = torch.where(live, y, torch.zeros_like(y))
    if net.length_rule == "tau":
        rows, times = lengths.unsqueeze(-1), torch.arange(y.shape[1] + 1)
        left = ((rows - times).clamp(min=0).to(net.dtype) / net.tau).unsqueeze(-1)
        h = states_read(net, y, left)
        end = torch.log_softmax(net.get_parameter("length"), -1)[lengths - 1]
    else:
        h = states_read(net, y)
        end = None
    o = net.c + h @ net.V
    if net.length_rule == "eos":
        score = torch.log_softmax(o, -1)
        steps = score[:, :-1].gather(-1, y.long().unsqueeze(-1)).squeeze(-1)
        final = score[torch.arange(len(y)), lengths, net.k]
        return torch.where(live, steps, 0.0), torch.where(
            lengths < net.tau, final, torch.zeros_like(final)
        )
    steps = torch.where(live, net.output.log_prob(o[:, :-1], y), 0.0)
    if end is None:
        coin = module_of(net).halting(net, h[:, 1:])
        times = torch.arange(1, y.shape[1] + 1)
        on = logsigmoid(-coin) * (times < lengths.unsqueeze(-1))
        off = logsigmoid(coin) * ((times == lengths.unsqueeze(-1)) & (times < net.tau))
        end = (on + off).sum(-1)
    return steps, end


def by_coin(net: Program, y: Int[Tensor, "batch tau"]) -> Float[Tensor, " batch"]:
    """log P(y, tau | not empty), nats, of an end symbol, written as a coin after each step.

        halt(t) = sigmoid(o_end - logsumexp(o_symbols)),   y(t) ~ softmax(o_symbols)

    The end symbol and the coin are one family of hazards: this is `VariableLength`'s log_prob, but
    for log P(not empty), which only an end symbol pays. `y` is padded. Raises BadOption.
    """
    if net.length_rule != "eos":
        raise BadOption(f'{net.title} has no end symbol; pass figure("eos").model')
    lengths = lengths_of(y)
    o = net.c + states_read(net, y.clamp(min=0)) @ net.V
    symbols, end = o[..., :-1], o[..., -1]
    times = torch.arange(1, y.shape[1] + 1)
    last = lengths.unsqueeze(-1)
    steps = net.output.log_prob(symbols[:, :-1], y.clamp(min=0)) * (times <= last)
    coin = (end - symbols.logsumexp(-1))[:, 1:]
    on, off = logsigmoid(-coin) * (times < last), logsigmoid(coin) * (times == last)
    return (steps + on + off * (times < net.tau)).sum(-1)


def draw(
    net: Program,
    n: int,
    prefix: Real[Tensor, "{n} s"] | None = None,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Real[Tensor, "{n} {net.tau}"]:
    """`n` padded sequences; finished ones leave the batch. See `pgm_rnn.sample`."""
    symbols = net.output.symbols is not None
    y = torch.full((n, net.tau), -1 if symbols else torch.nan)
    y = y.long() if symbols else y.to(net.dtype)
    module, left = module_of(net), torch.arange(n)
    total = _drawn_lengths(net, n, prefix, generator) if net.length_rule == "tau" else None
    h = net.start().expand(n, -1) if total is None else module.first_state(net, total)
    given = 0 if prefix is None else prefix.shape[1]
    for t in range(1, net.tau + 1):
        o = net.c + h @ net.V
        if prefix is not None and t <= given:
            y_t = prefix[left, t - 1]
        elif net.length_rule == "eos":
            chances = torch.softmax((o - o.amax(-1, keepdim=True)) / temperature, -1)
            y_t = torch.multinomial(chances, 1, generator=generator)
            y_t = y_t.squeeze(-1)
        else:
            y_t = net.output.sample(o.expand(len(left), -1), generator, temperature)
        if net.length_rule == "eos":
            on = y_t != net.k
            left, y_t, h = left[on], y_t[on], h[on]
        y[left, t - 1] = y_t.to(y.dtype)
        h = module.update(net, h, y_t, *([] if total is None else [total - t]))
        on = torch.ones(len(left), dtype=torch.bool)
        if net.length_rule == "halt" and t >= given:
            chance = torch.sigmoid(module.halting(net, h) / temperature)
            on = torch.bernoulli(chance.expand(len(left)), generator=generator) == 0
        elif total is not None:
            on = total > t
            total = total[on]
        left, h = left[on], h[on]
        if not len(left):
            break
    return y


def _drawn_lengths(
    net: Program,
    n: int,
    prefix: Real[Tensor, "{n} s"] | None,
    generator: torch.Generator | None,
) -> Int[Tensor, " {n}"]:
    """Lengths from P(tau), or from P(tau | prefix): one pass for each length it may have."""
    table = torch.log_softmax(net.get_parameter("length"), -1).expand(n, -1)
    if prefix is not None:
        table = table + prefix_evidence(net, prefix).expand(n, -1)
    return 1 + torch.multinomial(table.softmax(-1), 1, generator=generator).squeeze(-1)


def prefix_evidence(
    net: Program, prefix: Real[Tensor, "batch s"]
) -> Float[Tensor, "batch {net.tau}"]:
    """log P(y(1..s) = prefix | tau), nats, of the rule "tau" for each tau from 1 on.

    It costs a pass over the prefix for each of the lengths; -inf where tau < s.
    """
    found, s = [], prefix.shape[1]
    for tau in range(1, net.tau + 1):
        if tau < s:
            found.append(torch.full((len(prefix),), -torch.inf, dtype=net.dtype))
            continue
        left = (tau - torch.arange(s + 1)).to(net.dtype) / net.tau
        h = states_read(net, prefix, left.expand(len(prefix), -1).unsqueeze(-1))
        o = net.c + h[:, :-1] @ net.V
        found.append(net.output.log_prob(o, prefix).sum(-1))
    return torch.stack(found, -1)


def module_of(net: Program) -> Any:
    """The file that tells a program's story."""
    return sys.modules[net.story.__module__]
