"""A picture laid out: the scene with its grid, routes, plates and ids, ready to be written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from pgm_rnn.drawing.labels import Label, edge_label, node_label
from pgm_rnn.drawing.layout import Grid, place
from pgm_rnn.drawing.names import edge_ids, node_ids
from pgm_rnn.drawing.plates import Plate, split
from pgm_rnn.drawing.routes import Route, routes
from pgm_rnn.drawing.scene import Scene
from pgm_rnn.drawing.styles import look

PAD = 11.0  # from a plate's members to its rectangle
FOOT = 13.0  # more below, where the plate's name stands

Bounds = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class Picture:
    """A scene with all that its DOT and SVG need to agree on."""

    scene: Scene
    style: str
    grid: Grid | None  # None: Graphviz' own layout
    routes: tuple[Route, ...]
    plates: tuple[Plate, ...]
    node_ids: tuple[str, ...]
    edge_ids: tuple[str, ...]
    legend: bool
    named: bool = False  # are DOT's nodes to bear their own names?

    @property
    def engine(self) -> str:
        """Graphviz' layout program; nop2 takes all positions as they are (`neato -n2`)."""
        return "nop2" if self.grid else "dot"

    def key(self, i: int) -> str:
        """Node `i` in DOT: a short name, or its own in quotation marks."""
        return quoted(self.scene.nodes[i].name) if self.named else f"n{i}"

    def node_label(self, i: int) -> Label:
        """The text in node `i`."""
        node = self.scene.nodes[i]
        return node_label(node, size=look(node, self.style).font)

    def edge_label(self, i: int) -> Label:
        """The text beside edge `i`."""
        return edge_label(self.scene.edges[i], letters=self.style == "book")

    def bounds(self, plate: Plate | None = None) -> Bounds:
        """The frame around a plate's members and the curves between them, or around all."""
        assert self.grid is not None
        own = frozenset(range(len(self.scene.nodes))) if plate is None else plate.members
        box = _around(self.grid, own)
        for edge, route in zip(self.scene.edges, self.routes, strict=True):
            if edge.tail in own and edge.head in own:
                for x, y in route.curve.halves():
                    box = _join(box, (x, y, x, y))
        inner = self.plates if plate is None else plate.inner
        for other in inner:
            box = _join(box, self.bounds(other))
        if plate is None:
            return box
        return box[0] - PAD, box[1] - PAD - FOOT, box[2] + PAD, box[3] + PAD

    def name_place(self, frame: Bounds, wide: float) -> tuple[float, float]:
        """Where a plate's name stands: at the foot, as far right as no edge runs through it."""
        y = frame[1] + 9
        points = (r.curve.at(k / 32) for r in self.routes for k in range(33))
        near = [p for p in points if abs(p[1] - y) < 8]
        x = frame[2] - 8 - wide / 2
        while x - wide / 2 > frame[0]:
            if not any(abs(p[0] - x) < wide / 2 + 3 for p in near):
                return x, y
            x -= 6
        return frame[2] - 8 - wide / 2, y


def quoted(name: str) -> str:
    """A name that DOT takes literally, whatever is in it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def picture(
    scene: Scene, style: str, rows: Sequence[str] | None, legend: bool, named: bool = False
) -> Picture:
    """Lay out a scene."""
    grid = place(scene, style, rows)
    plates: tuple[Plate, ...] = ()
    if grid is None or style == "model":
        plates, notes = split(scene.nodes, lambda own: grid is None or _alone(grid, own))
        if any(notes):
            nodes = zip(scene.nodes, notes, strict=True)
            scene = replace(scene, nodes=tuple(replace(n, notes=said) for n, said in nodes))
            grid = place(scene, style, rows)  # the notes may need wider shapes
    ids = node_ids(scene.nodes)
    return Picture(
        scene=scene,
        style=style,
        grid=grid,
        routes=routes(scene, grid, style) if grid else (),
        plates=plates,
        node_ids=tuple(ids),
        edge_ids=tuple(edge_ids(scene.edges, ids)),
        legend=legend,
        named=named,
    )


def _alone(grid: Grid, own: frozenset[int]) -> bool:
    """Whether a rectangle around the nodes `own` holds no other node."""
    left, bottom, right, top = _around(grid, own)
    return not any(
        left <= b.x <= right and bottom <= b.y <= top
        for i, b in enumerate(grid.boxes)
        if i not in own
    )


def _around(grid: Grid, own: Iterable[int]) -> Bounds:
    box: Bounds = (inf, inf, -inf, -inf)
    for i in own:
        b = grid.boxes[i]
        box = _join(box, (b.x - b.rx, b.y - b.ry, b.x + b.rx, b.y + b.ry))
    return box


def _join(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])
