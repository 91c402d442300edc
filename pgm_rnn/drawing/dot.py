"""The DOT text of a picture: with every position for a time grid, without any elsewhere."""

from collections.abc import Iterable, Iterator

from pgm_rnn.drawing.fonts import NAME
from pgm_rnn.drawing.labels import NO_BREAK, Run, as_html, visible, width
from pgm_rnn.drawing.layout import Box, outline
from pgm_rnn.drawing.legend import Sample, samples
from pgm_rnn.drawing.names import edge_class, node_class, slug, unique
from pgm_rnn.drawing.picture import Picture
from pgm_rnn.drawing.plates import Plate
from pgm_rnn.drawing.routes import Route
from pgm_rnn.drawing.scene import Edge, Node
from pgm_rnn.drawing.styles import FAINT, RING, Stroke, look, node_strokes, stroke

SQUARE = 8.0  # the side of the square that delays by one step
PLATE_FONT = 11.0
LEGEND_FONT = 11.0
LEGEND_STEP = 30.0  # from line to line of a legend
LEGEND_WIDTH = 300.0  # at least, before it breaks into another line


def source(p: Picture) -> str:
    """The DOT text of a picture; its first line says how to render it."""
    command = "neato -n2 -Tsvg file.dot" if p.grid else "dot -Tsvg file.dot"
    lines = [
        f"// Render with: {command}",
        'digraph "picture" {',
        _statement("graph", outputorder="edgesfirst", bgcolor="white", pad="0.11",
                   nodesep=None if p.grid else "0.4", ranksep=None if p.grid else "0.45"),
        _statement("node", fontname=NAME, fontsize="16", shape="ellipse", fixedsize="shape",
                   margin="0", style="filled", fillcolor="white", penwidth="1.5"),
        _statement("edge", fontname=NAME, fontsize="15", penwidth="1.5", arrowsize="0.8"),
        *_clusters(p),
        *(_node(p, i) for i in range(len(p.scene.nodes))),
        *(_edge(p, i) for i in range(len(p.scene.edges))),
        *_squares(p),
        *(_legend(p) if p.legend else ()),
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
        "pos": _points([(box.x, box.y)]) if box else None,
        "xlp": _points([(box.x, box.y - box.ry - 9)]) if box and outside else None,
    }
    named = {"id": p.node_ids[i], "class": node_class(node)}
    return _statement(f"n{i}", **at, **_shape(node, p.style, *outline(node, p.style)[:2]), **named)


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
    return _statement(f"n{i}", label=f"<{table}>", shape="plain", style="solid",
                      fixedsize="false", fontcolor=_unless(found.ink, "black"),
                      id=p.node_ids[i], **{"class": node_class(node)})  # fmt: skip


def _shape(node: Node, style: str, rx: float, ry: float) -> dict[str, str | None]:
    """How a node is drawn, as Graphviz' attributes."""
    found = look(node, style)
    ring = RING * (found.rings - 1)
    return {
        "width": f"{2 * (rx - ring) / 72:.4f}",
        "height": f"{2 * (ry - ring) / 72:.4f}",
        "shape": None if found.shape == "ellipse" else found.shape,
        "peripheries": None if found.rings == 1 else str(found.rings),
        "style": _unless(node_strokes(node, found), "filled"),
        "fillcolor": _unless(found.fill, "white"),
        "color": _unless(found.ink, "black"),
        "fontcolor": _unless(found.ink, "black"),
        "penwidth": _unless(f"{found.pen:g}", "1.5"),
    }


def _edge(p: Picture, i: int) -> str:
    edge, route = p.scene.edges[i], p.routes[i] if p.grid else None
    drawn, label = stroke(edge, p.scene.nodes[edge.tail], p.style), p.edge_label(i)
    text = as_html(label)
    if not p.grid:  # Graphviz puts the label against the edge
        text = text.replace("<FONT", f"<FONT>{NO_BREAK}</FONT><FONT", 1)
    at = {
        "pos": _spline(route) if route else None,
        "label": f"<{text}>" if label else None,
        "lp": _points([route.label_at]) if route and route.label_at else None,
    }
    arrow = route.arrow if route else drawn.arrow
    named = {"id": p.edge_ids[i], "class": edge_class(edge)}
    ends = f"{_end(p, edge.tail)} -> {_end(p, edge.head)}"
    return _statement(ends, **at, **_line(edge, drawn, arrow), **named)


def _end(p: Picture, i: int) -> str:
    """The node at an edge's end, and the square in it where the name stands outside."""
    outside = p.grid is None and look(p.scene.nodes[i], p.style).outside
    return f"n{i}:square" if outside else f"n{i}"


def _line(edge: Edge, drawn: Stroke, arrow: float) -> dict[str, str | None]:
    """How an edge is drawn, as Graphviz' attributes."""
    return {
        "style": _unless(drawn.dash, "solid"),
        "dir": "both" if edge.both else None,
        "color": _unless(drawn.ink, "black"),
        "fontcolor": _unless(drawn.ink, "black"),
        "penwidth": _unless(f"{drawn.pen:g}", "1.5"),
        "arrowsize": _unless(f"{arrow:g}", "0.8"),
    }


def _squares(p: Picture) -> Iterator[str]:
    """A black square on every delayed edge of a folded template."""
    for i, edge in enumerate(p.scene.edges):
        if edge.lag and p.grid:
            named = {"id": f"delay-{p.edge_ids[i]}", "class": "delay"}
            yield _square(f"s{i}", p.routes[i].curve.at(0.5), **named)


