"""The legend: one sample of every mark that occurs in a picture, with its meaning in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pgm_rnn.drawing.fonts import NAME
from pgm_rnn.drawing.labels import NO_BREAK, Run, as_html, delays, width
from pgm_rnn.drawing.layout import Box, outline
from pgm_rnn.drawing.picture import Picture
from pgm_rnn.drawing.scene import Edge, Node, Scene
from pgm_rnn.drawing.statements import line_of, points, shape_of, square, statement
from pgm_rnn.drawing.styles import GREY, look, stroke

FONT = 11.0
STEP = 30.0  # from line to line
WIDTH = 300.0  # at least, before it breaks into another line

OBSERVED = {True: ", observed", "partly": ", partly observed"}


@dataclass(frozen=True)
class Sample:
    """One mark and its meaning: a node, or an edge that leaves a node like `node`."""

    words: str
    node: Node
    edge: Edge | None
    glyph: str  # the mark as a letter that looks like it
    ink: str


def samples(scene: Scene, style: str) -> list[Sample]:
    """The marks that occur, in the order in which they first do."""
    found: dict[str, Sample] = {}
    for node in scene.nodes:
        words = _node_words(node, style)
        bare = replace(node, name="", family="", title=None, math=False, plates=(), notes=())
        drawn = look(bare, style)
        ink = "#9a9a9a" if drawn.fill == GREY else drawn.ink
        found.setdefault(words, Sample(words, bare, None, _glyph(bare, style), ink))
    for edge in scene.edges:
        tail = scene.nodes[edge.tail]
        words, drawn_edge = _edge_words(edge, tail, style), stroke(edge, tail, style)
        shaft = {"dotted": "····", "dashed": "– –"}.get(drawn_edge.dash, "——")
        glyph = f"◂{shaft}▸" if edge.both else f"{shaft}▸"
        if words:
            found.setdefault(words, Sample(words, tail, edge, glyph, drawn_edge.ink))
    return list(found.values())


def _glyph(node: Node, style: str) -> str:
    drawn = look(node, style)
    if drawn.outside:
        return "■"
    if drawn.shape == "box":
        return "□"
    if drawn.fill == GREY:
        return "●"
    return "◐" if ":" in drawn.fill else "◎" if drawn.rings > 1 else "○"


def _node_words(node: Node, style: str) -> str:
    if node.dashed:
        return "and so on"
    if style == "book":
        words = "variable"
    else:
        words = {"stochastic": "random", "loss": "loss term"}.get(node.kind, node.kind)
        words += OBSERVED.get(node.observed, "")
    return f"{words}, {node.mark}" if node.mark else words


def _edge_words(edge: Edge, tail: Node, style: str) -> str:
    if edge.mark:
        return f"{edge.mark} arrow"
    if edge.lags:
        return "later by the steps beside it" if delays(edge) else "one step later"
    if edge.both:
        return "common parent, not shown"
    if edge.disputed:
        return "disputed arrow"
    if stroke(edge, tail, style).dash == "dotted":
        return "value or decision of Python"
    return ""


def legend(p: Picture) -> Iterator[str]:
    """Samples and words: line by line below a grid, as a table below Graphviz' own layout."""
    found = samples(p.scene, p.style)
    if not found:
        return
    if p.grid is None:
        # As the picture's own label it stands below, and moves no node.
        yield statement("graph", label=f"<{_table(found)}>", labelloc="b", labeljust="l",
                        fontname=NAME)  # fmt: skip
        return
    left, bottom, right, _ = p.bounds()
    x, y = left, bottom - STEP
    for k, sample in enumerate(found):
        wide = 54 + width(((Run(sample.words, FONT),),))
        if x > left and x + wide > max(right, left + WIDTH):
            x, y = left, y - STEP
        yield from _sample(p, k, sample, Box(x + 14, y, 10, 10))
        x += wide


def _table(found: list[Sample]) -> str:
    """The legend as a table; there the marks are letters that look like them."""
    rows = "".join(
        f'<TR><TD><FONT COLOR="{sample.ink}">{sample.glyph}{NO_BREAK}</FONT></TD>'
        f'<TD ALIGN="LEFT">{as_html(((Run(sample.words, FONT),),))}</TD></TR>'
        for sample in found
    )
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="2">{rows}</TABLE>'


def _sample(p: Picture, k: int, sample: Sample, box: Box) -> Iterator[str]:
    named = {"class": "legend"}
    text = (Run(sample.words, FONT),)
    wide = 1.1 * width((text,))
    words_at = (box.x + 20 + wide / 2, box.y)
    # A cell wider than its words, so that they start at the same distance from their marks.
    words = (
        '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">'
        f'<TR><TD ALIGN="LEFT" WIDTH="{wide:.0f}">{as_html((text,))}</TD></TR></TABLE>'
    )
    yield statement(f"t{k}", label=f"<{words}>", shape="plain", style="solid",
                    fixedsize="false", pos=points([words_at]), id=f"legend-words-{k}",
                    **named)  # fmt: skip
    if sample.edge is None:
        rx, ry = outline(sample.node, p.style)[:2]
        shrink = min(1.0, 11 / max(rx, ry))
        shape = shape_of(sample.node, p.style, rx * shrink, ry * shrink)
        pos = points([(box.x, box.y)])
        yield statement(f"k{k}", label="", pos=pos, id=f"legend-{k}", **shape, **named)
        return
    # An edge needs two ends, which nobody sees.
    left, right = (box.x - 14, box.y), (box.x + 14, box.y)
    for name, at in ((f"k{k}", left), (f"e{k}", right)):
        yield statement(name, label="", style="invis", width="0.01", height="0.01",
                        pos=points([at]))  # fmt: skip
    edge, drawn = sample.edge, stroke(sample.edge, sample.node, p.style)
    first = box.x - (6 if edge.both else 14)
    track = [(first + (box.x + 6 - first) * t / 3, box.y) for t in range(4)]
    back = f"s,{points([left])} " if edge.both else ""
    pos = f"{back}e,{points([right])} {points(track)}"
    line = line_of(edge, drawn, drawn.arrow)
    yield statement(f"k{k} -> e{k}", pos=pos, id=f"legend-{k}", **line, **named)
    if edge.lags:
        yield square(f"q{k}", (box.x - 4, box.y), **named)
