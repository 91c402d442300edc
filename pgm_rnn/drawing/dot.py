"""The DOT text of a picture: with every position for a time grid, without any elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pgm_rnn.drawing.fonts import NAME
from pgm_rnn.drawing.labels import Label, as_html, edge_label, node_label
from pgm_rnn.drawing.layout import Grid, outline, place
from pgm_rnn.drawing.names import edge_class, edge_ids, node_class, node_ids
from pgm_rnn.drawing.routes import Route, routes
from pgm_rnn.drawing.scene import Scene
from pgm_rnn.drawing.styles import RING, look, node_strokes, stroke


@dataclass(frozen=True)
class Picture:
    """A scene with all that its DOT and SVG need to agree on."""

    scene: Scene
    style: str
    grid: Grid | None
    routes: tuple[Route, ...]
    node_ids: tuple[str, ...]
    edge_ids: tuple[str, ...]

    @property
    def engine(self) -> str:
        """Graphviz' layout program; nop2 takes all positions as they are (`neato -n2`)."""
        return "nop2" if self.grid else "dot"

    def node_label(self, i: int) -> Label:
        """The text in node `i`."""
        node = self.scene.nodes[i]
        return node_label(node, size=look(node, self.style).font)

    def edge_label(self, i: int) -> Label:
        """The text beside edge `i`."""
        if self.grid:
            return self.routes[i].label
        return edge_label(self.scene.edges[i], letters=self.style == "book")


def picture(scene: Scene, style: str, rows: Sequence[str] | None) -> Picture:
    """Lay out a scene."""
    grid = place(scene, style, rows)
    nodes = node_ids(scene.nodes)
    return Picture(
        scene=scene,
        style=style,
        grid=grid,
        routes=routes(scene, grid, style) if grid else (),
        node_ids=tuple(nodes),
        edge_ids=tuple(edge_ids(scene.edges, nodes)),
    )


def source(p: Picture) -> str:
    """The DOT text of a picture; its first line says how to render it."""
    command = "neato -n2 -Tsvg file.dot" if p.grid else "dot -Tsvg file.dot"
    lines = [
        f"// Render with: {command}",
        'digraph "picture" {',
        _statement("graph", outputorder="edgesfirst", bgcolor="white", pad="0.11"),
        _statement("node", fontname=NAME, fontsize="16", shape="ellipse", fixedsize="true",
                   style="filled", fillcolor="white", penwidth="1.5"),
        _statement("edge", fontname=NAME, fontsize="15", penwidth="1.5", arrowsize="0.8"),
        *(_node(p, i) for i in range(len(p.scene.nodes))),
        *(_edge(p, i) for i in range(len(p.scene.edges))),
        "}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _node(p: Picture, i: int) -> str:
    node, found = p.scene.nodes[i], look(p.scene.nodes[i], p.style)
    rx, ry, _ = outline(node, p.style)
    ring = RING * (found.rings - 1)
    label = as_html(p.node_label(i))
    attributes = {
        "label": "" if found.outside else f"<{label}>",
        "xlabel": f"<{label}>" if found.outside else None,
        "pos": _points([(p.grid.boxes[i].x, p.grid.boxes[i].y)]) if p.grid else None,
        "width": f"{(2 * (rx - ring)) / 72:.4f}",
        "height": f"{(2 * (ry - ring)) / 72:.4f}",
        "shape": None if found.shape == "ellipse" else found.shape,
        "peripheries": None if found.rings == 1 else str(found.rings),
        "style": _unless(node_strokes(node, found), "filled"),
        "fillcolor": _unless(found.fill, "white"),
        "color": _unless(found.ink, "black"),
        "fontcolor": _unless(found.ink, "black"),
        "penwidth": _unless(f"{found.pen:g}", "1.5"),
        "id": p.node_ids[i],
        "class": node_class(node),
    }
    return _statement(f"n{i}", **attributes)


def _edge(p: Picture, i: int) -> str:
    edge = p.scene.edges[i]
    drawn = stroke(edge, p.scene.nodes[edge.tail], p.style)
    label, route = p.edge_label(i), p.routes[i] if p.grid else None
    attributes = {
        "pos": _spline(route) if route else None,
        "label": f"<{as_html(label)}>" if label else None,
        "lp": _points([route.label_at]) if route and route.label_at else None,
        "style": _unless(drawn.dash, "solid"),
        "dir": "both" if edge.both else None,
        "color": _unless(drawn.ink, "black"),
        "fontcolor": _unless(drawn.ink, "black"),
        "penwidth": _unless(f"{drawn.pen:g}", "1.5"),
        "arrowsize": _unless(f"{drawn.arrow:g}", "0.8"),
        "id": p.edge_ids[i],
        "class": edge_class(edge),
    }
    return _statement(f"n{edge.tail} -> n{edge.head}", **attributes)


def _unless(value: str, default: str) -> str | None:
    return None if value == default else value


def _spline(route: Route) -> str:
    curve = route.curve
    back = f"s,{_points([curve.back_tip])} " if curve.back_tip else ""
    # Graphviz frames the picture by these points; those of the halves leave no empty margin.
    return f"{back}e,{_points([curve.tip])} {_points(curve.halves())}"


def _points(points: Iterable[tuple[float, float]]) -> str:
    # Adding 0.0 turns a minus zero into zero.
    return " ".join(f"{round(x, 2) + 0.0:.2f},{round(y, 2) + 0.0:.2f}" for x, y in points)


def _statement(what: str, **attributes: str | None) -> str:
    shown = (f"{k}={_value(v)}" for k, v in attributes.items() if v is not None)
    return f"{what} [{' '.join(shown)}]"


def _value(text: str) -> str:
    # HTML labels stand in angle brackets; everything else is ours and needs no escapes.
    return text if text.startswith("<") else f'"{text}"'
