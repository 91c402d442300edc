"""A witness, measured again from its tables alone."""

import dataclasses
from itertools import combinations, product
from math import log, prod

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_rnn.errors import BadOption, TooLarge, UnknownNode
from pgm_rnn.separation import separated, witness

from .graphs import dags, figure, graph, splits, subsets


def measure(w):
    """I(X; Y | Z) by writing out every state of every node."""
    names = list(w.sizes)
    joint = {}
    for state in product(*(range(w.sizes[n]) for n in names)):
        at = dict(zip(names, state, strict=True))
        choices = {n: tuple(at[p] for p in w.parents[n]) for n in names}
        if all(at[n] == rule[choices[n]] for n, rule in w.functions.items()):
            joint[state] = prod(t[choices[n]][at[n]] / w.whole for n, t in w.tables.items())
    assert sum(joint.values()) == pytest.approx(1, abs=1e-12)

    def entropy(nodes):
        places, out = [names.index(n) for n in sorted({*nodes})], {}
        for state, p in joint.items():
            key = tuple(state[i] for i in places)
            out[key] = out.get(key, 0) + p
        return -sum(p * log(p) for p in out.values() if p)

    x, y, z = w.x, w.y, w.given
    return entropy(x + z) + entropy(y + z) - entropy(x + y + z) - entropy(z)


@settings(max_examples=50, deadline=None)
@given(dags(most=5, bidirected=True, fixed=True), st.data())
def test_every_connected_query_has_one(g, data):
    x, y, z = data.draw(splits(g, 3))
    if separated(g, x, y, z):
        with pytest.raises(BadOption, match="in every program on this graph"):
            witness(g, x, y, z)
        return
    w = witness(g, x, y, z)
    assert w.nats > 1e-6
    assert measure(w) == pytest.approx(w.nats, abs=1e-9)
    for node in w.sizes:
        if node in g:
            fixed = g.nodes[node]["kind"] in ("input", "parameter")
            both = [e for e in w.parents[node] if e not in g]
            assert set(w.parents[node]) - {*both} == (set() if fixed else set(g.pred[node]))
            function = g.nodes[node]["kind"] == "deterministic" and not both
            assert (node in w.functions) == function
            assert w.sizes[node] == 1 or not fixed


@pytest.mark.parametrize("stem", ["text_rnn", "fig_10_8"])
def test_every_connected_statement_of_the_net(stem):
    g = figure(stem, 4)
    found = [
        witness(g, x, y, z).nats
        for z in subsets(g)
        for x, y in combinations([n for n in g if n not in z], 2)
        if not separated(g, x, y, z)
    ]
    assert len(found) == {"text_rnn": 1792 - 1138, "fig_10_8": 1792 - 948}[stem]
    assert min(found) > 1e-6


def test_shared_nodes_and_overlaps():
    g = graph("a>h h>y", "h")
    assert witness(g, ["a", "y"], "a").nats > 1e-6
    assert witness(g, ["a", "h"], ["y", "h"]).nats > 1e-6
    assert measure(witness(g, ["a", "y"], ["a", "h"])) > 1e-6


def test_an_input_with_parents_is_given_and_not_a_constant():
    g = graph("a>W b>W", W="input")
    assert not separated(g, "a", "b")
    w = witness(g, "a", "b")
    assert w.given == ("W",)
    assert measure(w) > 1e-6


def test_long_trails_are_led():
    chain = nx.relabel_nodes(nx.path_graph(120, create_using=nx.DiGraph), lambda k: f"v_{k}")
    assert witness(chain, "v_0", "v_119").nats > 1e-6
    assert witness(figure("fig_10_8", 30), "y_1", "y_30").nats > 1e-6
    collider = nx.DiGraph([("a", "c"), ("b", "c")] + [(f"d{i}", f"d{i + 1}") for i in range(20)])
    collider.add_edge("c", "d0")
    assert witness(collider, "a", "b", "d20").nats > 1e-6


def test_it_is_a_frozen_value_that_reads_well():
    w = witness(graph("a>b"), "a", "b")
    assert w == witness(graph("a>b"), "a", "b")
    assert {w} == {witness(graph("a>b"), "a", "b")}
    assert str(w).startswith("a and b are dependent: ")
    assert "nats in a program with at most 2 values a node (seed 0)" in str(w)
    with pytest.raises(dataclasses.FrozenInstanceError):
        w.nats = 0


def test_errors():
    g = figure("text_rnn", 4)
    with pytest.raises(BadOption, match=r"y\(1\) and y\(4\) are independent given h\(3..4\) in ev"):
        witness(g, "y_1", "y_4", ["h_3", "h_4"])
    with pytest.raises(UnknownNode):
        witness(g, "y_1", "z")
    with pytest.raises(TooLarge, match=r"table of .* entries; the limit is") as caught:
        witness(figure("fig_10_7", 24), "y_1", "y_24")
    assert caught.value.entries > caught.value.limit
