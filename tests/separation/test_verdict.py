"""What a verdict says, in fields and in words, and what bad questions are told."""

import dataclasses
import pickle

import networkx as nx
import pytest

from pgm_rnn.errors import AmbiguousNode, BadOption, GraphError, UnknownNode
from pgm_rnn.graph import family, time
from pgm_rnn.separation import separated, separations
from pgm_rnn.separation.numbered import numbered

from .checker import check
from .graphs import figure, graph


def without_o(tau):
    steps = range(1, tau + 1)
    edges = [f"x_{t}>h_{t} h_{t}>y_{t}" for t in steps] + [f"h_{t}>h_{t + 1}" for t in steps[:-1]]
    return graph(" ".join(edges), " ".join(f"h_{t}" for t in steps))


def test_equation_10_35_in_one_sentence():
    verdict = separated(without_o(4), "y_1", "y_4", "x")
    assert str(verdict) == (
        "y(1) and y(4) are independent given x(1..4): h(1) is determined by x(1) "
        "(ordinary d-separation would say dependent)"
    )
    assert verdict.determined == ("h_1", "h_2", "h_3", "h_4")
    assert verdict.why == (("h_1", "determined by x_1"),)
    assert (verdict.trail, verdict.plain) == ((), False)
    assert verdict.given == ("x_1", "x_2", "x_3", "x_4")


@pytest.mark.parametrize("tau", [4, 30])
def test_the_sentence_does_not_grow_with_the_length(tau):
    g = figure("text_rnn", tau)
    past = [f"y_{t}" for t in range(1, tau)]
    verdict = separated(g, f"y_{tau}", f"h_{tau}", past)
    assert str(verdict) == (
        f"y({tau}) and h({tau}) are independent given y(1..{tau - 1}): h(1) is a constant, "
        f"h(2) is determined by h(1) and y(1) and so on to h({tau}) "
        "(ordinary d-separation would say dependent)"
    )
    assert len(str(separated(g, "y_1", f"y_{tau}"))) < 130


def test_a_trail_with_roles_arrows_and_witness():
    verdict = separated(without_o(3), "x_1", "x_2", "y_3")
    assert verdict.trail == (
        ("x_1", "start"),
        ("h_1", "chain"),
        ("h_2", "collider opened by y_3"),
        ("x_2", "end"),
    )
    assert verdict.arrows == ("->", "->", "<-")
    assert str(verdict) == (
        "x(1) and x(2) may be dependent given y(3): x(1) -> h(1) -> h(2) <- x(2) is open; "
        "h(2) is a collider, and y(3) is given"
    )
    fork = separated(without_o(3), "y_1", "y_2")
    assert fork.trail[1:-1] == (("h_1", "fork"), ("h_2", "chain"))
    own = separated(graph("a>c b>c"), "a", "b", "c")
    assert str(own).endswith("a -> c <- b is open; c is a collider, and given")


def test_reasons():
    g = graph("a>c c>d W>d k>e", "k", W="parameter")
    assert separated(g, "a", "d", "c").why == (("c", "given"),)
    assert separated(g, "a", "W").why == (("W", "fixed"),)
    assert separated(g, "k", "e").why == (("k", "constant"),)
    assert str(separated(g, "k", "e")) == (
        "k and e are independent: k is a constant (ordinary d-separation would say dependent)"
    )
    assert separated(graph("a>c b>c"), "a", "b").why == (("c", "closed collider"),)
    assert str(separated(graph("a>c", nodes="z"), "a", "z")) == (
        "a and z are independent: no trail joins them"
    )
    assert str(separated(g, ["a", "k"], "W")).startswith("{a, k} and W are independent: W is fixed")


def test_overlap():
    shared = separated(graph("a>b"), ["a", "b"], "b")
    assert shared.trail == (("b", "shared"),)
    assert str(shared) == "{a, b} and b may be dependent: b is on both sides"
    assert separated(graph("a>b"), "b", "b", "b")
    assert separated(graph("a>b"), ["a", "b"], ["b"], "b")


