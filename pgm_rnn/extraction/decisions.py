"""Python values taken from tensors: `if z > 0`, `int(z)`, `range(int(k))`, `z.numpy()`.

Once a value has left tensor land nothing can be followed. So the program is run again with
every site clamped to the value it had, the answer is changed, and whatever moves (a site's
distribution, its value, its existence) hangs on the sources of that answer.

    bool: flipped;  int: one towards zero, 0, one up;  float: shifted, negated, 0

An exception says nothing of the sites that it kept from being reached. Many values are told
apart by binary codes: for each binary digit of their numbers, the values with that digit are
changed together, then those without it, about 2 log2(n) runs; only what remains ambiguous is
tested one by one.
"""

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.recorder import Recorder, Site, parts
from pgm_rnn.extraction.tracker import Tracker

BUDGET = 1000  # reruns at the most; what is not tested by then makes the graph partial

Key = tuple[str | None, int]  # the last site before, and how many values were taken since


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
        self, tracker: Tracker, recorder: Recorder, changes: dict[Key, Callable] | None = None
    ):
        self.tracker, self.recorder = tracker, recorder
        self.changes = changes or {}
        self.taken: list[Taken] = []
        self.failed = False  # an answer had no alternative of this number
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
    if hasattr(answer, "dtype") and hasattr(answer, "copy"):  # a NumPy array
        if answer.dtype.kind == "b":
            return [~answer]
        moved = [answer + 1, -answer, answer * 0]
        if answer.dtype.kind in "iu":
            moved = [answer - (answer > 0) + (answer < 0), answer * 0, answer + 1]
        return [m.astype(answer.dtype) for m in moved if (m != answer).any()]
    return []


def _lists(answer: list) -> list[list]:
    """The same change in every place of a nested list; a place with fewer repeats its last."""
    inner = [alternatives(item) for item in answer]
    most = max(map(len, inner), default=0)
    return [
        [a[min(i, len(a) - 1)] if a else item for a, item in zip(inner, answer, strict=True)]
        for i in range(most)
    ]


def changer(number: int) -> Callable[[Any], Any]:
    """Gives the alternative of this number, the last one where there are fewer."""

    def change(answer: Any) -> Any:
        others = alternatives(answer)
        return others[min(number, len(others) - 1)] if others else answer

    return change


class Clamped(Recorder):
    """Holds every site at the value it had, and keeps what its distribution is made of."""

    def __init__(self, tracker: Tracker, values: dict[str, Tensor], settle: Callable[[Site], Any]):
        super().__init__(tracker, settle)
        self.values = values
        self.signatures: dict[str, list[Any]] = {}

    def _pyro_sample(self, msg: Any) -> None:
        super()._pyro_sample(msg)
        torch.default_generator.manual_seed(zlib.crc32(str(msg["name"]).encode()))
        held = self.values.get(msg["name"])
        if held is not None and msg["value"] is None and msg["fn"].shape() == held.shape:
            msg["value"] = held.view_as(held)

    def finished(self, msg: Any) -> None:
        before = len(self.sites)
        fn, mask, value = msg.get("fn"), msg.get("mask"), msg["value"]
        super().finished(msg)
        torch.default_generator.manual_seed(zlib.crc32(str(msg["name"]).encode()) ^ 1)
        if len(self.sites) == before:
            return
        site = next(reversed(self.sites.values()))
        made_of = [value] if site.kind == "deterministic" else [*parts(fn), mask]
        # what the program observes a site with counts too: `obs=` may hang on a decision
        observed = [value] if site.observed else []
        self.signatures[site.name] = [
            type(fn).__name__,
            *(v.detach().clone() if isinstance(v, Tensor) else v for v in [*made_of, *observed]),
        ]


def hold(value: Tensor, held: Tensor | None) -> None:
    """Put a deterministic site back to the value it had, also under the program's own name."""
    if held is not None and held.shape == value.shape and not torch.equal(held, value):
        with torch.no_grad():
            value.detach().copy_(held)


def same(a: list[Any], b: list[Any]) -> bool:
    """Are two signatures equal, NaN being equal to NaN?"""
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            if x.shape != y.shape or x.dtype != y.dtype:
                return False
            if not torch.equal(x, y) and not bool(((x == y) | ((x != x) & (y != y))).all()):
                return False
        elif isinstance(x, Tensor) or isinstance(y, Tensor) or x != y:
            return False
    return True


@dataclass
class Outcome:
    """What one run with changed answers showed."""

    moved: set[str]  # sites whose distribution, value or existence differs
    seen: set[str]  # sites of which the run says anything
    raised: bool
    restructured: bool  # other sites, or other parents


@dataclass
class Findings:
    """Which sites hang on which values, and whether that is the whole story."""

    arrows: list[tuple[int, str]] = field(default_factory=list)  # (sources, child)
    partial: bool = False


def decide(
    taken: list[Taken], sites: list[str], rerun: Callable[[dict[Key, Callable]], Outcome]
) -> Findings:
    """Find the sites that hang on each value; `rerun` runs the program with changed answers."""
    found = Findings()
    taken = [t for t in taken if alternatives(t.answer)]
    runs = 0

    def test(group: Iterable[Taken]) -> tuple[set[str], set[str], bool]:
        """(moved, seen) under all alternatives of a group; did any run end without exception?"""
        nonlocal runs
        group = list(group)
        moved: set[str] = set()
        seen: set[str] = set()
        clean = False
        for number in range(max(len(alternatives(t.answer)) for t in group)):
            outcome = rerun({t.key: changer(number) for t in group})
            runs += 1
            moved |= outcome.moved
            seen |= outcome.seen
            clean = clean or not outcome.raised
            found.partial = found.partial or outcome.restructured
        return moved, seen, clean

    def alone(t: Taken) -> None:
        if runs >= BUDGET:
            found.partial = True
            return
        moved, _, clean = test([t])
        found.partial = found.partial or not clean
        found.arrows.extend((t.sources, s) for s in sites[t.position :] if s in moved)

    if len(taken) <= 4:
        for t in taken:
            alone(t)
        return found

    digits = range((len(taken) - 1).bit_length())
    answers = {}
    for digit in digits:
        for bit in (0, 1):
            group = [t for i, t in enumerate(taken) if i >> digit & 1 == bit]
            answers[digit, bit] = test(group) if group else (set(), set(sites), True)
    unsure: dict[int, Taken] = {}
    for position, site in enumerate(sites):
        able = [i for i, t in enumerate(taken) if t.position <= position]
        blind = any(site not in seen for _, seen, _ in answers.values())
        for digit in digits:
            able = (
                [i for i in able if site in answers[digit, i >> digit & 1][0]]
                if not blind
                else able
            )
        if len(able) == 1 and not blind:
            found.arrows.append((taken[able[0]].sources, site))
        else:
            unsure.update((i, taken[i]) for i in able)
    if not all(clean for _, _, clean in answers.values()):
        unsure.update(enumerate(taken))
    for t in unsure.values():
        alone(t)
    return found
