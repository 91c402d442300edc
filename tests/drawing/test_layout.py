"""Places and curves: rows, columns, arcs, and nothing that runs through a circle."""

import itertools

import networkx as nx
import pytest

from pgm_rnn.drawing import draw
from pgm_rnn.drawing.arcs import inside
from pgm_rnn.drawing.layout import apex
from pgm_rnn.errors import BadOption
from pgm_rnn.graph import add_node
from pgm_rnn.reference import compare


def rows_of(see, drawing):
    """The families from top to bottom."""
    heights = {}
    for node, (_, y) in see.centres(drawing).items():
        heights.setdefault(node.split("_")[0].split("(")[0], set()).add(y)
    assert all(len(h) == 1 for h in heights.values())
    return sorted(heights, key=lambda f: -min(heights[f]))


def test_fig_10_8_stands_on_the_grid(see):
    # h below y, columns out of step, or a spacing that differs from the book's.
    at = see.centres(draw(see.load("fig_10_8").graph(4)))
    assert at == {f"{f}_{t}": (72.0 * (t - 1), y)
                  for t in range(1, 5) for f, y in (("h", 72.0), ("y", 0.0))}  # fmt: skip


@pytest.mark.parametrize(("edges", "rows"), [
    (["x_1 h_1", "h_1 o_1", "o_1 y_1", "h_1 h_2", "x_2 h_2"], "y o h x"),
    (["y_1 h_1", "h_1 y_2", "y_2 h_2"], "h y"),
    (["y_1 h_2", "h_2 y_2", "h_1 y_1"], "y h"),
    (["x h_1", "x h_2", "h_1 y_1"], "y h x"),
    (["a_1 b_1", "b_2 a_2", "a_3 b_3"], "b a"),  # families that point at each other
])  # fmt: skip
def test_parents_of_the_same_time_lie_below(see, edges, rows):
    # Rows by first appearance or by name, or a cycle between families that never ends.
    g = nx.DiGraph(e.split() for e in edges)
    assert rows_of(see, draw(g)) == rows.split()


def test_rows_can_be_chosen_and_misspelt_ones_are_listed(see):
    # A wrong family silently dropped, or a string taken letter by letter.
    g = see.load("fig_10_8").graph(3)
    assert rows_of(see, draw(g, rows=["y", "h"])) == ["y", "h"]
    for rows in (["y", "q"], "yh"):
        with pytest.raises(BadOption, match=r"out of 'h', 'y'"):
            draw(g, rows=rows)
    with pytest.raises(BadOption, match=r"this graph has no rows"):
        draw(nx.DiGraph([("mu", "z")]), rows=["mu", "z"])


def test_a_context_without_time_stands_under_the_middle(see):
    # x in a column of its own, which would read as a time.
    at = see.centres(draw(see.view_of("10.9")))
    assert at["x"][0] == at["h(t)"][0]
    assert at["x"][1] < at["h(t)"][1]


def test_arcs_reach_their_apex_on_the_outer_side(see):
    # Arcs of equal height hide each other; arcs of a lower row must not rise into the upper one.
    drawing = draw(see.load("fig_10_7").graph(8))
    p = drawing._picture
    for edge, route in zip(p.scene.edges, p.routes, strict=True):
        span = p.grid.columns[edge.head] - p.grid.columns[edge.tail]
        height = route.curve.at(0.5)[1]
        assert height == pytest.approx(apex(span) if span > 1 else 0.0)
    g = see.load("fig_10_8").graph(4)
    g.add_edges_from([("y_1", "y_3"), ("h_1", "h_4")])
    p = draw(g)._picture
    middles = {(p.scene.nodes[e.tail].name, p.scene.nodes[e.head].name): r.curve.at(0.5)[1]
               for e, r in zip(p.scene.edges, p.routes, strict=True)}  # fmt: skip
    assert middles["y_1", "y_3"] < -22
    assert middles["h_1", "h_4"] > 72 + 22


def middle_row():
    """An inner row with long arcs, above one and below another."""
    g = nx.DiGraph()
    for t in range(1, 7):
        g.add_edge(f"x_{t}", f"h_{t}")
        g.add_edge(f"h_{t}", f"y_{t}")
        g.add_edges_from((f"h_{s}", f"h_{t}") for s in range(1, t))
    return g


def contexts():
    """One context under twelve columns: its arrows are long and flat."""
    return nx.DiGraph([*(("x", f"h_{t}") for t in range(1, 13)),
                       *((f"h_{t}", f"y_{t}") for t in range(1, 13))])  # fmt: skip


def far_context():
    """A context below another row: its arrows have to find the gaps between columns."""
    return nx.DiGraph([*(("x", f"h_{t}") for t in range(1, 25)),
                       *((f"y_{t}", f"h_{t}") for t in range(1, 25))])  # fmt: skip


