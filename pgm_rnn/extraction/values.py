"""Python values that a program takes out of tensors, and other answers it might have got."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pgm_rnn.extraction.recorder import Recorder
from pgm_rnn.extraction.tracker import Tracker

Key = tuple[str | None, int]  # the last site before, and how many values were taken since


Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Taken:
    """One Python value that the program took from a tensor."""

    key: Key
    sources: int  # where the tensor comes from
    position: int  # how many sites had run
    answer: Any = field(compare=False)


class Listener:
    """Hears of every Python value of a run, in the order in which the program takes them."""

    def __init__(
        self, tracker: Tracker, recorder: Recorder, changes: dict[Key, Change] | None = None
    ):
        self.tracker, self.recorder = tracker, recorder
        self.changes = changes or {}
        self.taken: list[Taken] = []
        self.escaped: dict[int, int] = {}  # sources -> how many sites had run
        self._since: tuple[str | None, int] = (None, 0)

    def __call__(self, args: tuple, out: Any) -> Any:
        last = self.recorder.last
        count = self._since[1] + 1 if self._since[0] == last else 0
        self._since = key = (last, count)
        sources = self.tracker.bits(args)
        if sources:
            self.taken.append(Taken(key, sources, len(self.recorder.sites), out))
        change = self.changes.get(key)
        return out if change is None else change(out)

    def escape(self, values: Any) -> None:
        """Hear of a value that left as text or the like: there is no answer to change."""
        sources = self.tracker.bits(values)
        if sources:
            self.escaped.setdefault(sources, len(self.recorder.sites))


def alternatives(answer: Any) -> list[Any]:
    """Other answers that the program might have got.

    >>> alternatives(True), alternatives(3), alternatives(0), alternatives(2.0)
    ([False], [2, 0, 4], [1], [3.0, -2.0, 0.0, 32.0, -28.0])
    """
    if isinstance(answer, bool):
        return [not answer]
    if isinstance(answer, int):
        nearer = answer - 1 if answer > 0 else answer + 1
        return list(dict.fromkeys(v for v in (nearer, 0, answer + 1) if v != answer))
    if isinstance(answer, float):
        far = 10 * abs(answer) + 10
        tried = (answer + 1, -answer, 0.0, answer + far, answer - far)
        return list(dict.fromkeys(v for v in tried if v != answer))
    if isinstance(answer, list):
        return _lists(answer)
    if isinstance(answer, np.ndarray):
        if answer.dtype.kind == "b":
            return [np.asarray(~answer)]
        moved = [answer + 1, -answer, answer * 0]
        if answer.dtype.kind in "iu":
            moved = [answer - (answer > 0) + (answer < 0), answer * 0, answer + 1]
        others = [np.asarray(m, dtype=answer.dtype) for m in moved]
        different = {m.tobytes(): m for m in others if (m != answer).any()}
        return list(different.values())
    return []


def _lists(answer: list) -> list[list]:
    """The same change in every place of a nested list; a place with fewer repeats its last."""
    inner = [alternatives(item) for item in answer]
    most = max(map(len, inner), default=0)
    return [
        [a[min(i, len(a) - 1)] if a else item for a, item in zip(inner, answer, strict=True)]
        for i in range(most)
    ]


def changer(number: int) -> Change:
    """Gives the alternative of this number, the last one where there are fewer."""

    def change(answer: Any) -> Any:
        others = alternatives(answer)
        return others[min(number, len(others) - 1)] if others else answer

    return change
