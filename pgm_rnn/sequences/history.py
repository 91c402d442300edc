"""A finite state that stores the whole history: then fig 10.10 is any causal law."""

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from pgm_rnn.errors import BadOption, TooLarge
from pgm_rnn.sequences.program import Program

MOST = 100_000  # histories
LOWEST = -690.0  # stands for the log of probability 0


def remember(net: Program, law: Callable[[tuple[int, ...], tuple[int, ...]], Tensor]) -> None:
    """Give fig 10.10's program, in place, a state that stores x(1..t) and y(1..t-1).

    `law(x, y)` answers with the logits of P(y(t) | x(1..t) = x, y(1..t-1) = y), [k]. The state is
    the number of the history, one-hot, and V a table of the law's logits, so that

        P(y(1..tau) | x(1..tau)) = prod over t of P(y(t) | x(1..t), y(1..t-1))

    holds for any law of this form: what fig 10.10 can represent, exactly (a probability of 0
    becomes 1e-300).
    Raises BadOption unless h is finite and x a sequence, TooLarge for too many histories.
    """
    if not net.finite or net.inputs != "sequence":
        raise BadOption('only fig 10.10 with state="finite" can store its history')
    k = net.k
    count = sum(k ** (2 * t - 1) for t in range(1, net.tau + 1)) + 1
    if count > MOST:
        raise TooLarge(
            f"tau = {net.tau} and k = {k} make {count:,} histories; the limit is {MOST:,}. "
            "Lower tau or k",
            entries=count,
            bytes=8 * count * k,
            limit=MOST,
        )
    histories: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((), ())
    ]  # the first one is "nothing read yet"
    for t in range(1, net.tau + 1):
        histories += [
            (x, y) for x in product(range(k), repeat=t) for y in product(range(k), repeat=t - 1)
        ]
    number: dict[tuple, int] = {history: i for i, history in enumerate(histories)}
    follow = torch.zeros(len(histories), k, k, dtype=torch.long)  # [history, x(t), y(t-1)]
    for (x, y), i in number.items():
        for x_t, y_t in product(range(k), repeat=2):
            follow[i, x_t, y_t] = number.get(((*x, x_t), (*y, y_t) if x else ()), 0)
    logits = torch.stack([torch.zeros(k, dtype=net.dtype)] + [law(*h) for h in histories[1:]])

    def next_state(h: Tensor, x_t: Tensor, y_t: Tensor | None = None) -> Tensor:
        read = follow[h.argmax(-1), x_t.long(), 0 if y_t is None else y_t.long()]
        return one_hot(read, len(histories)).to(net.dtype)

    net.hidden = len(histories)
    net.next_state = next_state  # type: ignore[method-assign, assignment]
    logits = logits.to(net.dtype).clamp(min=LOWEST)  # 0 times -inf would be no number
    net.V = torch.nn.Parameter(logits)
    net.c = torch.nn.Parameter(torch.zeros(k, dtype=net.dtype))
