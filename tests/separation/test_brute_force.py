"""All graphs of four nodes, all choices of functions among them, against whole joint tables.

Weights are whole numbers, so that independence is an equality of integers.
"""

import random
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from pgm_rnn.separation import separated, separations

from .graphs import subsets

NODES = "abcd"
PAIRS = list(combinations(NODES, 2))
STATES, WHOLE, TRIES = 3, 12, 40


def build(arrows, mask):
    g = nx.DiGraph()
    g.add_nodes_from(NODES)
    g.add_edges_from(pair for i, pair in enumerate(PAIRS) if arrows >> i & 1)
    for i, node in enumerate(NODES):
        if mask >> i & 1:
            g.nodes[node]["kind"] = "deterministic"
    return g


def joint(g, rng):
    """The joint weights of a random program on g, an array with one axis a node."""
    table = np.ones((STATES,) * len(NODES), dtype=np.int64)
    for node in NODES:
        parents = [i for i, p in enumerate(NODES) if g.has_edge(p, node)]
        own = np.zeros((STATES,) * (len(parents) + 1), dtype=np.int64)
        for choice in product(range(STATES), repeat=len(parents)):
            if g.nodes[node].get("kind") == "deterministic":
                own[choice][rng.randrange(STATES)] = 1
            else:
                a, b = sorted(rng.sample(range(1, WHOLE), 2))
                own[choice] = (a, b - a, WHOLE - b)
        # The parents and the node keep their order: parents come before it.
        axes = [*parents, NODES.index(node)]
        table = table * own[tuple(slice(None) if i in axes else None for i in range(len(NODES)))]
    return table


def independent(table, x, y, z):
    """Is p(x, y, z) p(z) = p(x, z) p(y, z) everywhere, exactly?"""

    def marginal(names):
        gone = tuple(i for i, node in enumerate(NODES) if node not in names)
        return table.sum(axis=gone, keepdims=True)

    x, y, z = set(x) - set(z), set(y) - set(z), set(z)
    for node in x & y:  # shared, so it has to be a constant given z
        axis = NODES.index(node)
        if ((marginal(z | {node}) > 0).sum(axis=axis) > 1).any():
            return False
    both = x & y
    x, y = x - both, y - both
    left = marginal(x | y | z) * marginal(z)
    return bool((left == marginal(x | z) * marginal(y | z)).all())


@pytest.mark.parametrize("mask", range(16))
def test_every_graph_of_four_nodes(mask):
    for arrows in range(64):
        g, rng = build(arrows, mask), random.Random(1000 * mask + arrows)
        tables = [joint(g, rng) for _ in range(3)]
        for z in subsets(NODES):
            apart = separations(g, z)
            for x, y in combinations([n for n in NODES if n not in z], 2):
                if (x, y) in apart:
                    assert separated(g, x, y, z)
                    assert all(independent(t, x, y, z) for t in tables[:3]), (arrows, x, y, z)
                    continue
                assert not separated(g, x, y, z)
                if not any(not independent(t, x, y, z) for t in tables):
                    for _ in range(TRIES):
                        tables.append(joint(g, rng))
                        if not independent(tables[-1], x, y, z):
                            break
                    else:
                        pytest.fail(f"never dependent: arrows {arrows}: {x}, {y} given {z}")


def test_sets_that_overlap():
    rng = random.Random(5)
    every = list(subsets(NODES))
    for _ in range(150):
        g = build(rng.randrange(64), rng.randrange(16))
        tables = [joint(g, rng) for _ in range(6)]
        for _ in range(12):
            x, y, z = rng.choice(every[1:]), rng.choice(every[1:]), rng.choice(every)
            if separated(g, x, y, z):
                assert all(independent(t, x, y, z) for t in tables), (g.edges, x, y, z)
                continue
            extra = (joint(g, rng) for _ in range(TRIES))
            found = any(not independent(t, x, y, z) for t in (*tables, *extra))
            assert found, (g.edges, x, y, z)
