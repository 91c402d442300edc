"""Draw sequences from a figure's program, all at once."""

import torch
from jaxtyping import Real
from torch import Tensor

from pgm_rnn.errors import BadOption, DataError
from pgm_rnn.fitting import check
from pgm_rnn.options import number, positive
from pgm_rnn.sequences import Program, steps
from pgm_rnn.sequences.variable import draw


def sample(
    model: Program,
    n: int,
    x: Real[Tensor, "n ..."] | None = None,
    prefix: Real[Tensor, "n s"] | None = None,
    *,
    temperature: float = 1.0,
    seed: int | None = None,
    end: int | None = None,
) -> Real[Tensor, "n tau"]:
    """`n` sequences y from P(y | x, prefix).

    `x` is the context, [n, ...] (or [1, ...], the same for all); `prefix` [n, s] or [1, s] holds
    given first steps: an RNN over y needs no more to condition on its past. `temperature` draws
    each step from p^(1/temperature). After the symbol `end` a sequence is finished: it leaves the
    batch, and the rest of its row is -1; so it is for a program with a rule for the length, where
    padding is NaN if y is real. With `seed` a draw is repeatable and leaves torch's
    own generator alone. Raises BadOption, DataError.
    """
    net = check.program(model)
    n = positive("n", n)
    number("temperature", temperature)
    if seed is not None:
        positive("seed", seed, 0)
    if end is not None and net.length_rule is not None:
        raise BadOption(f"{net.title} has a rule of its own for the length; leave end out")
    if end is not None and (net.output.symbols is None or not 0 <= end < net.output.symbols):
        raise BadOption(f"end = {end!r} should be one of the program's symbols")
    if net.inputs is not None and isinstance(x, Tensor) and x.ndim and len(x) == 1:
        x = x.expand(n, *x.shape[1:])
    x = check.context(net, x, None, n)
    start = None
    if prefix is not None:
        start = check.sequences(net, prefix)
        if len(start) not in (1, n):
            raise DataError(f"prefix holds {len(start)} sequences; expected 1 or n = {n}")
        start = start.expand(n, -1)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    with torch.no_grad():
        if net.length_rule is not None:
            return draw(net, n, start, temperature, generator)
        return _draw(net, n, x, start, temperature, generator, end)


def _draw(
    net: Program,
    n: int,
    x: Real[Tensor, "{n} ..."] | None,
    prefix: Real[Tensor, "{n} s"] | None,
    temperature: float,
    generator: torch.Generator | None,
    end: int | None,
) -> Real[Tensor, "{n} {net.tau}"]:
    recursion = steps(net)
    symbols = net.output.symbols is not None
    y = torch.full((n, net.tau), -1, dtype=torch.long if symbols else net.dtype)
    left = torch.arange(n)  # the sequences that are not finished
    state = recursion.first(n, x)
    for t in range(1, net.tau + 1):
        if prefix is not None and t <= prefix.shape[1]:
            y_t = prefix[left, t - 1]
        else:
            o = recursion.outputs(state, t)
            y_t = net.output.sample(o.expand(len(left), -1), generator, temperature)
        if end is None:
            y[:, t - 1] = y_t
        else:
            y[left, t - 1] = y_t.to(y.dtype)
            on = y_t != end
            if not on.all():  # finished sequences cost nothing more
                left, y_t, state = left[on], y_t[on], state[on]
                x = None if x is None else x[on]
            if not len(left):
                break
        if t < net.tau:
            state = recursion.advance(state, t, y_t, x)
    return y