def _square(name: str, at: tuple[float, float], **named: str) -> str:
    side = f"{SQUARE / 72:.4f}"
    return _statement(name, label="", shape="box", pos=_points([at]), width=side, height=side,
                      fillcolor="black", **named)  # fmt: skip


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
            yield _statement(
                "graph",
                label=f"<{label}>",
                labelloc="b",
                labeljust="r",
                style="rounded",
                color=FAINT,
                fontname=NAME,
                margin=None if frame else "12",
                bb=_numbers(frame) if frame else None,
                lp=_points([(frame[2] - 8 - wide / 2, frame[1] + 9)]) if frame else None,
                id=f"plate-{own}",
                **{"class": "plate"},
            )
            yield from lines(plate.inner)
            inner = {i for other in plate.inner for i in other.members}
            yield " ".join(f"n{i};" for i in sorted(plate.members - inner))
            yield "}"

    return lines(p.plates)


def _flat(plates: Iterable[Plate]) -> Iterator[Plate]:
    for plate in plates:
        yield plate
        yield from _flat(plate.inner)


# Legend ---------------------------------------------------------------------------------------


def _legend(p: Picture) -> Iterator[str]:
    """Samples and words: below a grid, line by line; beside Graphviz' own layout, in a box."""
    found = samples(p.scene, p.style)
    if p.grid is None:
        yield _statement("legend", label=f"<{_table(found)}>", shape="plain", fixedsize="false",
                         style="solid", id="legend", **{"class": "legend"})  # fmt: skip
        return
    left, bottom, right, _ = p.bounds()
    x, y = left, bottom - LEGEND_STEP
    for k, sample in enumerate(found):
        wide = 54 + width(((Run(sample.words, LEGEND_FONT),),))
        if x > left and x + wide > max(right, left + LEGEND_WIDTH):
            x, y = left, y - LEGEND_STEP
        yield from _sample(p, k, sample, Box(x + 14, y, 10, 10))
        x += wide


def _table(found: list[Sample]) -> str:
    """The legend as a table in one node; there the marks are letters that look like them."""
    rows = "".join(
        f'<TR><TD><FONT COLOR="{sample.ink}">{sample.glyph}{NO_BREAK}</FONT></TD>'
        f'<TD ALIGN="LEFT">{as_html(((Run(sample.words, LEGEND_FONT),),))}</TD></TR>'
        for sample in found
    )
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="2">{rows}</TABLE>'


def _sample(p: Picture, k: int, sample: Sample, box: Box) -> Iterator[str]:
    named = {"class": "legend"}
    text = (Run(sample.words, LEGEND_FONT),)
    words_at = (box.x + 20 + width((text,)) / 2, box.y)
    yield _statement(f"t{k}", label=f"<{as_html((text,))}>", shape="plain", style="solid",
                     fixedsize="false", pos=_points([words_at]), id=f"legend-words-{k}",
                     **named)  # fmt: skip
    if sample.edge is None:
        rx, ry = outline(sample.node, p.style)[:2]
        shrink = min(1.0, 11 / max(rx, ry))
        shape = _shape(sample.node, p.style, rx * shrink, ry * shrink)
        pos = _points([(box.x, box.y)])
        yield _statement(f"k{k}", label="", pos=pos, id=f"legend-{k}", **shape, **named)
        return
    # An edge needs two ends, which nobody sees.
    left, right = (box.x - 14, box.y), (box.x + 14, box.y)
    for name, at in ((f"k{k}", left), (f"e{k}", right)):
        yield _statement(name, label="", style="invis", width="0.01", height="0.01",
                         pos=_points([at]))  # fmt: skip
    edge, drawn = sample.edge, stroke(sample.edge, sample.node, p.style)
    first = box.x - (6 if edge.both else 14)
    track = [(first + (box.x + 6 - first) * t / 3, box.y) for t in range(4)]
    back = f"s,{_points([left])} " if edge.both else ""
    pos = f"{back}e,{_points([right])} {_points(track)}"
    line = _line(edge, drawn, drawn.arrow)
    yield _statement(f"k{k} -> e{k}", pos=pos, id=f"legend-{k}", **line, **named)
    if edge.lag:
        yield _square(f"q{k}", (box.x - 4, box.y), **named)


# Writing --------------------------------------------------------------------------------------


def _unless(value: str, default: str) -> str | None:
    return None if value == default else value


def _spline(route: Route) -> str:
    curve = route.curve
    back = f"s,{_points([curve.back_tip])} " if curve.back_tip else ""
    # Graphviz frames the picture by these points; those of the halves leave no empty margin.
    return f"{back}e,{_points([curve.tip])} {_points(curve.halves())}"


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(_numbers(point) for point in points)


def _numbers(numbers: Iterable[float]) -> str:
    # Adding 0.0 turns a minus zero into zero.
    return ",".join(f"{round(x, 2) + 0.0:.2f}" for x in numbers)


def _statement(what: str, **attributes: str | None) -> str:
    shown = (f"{k}={_value(v)}" for k, v in attributes.items() if v is not None)
    return f"{what} [{' '.join(shown)}]"


def _value(text: str) -> str:
    # HTML labels stand in angle brackets; everything else is ours and needs no escapes.
    return text if text.startswith("<") else f'"{text}"'
