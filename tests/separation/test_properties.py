"""Laws that hold on every graph, and agreement with other ways to the same answer."""

from itertools import combinations, permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_rnn.separation import determined, separated, separations

from . import checker
from .graphs import dags, splits, subsets

ALL = dags(functions=True, bidirected=True, fixed=True)
few = settings(max_examples=60, deadline=None)


def apart(g, x, y, z):
    return not x or not y or bool(separated(g, x, y, z))


@few
@given(ALL, st.data())
def test_the_definition_by_paths_and_its_certificate(g, data):
    for _ in range(6):
        x, y, z = data.draw(splits(g, 3))
        if data.draw(st.booleans()):  # let them overlap
            y, z = [*y, *x[:1]], [*z, *y[:1]]
        verdict = separated(g, x, y, z)
        assert bool(verdict) == checker.separated(g, x, y, z)
        assert verdict.plain == checker.separated(g, x, y, z, determinism=False)
        assert set(determined(g, z)) == set(verdict.determined)
        checker.check(g, verdict)


@few
@given(ALL, st.data())
def test_symmetry(g, data):
    x, y, z = data.draw(splits(g, 3))
    one, other = separated(g, x, y, z), separated(g, y, x, z)
    assert bool(one) == bool(other)
    assert len(one.trail) == len(other.trail)


@few
@given(ALL, st.data())
def test_decomposition_weak_union_and_contraction(g, data):
    x, y, z, w = data.draw(splits(g, 4))
    together = apart(g, x, [*y, *w], z)
    assert together <= apart(g, x, y, z)  # decomposition
    assert together <= apart(g, x, y, [*z, *w])  # weak union
    both = apart(g, x, w, z) and apart(g, x, y, [*z, *w])
    assert both <= together  # contraction


@few
@given(dags(functions=False), st.data())
def test_networkx_agrees_where_nothing_is_deterministic(g, data):
    for _ in range(4):
        x, y, z = data.draw(splits(g, 3))
        verdict = separated(g, x, y, z)
        assert bool(verdict) == verdict.plain == nx.is_d_separator(g, set(x), set(y), set(z))


@few
@given(dags(most=5, bidirected=True, fixed=True))
def test_all_pairs_agree_with_single_queries(g):
    fixed = {n for n in g if g.nodes[n]["kind"] in checker.FIXED}
    for z in subsets(g):
        found = separations(g, z)
        pairs = list(combinations([n for n in g if n not in z and n not in fixed], 2))
        wanted = [pair for pair in pairs if separated(g, *pair, z)]
        assert list(found) == wanted
        assert (len(found), found.total) == (len(wanted), len(pairs))
        assert all((b, a) in found for a, b in wanted)
        # Pairs that do not count are not in it.
        assert not any(p in found for p in permutations(g, 2) if {*p} & ({*z} | fixed))
        assert not any((n, n) in found for n in g)


@few
@given(dags(bidirected=True), st.data())
def test_a_bidirected_edge_is_a_random_common_parent(g, data):
    x, y, z = data.draw(splits(g, 3))
    explicit = nx.DiGraph(g)
    explicit.graph["bidirected"] = frozenset()
    for pair in g.graph["bidirected"]:
        a, b = sorted(pair)
        explicit.add_edges_from([(f"{a}{b}", a), (f"{a}{b}", b)])
    one, other = separated(g, x, y, z), separated(explicit, x, y, z)
    assert (bool(one), one.plain, one.determined) == (bool(other), other.plain, other.determined)


@few
@given(ALL, st.data())
def test_the_trail_is_a_shortest_one(g, data):
    (x, *_), (y, *_), z = data.draw(splits(g, 3))
    verdict = separated(g, x, y, z)
    if verdict:
        return
    h = checker.canonical(g)
    k = checker.known(g, z)
    opened = k.union(*(nx.ancestors(h, n) for n in k))

    def active(path):
        return all(
            (b in opened) if h.has_edge(a, b) and h.has_edge(c, b) else (b not in k)
            for a, b, c in zip(path, path[1:], path[2:], strict=False)
        )

    paths = filter(active, nx.all_simple_paths(h.to_undirected(), x, y))
    assert len(verdict.trail) == min(sum(n in g for n in path) for path in paths)


@pytest.mark.parametrize("layers", [20])
def test_layers_on_which_networkx_is_exponential(layers):
    g = nx.DiGraph()
    for i in range(layers - 1):
        g.add_edges_from((f"{a}{i}", f"{b}{i + 1}") for a in "lr" for b in "lr")
    last = layers - 1
    assert not separated(g, "l0", f"r{last}")
    assert separated(g, "l0", f"r{last}", ["l7", "r7"])
    assert len(separations(g, ["l7", "r7"])) == 1 + 14 * 24
