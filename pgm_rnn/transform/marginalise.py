"""Marginalise nodes: what remains of a model over the others."""

from collections.abc import Iterable
from itertools import combinations

import networkx as nx

from pgm_rnn.errors import GraphError
from pgm_rnn.graph import FIXED, check, kind, resolve
from pgm_rnn.transform.merge import join_edge
from pgm_rnn.transform.substitute import substitute


def marginalise(g: nx.DiGraph, nodes: str | Iterable[str]) -> nx.DiGraph:
    """Remove nodes so that separation over those that stay is the same, determinism included.

    First each deterministic node of `nodes` is substituted: its children stay functions. Then
    each random one, v, is removed by latent projection,

        pa(v) -> ch(v)      ch(v) <-> ch(v)      sp(v) <-> ch(v)

    with sp(v) those joined to it by a bidirected edge. A child of a removed random node is no
    longer a function of its parents, nor is one of sp(v), so a deterministic one becomes
    stochastic. Inputs and parameters are constants and go without a trace.

    Returns a new graph; `g.graph["bidirected"]` is a frozenset of frozensets of two nodes.
    Raises UnknownNode, AmbiguousNode, and GraphError for a cycle or for an input with parents.
    Source: Verma, "Graphical aspects of causal models", 1993; the order is this project's.

    >>> g = nx.DiGraph([("y_1", "h"), ("h", "y_2"), ("h", "y_3")])
    >>> out = marginalise(g, "h")
    >>> list(out.edges), sorted(map(sorted, out.graph["bidirected"]))
    ([('y_1', 'y_2'), ('y_1', 'y_3')], [['y_2', 'y_3']])
    >>> g.nodes["h"]["kind"] = "deterministic"
    >>> marginalise(g, "h").graph["bidirected"]
    frozenset()
    """
    check(g)
    gone = resolve(g, nodes)
    pairs = {frozenset(pair) for pair in g.graph.get("bidirected") or ()}
    joined = {node for pair in pairs for node in pair}
    # With a bidirected edge a node is no function of its parents, whatever its kind says.
    functions = {n for n in gone if kind(g, n) == "deterministic" and n not in joined}
    out = substitute(g, functions)
    for node in [n for n in out if n in gone]:
        if kind(g, node) in FIXED:
            _drop(out, node, alone=not any(node in pair for pair in pairs))
        else:
            pairs = _project(out, node, pairs)
        pairs = {pair for pair in pairs if node not in pair}
    out.graph["bidirected"] = frozenset(pairs)
    return out


def _drop(out: nx.DiGraph, node: str, *, alone: bool) -> None:
    """Remove an input or parameter in place."""
    if out.in_degree(node) or not alone:
        raise GraphError(
            f"{node!r} is fixed, as if given, and has parents, which it makes dependent: "
            "no graph without it says so"
        )
    out.remove_node(node)


def _project(out: nx.DiGraph, node: str, pairs: set[frozenset[str]]) -> set[frozenset[str]]:
    """Remove a random node in place; the bidirected edges with those that it leaves behind."""
    children = list(out.successors(node))
    spouses = {other for pair in pairs if node in pair for other in pair - {node}}
    for child in children:
        for parent in out.predecessors(node):
            join_edge(out, parent, child, out.edges[parent, node])
    for random in (*children, *spouses):
        if kind(out, random) == "deterministic":
            out.nodes[random]["kind"] = "stochastic"
    out.remove_node(node)
    new = {frozenset(pair) for pair in combinations(children, 2)}
    new |= {frozenset((s, c)) for s in spouses for c in children if s != c}
    return pairs | new
