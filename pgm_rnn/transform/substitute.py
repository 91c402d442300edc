"""Substitute deterministic nodes: their parents become parents of their children."""

from collections.abc import Iterable

import networkx as nx

from pgm_rnn.errors import GraphError
from pgm_rnn.graph import kind, resolve
from pgm_rnn.transform.merge import join_edge


def substitute(g: nx.DiGraph, nodes: str | Iterable[str] | None = None) -> nx.DiGraph:
    """Write out deterministic nodes, so that their parents point at their children.

    With h(t) = f(h(t-1), y(t)), fig 10.8 becomes fig 10.7: y(j) has the parents y(1..j-1).

    `nodes` is a name, a family or an iterable of them; None stands for every deterministic node.
    A new edge keeps the parent's `via` and label; where two paths disagree its label is None.
    Returns a new graph. Raises GraphError for a node that is not deterministic: a random node
    is not a function of its parents, `marginalise` removes those.

    >>> g = nx.DiGraph([("y_1", "h_1"), ("h_1", "y_2")])
    >>> g.nodes["h_1"]["kind"] = "deterministic"
    >>> list(substitute(g).edges)
    [('y_1', 'y_2')]
    """
    if nodes is None:
        gone = [n for n in g if kind(g, n) == "deterministic"]
    else:
        gone = sorted(resolve(g, nodes), key=list(g).index)
    for node in gone:
        if kind(g, node) != "deterministic":
            raise GraphError(
                f"{node!r} is {kind(g, node)}, not deterministic, so it cannot be substituted; "
                "to remove a random node use marginalise"
            )
    out = nx.DiGraph(g)
    for node in gone:
        for parent in list(out.predecessors(node)):
            for child in list(out.successors(node)):
                join_edge(out, parent, child, out.edges[parent, node])
        out.remove_node(node)
    return out
