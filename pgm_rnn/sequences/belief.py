"""A state that is a belief: fig 10.8's net as the filter of a hidden Markov model."""

import torch
from torch import Tensor

from pgm_rnn.errors import BadOption
from pgm_rnn.sequences.program import Program

LEAST = 1e-300  # stands for probability 0, so that its log is a number


def believe(net: Program, initial: Tensor, transition: Tensor, emission: Tensor) -> None:
    """Make fig 10.8's program, in place, the same law over y as a hidden Markov model.

        h(t) = P(z(t+1) | y(1..t))                              the predictive belief, [s]
             = normalised( h(t-1) * emission[:, y(t)] ) transition
        P(y(t+1) | y(1..t)) = h(t) emission                     softmax of its log

    h is a deterministic function of y, though z is not: the two graphs differ, the laws over y do
    not. The state carries log(h emission) beside h, which V reads. `initial` [s], `transition`
    [s, s], `emission` [s, k]. Raises BadOption unless the program is fig 10.8's with a finite state
    and as many symbols.
    """
    if not net.finite or net.figure != "10.8" or emission.ndim != 2 or net.k != emission.shape[-1]:
        raise BadOption(
            f'a belief replaces the state of figure("10.8", k={emission.shape[-1]}, state="finite")'
        )
    states, k = emission.shape
    initial, transition, emission = (
        _law(name, value, shape, net.dtype)
        for name, value, shape in (
            ("initial", initial, (states,)),
            ("transition", transition, (states, states)),
            ("emission", emission, (states, k)),
        )
    )
    net.hidden = states + k

    def with_log(belief: Tensor) -> Tensor:
        return torch.cat([belief, (belief @ emission).clamp(min=LEAST).log()], -1).to(net.dtype)

    def next_state(h: Tensor, y: Tensor) -> Tensor:
        weighed = h[..., :states] * emission[:, y.long()].T
        return with_log(weighed / weighed.sum(-1, keepdim=True) @ transition)

    net.start = lambda: with_log(initial)  # type: ignore[method-assign]
    net.next_state = next_state  # type: ignore[method-assign, assignment]
    read = torch.cat([torch.zeros(states, k), torch.eye(k)]).to(net.dtype)
    net.V = torch.nn.Parameter(read)
    net.c = torch.nn.Parameter(torch.zeros(k, dtype=net.dtype))


def _law(name: str, value: Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Distributions in the last dimension, else BadOption."""
    value = torch.as_tensor(value).to(dtype)
    sums = value.sum(-1)
    if value.shape != shape or (value < 0).any() or not torch.allclose(sums, torch.ones_like(sums)):
        raise BadOption(
            f"{name} has shape {list(value.shape)}; it should be {list(shape)}, of probabilities "
            "that sum to 1 in each row"
        )
    return value
