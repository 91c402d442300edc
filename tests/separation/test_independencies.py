"""The short list: constant in the length, and true in every instance."""

import dataclasses
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings

from pgm_rnn.separation import independencies, minimal_separator, separated

from .graphs import dags, figure, graph

STEMS = ["fig_10_3", "fig_10_4", "fig_10_7", "fig_10_8", "fig_10_9", "fig_10_9_both",
         "fig_10_9_initial", "fig_10_10", "text_rnn"]  # fmt: skip


@pytest.mark.parametrize("stem", STEMS)
def test_constant_in_the_length_and_true(stem):
    short, long = (independencies(figure(stem, tau)) for tau in (6, 10))
    assert list(map(str, short)) == list(map(str, long))
    verify(figure(stem, 6), short)


@settings(max_examples=60, deadline=None)
@given(dags(bidirected=True, fixed=True))
def test_true_on_every_graph(g):
    verify(g, independencies(g))


def verify(g, statements):
    """Each pair that is not adjacent and can be separated, once, with a minimal set."""
    joined = {frozenset(edge) for edge in g.edges} | set(g.graph.get("bidirected", ()))
    free = [n for n in g if g.nodes[n].get("kind") not in ("input", "parameter")]
    wanted = {
        frozenset(pair)
        for pair in combinations(free, 2)
        if frozenset(pair) not in joined and minimal_separator(g, *pair) is not None
    }
    covered = [cover for statement in statements for cover in statement.covers]
    assert len(covered) == len(wanted)
    assert {frozenset(cover[:2]) for cover in covered} == wanted
    for x, y, z in covered:
        assert separated(g, x, y, z), (x, y, z)
        assert not any(separated(g, x, y, z - {node}) for node in z), (x, y, z)


def test_words():
    assert list(map(str, independencies(figure("text_rnn", 5)))) == [
        "y(t) ⊥ h(1) for all t >= 2",
        "y(t) ⊥ h(s) given h(t) for all s < t, s >= 2",
        "h(t) ⊥ h(1) for all t >= 3",
        "h(t) ⊥ h(s) given h(t-1) for all s <= t-2, s >= 2",
        "y(t) ⊥ y(s) given h(t) for all s < t",
        "h(t) ⊥ y(s) given h(t-1) for all s <= t-2",
    ]
    assert independencies(figure("fig_10_7", 5)) == ()


def test_growing_given_sets_are_runs():
    # fig 10.3 with h and o written out: all earlier x are common parents.
    edges = [(f"x_{s}", f"y_{t}") for t in range(1, 7) for s in range(1, t + 1)]
    words = set(map(str, independencies(nx.DiGraph(edges))))
    assert "y(t) ⊥ y(s) given x(1..s) for all s < t" in words
    assert len(words) == 3


def test_nodes_without_time_and_single_statements():
    found = {str(s): s for s in independencies(graph("a>b b>c", nodes="y_3 y_03"))}
    assert found["c ⊥ a given b"].covers == (("c", "a", frozenset("b")),)
    assert "y(3) ⊥ a" in found
    assert any("y_03" in text for text in found)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found["c ⊥ a given b"].x = "d"


def test_dropping_the_given_set_breaks_it():
    g = figure("fig_10_8", 5)
    for statement in independencies(g):
        for x, y, z in statement.covers:
            assert z
            assert not separated(g, x, y)
