"""A run in which the steps of whole-sequence sites, and the members of a plate, are told apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction import steps
from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.call import as_bits, leaves
from pgm_rnn.extraction.elements import Elements, distinct, labels_of, normal
from pgm_rnn.extraction.kinds import Kind
from pgm_rnn.extraction.owners import Owners, Parts
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.run import Run
from pgm_rnn.extraction.tracker import Tracker

FIRST, REST = "first", "rest"  # the members of a plate, told apart no further


@dataclass
class Steps:
    """One whole-sequence site, taken apart: what each of its steps is made of."""

    axis: int
    count: int
    parents: list[int]
    observation: list[int]


class UnrolledRun(Run):
    """A run in which a site named in `time` has one source a step, not one in all.

    With `plate` the first member of that plate is told apart from the rest: a step whose first
    member is made of the rest of another site reads across the plate, and `crossing` says so.
    """

    def __init__(
        self,
        call: Program,
        atoms: Atoms,
        arguments: dict[str, Tensor],
        owners: Owners | None,
        time: Mapping[str, int],
        plate: str | None = None,
    ):
        self.time, self.plate = time, plate
        self.taken_apart: dict[str, Steps] = {}
        self.dims: dict[str, dict[str, int]] = {}  # site -> plate -> its dimension in the value
        self.crossing: dict[str, set[str]] = {}  # site -> what reaches it across the plate
        super().__init__(call, atoms, arguments, owners)

    def make_tracker(self) -> Tracker:
        return _Blurring(self.algebra)

    def make_recorder(self) -> Recorder:
        return _Unrolling(self, self.tracker, self.settle)

    def settle(self, site: Site) -> Tensor:
        value = super().settle(site)
        axis, dim = self._axis(site), self._member_axis(site)
        if value.numel() and (axis is not None or dim is not None):
            stand = self.tracker.mark if site.drawn else self.tracker.stand_for
            stand(value, normal(self.algebra, self._labels(site, value, axis, dim)))
        return value

    def _axis(self, site: Site) -> int | None:
        steps_of = self.taken_apart.get(site.name)
        return steps_of.axis if steps_of else None

    def _member_axis(self, site: Site) -> int | None:
        return self.dims.get(site.name, {}).get(self.plate) if self.plate else None

    def _labels(self, site: Site, value: Tensor, axis: int | None, dim: int | None) -> Tensor:
        """The map of a value whose steps and members are sources of their own."""
        step = steps.number_steps(value, axis) if axis is not None else torch.zeros(value.shape)
        member = steps.number_steps(value, dim) > 0 if dim is not None else torch.zeros(value.shape)
        which = 2 * step.long() + member.long()
        table = torch.zeros(int(which.max()) + 1, dtype=torch.long)
        for number in distinct(which):
            name = site.name if axis is None else f"{site.name}_{number // 2 + 1}"
            whose = "" if dim is None else REST if number % 2 else FIRST
            source = Source("site", name, member=whose)
            table[number] = self.algebra.label(self.atoms.bit(source))
        return table[which]

    def take_apart(self, site: Site, msg: Any, fresh: bool) -> None:
        """Note what every step of a site is made of, before its value stands for the site."""
        value = site.value
        frames = [f for f in msg["cond_indep_stack"] if f.vectorized]
        events = len(msg["fn"].event_shape)
        self.dims[site.name] = {f.name: f.dim - events for f in frames}
        if site.name in self.time:
            axis = steps.check_axis(site.name, value, self.time[site.name])
            made_of = steps.along(msg, axis)
            count = value.shape[axis]
            parents = self._by_step(made_of, count)
            seen = self._by_step([(value, value.ndim + axis)], count) if fresh else [0] * count
            self.taken_apart[site.name] = Steps(axis, count, parents, seen)
        dim = self._member_axis(site)
        if dim is not None and site.kind != "factor" and value.shape[dim] > 1:
            self._note_crossing(site, msg, dim)

    def _by_step(self, made_of: list[tuple[Tensor, int | None]], count: int) -> list[int]:
        totals = [0] * count
        for tensor, dimension in made_of:
            origin = self.tracker.origin(tensor)
            if not isinstance(origin, Elements) or dimension is None:
                bits = as_bits(origin)
                totals = [t | bits for t in totals]
                continue
            each = steps.pieces(origin.labels, dimension, count)
            totals = [t | self.algebra.union(e) for t, e in zip(totals, each, strict=True)]
        return totals

    def _note_crossing(self, site: Site, msg: Any, dim: int) -> None:
        """Which sources reach a site across the plate: the rest the first member, or back."""
        crossing: set[str] = set()
        for tensor, dimension in steps.along(msg, dim):
            labels = labels_of(self.algebra, self.tracker.origin(tensor), tensor.shape)
            members = steps.pieces(labels, dimension, site.value.shape[dim])
            mine, others = members[0], torch.stack(members[1:])
            for part, foreign in ((mine, REST), (others, FIRST)):
                for source in self.atoms.members(self.algebra.union(part)):
                    if source.member == foreign and not source.coarse:
                        crossing.add(source.name)
        self.crossing.setdefault(site.name, set()).update(crossing)


def splitter(
    time: Mapping[str, int], members: Mapping[str, int | None]
) -> Callable[[Site, Tensor], Parts]:
    """For `find_owners`: takes a site's data apart by step, and by member where asked.

    `members` maps a site to the dimension of its value along which members are told apart.
    """

    def split(site: Site, labels: Tensor) -> Parts:
        parts = [(site.name, "", labels)]
        dim = members.get(site.name)
        if dim is not None and site.value.shape[dim] > 1:
            first, rest = labels.split([1, site.value.shape[dim] - 1], dim)
            parts = [(site.name, FIRST, first), (site.name, REST, rest)]
        if site.name not in time:
            return parts
        axis = steps.check_axis(site.name, site.value, time[site.name])
        return [
            (f"{name}_{t}", member, step)
            for name, member, part in parts
            for t, step in enumerate(part.unbind(axis), 1)
        ]

    return split


class _Unrolling(Recorder):
    """Takes sites apart when they are recorded."""

    def __init__(self, run: UnrolledRun, *args: Any):
        super().__init__(*args)
        self.run = run

    def note_sources(self, site: Site, msg: Any, fresh: bool) -> None:
        super().note_sources(site, msg, fresh)
        self.run.take_apart(site, msg, fresh)


class _Blurring(Tracker):
    """Marks what has passed an operation that no rule takes apart."""

    def blur(self, kind: Kind, func: Any, args: tuple, kwargs: dict) -> int:
        bits = super().blur(kind, func, args, kwargs)
        return self._coarse(bits) if self._differ((args, kwargs)) else bits

    def opaque(self, value: Any) -> int:
        bits = super().opaque(value)
        return self._coarse(bits) if self._differ(value) else bits

    def _differ(self, value: Any) -> bool:
        """Do the elements of an argument come from different sources?"""
        return any(isinstance(self.origin(t), Elements) for t in leaves(value))

    def _coarse(self, bits: int) -> int:
        atoms: Atoms = self.algebra.atoms  # type: ignore[attr-defined]
        total = 0
        for source in list(atoms.members(bits)):
            total |= atoms.bit(
                source._replace(coarse=True) if source.kind in ("site", "data") else source
            )
        return total
