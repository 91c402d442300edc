"""Draw a graph: the one public function of this room, and what it returns."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

from pgm_rnn.drawing import svg
from pgm_rnn.drawing.dot import source
from pgm_rnn.drawing.mermaid import mermaid
from pgm_rnn.drawing.picture import Picture, picture
from pgm_rnn.drawing.render import render
from pgm_rnn.drawing.scene import read
from pgm_rnn.drawing.styles import style_named
from pgm_rnn.drawing.tikz import tikz
from pgm_rnn.errors import BadOption
from pgm_rnn.files import write
from pgm_rnn.graph_json import to_json
from pgm_rnn.reference import Comparison

SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".tex", ".mmd", ".json")


@dataclass(frozen=True)
class Drawing:
    """A picture as DOT text, which becomes SVG, PNG, PDF or TikZ when asked for."""

    source: str
    _picture: Picture = field(repr=False)
    graph: nx.DiGraph = field(repr=False, compare=False)  # what was drawn

    def svg(self) -> bytes:
        """The picture as SVG, the same bytes on any machine."""
        return svg.finish(render(self.source, self._picture.engine, "svg"), self._picture)

    def png(self) -> bytes:
        """The picture as PNG, on white, at twice the size of a screen."""
        return render(self.source, self._picture.engine, "png")

    def pdf(self) -> bytes:
        """The picture as PDF, its date fixed."""
        return render(self.source, self._picture.engine, "pdf")

    def tex(self) -> str:
        """The picture as standalone TikZ, for pdflatex."""
        return tikz(self.svg())

    def mmd(self) -> str:
        """The graph as a Mermaid flowchart; Mermaid places its nodes."""
        return mermaid(self.graph)

    def json(self) -> str:
        """The graph as JSON, which `pgm_rnn.from_json` reads back without loss."""
        return to_json(self.graph)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture in the format of the path's suffix, whole or not at all."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise BadOption(
                f"cannot draw {str(path)!r}: its suffix should be one of {', '.join(SUFFIXES)}"
            )
        data = self.source if suffix == ".dot" else getattr(self, suffix[1:])()
        write(path, data.encode() if isinstance(data, str) else data)
        return path

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.svg().decode()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The same for a notebook's newer protocol, and a sentence where no picture can be."""
        words = svg.description(self._picture.scene)
        return {"image/svg+xml": self._repr_svg_(), "text/plain": words}


def draw(
    g_or_comparison: nx.DiGraph | Comparison,
    style: str = "book",
    *,
    rows: Sequence[str] | None = None,
    legend: bool = False,
    title: str | None = None,
) -> Drawing:
    """Draw a graph, a view of one, a folded template or a comparison.

    Style "book" draws plain circles, dashed ends and the letters of edges, and leaves inputs and
    parameters out; style "model" marks every kind of node and the observed ones. `rows` lists
    families from top to bottom and needs nodes named `family_time`; `legend` explains the marks
    that occur; `title` is read by screen readers.

    >>> draw(nx.DiGraph([("y_1", "y_2")])).source.splitlines()[0]
    '// Render with: neato -n2 -Tsvg file.dot'
    """
    style = style_named(style)
    if not isinstance(g_or_comparison, nx.DiGraph | Comparison):
        raise BadOption(
            f"cannot draw {g_or_comparison!r:.200}; it should be a networkx.DiGraph (as from "
            "extract, or a reference's graph(tau) or drawing()) or what compare returns"
        )
    scene = read(g_or_comparison, fixed=style == "model", title=title)
    laid_out = picture(scene, style, rows, legend)
    g = g_or_comparison
    return Drawing(source(laid_out), laid_out, g.graph if isinstance(g, Comparison) else g)
