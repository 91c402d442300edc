"""The figures as the programs are: extracted, compared with the book, drawn."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import networkx as nx

from pgm_rnn.catalog import figure, reference
from pgm_rnn.drawing import Drawing, draw
from pgm_rnn.errors import OutputError
from pgm_rnn.extraction import extract
from pgm_rnn.graph import sites
from pgm_rnn.reference import compare, compare_drawings
from pgm_rnn.transform import view

STEPS = 4  # of the graphical models in the gallery
LENGTHS = (1, 2, 3, 5, 8)  # the graphical model is compared at each of these tau
FORMATS = ("dot", "svg", "pdf", "png")


@dataclass(frozen=True)
class Examined:
    """What the comparison of one figure with the book showed."""

    figure: str
    stem: str  # of the files of its picture
    nodes: int
    edges: int
    differences: tuple[str, ...]  # one line each, empty if the program is as in the book
    drawing: Drawing = field(repr=False)  # as the book prints it
    model: Drawing = field(repr=False)  # the graphical model of STEPS steps, kinds marked


def book_drawing(name: str, entry: str = "input", **options: Any) -> nx.DiGraph:
    """The graph of a figure's running program, in the columns that the book prints.

    Its dashed ends are the outermost steps of a longer run. `options` are the figure's.
    """
    picture = reference(name, entry).picture
    f = figure(name, entry=entry, tau=picture.tau, **options)
    g = view(extract(f.model, *f.args, **f.kwargs), picture)
    g.graph["title"] = f.reference.title
    return g


def examine(name: str, entry: str = "input") -> Examined:
    """Extract a figure's program at several lengths; compare each with the book, edge by edge."""
    differences = []
    for tau in LENGTHS:
        f = figure(name, entry=entry, tau=tau)
        found = compare(extract(f.model, *f.args, **f.kwargs), f.reference.graph(tau))
        if not found:
            differences.append(f"tau = {tau}: {found}")
    g = book_drawing(name, entry)
    f = figure(name, entry=entry)
    unlike = compare_drawings(g, f.reference.drawing())
    if unlike:
        differences.append(f"drawing: {unlike}")
    shown = sites(extract(f.model, *f.args, **f.kwargs))
    return Examined(
        figure=f.name if entry == "input" else f"{f.name} ({entry})",
        stem=f.stem,
        nodes=len(shown),
        edges=shown.number_of_edges(),
        differences=tuple(differences),
        drawing=draw(g),
        model=model_drawing(name, entry),
    )


def model_drawing(name: str, entry: str = "input") -> Drawing:
    """The graphical model of a figure's program at STEPS steps, in the style "model"."""
    f = figure(name, entry=entry, tau=STEPS)
    rows = [row for row in f.reference.picture.rows if row != "L"]
    g = sites(extract(f.model, *f.args, **f.kwargs))
    return draw(g, style="model", rows=rows or None, title=f.reference.title)


def save(examined: Examined, folder: Path) -> list[Path]:
    """Write a figure in every format, and its graphical model; returns the paths.

    Raises OutputError.
    """
    models = folder / "model"
    try:
        models.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {str(models)!r}: {error.strerror}") from None
    paths = [folder / f"{examined.stem}.{suffix}" for suffix in FORMATS]
    for path in paths:
        examined.drawing.save(path)
    return [*paths, examined.model.save(models / f"{examined.stem}.svg")]
