"""The first of two runs: which site is observed from which element of which argument.

Teacher forcing reads y(t-1) out of the data tensor that y is observed from. The element is its
site once that site has run; before, it is an input.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.data import Piece
from pgm_rnn.extraction.elements import (
    Elements,
    Origin,
    OwnerAlgebra,
    SetAlgebra,
    distinct,
    normal,
)
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.tracker import Tracker


@dataclass(frozen=True)
class Owners:
    """Which site is observed from which argument element."""

    sites: list[str]
    members: list[str]  # which members of a plate, where those are told apart
    numbers: Tensor  # per element (from 1 on) the number of its site in `sites`, from 1 on, or 0


Parts = list[tuple[str, str, Tensor]]  # name, member, labels


def _whole(site: Site, labels: Tensor) -> Parts:
    return [(site.name, "", labels)]


def find_owners(
    call: Program,
    arguments: dict[str, Tensor],
    split: Callable[[Site, Tensor], Parts] = _whole,
) -> Owners:
    """Run the program once and see which argument elements its sites are observed from.

    `split` takes a site's elements apart, each part under a name of its own.
    """
    tracker = Tracker(OwnerAlgebra())
    total = sum(t.numel() for t in arguments.values())
    found = Owners([], [], torch.zeros(total + 1, dtype=torch.long))

    def settle(site: Site) -> Tensor:
        if site.observed:
            origin = tracker.origin(site.value)
            labels = origin.labels if isinstance(origin, Elements) else torch.tensor(origin)
            for name, member, part in split(site, labels.expand(site.value.shape)):
                mine = part[(part > 0) & (found.numbers[part.clamp(min=0)] == 0)]
                if len(mine):
                    found.sites.append(name)
                    found.members.append(member)
                    found.numbers[mine] = len(found.sites)
        else:
            tracker.mark(site.value, 0)  # a site's value, whatever it was computed from
        return site.value

    try:
        for tensor, numbers in numbered(arguments).values():
            tracker.mark(tensor, normal(tracker.algebra, numbers))
        mode, recorder = OriginMode(tracker), Recorder(tracker, settle)
        recorder.pause = mode.pause
        call.run(mode, recorder)
    finally:
        tracker.close()
    return found


def numbered(arguments: dict[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
    """Numbers for the elements of every argument, from 1 on."""
    result, start = {}, 1
    for path, tensor in arguments.items():
        stop = start + tensor.numel()
        result[path] = (tensor, torch.arange(start, stop).reshape(tensor.shape))
        start = stop
    return result


def origin_of_argument(
    algebra: SetAlgebra, atoms: Atoms, path: str, numbers: Tensor, owners: Owners | None
) -> Origin:
    """The origin of an argument: per element the site observed from it, else the input."""
    whole = atoms.bit(Source("input", path))
    if owners is None or not owners.sites:
        return whole
    mine = owners.numbers[numbers]
    label = torch.zeros(len(owners.sites) + 1, dtype=torch.long)
    label[0] = algebra.label(whole)
    for number in distinct(mine):
        if number:
            name, member = owners.sites[number - 1], owners.members[number - 1]
            source = Source("data", name, path, member=member)
            label[number] = algebra.label(atoms.bit(source))
    return normal(algebra, label[mine])


def source_mask(
    arguments: dict[str, Tensor], owners: Owners | None, source: Source, data: list[Piece]
) -> Tensor:
    """The numbers, over all pieces of data, that a source of kind "data" or "input" stands for.

    "data": those that its site is observed from; "input": those of the argument that no site is.
    """
    mine: list[Tensor] = []
    known = numbered(arguments)
    for piece in data:
        mask = torch.zeros(piece.value.shape, dtype=torch.bool)
        if piece.path in known:
            numbers = known[piece.path][1]
            owned = owners.numbers[numbers] if owners else torch.zeros_like(numbers)
            if source.kind == "input":
                mask = (owned == 0) & (piece.path == source.name)
            elif owners:
                which = [i for i, name in enumerate(owners.sites, 1) if name == source.name]
                mask = torch.isin(owned, torch.tensor(which))
        mine.append(mask.reshape(-1))
    return torch.cat(mine) if mine else torch.zeros(0, dtype=torch.bool)
