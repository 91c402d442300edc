"""Which site is observed from which number of the data, found by changing the data.

Nothing is followed: every number gets its turn, or, where there are many, a binary code. A
number belongs to a site if it is the only one that moves some element of what the site is
observed with.
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from pgm_rnn.extraction.data import Piece, other_contents
from pgm_rnn.extraction.nudged import NudgedRun

SINGLY = 100  # numbers up to which each is changed alone


def owners(
    data: list[Piece], base: NudgedRun, rerun: Callable[[dict[int, Tensor]], NudgedRun | None]
) -> dict[str, Tensor]:
    """Site -> the numbers (of elements, over all pieces) that it is observed from.

    `rerun` runs the program with other contents of some pieces, by their index; it answers None
    when no more reruns may be made.
    """
    total = sum(p.value.numel() for p in data)
    if total == 0:
        return {}
    numbers = torch.arange(1, total + 1)
    if total <= SINGLY:
        groups = [numbers == i for i in range(1, total + 1)]
    else:
        digits = range(total.bit_length())
        groups = [(numbers >> d & 1) == bit for d in digits for bit in (0, 1)]
    signatures, sites = base.recorder.signatures, base.recorder.sites
    seen = {name: s.seen[0] for name, s in signatures.items() if sites[name].observed}
    moves: dict[str, list[Tensor]] = {name: [] for name in seen}
    for group in groups:
        run = rerun(other_contents(data, group, 0))
        if run is None:
            return {}
        for name, value in seen.items():
            moves[name].append(_moved(value, run, name))
    found: dict[str, Tensor] = {}
    taken: set[int] = set()
    for name, rows in moves.items():
        table = torch.stack(rows).reshape(len(groups), -1)
        which = _alone(table) if total <= SINGLY else _decoded(table)
        mine = [int(n) for n in which.unique() if 0 < n <= total and int(n) not in taken]
        if mine:
            taken.update(mine)
            found[name] = torch.tensor(mine) - 1
    return found


def _moved(value: Tensor, run: NudgedRun, name: str) -> Tensor:
    """Which elements of a site's observation moved; none where the run says nothing of it."""
    there = run.recorder.signatures.get(name)
    if there is None or not there.seen or there.seen[0].shape != value.shape:
        return torch.zeros(value.shape, dtype=torch.bool)
    now = there.seen[0]
    return (now != value) & ~((now != now) & (value != value))


def _alone(table: Tensor) -> Tensor:
    """The one number that moves each element, 0 where there is none or more than one."""
    once = table.sum(0) == 1
    return torch.where(once, table.to(torch.uint8).argmax(0) + 1, 0)


def _decoded(table: Tensor) -> Tensor:
    """The same from binary codes: exactly one of the two runs of every digit moves an element."""
    zeros, ones = table[0::2], table[1::2]
    clear = (zeros ^ ones).all(0)
    weights = 2 ** torch.arange(len(ones)).unsqueeze(-1)
    return torch.where(clear, (ones * weights).sum(0), 0)


def belonging(found: dict[str, Tensor], names: Iterable[str], total: int) -> Tensor:
    """A mask over all numbers: those that belong to one of some sites."""
    mask = torch.zeros(total, dtype=torch.bool)
    for name in names:
        if name in found:
            mask[found[name]] = True
    return mask
