"""The looks of the two styles in one table: kind of node -> how it is drawn.

No look differs from another by colour alone: shape, rings, dashes or text say the same.
"""

from dataclasses import dataclass, replace

from pgm_rnn.drawing.scene import Edge, Node
from pgm_rnn.options import choice

CIRCLE = 44.0  # the outer diameter of every circle, in points
RING = 4.0  # the gap that Graphviz leaves between two rings
PEN = 1.5

INK = "black"
GREY = "#d3d3d3"  # observed
FAINT = "#6b6b6b"  # parameters and their edges
MISSING = "#b3261e"
EXTRA = "#0b57d0"


@dataclass(frozen=True)
class Look:
    """How one kind of node is drawn."""

    shape: str = "ellipse"
    size: float = CIRCLE  # outer width and height, which a long name may exceed
    rings: int = 1
    fill: str = "white"
    ink: str = INK
    pen: float = PEN
    font: float = 16.0
    outside: bool = False  # the name stands below the shape, not in it


CIRCLED = Look()
BOOK: dict[str, Look] = {}  # every kind is a plain circle
MODEL = {
    "stochastic": Look(),
    "deterministic": Look(rings=2, font=14.0),
    "loss": Look(),
    "factor": Look(shape="box", size=13.0, fill=INK, outside=True),
    "input": Look(shape="box", size=36.0),
    "parameter": Look(shape="box", size=21.0, pen=0.6, ink=FAINT, font=12.0),
}
STYLES = {"book": BOOK, "model": MODEL}


def style_named(name: object) -> str:
    """`name` if it is one of the styles, else BadOption."""
    return choice("style", name, STYLES)


def look(node: Node, style: str) -> Look:
    """How `node` is drawn in `style`."""
    found = STYLES[style].get(node.kind, CIRCLED)
    if style == "model" and node.observed and found.fill == "white":
        # Graphviz' words for a gradient that changes at once, in the middle: half grey.
        found = replace(found, fill=f"{GREY};0.5:white" if node.observed == "partly" else GREY)
    if node.mark:
        found = replace(found, ink=MISSING if node.mark == "missing" else EXTRA)
    return found


def node_strokes(node: Node) -> str:
    """Graphviz' `style` of a node."""
    if node.mark == "extra":
        return "filled,dotted"
    return "filled,dashed" if node.dashed or node.mark == "missing" else "filled"


@dataclass(frozen=True)
class Stroke:
    """How one edge is drawn."""

    dash: str = "solid"
    ink: str = INK
    pen: float = PEN
    arrow: float = 0.8  # times 10 points


def stroke(edge: Edge, tail: Node, style: str) -> Stroke:
    """How `edge` is drawn in `style`."""
    if edge.mark == "missing":
        return Stroke("dashed", MISSING)
    if edge.mark == "extra":
        return Stroke("dotted", EXTRA, 2.2)
    if edge.dashed or edge.both or edge.disputed:
        return Stroke("dashed")
    if edge.via == {"control"}:
        return Stroke("dotted")
    if style == "model" and tail.kind == "parameter":
        return Stroke(ink=FAINT, pen=0.6, arrow=0.6)
    return Stroke()
