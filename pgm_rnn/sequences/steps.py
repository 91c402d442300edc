"""The figures one step at a time, without sites: for sampling and for filling gaps.

Every figure has a state that is ready to emit y(t): o(t) is read off it, and the state of t + 1
follows from it and y(t). The equations are those of the figures' own files.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from pgm_rnn.errors import BadOption
from pgm_rnn.sequences.program import Program

State = Tensor  # [batch, hidden], or [batch] where the state is the number of a table's row


@dataclass(frozen=True)
class Steps:
    """A figure's recursion for batches of sequences.

    `first(batch, x)` is the state that emits y(1); `outputs(state, t)` is o(t), [batch, o];
    `advance(state, t, y_t, x)` the state that emits y(t+1), and must not be asked beyond tau;
    `fan(state, t, x, symbols)` is `advance` for each of some symbols, [batch, symbols, hidden].
    """

    first: Callable[[int, Any], State]  # x: Tensor, or None where the figure has none
    outputs: Callable[[State, int], Tensor]
    advance: Callable[[State, int, Tensor, Any], State]
    reads_y: bool = True  # False: eq 10.35, the state is a function of x alone
    fan: Callable[[State, int, Any, Tensor], Tensor] | None = None


def steps(net: Program) -> Steps:
    """The recursion of a figure's program. Raises BadOption for a program of another kind."""
    if not isinstance(net, Program) or net.figure not in _FIGURES:
        what = (
            f"{net.title} is not a net whose y can be scored and filled in step by step"
            if isinstance(net, Program)
            else f"{type(net).__name__} is not the program of a recurrent figure"
        )
        raise BadOption(f"{what}; pgm_rnn.figure(NAME).model is, for {', '.join(_FIGURES)}")
    module: Any = sys.modules[net.story.__module__]
    return _FIGURES[net.figure](net, getattr(module, "update", None))


def _emit(net: Program) -> Callable[[State, int], Tensor]:
    return lambda h, t: net.c + h @ net.V


def _start(net: Program, batch: int) -> Tensor:
    return net.start().expand(batch, -1)


def _fan(net: Program, letter: str, enters: Callable | None = None) -> Callable | None:
    """Many next states of a state at once: b + W h once, and a row of U (or R) for each symbol.

    `enters(t, x)` is what x adds. None for a finite state, which is looked up.
    """
    if net.finite or net.output.symbols is None:
        return None

    def fan(h: Tensor, t: int, x: Any, symbols: Tensor) -> Tensor:
        a = net.b + h @ net.W
        if enters is not None:
            a = a + enters(t, x)
        return net.f(a.unsqueeze(1) + net.encode(symbols) @ getattr(net, letter))

    return fan


def _table(net: Program, _: None) -> Steps:
    return Steps(
        lambda batch, x: torch.zeros(batch, dtype=torch.long),
        lambda row, t: pad(getattr(net, f"table_{t}")[row], (0, 1)),
        lambda row, t, y, x: row * net.k + y.long(),
    )


def _fig_10_8(net: Program, update: Callable) -> Steps:
    return Steps(
        lambda batch, x: _start(net, batch),
        _emit(net),
        lambda h, t, y, x: update(net, h, y),
        fan=_fan(net, "U"),
    )


def _text(net: Program, update: Callable) -> Steps:
    return Steps(
        lambda batch, x: update(net, _start(net, batch), None),
        _emit(net),
        lambda h, t, y, x: update(net, h, y),
        fan=_fan(net, "U"),
    )


def _fig_10_9(net: Program, update: Callable) -> Steps:
    first_state = sys.modules[net.story.__module__].first_state

    def first(batch: int, x: Tensor | None) -> Tensor:
        h = _start(net, batch)
        return h if net.entry == "input" else first_state(net, h, x)

    return Steps(
        first,
        _emit(net),
        lambda h, t, y, x: update(net, h, y, x),
        fan=_fan(net, "U", None if net.entry == "initial" else lambda t, x: x @ net.R),
    )


def _fig_10_3(net: Program, update: Callable) -> Steps:
    return Steps(
        lambda batch, x: update(net, _start(net, batch), x[:, 0]),
        _emit(net),
        lambda h, t, y, x: update(net, h, x[:, t]),
        reads_y=False,
    )


def _fig_10_4(net: Program, update: Callable) -> Steps:
    return Steps(
        lambda batch, x: update(net, None, x[:, 0]).expand(batch, -1),
        _emit(net),
        lambda h, t, y, x: update(net, net.c + h @ net.V, x[:, t]),
        reads_y=False,
    )


def _fig_10_10(net: Program, update: Callable) -> Steps:
    return Steps(
        lambda batch, x: update(net, _start(net, batch), x[:, 0], None),
        _emit(net),
        lambda h, t, y, x: update(net, h, x[:, t], y),
        fan=_fan(net, "R", lambda t, x: x[:, t] @ net.U),
    )


def _no_length(net: Program, update: Callable) -> Steps:
    raise BadOption(f"{net.title} has no recursion before its length is drawn")


_FIGURES: dict[str, Callable[..., Steps]] = {
    "10.3": _fig_10_3,
    "10.4": _fig_10_4,
    "10.7": _table,
    "10.8": _fig_10_8,
    "10.9": _fig_10_9,
    "10.10": _fig_10_10,
    "text": _text,
    "eos": _fig_10_8,  # o has one number more, for the end
    "halt": _fig_10_8,
    "tau": _no_length,
}
