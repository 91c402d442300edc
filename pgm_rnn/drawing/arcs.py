"""The curves of edges: cubic Bezier splines from outline to outline.

Each edge tries a list of shapes, plainest first, and takes the first that keeps clear of every
other node: straight; bowed a little to either side; bent around what is in its way. Edges along a
row of a grid are arcs whose angle and height follow from their span alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import atan2, cos, hypot, radians, sin

from pgm_rnn.drawing.layout import Box, Grid, apex

Point = tuple[float, float]

CLEAR = 6.0  # between an edge and a node that it passes
EDGE_GAP = 0.8  # between an arrow's tip and the outline: half the pen
BOWS = (0.0, 10.0, 18.0, 26.0, 34.0, 42.0, 52.0, 64.0, 80.0, 100.0, 130.0)


@dataclass(frozen=True)
class Curve:
    """One cubic: four points, then where the arrowheads' tips touch the outlines."""

    points: tuple[Point, Point, Point, Point]
    tip: Point
    back_tip: Point | None = None

    def at(self, t: float) -> Point:
        """The point of the curve at parameter `t` from 0 to 1."""
        a, b, c, d = self.points
        s = 1 - t
        k = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
        return (
            k[0] * a[0] + k[1] * b[0] + k[2] * c[0] + k[3] * d[0],
            k[0] * a[1] + k[1] * b[1] + k[2] * c[1] + k[3] * d[1],
        )

    def halves(self) -> tuple[Point, ...]:
        """The same curve as two cubics, whose points lie nearer to it."""
        a, b, c, d = self.points
        ab, bc, cd = _middle(a, b), _middle(b, c), _middle(c, d)
        abc, bcd = _middle(ab, bc), _middle(bc, cd)
        return a, ab, abc, _middle(abc, bcd), bcd, cd, d

    def direction(self, t: float) -> Point:
        """The unit vector along the curve at `t`."""
        x, y = self.at(min(1.0, t + 0.01))
        u, v = self.at(max(0.0, t - 0.01))
        length = hypot(x - u, y - v) or 1.0
        return (x - u) / length, (y - v) / length


def _middle(p: Point, q: Point) -> Point:
    return (p[0] + q[0]) / 2, (p[1] + q[1]) / 2


def touch(box: Box, towards: Point, gap: float = EDGE_GAP) -> Point:
    """Where the ray from the box's centre to `towards` leaves its outline."""
    dx, dy = towards[0] - box.x, towards[1] - box.y
    if not (dx or dy):
        dy = 1.0
    if box.square:
        scale = 1 / max(abs(dx) / box.rx, abs(dy) / box.ry)
    else:
        scale = 1 / hypot(dx / box.rx, dy / box.ry)
    scale += gap / hypot(dx, dy)
    return box.x + dx * scale, box.y + dy * scale


def curve(a: Box, b: Box, c1: Point, c2: Point, arrow: float, both: bool = False) -> Curve:
    """The cubic from `a` to `b` with the given inner points, cut at outlines and arrowheads."""
    start, tip = touch(a, c1), touch(b, c2)
    back = start if both else None
    if both:
        start = _towards(start, c1, arrow)
    return Curve((start, c1, c2, _towards(tip, c2, arrow)), tip, back)


def _towards(p: Point, q: Point, length: float) -> Point:
    full = hypot(q[0] - p[0], q[1] - p[1]) or 1.0
    return p[0] + (q[0] - p[0]) * length / full, p[1] + (q[1] - p[1]) * length / full


