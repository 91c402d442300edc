"""Substitution, merging and folding on graphs known by hand."""

import networkx as nx
import pytest

from pgm_rnn.catalog import reference
from pgm_rnn.errors import GraphError
from pgm_rnn.transform import fold, merge, substitute


def lags(name, tau=4, entry="input"):
    return {(a, b): lag for a, b, lag in fold(reference(name, entry).graph(tau)).edges(data="lag")}


def test_fold_gives_the_rules_of_the_reference():
    assert lags("10.8") == {("y", "h"): 0, ("h", "h"): 1, ("h", "y"): 1}
    assert lags("10.3") == {("x", "h"): 0, ("h", "h"): 1, ("h", "o"): 0, ("o", "y"): 0}
    assert lags("10.4") == {("x", "h"): 0, ("o", "h"): 1, ("h", "o"): 0, ("o", "y"): 0}
    assert lags("10.9") == {
        ("x", "h"): 0, ("y", "h"): 0, ("h", "h"): 1, ("h", "o"): 0, ("o", "y"): 1,
    }  # fmt: skip
    assert lags("10.7") == {("y", "y"): (1, 2, 3)}


def test_fold_keeps_labels_and_kinds():
    g = fold(reference("10.10").graph(5))
    assert g.edges["y", "h"]["label"] == "R"
    assert g.nodes["h"]["kind"] == "deterministic"


def test_fold_names_the_step_at_which_the_pattern_breaks():
    g = reference("10.8").graph(5)
    g.remove_edge("h_3", "h_4")
    with pytest.raises(GraphError, match="breaks at step 4: no arrow from h_3 to h_4"):
        fold(g)
    with pytest.raises(GraphError, match="breaks at step 1: no arrow from x to h_1"):
        lags("10.9", entry="initial")


def test_substitute_joins_via_and_labels():
    g = nx.DiGraph()
    g.add_node("d", kind="deterministic")
    g.add_edge("a", "d", via=frozenset({"value"}), label="U")
    g.add_edge("d", "b", via=frozenset({"value"}), label="V")
    g.add_edge("a", "b", via=frozenset({"control"}), label=None)
    out = substitute(g)
    assert out.edges["a", "b"] == {"via": {"value", "control"}, "label": None}
    assert "d" in g  # the argument is not changed


def test_only_deterministic_nodes_are_substituted():
    with pytest.raises(GraphError, match="'a' is stochastic, not deterministic"):
        substitute(nx.DiGraph([("a", "b")]), "a")


def test_substitute_a_family():
    g = reference("10.3").graph(3)
    assert {n for n in g if n.startswith("h")} & set(substitute(g, "h")) == set()
    assert set(substitute(g, "h").predecessors("o_2")) == {"x_1", "x_2"}


def test_merge_says_partly():
    one, other = nx.DiGraph(), nx.DiGraph(partial=True)
    one.add_node("y", observed=True)
    one.add_node("only", observed=True)
    other.add_node("y", observed=False)
    one.add_edge("z", "y", via=frozenset({"value"}), label="W")
    other.add_edge("z", "y", via=frozenset({"data"}), label="V")
    g = merge(one, other)
    assert g.nodes["y"]["observed"] == "partly"
    assert g.nodes["only"]["observed"] is True
    assert g.edges["z", "y"] == {"via": {"value", "data"}, "label": None}
    assert g.graph["partial"] is True
    with pytest.raises(GraphError, match="at least one"):
        merge()