def test_bidirected_edges_in_a_trail():
    g = graph("a>b", nodes="c")
    g.graph["bidirected"] = frozenset({frozenset("bc"), frozenset("ab")})
    assert separated(g, "a", "c", "b").arrows == ("->", "<->")
    assert separated(g, "a", "c").why == (("b", "closed collider"),)
    known = graph("b>c")
    known.graph["bidirected"] = frozenset({frozenset("ab"), frozenset("bc")})
    known.add_node("a")
    verdict = separated(known, "a", "c", "b")
    assert verdict.arrows == ("<->", "<->")  # b -> c itself is cut by b
    check(known, verdict)


def test_a_verdict_is_a_frozen_value():
    verdict = separated(without_o(3), "y_1", "y_3", "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.plain = True
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert hash(verdict) == hash(separated(without_o(3), ["y_1"], ("y_3",), iter(["x_1", "x"])))


def test_nodes_need_not_be_strings():
    g = nx.DiGraph([(0, 1), (1, 2), (1, 3)])
    g.nodes[1]["kind"] = "deterministic"
    assert str(separated(g, 2, 3, 0)).startswith("2 and 3 are independent given 0: 1 is determined")
    assert str(separated(g, 2, [3], [])) == "2 and 3 may be dependent: 2 <- 1 -> 3 is open"


def test_observed_never_conditions():
    g = graph("a>c b>c")
    g.nodes["c"]["observed"] = True
    assert separated(g, "a", "b")
    assert not separated(g, "a", "b", "c")


def test_a_factor_conditions_only_when_given():
    g = graph("a>f b>f", f="factor")
    assert separated(g, "a", "b")
    assert not separated(g, "a", "b", "f")


def test_bad_questions():
    g = without_o(3)
    with pytest.raises(UnknownNode, match="unknown node 'h_9'; did you mean 'h_"):
        separated(g, "h_9", "y_1")
    with pytest.raises(UnknownNode):
        separated(g, "y_1", "y_2", given=["z"])
    with pytest.raises(BadOption, match="x is empty; name at least one node"):
        separated(g, [], "y_1")
    with pytest.raises(BadOption, match="y is empty"):
        separated(g, "y_1", iter(()))
    g.add_node("x")
    with pytest.raises(AmbiguousNode, match="'x' is a node and also the family"):
        separated(g, "y_1", "y_2", "x")
    bare = nx.DiGraph([("y_1", "y_2"), ("y_1_1", "y_2")])
    with pytest.raises(AmbiguousNode):
        separated(bare, "y_1", "y_2")


@pytest.mark.parametrize(
    "name", ["y_3", "y_3_1", "_3", "__3", "y_", "y", "y_3a", "a_b", "\n_1", "y_²"]
)
def test_families_are_those_of_the_graph(name):
    g = nx.DiGraph()
    g.add_node(name)
    wanted = {family(g, name)} if time(g, name) is not None else set()
    assert numbered(g).families == wanted
    g.nodes[name]["time"] = 3
    assert numbered(g).families == {family(g, name)}


def test_bad_graphs():
    with pytest.raises(GraphError, match="cycle: a -> b -> a"):
        separated(nx.DiGraph([("a", "b"), ("b", "a")]), "a", "b")
    with pytest.raises(GraphError, match="cycle"):
        separations(nx.DiGraph([("a", "a")]))
    with pytest.raises(GraphError, match="kind 'random'"):
        separated(graph("a>b", a="random"), "a", "b")
    g = graph("a>b")
    g.graph["bidirected"] = frozenset({frozenset({"a", "gone"})})
    with pytest.raises(GraphError, match="bidirected edge"):
        separated(g, "a", "b")


def test_a_long_net_is_answered_at_once():
    g = figure("text_rnn", 50_000)
    assert separated(g, "y_1", "y_50000", "h_25000")
    verdict = separated(g, "y_1", "y_50000", "y_25000")
    assert len(verdict.trail) == 50_001
    assert "..." in str(verdict)
    last = separated(g, "y_50000", "h_50000", "y")
    assert str(last).endswith("and h(50000) are independent given y(1..50000): y(50000) is given")
    past = [f"y_{t}" for t in range(1, 50_000)]
    assert "and so on to h(50000)" in str(separated(g, "y_50000", "h_50000", past))