def bowed(a: Box, b: Box, bulge: float, arrow: float, both: bool = False) -> Curve:
    """A straight edge, or one whose middle stands `bulge` to the left of the straight one."""
    start, end = touch(a, (b.x, b.y)), touch(b, (a.x, a.y))
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy) or 1.0
    # A cubic's middle moves by three quarters of what its inner points move.
    nx, ny = -dy / length * bulge * 4 / 3, dx / length * bulge * 4 / 3
    third = 1 / 3 if not bulge else 0.25
    c1 = (start[0] + dx * third + nx, start[1] + dy * third + ny)
    c2 = (end[0] - dx * third + nx, end[1] - dy * third + ny)
    if not bulge:  # keep the inner points between start and arrowhead
        tip = touch(b, (a.x, a.y))
        start = touch(a, (b.x, b.y))
        stop = _towards(tip, start, arrow)
        first = _towards(start, tip, arrow) if both else start
        inner = [(first[0] + (stop[0] - first[0]) * k, first[1] + (stop[1] - first[1]) * k)
                 for k in (1 / 3, 2 / 3)]  # fmt: skip
        return Curve((first, inner[0], inner[1], stop), tip, start if both else None)
    return curve(a, b, c1, c2, arrow, both)


def flat(a: Box, b: Box, beside: float, lift: float, arrow: float, both: bool = False) -> Curve:
    """An edge that runs level, then rises `beside` its end's column, sooner for a small `lift`."""
    turn = b.x - beside if b.x > a.x else b.x + beside
    return curve(a, b, (turn, a.y), (turn, a.y + lift * (b.y - a.y)), arrow, both)


def arc(a: Box, b: Box, degrees: float, rise: float, side: int, arrow: float,
        both: bool = False) -> Curve:  # fmt: skip
    """An edge along a row: it leaves at an angle and its middle stands exactly `rise` high."""
    right = 1 if b.x > a.x else -1
    dx, dy = cos(radians(degrees)) * right, sin(radians(degrees)) * side
    start, tip = touch(a, (a.x + dx, a.y + dy)), touch(b, (b.x - dx, b.y + dy))
    stop = (tip[0] - dx * arrow, tip[1] + dy * arrow)
    first = (start[0] + dx * arrow, start[1] + dy * arrow) if both else start
    # The middle of a cubic is (p0 + 3 p1 + 3 p2 + p3) / 8; p1 and p2 lie `reach` from the outlines.
    heights = (abs(first[1] - a.y), abs(start[1] - a.y), abs(tip[1] - b.y), abs(stop[1] - b.y))
    base = (heights[0] + 3 * heights[1] + 3 * heights[2] + heights[3]) / 8
    reach = (rise - base) * 4 / 3 / abs(dy)
    c1 = (start[0] + dx * reach, start[1] + dy * reach)
    c2 = (tip[0] - dx * reach, tip[1] + dy * reach)
    return Curve((first, c1, c2, stop), tip, start if both else None)


def loop(a: Box, arrow: float) -> Curve:
    """A self-loop on the right."""
    start = touch(a, (a.x + 1, a.y + 0.7))
    far = a.x + a.rx + 46
    c1, c2 = (far, a.y + 40), (far, a.y - 40)
    tip = touch(a, (a.x + 1, a.y - 0.7))
    return Curve((start, c1, c2, _towards(tip, c2, arrow)), tip)


def angle(span: int, longest: int) -> float:
    """The angle at which an arc leaves its row: 42 degrees for span 2, 74 for span 5.

    Where there are longer ones, 40 to 80 degrees, so that their arrowheads do not pile up.
    """
    low, high = (42, 74) if longest <= 5 else (40, 80)
    return low + (high - low) * min(1.0, (span - 2) / max(longest - 2, 3))


