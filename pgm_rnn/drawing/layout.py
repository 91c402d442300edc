"""Where the nodes of a time grid stand: rows are families, columns are times.

Graphviz must not decide this: its own layouts put the columns of an RNN in any order and give
other coordinates with every version. A scene without times has no grid; see `dot` for those.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pgm_rnn.drawing.labels import edge_label, node_label, width
from pgm_rnn.drawing.scene import Edge, Node, Scene
from pgm_rnn.drawing.styles import RING, look
from pgm_rnn.errors import BadOption
from pgm_rnn.graph import FIXED

SPACING = 72.0  # between neighbours, from centre to centre
BESIDE = 84.0  # columns where an edge runs beside its own column, past the rows between
SLANTED = 104.0  # columns where an edge slants past the rows between
MARKED = 104.0  # columns where an arrow between rows bears a word
GAP = 28.0  # between two shapes, at least


@dataclass(frozen=True)
class Box:
    """The outline of a node: its centre and half its width and height, in points."""

    x: float
    y: float
    rx: float
    ry: float
    square: bool = False


@dataclass(frozen=True)
class Grid:
    """The place of every node; `rows` counts from the top, `columns` from the left."""

    boxes: tuple[Box, ...]
    rows: tuple[int, ...]
    columns: tuple[int | None, ...]
    row_count: int


def outline(node: Node, style: str) -> tuple[float, float, bool]:
    """Half the width and height of a node's shape, and whether it has corners."""
    found = look(node, style)
    square = found.shape == "box"
    if found.outside:
        return found.size / 2, found.size / 2, square
    label = node_label(node, size=found.font)
    lines = len(label) - bool(node.mark or node.notes)  # one note fits under the name
    inner = width(label) + (8 if square else 2 if node.math else 18)
    high = found.size + 17 * (lines - 1)
    ring = RING * (found.rings - 1)
    return max(found.size, inner + 2 * ring) / 2, high / 2, square


def place(scene: Scene, style: str, rows: Sequence[str] | None) -> Grid | None:
    """The grid of a scene, or None if its nodes follow no times."""
    nodes = scene.nodes
    if not _is_grid(scene):
        if rows is not None and nodes:
            raise BadOption(
                f"rows = {rows!r}: this graph has no rows, because most of its nodes have no time; "
                "name them family_time, such as y_1, or leave rows out"
            )
        return None
    row = _rows(scene, rows)
    times = sorted({n.column for n in nodes if n.column is not None})
    rank = {t: i for i, t in enumerate(times)}
    column = tuple(None if n.column is None else rank[n.column] for n in nodes)
    cells = Counter((r, c) for r, c in zip(row, column, strict=True) if c is not None)
    if max(cells.values(), default=1) > 1:
        return None  # y_1 and y_01 would lie on each other
    outlines = [outline(n, style) for n in nodes]
    across = _column_spacing(scene, style, row, column, outlines)
    heights = _heights(scene, row, column, outlines)
    middle = (len(times) - 1) / 2 if times else 0.0
    where = [c * across if c is not None else 0.0 for c in column]
    for r in set(row):
        loose = [i for i, c in enumerate(column) if c is None and row[i] == r]
        _spread(loose, outlines, middle * across, where)
    boxes = tuple(
        Box(where[i], heights[row[i]], *outlines[i]) for i in range(len(nodes))
    )  # fmt: skip
    return Grid(boxes, row, column, len(heights))


def _is_grid(scene: Scene) -> bool:
    if scene.folded:
        return True
    timed = sum(n.column is not None for n in scene.nodes)
    loose = sum(n.column is None and n.kind not in FIXED for n in scene.nodes)
    return timed > 0 and timed >= loose


def _spread(loose: list[int], outlines: list, middle: float, where: list[float]) -> None:
    """Put the nodes without a time side by side, centred under the middle column."""
    widths = [max(2 * outlines[i][0] + GAP, SPACING * 0.75) for i in loose]
    x = middle - sum(widths) / 2
    for i, wide in zip(loose, widths, strict=True):
        where[i] = x + wide / 2
        x += wide


# Rows -----------------------------------------------------------------------------------------