@pytest.mark.parametrize("make", ["10.3", "10.9", "10.10", middle_row, contexts, far_context])
def test_no_edge_runs_through_a_node_and_no_label_lies_on_one(see, make):
    # A straight line from y to h would pass through L and o of fig 10.9.
    drawing = draw(see.view_of(make) if isinstance(make, str) else make())
    p = drawing._picture
    for edge, route in zip(p.scene.edges, p.routes, strict=True):
        for k, box in itertools.product(range(41), range(len(p.grid.boxes))):
            if box not in (edge.tail, edge.head):
                assert not inside(p.grid.boxes[box], route.curve.at(k / 40), 2.0)
        if route.label_at:
            assert not any(inside(b, route.label_at, 4.0) for b in p.grid.boxes)


def test_labels_keep_off_edges_and_each_other(see):
    # The letters of fig 10.9 written over arrows.
    p = draw(see.view_of("10.9"))._picture
    labels = [r.label_at for r in p.routes if r.label_at]
    for x, y in labels:
        for route in p.routes:
            for k in range(81):
                u, v = route.curve.at(k / 80)
                assert abs(u - x) > 3.5 or abs(v - y) > 3.5
    for (x, y), (u, v) in itertools.combinations(labels, 2):
        assert abs(x - u) > 8 or abs(y - v) > 8


def test_words_of_a_difference_lie_on_nothing(see):
    # An emission shifted by one step: the words under circles, which cut them, or over arrows.
    book = see.load("fig_10_8").graph(5)
    g = nx.DiGraph()
    g.add_nodes_from(book.nodes(data=True))
    for parent, child, lag in (("y", "h", 0), ("h", "h", 1), ("h", "y", 2)):
        g.add_edges_from((f"{parent}_{t}", f"{child}_{t + lag}") for t in range(1, 6 - lag))
    p = draw(compare(g, book))._picture
    words = [r.label_at for e, r in zip(p.scene.edges, p.routes, strict=True) if e.mark]
    assert len(words) == 7
    for x, y in words:
        for dx, dy in itertools.product((-17.0, 0.0, 17.0), (-3.0, 3.0)):
            assert not any(inside(b, (x + dx, y + dy), 0.0) for b in p.grid.boxes)
        for route in p.routes:
            for u, v in (route.curve.at(k / 80) for k in range(81)):
                assert abs(u - x) > 12 or abs(v - y) > 2


def test_an_arrow_turned_round_does_not_hide_its_reverse(see):
    # y -> h in the program, h -> y in the reference: one drawn over the other.
    found = compare(nx.DiGraph([("y_1", "h_1"), ("h_1", "h_2")]),
                    nx.DiGraph([("h_1", "y_1"), ("h_1", "h_2")]))  # fmt: skip
    p = draw(found)._picture
    middles = [r.curve.at(0.5) for e, r in zip(p.scene.edges, p.routes, strict=True) if e.mark]
    (a, b), (c, d) = middles
    assert abs(a - c) + abs(b - d) > 15


def test_edges_past_the_same_row_take_both_sides_of_their_column(see):
    # x -> g and h -> y of a net in two directions, which would cross twice on one side.
    p = draw(nx.DiGraph([("x_1", "h_1"), ("x_1", "g_1"), ("h_1", "y_1"), ("g_1", "y_1")]),
             rows=["y", "g", "h", "x"])._picture  # fmt: skip
    bent = [r.curve.at(0.5)[0] for r in p.routes if abs(r.curve.at(0.5)[0]) > 20]
    assert len(bent) == 2
    assert min(bent) < 0 < max(bent)


def test_two_names_for_one_place_do_not_hide_each_other(see):
    # y_1 and y_01 are the same family and time.
    svg = draw(nx.DiGraph([("y_1", "y_01"), ("y_01", "y_2")])).svg()
    assert {g.get("data-node") for g in see.groups(svg, "node")} == {"y_1", "y_01", "y_2"}
    assert "dot -Tsvg" in draw(nx.DiGraph([("y_1", "y_01")])).source.splitlines()[0]


def test_long_names_widen_the_columns(see):
    # Circles of 44 points would cut the names or overlap.
    g = nx.DiGraph([("hidden_state_1", "hidden_state_2"), ("hidden_state_2", "hidden_state_3")])
    p = draw(g)._picture
    a, b, _ = p.grid.boxes
    assert b.x - a.x >= a.rx + b.rx + 20
    assert a.rx > 40


def test_parameters_and_inputs_show_in_model_style_only(see):
    # The book draws neither.
    g = see.load("fig_10_8").graph(3)
    add_node(g, "W", "parameter")
    add_node(g, "x", "input")
    g.add_edges_from([("W", "h_2"), ("W", "h_3"), ("x", "h_1")])
    names = [{n.get("data-node") for n in see.groups(draw(g, s).svg(), "node")}
             for s in ("book", "model")]  # fmt: skip
    assert names[1] - names[0] == {"W", "x"}
    at = see.centres(draw(g, "model"))
    assert at["W"][1] == at["x"][1] > at["h_1"][1]  # near their children
