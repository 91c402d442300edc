"""All statements of the recurrent nets at tau = 4, counted in two ways."""

from itertools import combinations

import networkx as nx
import pytest

from pgm_rnn.errors import UnknownNode
from pgm_rnn.separation import separated, separations

from .graphs import figure, graph, subsets


@pytest.mark.parametrize(
    ("stem", "counts"), [("text_rnn", (1792, 1138, 720)), ("fig_10_8", (1792, 948, 720))]
)
def test_counts(stem, counts):
    g = figure(stem, 4)
    ordinary = nx.DiGraph(g.edges)
    total = apart = plain = 0
    for z in subsets(g):
        found = separations(g, z)
        total, apart = total + found.total, apart + len(found)
        plain += len(separations(ordinary, z))
        assert sum(1 for _ in found) == len(found)
    assert (total, apart, plain) == counts


def test_pairs_of_fig_10_3_without_o_that_ordinary_d_separation_misses():
    edges = [f"x{t}>h{t} h{t}>y{t}" for t in "123"] + ["h1>h2 h2>h3"]
    g = graph(" ".join(edges), "h1 h2 h3")
    missed = undetermined = 0
    for z in subsets(g):
        for x, y in combinations([n for n in g if n not in z], 2):
            verdict = separated(g, x, y, z)
            if verdict and not verdict.plain:
                missed += 1
                undetermined += not {x, y} & set(verdict.determined)
    assert (missed, undetermined) == (660, 136)


def test_in_takes_pairs_in_either_order_and_nothing_else():
    found = separations(figure("text_rnn", 4), "h_3")
    assert ("y_1", "y_3") in found
    assert ("y_3", "y_1") in found
    assert {"y_1", "y_3"} in found
    assert ("y_1", "h_3") not in found  # given
    assert ("y_1", "y_1") not in found
    assert ("y_1", "nobody") not in found
    assert "y_1" not in found
    assert ("y_1",) not in found


def test_iteration_is_lazy_and_repeatable():
    found = separations(figure("text_rnn", 60), "h_30")
    assert next(iter(found)) == next(iter(found))
    assert found == separations(figure("text_rnn", 60), ["h_30"])
    with pytest.raises(UnknownNode, match="did you mean"):
        separations(figure("text_rnn", 4), "h_9")
