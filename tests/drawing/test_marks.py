"""What else a picture marks: kinds, differences, delays, doubts, plates; never by colour alone."""

import networkx as nx
import pytest

from pgm_rnn.drawing import draw
from pgm_rnn.errors import BadOption
from pgm_rnn.graph import add_node
from pgm_rnn.reference import compare

SVG = "{http://www.w3.org/2000/svg}"


def program():
    """One node of every kind."""
    g = nx.DiGraph()
    add_node(g, "w", "parameter")
    add_node(g, "data", "input")
    add_node(g, "mu")
    add_node(g, "seen", observed=True, distribution="Normal")
    add_node(g, "half", observed="partly")
    add_node(g, "scale", "deterministic")
    add_node(g, "penalty", "factor")
    for parent, child, via in (("w", "mu", "value"), ("data", "scale", "value"),
                               ("mu", "seen", "value"), ("scale", "seen", "value"),
                               ("mu", "half", "control"), ("seen", "half", "data"),
                               ("mu", "penalty", "value")):  # fmt: skip
        g.add_edge(parent, child, via=frozenset({via}))
    return g


def shape(group):
    """A node's shape in a few words."""
    count = {tag: len(list(group.iter(SVG + tag))) for tag in ("ellipse", "polygon", "path")}
    fills = {e.get("fill") for e in group.iter() if e.get("fill") not in (None, "none", "white")}
    return count["ellipse"], count["polygon"], count["path"], sorted(fills - {"#6b6b6b"})


def test_every_kind_has_its_own_mark(see):
    # Two kinds told apart by colour alone, or not at all.
    found = {g.get("data-node"): shape(g) for g in see.groups(draw(program(), "model").svg(),
                                                              "node")}  # fmt: skip
    assert found["mu"] == (1, 0, 0, [])
    assert found["scale"] == (2, 0, 0, [])  # two rings
    assert found["data"][:2] == (0, 1)  # corners
    assert found["penalty"] == (0, 1, 0, ["black"])
    assert found["seen"] == (1, 0, 0, ["#d3d3d3"])
    assert found["half"][2:] == (1, ["#d3d3d3"])  # half a disc
    book = {g.get("data-node"): shape(g) for g in see.groups(draw(program()).svg(), "node")}
    assert set(book) == {"mu", "seen", "half", "scale", "penalty"}
    assert all(mark == (1, 0, 0, []) for mark in book.values())


def test_classes_and_tooltips_say_the_same(see):
    # A mark that only the eye can read.
    svg = draw(program(), "model").svg()
    nodes = {g.get("data-node"): g for g in see.groups(svg, "node")}
    assert nodes["seen"].get("class") == "node stochastic family-seen observed"
    assert nodes["seen"].find(f"{SVG}title").text == "seen: stochastic, Normal, observed"
    edges = {(g.get("data-parent"), g.get("data-child")): g for g in see.groups(svg, "edge")}
    assert edges["mu", "half"].get("class") == "edge via-control"
    assert edges["mu", "half"].find(f"{SVG}path").get("stroke-dasharray")
    data = edges["seen", "half"]
    assert data.find(f"{SVG}path").get("stroke-dasharray") is None
    assert "data of which the parent is observed" in data.find(f"{SVG}title").text


@pytest.mark.parametrize("timed", [True, False])
def test_the_legend_explains_what_occurs_and_adds_no_arrow(see, timed):
    # A legend of marks that are not there, or one whose samples count as edges of the graph.
    g = program()
    if timed:
        g = nx.relabel_nodes(g, {n: f"{n}_1" for n in g if n not in ("w", "data")})
        for node in g:
            g.nodes[node].pop("family"), g.nodes[node].pop("time")
    drawing = draw(g, "model", legend=True)
    text = " ".join(see.lines(next(iter(see.groups(drawing.svg(), "graph"))))).replace("\xa0", " ")
    for words in ("random", "random, observed", "random, partly observed", "deterministic",
                  "factor", "input", "parameter", "value or decision of Python"):  # fmt: skip
        assert words in text
    assert "missing" not in text
    assert {a[:2] for a in see.arrows(drawing.svg())} == set(g.edges)


