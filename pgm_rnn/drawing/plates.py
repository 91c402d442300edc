"""Plates as rectangles, as far as rectangles can show them; notes in the nodes for the rest.

Graphviz' clusters must nest or stay apart, but the plates of a program may cross (rows and columns
of a matrix). The larger plate keeps its rectangle; the one that crosses it is written into each of
its members, so that no member is lost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pgm_rnn.drawing.scene import Node


@dataclass(frozen=True)
class Plate:
    """A plate that is drawn as a rectangle around its members, and around the plates in it."""

    name: str
    members: frozenset[int]
    inner: tuple["Plate", ...] = ()

    @property
    def depth(self) -> int:
        """How many rectangles lie in each other here."""
        return 1 + max((plate.depth for plate in self.inner), default=0)


def split(
    nodes: Sequence[Node], fits: Callable[[frozenset[int]], bool]
) -> tuple[tuple[Plate, ...], tuple[tuple[str, ...], ...]]:
    """The plates to draw as rectangles, and for every node the names of its other plates.

    `fits` says whether a rectangle around these nodes would hold no stranger.
    """
    members: dict[str, set[int]] = {}
    for i, node in enumerate(nodes):
        for name in node.plates:
            members.setdefault(name, set()).add(i)
    # Large plates first; among equals, the one that the program names outside.
    outside = {name: min(n.plates.index(name) for n in nodes if name in n.plates)
               for name in members}  # fmt: skip
    order = sorted(members, key=lambda name: (-len(members[name]), outside[name]))
    drawn: list[tuple[str, frozenset[int]]] = []
    for name in order:
        own = frozenset(members[name])
        nests = all(own <= other or not own & other for _, other in drawn)
        if nests and fits(own):
            drawn.append((name, own))
    kept = {name for name, _ in drawn}
    notes = tuple(tuple(name for name in n.plates if name not in kept) for n in nodes)
    return _nest(drawn), notes


def _nest(drawn: Sequence[tuple[str, frozenset[int]]]) -> tuple[Plate, ...]:
    """Plates in the order large to small, put into each other."""
    out: list[Plate] = []
    rest = list(drawn)
    while rest:
        name, own = rest.pop(0)
        inside = [plate for plate in rest if plate[1] <= own]
        rest = [plate for plate in rest if not plate[1] <= own]
        out.append(Plate(name, own, _nest(inside)))
    return tuple(out)
