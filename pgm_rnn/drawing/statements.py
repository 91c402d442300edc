"""Single statements of DOT, and the attributes that say how a node or an edge is drawn."""

from collections.abc import Iterable

from pgm_rnn.drawing.scene import Edge, Node
from pgm_rnn.drawing.styles import RING, Stroke, look, node_strokes

SQUARE = 8.0  # the side of the square that delays by one step


def unless(value: str, default: str) -> str | None:
    """`value`, or None where the picture's own default says it already."""
    return None if value == default else value


def points(them: Iterable[tuple[float, float]]) -> str:
    """Points as Graphviz reads them: "1.00,2.00 3.00,4.00"."""
    return " ".join(numbers(point) for point in them)


def numbers(them: Iterable[float]) -> str:
    """Numbers with two decimals and commas."""
    # Adding 0.0 turns a minus zero into zero.
    return ",".join(f"{round(x, 2) + 0.0:.2f}" for x in them)


def statement(what: str, **attributes: str | None) -> str:
    """One line of DOT: what it is about, and its attributes that are not None."""
    shown = (f"{k}={_value(v)}" for k, v in attributes.items() if v is not None)
    return f"{what} [{' '.join(shown)}]"


def _value(text: str) -> str:
    # HTML labels stand in angle brackets; everything else is ours and needs no escapes.
    return text if text.startswith("<") else f'"{text}"'


def shape_of(node: Node, style: str, rx: float, ry: float) -> dict[str, str | None]:
    """How a node is drawn, as Graphviz' attributes."""
    found = look(node, style)
    ring = RING * (found.rings - 1)
    return {
        "width": f"{2 * (rx - ring) / 72:.4f}",
        "height": f"{2 * (ry - ring) / 72:.4f}",
        "shape": None if found.shape == "ellipse" else found.shape,
        "peripheries": None if found.rings == 1 else str(found.rings),
        "style": unless(node_strokes(node), "filled"),
        "fillcolor": unless(found.fill, "white"),
        "gradientangle": "270" if ":" in found.fill else None,  # from above
        "color": unless(found.ink, "black"),
        "fontcolor": unless(found.ink, "black"),
        "penwidth": unless(f"{found.pen:g}", "1.5"),
    }


def line_of(edge: Edge, drawn: Stroke, arrow: float) -> dict[str, str | None]:
    """How an edge is drawn, as Graphviz' attributes."""
    return {
        "style": unless(drawn.dash, "solid"),
        "dir": "both" if edge.both else None,
        "color": unless(drawn.ink, "black"),
        "fontcolor": unless(drawn.ink, "black"),
        "penwidth": unless(f"{drawn.pen:g}", "1.5"),
        "arrowsize": unless(f"{arrow:g}", "0.8"),
    }


def square(name: str, at: tuple[float, float], **named: str) -> str:
    """The black square of a delayed edge."""
    side = f"{SQUARE / 72:.4f}"
    return statement(name, label="", shape="box", pos=points([at]), width=side, height=side,
                     fillcolor="black", **named)  # fmt: skip