def test_a_difference_shows_what_is_missing_and_what_is_extra(see):
    # Missing and extra told apart by colour alone; an edge of the reference drawn as if it were
    # there; a node that only the reference has left out.
    reference = see.load("fig_10_8").graph(4)
    g = reference.copy()
    g.remove_edge("h_1", "y_2")
    g.remove_node("h_4")
    g.add_edge("y_1", "y_3")
    add_node(g, "W", "parameter")
    g.add_edge("W", "h_1")
    found = compare(g, reference)
    for style in ("book", "model"):
        svg = draw(found, style).svg()
        edges = {(e.get("data-parent"), e.get("data-child")): e for e in see.groups(svg, "edge")}
        assert set(edges) - {("W", "h_1")} == set(g.edges) - {("W", "h_1")} | found.missing
        dashes = {}
        for pair, group in edges.items():
            mark = ("missing" if pair in found.missing else "extra" if pair in found.extra
                    else "")  # fmt: skip
            assert ("".join(see.lines(group)).replace("\xa0", " ").endswith(mark)) or not mark
            assert (mark in group.get("class").split()) or not mark
            dashes.setdefault(mark, set()).add(group.find(f"{SVG}path").get("stroke-dasharray"))
        assert dashes[""] == {None}
        assert dashes["missing"].isdisjoint(dashes["extra"] | {None})
        nodes = {n.get("data-node"): n for n in see.groups(svg, "node")}
        assert see.lines(nodes["h_4"]) == ["h(4)", "missing"]
        assert "extra" not in nodes["y_1"].get("class")
    assert "(missing)" in draw(found).svg().decode()
    assert see.arrows(draw(compare(reference, reference)).svg()) == see.arrows(
        draw(reference).svg())  # fmt: skip


def test_a_folded_template_has_a_square_on_every_delay(see):
    # A delay that looks like an arrow within one step.
    g = nx.DiGraph()
    g.add_edge("y", "h", lag=0)
    g.add_edge("h", "h", lag=1)
    g.add_edge("h", "y", lag=3)
    drawing = draw(g)
    svg = drawing.svg()
    squares = [n for n in see.groups(svg, "node") if "delay" in n.get("class")]
    assert len(squares) == 2
    assert {s.get("id") for s in squares} == {"delay-edge-h--h", "delay-edge-h--y"}
    edges = {(e.get("data-parent"), e.get("data-child")): e for e in see.groups(svg, "edge")}
    assert set(edges) == set(g.edges)
    assert [see.lines(edges[e]) for e in (("y", "h"), ("h", "h"), ("h", "y"))] == [[], [], ["3"]]
    at = see.centres(drawing)
    assert at["h"][0] == at["y"][0]
    assert at["h"][1] > at["y"][1]


def test_several_delays_are_one_loop_that_counts_them(see):
    # Folded fig 10.7 as a heap of equal loops; an arrow from the next step taken for a delay.
    g = nx.DiGraph()
    g.add_edge("y", "y", lag=(1, 2, 3, 5))
    g.add_edge("x", "y", lag=(0, 1))
    g.add_edge("y", "g", lag=-1)
    svg = draw(g).svg()
    found = {(e.get("id"), *see.lines(e)) for e in see.groups(svg, "edge")}
    assert found == {
        ("edge-y--y", "1–3, 5"), ("edge-x--y",), ("edge-x--y-2",), ("edge-y--g", "−1"),
    }  # fmt: skip
    squares = [n for n in see.groups(svg, "node") if "delay" in n.get("class")]
    assert len(squares) == 3


def test_common_parents_are_two_headed_and_dashed(see):
    # A bidirected edge that looks like an arrow, or hides the arrow between the same two.
    g = nx.DiGraph([("y_1", "y_2"), ("y_1", "y_3")])
    g.graph["bidirected"] = frozenset({frozenset({"y_1", "y_2"}), frozenset({"y_1", "y_3"})})
    found = see.groups(draw(g).svg(), "edge")
    both = [e for e in found if "bidirected" in e.get("class")]
    assert (len(found), len(both)) == (4, 2)
    for edge in both:
        assert len(edge.findall(f"{SVG}polygon")) == 2
        assert edge.find(f"{SVG}path").get("stroke-dasharray")


def test_disputed_edges_bear_a_question_mark(see):
    # An edge on which two methods disagree drawn like a sure one.
    g = nx.DiGraph([("y_1", "y_2"), ("y_2", "y_3")])
    g.edges["y_1", "y_2"]["disputed"] = True
    sure = {e.get("data-parent"): see.lines(e) for e in see.groups(draw(g).svg(), "edge")}
    assert sure == {"y_1": ["?"], "y_2": []}


