"""Marginalising keeps exactly the separations among the nodes that stay."""

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_rnn.errors import GraphError, UnknownNode
from pgm_rnn.separation import separated
from pgm_rnn.transform import marginalise, substitute

from .graphs import dags, figure, graph, subsets


@settings(max_examples=80, deadline=None)
@given(dags(bidirected=True, fixed=True), st.data())
def test_separation_over_what_is_kept_is_the_same(g, data):
    gone = data.draw(st.lists(st.sampled_from(sorted(g)), unique=True, max_size=3))
    out = marginalise(g, gone)
    kept = [n for n in g if n not in gone]
    assert list(out) == kept
    for z in subsets(kept):
        for x, y in combinations(kept, 2):
            assert bool(separated(g, x, y, z)) == bool(separated(out, x, y, z)), (x, y, z)


@settings(max_examples=40, deadline=None)
@given(dags(functions=False, most=5), st.data())
def test_one_by_one_is_all_at_once(g, data):
    gone = data.draw(st.lists(st.sampled_from(sorted(g)), unique=True, max_size=3))
    once, step = marginalise(g, gone), g
    for node in gone:
        step = marginalise(step, node)
    assert set(once.edges) == set(step.edges)
    assert once.graph["bidirected"] == step.graph.get("bidirected", frozenset())


@pytest.mark.parametrize("tau", [3, 5])
def test_fig_10_8_with_a_random_h(tau):
    g = figure("fig_10_8", tau)
    assert set(marginalise(g, "h").edges) == set(figure("fig_10_7", tau).edges)
    assert marginalise(g, "h").graph["bidirected"] == frozenset()
    for t in range(1, tau + 1):
        g.nodes[f"h_{t}"]["kind"] = "stochastic"
    out = marginalise(g, "h")
    assert set(out.edges) == set(figure("fig_10_7", tau).edges)
    later = [f"y_{t}" for t in range(2, tau + 1)]
    assert out.graph["bidirected"] == set(map(frozenset, combinations(later, 2)))


def test_functions_go_first_and_children_of_random_nodes_are_no_functions():
    g = graph("a>u u>d u>e d>f", "d f")
    out = marginalise(g, "u")
    assert out.graph["bidirected"] == {frozenset("de")}
    assert (out.nodes["d"]["kind"], out.nodes["f"]["kind"]) == ("stochastic", "deterministic")
    assert g.nodes["d"]["kind"] == "deterministic"  # the argument is not changed
    both = marginalise(g, ["u", "d"])
    assert both.nodes["f"]["kind"] == "stochastic"
    assert both.graph["bidirected"] == {frozenset("ef")}


def test_a_spouse_passes_its_edge_on():
    g = graph("v>c v>s", nodes="w")
    g.graph["bidirected"] = frozenset({frozenset("vw"), frozenset("vs")})
    out = marginalise(g, "v")
    assert out.graph["bidirected"] == {frozenset("cs"), frozenset("cw"), frozenset("sw")}


def test_a_function_that_loses_its_spouse_is_still_no_function():
    g = graph("a>d", "d", nodes="v")
    g.graph["bidirected"] = frozenset({frozenset("dv")})
    out = marginalise(g, "v")
    assert out.graph["bidirected"] == frozenset()
    assert not separated(out, "d", "d", "a")


def test_labels_and_kept_functions_are_as_substitute_leaves_them():
    g = figure("fig_10_10", 4)
    ours, theirs = marginalise(g, "h"), substitute(g, "h")
    assert dict(ours.edges) == dict(theirs.edges)
    assert dict(ours.nodes) == dict(theirs.nodes)


def test_constants_go_without_a_trace():
    out = marginalise(graph("W>a W>b", W="parameter"), "W")
    assert out.graph["bidirected"] == frozenset()
    assert set(out) == {"a", "b"}
    with pytest.raises(GraphError, match="'W' is fixed"):
        marginalise(graph("a>W b>W", W="input"), "W")


def test_an_input_that_only_a_bidirected_edge_joins_is_no_constant():
    g = graph("u>W u>a v>W v>b", W="input")
    assert not separated(g, "a", "b")
    with pytest.raises(GraphError, match="'W' is fixed"):
        marginalise(g, ["u", "v", "W"])  # without u and v no arrow points at W
    assert not separated(marginalise(g, ["u", "v"]), "a", "b")


def test_errors():
    with pytest.raises(UnknownNode):
        marginalise(graph("a>b"), "z")
    with pytest.raises(GraphError, match="cycle"):
        marginalise(nx.DiGraph([("a", "b"), ("b", "a")]), "a")
