"""The book's figures, drawn from their references and views: every arrow and nothing else."""

import xml.etree.ElementTree as ET

import networkx as nx
import pytest

from pgm_rnn.drawing import draw


@pytest.mark.parametrize("name", ["fig_10_7", "fig_10_8", "text_rnn"])
@pytest.mark.parametrize("tau", [1, 2, 3, 5, 8])
def test_svg_holds_every_edge_and_no_other(see, name, tau):
    # An edge lost on its way, one drawn twice, or a stroke of the drawing code's own.
    g = see.load(name).graph(tau)
    assert sorted(see.arrows(draw(g).svg())) == sorted((u, v, False) for u, v in g.edges)


@pytest.mark.parametrize(("name", "edges", "dashed"), [("fig_10_7", 15, 5), ("fig_10_8", 16, 3)])
def test_the_dashed_ends_are_those_of_the_view(see, name, edges, dashed):
    # An end drawn solid, or a solid arrow dashed.
    g = see.load(name).drawing()
    found = see.arrows(draw(g).svg())
    assert (len(found), sum(d for *_, d in found)) == (edges, dashed)
    assert sorted(found) == sorted((u, v, d["dashed"]) for u, v, d in g.edges(data=True))
    nodes = see.groups(draw(g).svg(), "node")
    ends = {n.get("data-node") for n in nodes if "dashed" in n.get("class")}
    assert ends == {n for n in g if g.nodes[n]["dashed"]}


@pytest.mark.parametrize("figure", ["10.3", "10.9", "10.10"])
def test_views_show_all_edges_and_their_letters(see, figure):
    # A letter lost, or shown at an edge that has none.
    g = see.view_of(figure)
    svg = draw(g).svg()
    assert sorted(see.arrows(svg)) == sorted((u, v, d["dashed"]) for u, v, d in g.edges(data=True))
    for group in see.groups(svg, "edge"):
        label = g.edges[group.get("data-parent"), group.get("data-child")]["label"]
        assert see.lines(group) == ([label] if label else [])


def test_model_style_has_marks_and_no_letters(see):
    # Letters beside arrows belong to the book style; the model style has rings instead.
    svg = draw(see.view_of("10.3"), "model").svg()
    assert all(see.lines(group) == [] for group in see.groups(svg, "edge"))
    rings = {g.get("data-node"): len(list(g.iter("{http://www.w3.org/2000/svg}ellipse")))
             for g in see.groups(svg, "node")}  # fmt: skip
    assert (rings["h(t)"], rings["x(t)"], rings["L(t)"]) == (2, 1, 1)


def test_a_deleted_edge_is_gone_and_moves_no_other(see):
    # A layout that shifts when an arrow goes would hide which one went.
    g = see.load("fig_10_8").graph(4)
    before = draw(g).source.splitlines()
    g.remove_edge("h_2", "y_3")
    after = draw(g).source.splitlines()
    (gone,) = set(before) - set(after)
    assert "edge-h-2--y-3" in gone
    assert not set(after) - set(before)


def test_superscripts_are_raised_smaller_tspans(see):
    # `baseline-shift`, which some browsers ignore, leaves y(3) on one line.
    svg = draw(see.view_of("10.3")).svg()
    assert b"baseline-shift" not in svg
    texts = {g.get("data-node"): g.find("{http://www.w3.org/2000/svg}text")
             for g in see.groups(svg, "node")}  # fmt: skip
    letter, raised = texts["y(t-1)"]
    assert (letter.text, letter.get("font-weight"), letter.get("font-style")) == (
        "y", "bold", "italic")  # fmt: skip
    assert raised.text == "(t−1)"  # a true minus
    assert float(raised.get("dy")) < -3
    assert float(raised.get("font-size")) < float(letter.get("font-size"))
    assert texts["h(...)L"][1].text == "(…)"
    assert texts["L(t)"][0].get("font-weight") is None  # L is a number, not a vector


def test_large_pictures_need_no_graphviz_routing(see):
    # Graphviz' own routing of the complete graph of 50 nodes does not finish.
    assert len(see.arrows(draw(see.load("fig_10_7").graph(50)).svg())) == 50 * 49 // 2
    assert len(see.arrows(draw(see.load("fig_10_8").graph(200)).svg())) == 200 + 199 + 199


def test_an_empty_graph_is_an_empty_picture(see, capfd):
    # A division by no columns, or a frame around no node.
    for style in ("book", "model"):
        assert see.arrows(draw(nx.DiGraph(), style, legend=True).svg()) == []
    assert capfd.readouterr().err == ""


def test_svg_is_described_and_self_contained(see):
    # A picture that a screen reader cannot read, or that asks the network for something.
    g = see.load("fig_10_8").drawing()
    svg = draw(g, title="A state h").svg()
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert [e.tag.split("}")[1] for e in root[:2]] == ["title", "desc"]
    assert root[0].text == "A state h"
    assert root[1].text.startswith("A directed graph of 12 nodes and 16 edges: ")
    assert "h(1) → y(2)" in root[1].text
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == 12 + 16
    for word in (b"href", b"url(", b"Generated", b"<!--", b"DOCTYPE"):
        assert word not in svg
    big = ET.fromstring(draw(see.load("fig_10_7").graph(20)).svg())
    assert len(big[1].text) < 700
    assert big[1].text.endswith("more.")