def row_order(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[str]:
    """The families from top to bottom: within one time, parents lie below their children.

    Ties go to the family that appears first, which lies lower. Arrows from an earlier time say
    nothing, because they run sideways.
    """
    families = list(dict.fromkeys(n.family for n in nodes))
    below: Counter[tuple[str, str]] = Counter()
    for e in edges:
        tail, head = nodes[e.tail], nodes[e.head]
        level = tail.column == head.column or None in (tail.column, head.column)
        if level and not e.lags and not e.both and tail.family != head.family:
            below[tail.family, head.family] += 1
    order: list[str] = []
    while len(order) < len(families):
        rest = [f for f in families if f not in order]
        # The next row up is the family with the fewest parents above it: none, unless two
        # families point at each other.
        order.append(min(rest, key=lambda f: sum(below[g, f] for g in rest)))
    return order[::-1]


def _rows(scene: Scene, rows: Sequence[str] | None) -> tuple[int, ...]:
    nodes = scene.nodes
    if rows is None and nodes and all(n.row is not None for n in nodes):
        used = sorted({n.row for n in nodes if n.row is not None})
        return tuple(used.index(n.row) for n in nodes if n.row is not None)
    contexts = sum(n.column is None and n.kind not in FIXED for n in nodes)
    several = contexts > 1 and rows is None and not scene.folded
    loose = [n.column is None and (several or n.kind in FIXED) for n in nodes]
    drawn = [n for n, aside in zip(nodes, loose, strict=True) if not aside]
    places = {i: k for k, i in enumerate(i for i, aside in enumerate(loose) if not aside)}
    kept = [
        Edge(places[e.tail], places[e.head], lags=e.lags, both=e.both)
        for e in scene.edges
        if e.tail in places and e.head in places
    ]
    order = row_order(drawn, kept)
    if rows is not None:
        unknown = [r for r in rows if r not in order]
        if unknown or isinstance(rows, str):
            raise BadOption(
                f"rows = {rows!r} should be a list of families, top to bottom, out of "
                f"{', '.join(map(repr, order))}"
            )
        order = [*dict.fromkeys(rows), *(f for f in order if f not in rows)]
    # Inputs and parameters stand in rows of their own, above or below, near their children; so
    # do other nodes without a time, unless there is but one: the fixed context of fig 10.9.
    level = {f: i for i, f in enumerate(order)}
    side = {i: _side(i, scene, level) for i in range(len(nodes)) if loose[i]}
    first = 1 if "above" in side.values() else 0
    return tuple(
        {"above": 0, "below": first + len(order)}[side[i]] if i in side else first + level[n.family]
        for i, n in enumerate(nodes)
    )


def _side(i: int, scene: Scene, level: dict[str, int]) -> str:
    rows = [
        level[scene.nodes[e.head].family]
        for e in scene.edges
        if e.tail == i and scene.nodes[e.head].family in level
    ]
    upper = rows and len(level) > 1 and sum(rows) / len(rows) < (len(level) - 1) / 2
    return "above" if upper else "below"


# Distances ------------------------------------------------------------------------------------


def _column_spacing(scene: Scene, style: str, row: tuple, column: tuple, outlines: list) -> float:
    widest = max((2 * o[0] for o, c in zip(outlines, column, strict=True) if c is not None),
                 default=0.0)  # fmt: skip
    needed = max(SPACING, widest + GAP)
    for e in scene.edges:
        a, b = column[e.tail], column[e.head]
        if a is None or b is None or abs(row[e.tail] - row[e.head]) < 2:
            continue
        needed = max(needed, BESIDE if a == b else SLANTED if abs(a - b) == 1 else 0)
    if _marked_across(scene, row):
        needed = max(needed, MARKED)
    for e in scene.edges:
        a, b = column[e.tail], column[e.head]
        if a is not None and b is not None and abs(a - b) == 1 and row[e.tail] == row[e.head]:
            text = width(edge_label(e, letters=style == "book"))
            room = outlines[e.tail][0] + outlines[e.head][0] + text + 14
            needed = max(needed, room if text > GAP - 8 else 0)
    return needed


def _marked_across(scene: Scene, row: tuple[int, ...]) -> bool:
    """Whether an arrow between two rows bears "missing" or "extra", which needs room beside it."""
    return any(e.mark and row[e.tail] != row[e.head] for e in scene.edges)


def apex(span: int) -> float:
    """How high above its row's centres the arc over `span` columns rises."""
    return 48.0 + 28.0 * (span - 2)


def _heights(scene: Scene, row: tuple, column: tuple, outlines: list) -> list[float]:
    """The height of each row, top row first, the lowest at 0."""
    count = max(row, default=0) + 1
    tall = [max((o[1] for o, r in zip(outlines, row, strict=True) if r == k), default=22.0)
            for k in range(count)]  # fmt: skip
    reach = [0.0] * count  # of the arcs above an inner row
    for e in scene.edges:
        a, b, r = column[e.tail], column[e.head], row[e.tail]
        if a is not None and b is not None and row[e.head] == r and 0 < r < count - 1:
            reach[r] = max(reach[r], apex(abs(a - b)) if abs(a - b) > 1 else 0)
    slants = [0.0] * count  # more room below a row with arrows to far columns of the next
    for e in scene.edges:
        a, b, r = column[e.tail], column[e.head], min(row[e.tail], row[e.head])
        if a is not None and b is not None and abs(row[e.tail] - row[e.head]) == 1:
            slants[r] = max(slants[r], min(120.0, 12.0 * (abs(a - b) - 2)))
    spacing = SPACING + (24.0 if _marked_across(scene, row) else 0.0)
    y, heights = 0.0, [0.0] * count
    for r in range(count - 2, -1, -1):
        over = reach[r + 1] + tall[r] + 14 if reach[r + 1] else 0
        fan = max(_fan(scene, row, column, r), _fan(scene, row, column, r + 1))
        y += max(spacing + max(fan, slants[r]), tall[r] + tall[r + 1] + GAP, over)
        heights[r] = y
    return heights


def _fan(scene: Scene, row: tuple, column: tuple, r: int) -> float:
    """More room beside a row whose nodes without a time point at many columns."""
    if any(c is not None for k, c in zip(row, column, strict=True) if k == r):
        return 0.0
    counts = Counter(e.tail for e in scene.edges if row[e.tail] == r)
    most = max(counts.values(), default=0)
    # Fans that cross each other need more room than the one of a lone context.
    return min(120.0, 12 + 4.0 * most if len(counts) > 1 else 5.0 * max(0, most - 5))
