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
def nets(draw):
    """An unrolled net with random lags; a few arrows may be missing, and k may stand beside it."""
    tau, families = draw(st.integers(2, 5)), "abc"[: draw(st.integers(1, 3))]
    g = nx.DiGraph()
    for family in families:
        kind = draw(st.sampled_from(["stochastic", "deterministic"]))
        g.add_nodes_from((f"{family}_{t}" for t in range(1, tau + 1)), kind=kind)
    rules = [(a, b, lag) for a in families for b in families for lag in (0, 1, 2) if lag or a < b]
    for a, b, lag in draw(st.lists(st.sampled_from(rules), unique=True)) if rules else []:
        g.add_edges_from((f"{a}_{t - lag}", f"{b}_{t}") for t in range(1 + lag, tau + 1))
    if g.size():
        g.remove_edges_from(draw(st.lists(st.sampled_from(list(g.edges)), max_size=2)))
    g.add_edges_from(("k", n) for n in draw(st.lists(st.sampled_from(list(g)), max_size=3)))
    return g


@st.composite
def splits(draw, g, parts):
    """Disjoint sets of nodes; the first two are not empty."""
    nodes = draw(st.permutations(list(g)))
    where = [0, 1] + [draw(st.integers(0, parts)) for _ in nodes[2:]]
    return [[n for n, w in zip(nodes, where, strict=True) if w == part] for part in range(parts)]
