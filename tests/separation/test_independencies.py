"""The short list: constant in the length, and true in every instance."""

import dataclasses
import re
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings

from pgm_rnn.separation import independencies, minimal_separator, separated

from .graphs import dags, figure, graph, nets

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


@pytest.mark.parametrize("stem", STEMS)
def test_words_of_the_figures_read_back(stem):
    for tau in (3, 4, 7):
        g = figure(stem, tau)
        assert all(read(g, str(s)) == set(s.covers) for s in independencies(g))


@settings(max_examples=150, deadline=None)
@given(nets())
def test_words_read_back(g):
    for statement in independencies(g):
        assert read(g, str(statement)) == set(statement.covers), statement


def read(g, words):
    """Every concrete statement that the words make, read by the rules of ordinary notation."""
    claim, _, domain = words.partition(" for all ")
    pair, _, condition = claim.partition(" given ")
    x, y = pair.split(" ⊥ ")
    steps = range(1 + max(int(n.partition("_")[2] or 0) for n in g))
    moving = [name for name in "st" if re.search(rf"[(.]{name}\b", claim)]
    found = set()
    for s in steps if "s" in moving else [None]:
        for t in steps if "t" in moving else [None]:
            at = {"s": s, "t": t}
            if domain and not all(eval(bound, at) for bound in domain.split(", ")):
                continue
            (a,), (b,) = expand(x, at), expand(y, at)
            if a in g and b in g:
                terms = condition.split(", ") if condition else []
                given = frozenset(name for term in terms for name in expand(term, at))
                found.add((a, b, given))
    return found


def expand(term, at):
    family, _, times = term.rstrip(")").partition("(")
    if not times:
        return [family]
    low, high = (eval(end, dict(at)) for end in (times.split("..") * 2)[:2])
    return [f"{family}_{k}" for k in range(low, high + 1)]


def test_a_bound_stays_where_both_nodes_go_on():
    last = set(map(str, independencies(graph("k>b_4", nodes="b_1 b_2 b_3"))))
    assert last == {"b(t) ⊥ b(s) for all s < t", "b(t) ⊥ k for all 1 <= t <= 3"}
    first = set(map(str, independencies(graph("k>b_1", nodes="b_2 b_3 b_4"))))
    assert first == {"b(t) ⊥ b(s) for all s < t", "b(t) ⊥ k for all t >= 2"}


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
