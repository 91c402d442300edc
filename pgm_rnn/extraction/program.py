"""A program with its arguments, run again and again from the same start."""

import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext, redirect_stdout
from typing import Any

from torch import Tensor

from pgm_rnn.extraction.compiled import compiled_calls
from pgm_rnn.extraction.isolation import Surroundings
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.recorder import Recorder, recording


class Program:
    """A program with its arguments, to be run again and again from the same start."""

    def __init__(self, model: Callable, args: tuple, kwargs: dict, surroundings: Surroundings):
        self.model = model
        # an iterator is used up by the first run: later ones get its items again
        self.args = tuple(_kept(a) for a in args)
        self.kwargs = {name: _kept(a) for name, a in kwargs.items()}
        self.surroundings = surroundings
        self.runs = 0

    def run(
        self, mode: OriginMode, recorder: Recorder, before: Callable[[], None] = lambda: None
    ) -> None:
        """Run under a mode and a recorder; the program's own exception gets a note of the call.

        `before` is called once everything is put back as it was, right before the program.
        """
        self.surroundings.restore()
        before()
        # what a program prints, it prints once
        said = redirect_stdout(io.StringIO()) if self.runs else nullcontext()
        self.runs += 1
        try:
            with said, recording(recorder), compiled_calls(mode.tracker), mode:
                self.model(
                    *(_again(a) for a in self.args),
                    **{name: _again(a) for name, a in self.kwargs.items()},
                )
        except Exception as error:
            done = list(recorder.sites)
            where = f"after site {done[-1]!r}" if done else "before its first site"
            error.add_note(f"raised by {describe(self.model, self.args, self.kwargs)}, {where}")
            raise


class _Items(list):
    """What an iterator gave."""


def _kept(argument: Any) -> Any:
    return _Items(argument) if isinstance(argument, Iterator) else argument


def _again(argument: Any) -> Any:
    return iter(argument) if isinstance(argument, _Items) else argument


def describe(model: Callable, args: tuple, kwargs: dict) -> str:
    """The call in words, with tensors as their shapes."""

    def short(value: Any) -> str:
        if isinstance(value, Tensor):
            return f"tensor{list(value.shape)}"
        text = repr(value)
        return text if len(text) <= 40 else text[:37] + "..."

    name = getattr(model, "__name__", type(model).__name__)
    inside = [*map(short, args), *(f"{k}={short(v)}" for k, v in kwargs.items())]
    return f"{name}({', '.join(inside)})"
