"""The way of every edge of a grid: its curve, and the place of its label beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pgm_rnn.drawing.arcs import (
    Curve,
    Obstacles,
    Point,
    along,
    around,
    inside,
    loop,
    row_side,
)
from pgm_rnn.drawing.labels import Label, edge_label, height, width
from pgm_rnn.drawing.layout import Grid
from pgm_rnn.drawing.scene import Edge, Scene
from pgm_rnn.drawing.statements import SQUARE
from pgm_rnn.drawing.styles import stroke


@dataclass(frozen=True)
class Route:
    """One edge, ready to be written down."""

    curve: Curve
    arrow: float  # Graphviz' arrowsize
    label: Label
    label_at: Point | None = None


def routes(scene: Scene, grid: Grid, style: str) -> tuple[Route, ...]:
    """The route of every edge of `scene`, in its order."""
    obstacles = Obstacles(grid.boxes)
    ends = {(e.tail, e.head) for e in scene.edges if not e.both}
    longest = max((_span(grid, e) for e in scene.edges), default=0)
    # Where many arcs meet at one node, smaller heads stay apart.
    small = 0.65 if longest > 3 else 1.0
    arrows = [
        min(
            stroke(e, scene.nodes[e.tail], style).arrow,
            small if _span(grid, e) > 1 else 0.65 if e.both else 1.0,
        )
        for e in scene.edges
    ]
    sides = _sides(scene, grid, ends)
    curves = tuple(
        _curve(scene, e, grid, 10 * arrow, obstacles, ends, longest, side)
        for e, arrow, side in zip(scene.edges, arrows, sides, strict=True)
    )
    labels = [edge_label(e, letters=style == "book") for e in scene.edges]
    places = _Places(grid, curves if any(labels) else ())
    for edge, curve in zip(scene.edges, curves, strict=True):
        if edge.lags:
            places.keep_off(curve.at(0.5), SQUARE / 2)
    return tuple(
        Route(curve, arrow, label, places.find(curve, label) if label else None)
        for curve, arrow, label in zip(curves, arrows, labels, strict=True)
    )


def _span(grid: Grid, edge: Edge) -> int:
    """How many columns an edge along a row crosses; 0 if it does not run along one."""
    a, b = grid.columns[edge.tail], grid.columns[edge.head]
    same_row = grid.rows[edge.tail] == grid.rows[edge.head]
    return abs(a - b) if same_row and a is not None and b is not None else 0


def _sides(scene: Scene, grid: Grid, ends: set[tuple[int, int]]) -> list[int]:
    """For every edge 1 or -1: whether it bows to the left or right of its column, if it does.

    Two edges that bow to one side past the same rows would cross; the second takes the other.
    """
    taken: dict[float, list[tuple[int, int, int]]] = {}  # by column: upper row, lower row, side
    for e in scene.edges:
        if e.tail == e.head:
            row = grid.rows[e.tail]
            taken.setdefault(grid.boxes[e.tail].x, []).append((row, row, -1))
    loops = {(x, top) for x, rows in taken.items() for top, _, _ in rows}

    def passed(e: Edge) -> int:
        """How many self-loops stand right of the edge, which leave it only the left."""
        low, high = sorted((grid.rows[e.tail], grid.rows[e.head]))
        return sum((grid.boxes[e.tail].x, row) in loops for row in range(low + 1, high))

    sides = [1] * len(scene.edges)
    for i, e in sorted(enumerate(scene.edges), key=lambda pair: -passed(pair[1])):
        upper, lower = sorted((grid.rows[e.tail], grid.rows[e.head]))
        x = grid.boxes[e.tail].x
        bows = lower - upper > 1 or e.both or e.lags or (e.head, e.tail) in ends
        if x != grid.boxes[e.head].x or upper == lower or not bows:
            continue
        beside = [s for top, foot, s in taken.get(x, ()) if top < lower and upper < foot]
        sides[i] = 1 if beside.count(1) <= beside.count(-1) else -1
        taken.setdefault(x, []).append((upper, lower, sides[i]))
    return sides


def _curve(scene: Scene, edge: Edge, grid: Grid, arrow: float, obstacles: Obstacles,
           ends: set[tuple[int, int]], longest: int, beside: int) -> Curve:  # fmt: skip
    a, b = grid.boxes[edge.tail], grid.boxes[edge.head]
    if edge.tail == edge.head:
        return loop(a, arrow)
    opposite = edge.both or (edge.head, edge.tail) in ends
    if scene.folded:
        least = 34.0 if edge.lags else 0.0  # the delayed one gives way
        return around(edge.tail, edge.head, obstacles, arrow, edge.both, least, beside)
    span = _span(grid, edge)
    if span and not (span == 1 and opposite and not edge.both):
        side = row_side(grid, grid.rows[edge.tail])
        # Where directed arcs rise from a lone row, the two-headed ones hang below it.
        side = -side if edge.both and grid.row_count == 1 else side
        return along(a, b, span, longest, side, arrow, edge.both)
    least = 10.0 if opposite else 0.0
    return around(edge.tail, edge.head, obstacles, arrow, edge.both, least, beside)


class _Places:
    """Finds room for labels: on no node, on no edge, on no other label."""

    CELL = 24.0

    def __init__(self, grid: Grid, curves: tuple[Curve, ...]):
        self.obstacles = Obstacles(grid.boxes)
        self.points: dict[tuple[int, int], list[Point]] = {}
        for curve in curves:
            for p in _samples(curve):
                self._add(p)

    def _add(self, p: Point) -> None:
        cell = (int(p[0] // self.CELL), int(p[1] // self.CELL))
        self.points.setdefault(cell, []).append(p)

    def find(self, curve: Curve, label: Label) -> Point:
        """The place beside the curve, near its middle, that covers least."""
        rx, ry = width(label) / 2 + 1.0, height(label) * 0.36
        best = min(self._candidates(curve, rx, ry), key=lambda c: self._covered(c, rx, ry))
        self.keep_off(best, rx, ry)
        return best

    def keep_off(self, at: Point, rx: float, ry: float | None = None) -> None:
        """Let no later label cover this rectangle, a square where `ry` is left out."""
        ry = rx if ry is None else ry
        columns = max(2, int(rx / 3))
        for k, dy in product(range(columns + 1), (-ry, 0.0, ry)):
            self._add((at[0] - rx + 2 * rx * k / columns, at[1] + dy))

    def _candidates(self, curve: Curve, rx: float, ry: float) -> Iterator[Point]:
        near = product((0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74), (0.0, 4.0))
        far = product((0.5, 0.38, 0.62, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85), (8.0, 0.0, 12.0))
        for t, extra in (*near, *far):
            x, y = curve.at(t)
            dx, dy = curve.direction(t)
            nx, ny = _outwards(curve, dx, dy)
            away = abs(nx) * rx + abs(ny) * ry + 3.5 + extra
            for side in (1, -1):
                yield x + side * nx * away, y + side * ny * away

    def _covered(self, at: Point, rx: float, ry: float) -> int:
        x0, y0, x1, y1 = at[0] - rx, at[1] - ry, at[0] + rx, at[1] + ry
        size = self.CELL
        cells = product(range(int(x0 // size), int(x1 // size) + 1),
                        range(int(y0 // size), int(y1 // size) + 1))  # fmt: skip
        lines = sum(
            x0 < p[0] < x1 and y0 < p[1] < y1 for cell in cells for p in self.points.get(cell, ())
        )
        corners = product((x0, at[0], x1), (y0, at[1], y1))
        boxes = self.obstacles.boxes
        nodes = sum(
            inside(boxes[i], corner, 1.5)
            for corner in corners
            for i in self.obstacles.near(corner, 1.5)
        )
        return lines + 20 * nodes  # nodes lie over labels and would cut them


def _outwards(curve: Curve, dx: float, dy: float) -> Point:
    """The normal to the bulging side; of a straight edge the upper, of a vertical one the right."""
    (x0, y0), (x1, y1), (x, y) = curve.at(0), curve.at(1), curve.at(0.5)
    bulge = (x - (x0 + x1) / 2) * -dy + (y - (y0 + y1) / 2) * dx
    upper = dx > 0.05 or (abs(dx) <= 0.05 and dy < 0)
    return (-dy, dx) if (bulge > 0 if abs(bulge) > 8 else upper) else (dy, -dx)


def _samples(curve: Curve) -> Iterator[Point]:
    steps = max(10, int(sum(abs(q[0] - p[0]) + abs(q[1] - p[1]) for p, q in
                            zip(curve.points, curve.points[1:], strict=False)) / 4))  # fmt: skip
    for k in range(steps + 1):
        yield curve.at(k / steps)
    yield curve.tip