class Obstacles:
    """The nodes of a picture, found by place."""

    CELL = 96.0

    def __init__(self, boxes: Sequence[Box]):
        self.boxes = boxes
        self.cells: dict[tuple[int, int], list[int]] = {}
        for i, box in enumerate(boxes):
            for cell in self._covered(box.x - box.rx, box.y - box.ry, box.x + box.rx,
                                      box.y + box.ry):  # fmt: skip
                self.cells.setdefault(cell, []).append(i)

    def _covered(self, x0: float, y0: float, x1: float, y1: float) -> Iterator[tuple[int, int]]:
        size = self.CELL
        for i in range(int(x0 // size), int(x1 // size) + 1):
            for j in range(int(y0 // size), int(y1 // size) + 1):
                yield i, j

    def hits(self, curve: Curve, apart: Iterable[int], margin: float = CLEAR) -> int:
        """How many points of the curve lie on, or too near, a node other than `apart`."""
        skip = frozenset(apart)
        span = sum(hypot(q[0] - p[0], q[1] - p[1])
                   for p, q in zip(curve.points, curve.points[1:], strict=False))  # fmt: skip
        steps = max(8, int(span / 8))
        return sum(self._hit(curve.at(k / steps), skip, margin) for k in range(steps + 1))

    def near(self, p: Point, margin: float) -> Iterator[int]:
        """The nodes that may lie within `margin` of `p`."""
        for cell in self._covered(p[0] - margin, p[1] - margin, p[0] + margin, p[1] + margin):
            yield from self.cells.get(cell, ())

    def _hit(self, p: Point, skip: frozenset[int], margin: float) -> bool:
        near = self.near(p, margin)
        return any(i not in skip and inside(self.boxes[i], p, margin) for i in near)


def inside(box: Box, p: Point, margin: float) -> bool:
    """Whether `p` lies in the box or within `margin` of it."""
    dx, dy = abs(p[0] - box.x) / (box.rx + margin), abs(p[1] - box.y) / (box.ry + margin)
    return max(dx, dy) < 1 if box.square else hypot(dx, dy) < 1


def around(a: int, b: int, obstacles: Obstacles, arrow: float, both: bool = False,
           least: float = 0.0, side: int = 1) -> Curve:  # fmt: skip
    """The plainest curve from node `a` to node `b` that keeps clear of all the others.

    It bows by `least` or more; a vertical one first to the left, if `side` is 1, or to the right.
    """
    start, end = obstacles.boxes[a], obstacles.boxes[b]
    best: tuple[int, Curve] | None = None
    for shape in _shapes(start, end, arrow, both, least, side):
        hits = obstacles.hits(shape, (a, b))
        if not hits:
            return shape
        if best is None or hits < best[0]:
            best = hits, shape
    assert best is not None
    return best[1]


def _shapes(a: Box, b: Box, arrow: float, both: bool, least: float, side: int) -> Iterator[Curve]:
    # To the same side of the picture first, in whichever direction the edge runs; slanted ones
    # in mirror images, so that a fan looks alike on its left and on its right.
    dx, dy = b.x - a.x, b.y - a.y
    sign = 1 if atan2(dy, dx) >= 0 else -1
    if abs(dx) < 1:
        sign *= side
    elif dx > 0 and abs(dy) > 1:
        sign *= -1
    for bulge in BOWS:
        if bulge < least:
            continue
        yield bowed(a, b, sign * bulge, arrow, both)
        if bulge:
            yield bowed(a, b, -sign * bulge, arrow, both)
    if abs(dx) > abs(dy) > 1:
        turns = product((0.0, 0.25, 0.5), (48.0, 56.0, 64.0, 80.0, 100.0, 125.0, 150.0))
        yield from (flat(a, b, beside, lift, arrow, both) for lift, beside in turns)


def row_side(grid: Grid, row: int) -> int:
    """On which side of its row an arc crosses no other row: 1 above, -1 below.

    An inner row has none; the layout leaves room above it.
    """
    return -1 if row == grid.row_count - 1 and grid.row_count > 1 else 1


def along(a: Box, b: Box, span: int, longest: int, side: int, arrow: float,
          both: bool = False) -> Curve:  # fmt: skip
    """The edge between two nodes of one row that are `span` columns apart."""
    if span == 1 and not both:
        return bowed(a, b, 0.0, arrow)
    if span == 1:
        return arc(a, b, 40.0, 24.0, side, arrow, both)
    lean = 8 if both else 0  # away from those of span 1
    return arc(a, b, angle(span, longest) + lean, apex(span), side, arrow, both)
