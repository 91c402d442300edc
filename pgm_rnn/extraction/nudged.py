"""A run in which every site is held, some are nudged, and nothing is followed."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from torch import Tensor

from pgm_rnn.extraction.clamped import Clamped
from pgm_rnn.extraction.elements import OwnerAlgebra
from pgm_rnn.extraction.kinds import KIND, Kind
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.tracker import Tracker
from pgm_rnn.extraction.values import Change, Key


class NudgedRun:
    """One run of a program with its sites held at `values`, nothing of it being followed.

    `nudge` maps sites to the values that they have instead; `answers` changes Python values that
    the program takes; `before` changes its data, and the sites in `free` go with it. What the
    program sees under a site's old name changes too, for the duration of the run.
    """

    def __init__(
        self,
        call: Program,
        values: dict[str, Tensor],
        drawn: dict[str, Any],
        *,
        nudge: dict[str, Tensor] | None = None,
        answers: dict[Key, Change] | None = None,
        before: Callable[[], None] = lambda: None,
        free: Iterable[str] = (),
    ):
        self.nudge = nudge or {}
        self.free = set(free)
        self.values = values
        self.raised = False
        self._changed: list[tuple[Tensor, Tensor]] = []
        self._held: set[int] = set()
        tracker = Tracker(OwnerAlgebra())  # of a run in which nothing is marked
        self.recorder = _Watching({**values, **self.nudge}, drawn, tracker, self._settle)
        mode = _Hearing(tracker, self.recorder, answers or {})
        self.answers = mode.answers
        try:
            self.recorder.pause = mode.pause
            call.run(mode, self.recorder, before)
        except Exception:  # the program's own, at a value that it never meant to get
            self.raised = True
        finally:
            for tensor, content in reversed(self._changed):
                tensor.copy_(content)

    def _settle(self, site: Site) -> Tensor:
        """Hand over the value that the site is held at."""
        wanted = self.nudge.get(site.name)
        if wanted is None and site.name not in self.free:
            wanted = self.values.get(site.name)
        if wanted is not None and not _equal(wanted, site.value):
            if id(site.value) in self._held:  # another site's tensor: that one stays as it is
                site.value = wanted.clone()
            elif wanted.shape == site.value.shape:
                site.value = self._write(site.value, wanted)
        self._held.add(id(site.value))
        return site.value

    def _write(self, value: Tensor, wanted: Tensor) -> Tensor:
        """Change a tensor in place until the run ends, or give another one where that fails."""
        target, content = value.detach(), value.detach().clone()
        try:
            target.copy_(wanted)
        except RuntimeError:  # elements that share their memory
            return wanted.clone()
        self._changed.append((target, content))
        return value


def _equal(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def first_values(call: Program) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The values of a plain run's sites, and the indices that its subsampling plates drew."""
    values: dict[str, Tensor] = {}
    tracker = Tracker(OwnerAlgebra())

    def settle(site: Site) -> Tensor:
        values[site.name] = site.value.detach().clone()
        return site.value

    recorder = Recorder(tracker, settle)
    call.run(_Hearing(tracker, recorder, {}), recorder)
    return values, recorder.subsamples


class _Watching(Clamped):
    """Also keeps the distributions, from which other values are drawn."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.functions: dict[str, Any] = {}
        self.messages: dict[str, dict] = {}

    def _sample(self, msg: Any) -> None:
        count = len(self.sites)
        super()._sample(msg)
        if len(self.sites) > count and self.last is not None:
            self.functions[self.last] = msg["fn"]
            self.messages[self.last] = {k: msg[k] for k in ("name", "fn", "value", "mask", "scale")}


class _Hearing(OriginMode):
    """Hears Python values, in the order in which the program takes them, and follows nothing."""

    def __init__(self, tracker: Tracker, recorder: Recorder, changes: dict[Key, Change]):
        super().__init__(tracker)
        self.recorder, self.changes = recorder, changes
        self.answers: dict[Key, Any] = {}
        self._since: Key = (None, -1)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if self.paused or KIND.get(func) is not Kind.VALUE:
            return out
        last = self.recorder.last
        self._since = (last, self._since[1] + 1 if self._since[0] == last else 0)
        # arrays share the tensor's memory, which may be written later
        self.answers[self._since] = out.copy() if isinstance(out, np.ndarray) else out
        change = self.changes.get(self._since)
        return out if change is None else change(out)
