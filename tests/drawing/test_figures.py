"""The book's two figures, drawn from their references: every arrow and nothing else."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
import pytest

import pgm_rnn
from pgm_rnn import reference
from pgm_rnn.drawing import draw

FIGURES = Path(pgm_rnn.__file__).parent.parent / "figures" / "reference"
SVG = "{http://www.w3.org/2000/svg}"


def load(name):
    return reference.load(FIGURES / f"{name}.json")


def arrows(svg):
    """Every edge of an SVG as (parent, child, is it dashed)."""
    found = []
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        if group.get("class", "").split(" ")[0] == "edge":
            path = group.find(f".//{SVG}path")
            dashed = path.get("stroke-dasharray") is not None
            found.append((group.get("data-parent"), group.get("data-child"), dashed))
    return found


@pytest.mark.parametrize("name", ["fig_10_7", "fig_10_8", "text_rnn"])
@pytest.mark.parametrize("tau", [1, 2, 3, 5, 8])
def test_svg_holds_every_edge_and_no_other(name, tau):
    # An edge lost on its way, one drawn twice, or a stroke of the drawing code's own.
    g = load(name).graph(tau)
    found = arrows(draw(g).svg())
    assert sorted(found) == sorted((u, v, False) for u, v in g.edges)


@pytest.mark.parametrize(("name", "edges", "dashed"), [("fig_10_7", 15, 5), ("fig_10_8", 16, 3)])
def test_the_dashed_ends_are_those_of_the_view(name, edges, dashed):
    # An end drawn solid, or a solid arrow dashed.
    g = load(name).drawing()
    found = arrows(draw(g).svg())
    assert len(found) == edges
    assert sum(d for *_, d in found) == dashed
    assert sorted(found) == sorted((u, v, d["dashed"]) for u, v, d in g.edges(data=True))


def test_a_deleted_edge_is_gone_and_moves_no_other():
    # A layout that shifts when an arrow goes would hide which one went.
    g = load("fig_10_8").graph(4)
    before = draw(g).source.splitlines()
    g.remove_edge("h_2", "y_3")
    after = draw(g).source.splitlines()
    (gone,) = set(before) - set(after)
    assert "edge-h-2--y-3" in gone
    assert not set(after) - set(before)


@pytest.mark.parametrize("name", ["fig_10_7", "fig_10_8"])
def test_a_superscript_is_a_raised_smaller_tspan(name):
    # `baseline-shift`, which some browsers ignore, leaves y(3) on one line.
    svg = draw(load(name).graph(3)).svg().decode()
    assert "baseline-shift" not in svg
    group = re.search(r'<g id="node-y-3".*?</g>', svg, re.DOTALL)[0]
    assert re.search(r'<tspan [^>]*font-weight="bold" font-style="italic">y</tspan>', group)
    assert re.search(r'<tspan font-size="11" dy="-[\d.]+">\(3\)</tspan>', group)


def test_large_pictures_are_laid_out_without_graphviz_routing():
    # Graphviz' own routing of the complete graph of 50 nodes does not finish.
    assert len(arrows(draw(load("fig_10_7").graph(50)).svg())) == 50 * 49 // 2
    assert len(arrows(draw(load("fig_10_8").graph(200)).svg())) == 200 + 199 + 199


def test_an_empty_graph_is_an_empty_picture():
    assert arrows(draw(nx.DiGraph()).svg()) == []
