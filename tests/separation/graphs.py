"""Graphs and queries that several tests share."""

from itertools import chain, combinations
from pathlib import Path

import networkx as nx
from hypothesis import strategies as st

from pgm_rnn import reference
from pgm_rnn.graph import FIXED

FIGURES = Path(__file__).parents[2] / "figures" / "reference"


def graph(edges, functions="", nodes="", **kinds):
    """A graph from "a>b b>c"; `functions` and `nodes` are names apart by blanks."""
    g = nx.DiGraph()
    g.add_nodes_from(nodes.split())
    g.add_edges_from(edge.split(">") for edge in edges.split())
    for node in functions.split():
        g.add_node(node, kind="deterministic")
    for node, kind in kinds.items():
        g.add_node(node, kind=kind)
    return g


def figure(stem, tau):
    """A figure as its reference file has it."""
    return reference.load(FIGURES / f"{stem}.json").graph(tau)


def subsets(nodes):
    nodes = list(nodes)
    return chain.from_iterable(combinations(nodes, k) for k in range(len(nodes) + 1))


@st.composite
def dags(draw, most=6, functions=True, bidirected=False, fixed=False):
    """A small graph whose node order is not a topological one."""
    n = draw(st.integers(2, most))
    names = draw(st.permutations([f"v{i}" for i in range(n)]))
    g = nx.DiGraph()
    g.add_nodes_from(sorted(names))
    pairs = list(combinations(names, 2))
    g.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True)))
    for name in names:
        kinds = ["stochastic"] + ["deterministic"] * functions
        if fixed and not g.in_degree(name):
            kinds += ["input", "parameter"]
        g.nodes[name]["kind"] = draw(st.sampled_from(kinds))
    if bidirected:
        both = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=3))
        random = [frozenset(p) for p in both if not {g.nodes[n]["kind"] for n in p} & set(FIXED)]
        g.graph["bidirected"] = frozenset(random)
    return g


@st.composite
def splits(draw, g, parts):
    """Disjoint sets of nodes; the first two are not empty."""
    nodes = draw(st.permutations(list(g)))
    where = [0, 1] + [draw(st.integers(0, parts)) for _ in nodes[2:]]
    return [[n for n, w in zip(nodes, where, strict=True) if w == part] for part in range(parts)]
