"""The DOT text of a picture: with every position for a time grid, without any elsewhere."""

from collections.abc import Iterable, Iterator

from pgm_rnn.drawing.fonts import NAME
from pgm_rnn.drawing.labels import NO_BREAK, Run, as_html, visible, width
from pgm_rnn.drawing.layout import outline
from pgm_rnn.drawing.legend import legend
from pgm_rnn.drawing.names import edge_class, node_class, slug, unique
from pgm_rnn.drawing.picture import Picture
from pgm_rnn.drawing.plates import Plate
from pgm_rnn.drawing.routes import Route
from pgm_rnn.drawing.statements import (
    line_of,
    numbers,
    points,
    shape_of,
    square,
    statement,
    unless,
)
from pgm_rnn.drawing.styles import FAINT, look, stroke

PLATE_FONT = 11.0


def source(p: Picture) -> str:
    """The DOT text of a picture; its first line says how to render it."""
    command = "neato -n2 -Tsvg file.dot" if p.grid else "dot -Tsvg file.dot"
    lines = [
        f"// Render with: {command}",
        'digraph "picture" {',
        statement("graph", outputorder="edgesfirst", bgcolor="white", pad="0.11",
                  nodesep=None if p.grid else "0.4", ranksep=None if p.grid else "0.45",
                  rankdir="BT" if p.scene.upward and not p.grid else None),
        statement("node", fontname=NAME, fontsize="16", shape="ellipse", fixedsize="shape",
                  margin="0", style="filled", fillcolor="white", penwidth="1.5"),
        statement("edge", fontname=NAME, fontsize="15", penwidth="1.5", arrowsize="0.8"),
        *_clusters(p),
        *(_node(p, i) for i in range(len(p.scene.nodes))),
        *(_edge(p, i) for i in range(len(p.scene.edges))),
        *_squares(p),
        *(legend(p) if p.legend else ()),
        "}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _node(p: Picture, i: int) -> str:
    node = p.scene.nodes[i]
    label = as_html(p.node_label(i))
    outside = look(node, p.style).outside
    if outside and p.grid is None:
        return _factor(p, i, label)
    box = p.grid.boxes[i] if p.grid else None
    at = {
        "label": "" if outside else f"<{label}>",
        "xlabel": f"<{label}>" if outside else None,
        "pos": points([(box.x, box.y)]) if box else None,
        "xlp": points([(box.x, box.y - box.ry - 9)]) if box and outside else None,
    }
    named = {"id": p.node_ids[i], "class": node_class(node)}
    return statement(
        p.key(i), **at, **shape_of(node, p.style, *outline(node, p.style)[:2]), **named
    )


def _factor(p: Picture, i: int, label: str) -> str:
    """A black square over its name, as one table: Graphviz may not put the name elsewhere."""
    node = p.scene.nodes[i]
    found = look(node, p.style)
    square = f'FIXEDSIZE="TRUE" WIDTH="{found.size:g}" HEIGHT="{found.size:g}"'
    table = (
        '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">'
        f'<TR><TD><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" PORT="square" {square} '
        f'BGCOLOR="{found.ink}"><TR><TD></TD></TR></TABLE></TD></TR>'
        f"<TR><TD>{label}</TD></TR></TABLE>"
    )
    return statement(p.key(i), label=f"<{table}>", shape="plain", style="solid",
                     fixedsize="false", fontcolor=unless(found.ink, "black"),
                     id=p.node_ids[i], **{"class": node_class(node)})  # fmt: skip


def _edge(p: Picture, i: int) -> str:
    edge, route = p.scene.edges[i], p.routes[i] if p.grid else None
    drawn, label = stroke(edge, p.scene.nodes[edge.tail], p.style), p.edge_label(i)
    text = as_html(label)
    if not p.grid:  # Graphviz puts the label against the edge
        text = text.replace("<FONT", f"<FONT>{NO_BREAK}</FONT><FONT", 1)
    at = {
        "pos": _spline(route) if route else None,
        "label": f"<{text}>" if label else None,
        "lp": points([route.label_at]) if route and route.label_at else None,
    }
    arrow = route.arrow if route else drawn.arrow
    named = {"id": p.edge_ids[i], "class": edge_class(edge)}
    ends = f"{_end(p, edge.tail)} -> {_end(p, edge.head)}"
    return statement(ends, **at, **line_of(edge, drawn, arrow), **named)


def _end(p: Picture, i: int) -> str:
    """The node at an edge's end, and the square in it where the name stands outside."""
    outside = p.grid is None and look(p.scene.nodes[i], p.style).outside
    return f"{p.key(i)}:square" if outside else p.key(i)


def _squares(p: Picture) -> Iterator[str]:
    """A black square on every delayed edge of a folded template."""
    for i, edge in enumerate(p.scene.edges):
        if edge.lags and p.grid:
            named = {"id": f"delay-{p.edge_ids[i]}", "class": "delay"}
            yield square(f"s{i}", p.routes[i].curve.at(0.5), **named)


# Plates ---------------------------------------------------------------------------------------


def _clusters(p: Picture) -> Iterator[str]:
    flat = list(_flat(p.plates))
    names = unique(slug(plate.name) for plate in flat)
    name = {id(plate): (k, names[k]) for k, plate in enumerate(flat)}

    def lines(plates: Iterable[Plate]) -> Iterator[str]:
        for plate in plates:
            k, own = name[id(plate)]
            said = Run(visible(plate.name) or '""', PLATE_FONT)
            label = as_html(tuple((Run(t, PLATE_FONT),) for t in said.text.split("\n")))
            frame = p.bounds(plate) if p.grid else None
            wide = width(((said,),))
            yield f"subgraph cluster_{k} {{"
            yield statement(
                "graph",
                label=f"<{label}>",
                labelloc="b",
                labeljust="r",
                style="rounded",
                color=FAINT,
                fontname=NAME,
                margin=None if frame else "12",
                bb=numbers(frame) if frame else None,
                lp=points([p.name_place(frame, wide)]) if frame else None,
                id=f"plate-{own}",
                **{"class": "plate"},
            )
            yield from lines(plate.inner)
            inner = {i for other in plate.inner for i in other.members}
            yield " ".join(f"{p.key(i)};" for i in sorted(plate.members - inner))
            yield "}"

    return lines(p.plates)


def _flat(plates: Iterable[Plate]) -> Iterator[Plate]:
    for plate in plates:
        yield plate
        yield from _flat(plate.inner)


def _spline(route: Route) -> str:
    curve = route.curve
    back = f"s,{points([curve.back_tip])} " if curve.back_tip else ""
    # Graphviz frames the picture by these points; those of the halves leave no empty margin.
    return f"{back}e,{points([curve.tip])} {points(curve.halves())}"