def crossing():
    """Two plates that share a member and do not nest, and one inside another."""
    g = nx.DiGraph()
    for name, plates in (("z", ("rows",)), ("u", ("rows",)), ("w", ("cols",)),
                         ("obs", ("rows", "cols")), ("deep", ("rows", "inner"))):  # fmt: skip
        add_node(g, name, plates=plates)
    g.add_edges_from([("z", "obs"), ("w", "obs"), ("u", "obs"), ("z", "deep")])
    return g


def test_crossing_plates_lose_no_member(see):
    # A cluster takes a node from another: Graphviz draws `obs` in one of its two plates only.
    p = draw(crossing())._picture
    names = [n.name for n in p.scene.nodes]

    def members(plates):
        found = {}
        for plate in plates:
            found[plate.name] = {names[i] for i in plate.members}
            found |= members(plate.inner)
        return found

    assert members(p.plates) == {"rows": {"z", "u", "obs", "deep"}, "inner": {"deep"}}
    svg = draw(crossing()).svg()
    noted = {n.get("data-node"): see.lines(n) for n in see.groups(svg, "node")}
    assert noted["obs"] == ["obs", "in cols"]
    assert noted["w"] == ["w", "in cols"]
    assert noted["z"] == ["z"]
    shown = [see.lines(c) for c in see.groups(svg, "cluster")]
    assert sorted(shown) == [["inner"], ["rows"]]


def test_plates_of_a_grid_frame_their_members_in_model_style(see):
    # A rectangle around a stranger would put it into the plate.
    g = see.load("fig_10_8").graph(3)
    for node in g:
        g.nodes[node]["plates"] = ("batch",) if node != "h_2" else ("batch", "odd")
    assert see.groups(draw(g).svg(), "cluster") == []
    assert len(see.groups(draw(g, "model").svg(), "cluster")) == 2
    g.nodes["y_2"]["plates"] = ()
    svg = draw(g, "model").svg()
    noted = {n.get("data-node"): see.lines(n)[1:] for n in see.groups(svg, "node")}
    assert noted["y_2"] == []
    assert noted["y_1"] == noted["h_2"] == ["in batch"]
    assert len(see.groups(svg, "cluster")) == 1  # "odd" still has its own


def test_a_legend_moves_no_node(see):
    # A legend that takes part in Graphviz' layout pulls the ranks apart.
    def places(legend):
        groups = see.groups(draw(program(), "model", legend=legend).svg(), "node")
        ys = {g.get("data-node"): float(g.find(f"{SVG}text").get("y")) for g in groups
              if g.get("data-node")}  # fmt: skip
        return {n: round(y - ys["mu"], 2) for n, y in ys.items()}

    assert places(legend=True) == places(legend=False)


def test_half_grey_is_drawn_without_gradients(see):
    # `url(#...)` of one picture found in another on the same page; corners left whole.
    g = nx.DiGraph([("y_1", "u_1")])
    for node, kind in (("y_1", "stochastic"), ("u_1", "input")):
        g.nodes[node].update(kind=kind, observed="partly")
    svg = draw(g, "model", legend=True).svg()
    assert b"url(" not in svg
    assert b"defs" not in svg
    assert svg.count(b"#d3d3d3") == 4  # two nodes, two samples


def test_attributes_that_are_none_count_as_left_out(see):
    # A graph made by hand or read from a file.
    g = nx.DiGraph([("y_1", "y_2")])
    g.nodes["y_1"].update(kind=None, observed=None, plates=None, distribution=None)
    g.edges["y_1", "y_2"].update(via=None, label=None)
    for style in ("book", "model"):
        assert see.arrows(draw(g, style, legend=True).svg()) == [("y_1", "y_2", False)]


def test_an_unknown_style_lists_the_known_ones():
    # A misspelt style that falls back to another picture.
    with pytest.raises(BadOption, match=r"style = 'boook' should be one of 'book', 'model'"):
        draw(nx.DiGraph(), "boook")


@pytest.mark.parametrize("thing", ["10.8", None, nx.Graph([("a", "b")])])
def test_other_things_are_refused_by_name(thing):
    # An AttributeError from deep inside.
    with pytest.raises(BadOption, match=r"should be a networkx\.DiGraph"):
        draw(thing)
