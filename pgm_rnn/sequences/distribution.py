"""A whole sequence as one site: the same law as the explicit program, scored in one pass."""

from typing import Any

import torch
from jaxtyping import Float, Real
from pyro.distributions import TorchDistribution
from pyro.distributions import constraints as c
from torch import Tensor

from pgm_rnn.errors import BadOption
from pgm_rnn.sequences.program import Program
from pgm_rnn.sequences.teacher import teacher_forced


class SequenceDistribution(TorchDistribution):
    """P(y(1..tau) | x) of a figure's program as one distribution, event shape [tau].

    `log_prob` runs all steps in one fused call, so that training costs what plain PyTorch costs;
    `sample` and the explicit program stay step by step. The parameters are the program's own:

        def model(y):
            pyro.module("net", net)
            with pyro.plate("batch", len(y)):
                pyro.sample("y", SequenceDistribution(net, batch=len(y)), obs=y)

    `x` is the context, [batch, ...]; `batch` counts sequences where there is none.
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012  (torch's own convention)
    has_rsample = False

    def __init__(
        self,
        net: Program,
        x: Real[Tensor, "batch ..."] | None = None,
        batch: int = 1,
        validate_args: Any = None,
    ):
        if net.length_rule is not None:
            raise BadOption(f"{net.title} has sequences of any length: use VariableLength")
        self.net = net
        # a finite state reads symbols
        self.x = None if x is None else x if net.finite else x.to(net.dtype)
        shape = torch.Size([batch if x is None else len(x)])
        super().__init__(shape, torch.Size([net.tau]), validate_args=validate_args)

    @property
    def support(self) -> Any:
        symbols = self.net.output.symbols
        return c.independent(c.real if symbols is None else c.integer_interval(0, symbols - 1), 1)

    def log_prob(self, value: Real[Tensor, "batch tau"]) -> Float[Tensor, " batch"]:
        """log P(y | x) in nats."""
        return self.step_log_prob(value).sum(-1)

    def step_log_prob(self, value: Real[Tensor, "batch tau"]) -> Float[Tensor, "batch tau"]:
        """log P(y(t) | y(1..t-1), x) in nats."""
        if self._validate_args:
            self._validate_sample(value)
        o = teacher_forced(self.net, value, self.x)
        return self.net.output.log_prob(o, value)

    def sample(self, sample_shape: Any = torch.Size()) -> Tensor:  # noqa: B008
        """Sequences from the explicit program, [..., batch, tau]."""
        import pyro

        many = torch.Size(sample_shape).numel()
        with torch.no_grad(), pyro.poutine.block():
            batch = self.batch_shape[0] * many
            x = None if self.x is None else self.x.repeat(many, *[1] * (self.x.ndim - 1))
            drawn = self.net(x=x, batch=batch)
        return drawn.reshape(*sample_shape, *self.batch_shape, self.net.tau)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "SequenceDistribution":
        batch = torch.Size(batch_shape)
        if batch == self.batch_shape:
            return self
        x = None if self.x is None else self.x.expand(*batch, *self.x.shape[1:])
        return SequenceDistribution(self.net, x, batch=batch[0], validate_args=False)
