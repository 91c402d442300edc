"""What the tests of drawings share: reading an SVG back, and graphs made by hand."""

import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import pytest

from pgm_rnn import reference

FIGURES = Path(__file__).parents[2] / "figures" / "reference"
SVG = "{http://www.w3.org/2000/svg}"


def load(name):
    """A reference of the book."""
    return reference.load(FIGURES / f"{name}.json")


def groups(svg, kind):
    """The groups of an SVG whose first class is `kind`: "node", "edge" or "cluster"."""
    root = ET.fromstring(svg)
    return [g for g in root.iter(f"{SVG}g") if g.get("class", "").split(" ")[0] == kind]


def arrows(svg):
    """Every edge of an SVG as (parent, child, is it dashed)."""
    found = []
    for group in groups(svg, "edge"):
        if "legend" not in group.get("class"):
            dash = group.find(f".//{SVG}path").get("stroke-dasharray")
            found.append((group.get("data-parent"), group.get("data-child"), dash is not None))
    return found


def lines(group):
    """The lines of text in a group, its tooltip left out."""
    return ["".join(t.itertext()) for t in group.iter(f"{SVG}text")]


def centres(drawing):
    """Where the DOT text puts each node."""
    grid = drawing._picture.grid
    return {n.name: (grid.boxes[i].x, grid.boxes[i].y)
            for i, n in enumerate(drawing._picture.scene.nodes)}  # fmt: skip


def view_of(figure):
    """The book's fig 10.3, 10.9 or 10.10, as `transform.view` gives it."""
    rows, titles = ["y", "L", "o", "h", "x"], ["t-1", "t", "t+1"]
    g = nx.DiGraph(title=f"fig {figure}")

    def node(family, column):
        end = column in (-1, 3)
        title = "..." if end else titles[column]
        name = f"{family}({title})" + {-1: "L", 3: "R"}.get(column, "")
        kind = {"L": "loss", "o": "deterministic", "h": "deterministic"}.get(family, "stochastic")
        g.add_node(name, family=family, title=title, column=column, row=rows.index(family),
                   dashed=end, kind=kind, site=f"{family}_{column + 2}")  # fmt: skip
        return name

    def edge(parent, child, label=None):
        dashed = g.nodes[parent]["dashed"] or g.nodes[child]["dashed"]
        g.add_edge(parent, child, label=label, via=frozenset({"value"}), dashed=dashed)

    if figure == "10.9":
        g.add_node("x", family="x", title=None, column=None, row=4, dashed=False)
    for c in range(3):
        edge(node("h", c), node("o", c), "V")
        edge(node("o", c), node("L", c))
        edge(node("y", c + (figure == "10.9")), node("L", c))
        if figure == "10.9":
            edge(node("y", c), node("h", c), "U")
        else:
            edge(node("x", c), node("h", c), "U")
        if figure == "10.10":
            edge(node("y", c), node("h", c + 1), "R")
    for c in range(-1, 3):
        edge(node("h", c), node("h", c + 1), "W")
    if figure == "10.9":
        for c in range(-1, 4):
            edge("x", node("h", c), "R")
    return g


@pytest.fixture(scope="session")
def see():
    """The functions above, for test files that cannot import this one."""
    return SimpleNamespace(load=load, groups=groups, arrows=arrows, lines=lines,
                           centres=centres, view_of=view_of)  # fmt: skip
