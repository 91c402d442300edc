"""The legend: one sample of every mark that occurs in a picture, with its meaning in words."""

from dataclasses import dataclass, replace

from pgm_rnn.drawing.scene import Edge, Node, Scene
from pgm_rnn.drawing.styles import GREY, look, stroke

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
    if edge.lag:
        return "one step later"
    if edge.both:
        return "common parent, not shown"
    if edge.disputed:
        return "disputed arrow"
    if stroke(edge, tail, style).dash == "dotted":
        return "value or decision of Python"
    return ""
