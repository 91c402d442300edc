"""The first of two runs: which site is observed from which element of which argument.

Teacher forcing reads y(t-1) out of the data tensor that y is observed from. The element is its
site once that site has run; before, it is an input.
"""

import torch
from torch import Tensor

from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.elements import Elements, Origin, OwnerAlgebra, SetAlgebra, normal
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.tracker import Tracker


def find_owners(call: Program, arguments: dict[str, Tensor]) -> dict[int, str]:
    """First run: element number -> the site that is observed from this element."""
    tracker = Tracker(OwnerAlgebra())
    owners: dict[int, str] = {}

    def settle(site: Site) -> Tensor:
        if site.observed:
            origin = tracker.origin(site.value)
            labels = origin.labels if isinstance(origin, Elements) else torch.tensor(origin)
            for number in set(labels.reshape(-1).tolist()):
                if number > 0:
                    owners.setdefault(number, site.name)
        return site.value

    try:
        for tensor, numbers in numbered(arguments).values():
            tracker.mark(tensor, normal(tracker.algebra, numbers))
        call.run(OriginMode(tracker), Recorder(tracker, settle))
    finally:
        tracker.close()
    return owners


def numbered(arguments: dict[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
    """Numbers for the elements of every argument, from 1 on."""
    result, start = {}, 1
    for path, tensor in arguments.items():
        stop = start + tensor.numel()
        result[path] = (tensor, torch.arange(start, stop).reshape(tensor.shape))
        start = stop
    return result


def origin_of_argument(
    algebra: SetAlgebra, atoms: Atoms, path: str, numbers: Tensor, owners: dict[int, str]
) -> Origin:
    """The origin of an argument: per element the site observed from it, else the input."""
    whole = atoms.bit(Source("input", path))
    if not owners:
        return whole
    first = int(numbers.min()) if numbers.numel() else 0
    labels = torch.full((numbers.numel(),), algebra.label(whole), dtype=torch.long)
    for number, site in owners.items():
        if 0 <= number - first < len(labels):
            labels[number - first] = algebra.label(atoms.bit(Source("data", site, path)))
    return normal(algebra, labels.reshape(numbers.shape))
