"""Several calls of one program as one graph."""

import networkx as nx

from pgm_rnn.errors import GraphError


def merge(*graphs: nx.DiGraph) -> nx.DiGraph:
    """The union of several calls' graphs.

    A site that is observed in some calls and latent in others is observed "partly"; one that is
    absent from a call says nothing there. Edges join their `via`; a label on which calls
    disagree is None. Raises GraphError if there is no graph.

    >>> a, b = nx.DiGraph(), nx.DiGraph()
    >>> a.add_node("y", observed=True); b.add_node("y", observed=False)
    >>> merge(a, b).nodes["y"]["observed"]
    'partly'
    """
    if not graphs:
        raise GraphError("merge needs at least one graph")
    out = nx.DiGraph(partial=any(g.graph.get("partial", False) for g in graphs))
    bidirected = frozenset().union(*(g.graph.get("bidirected", ()) for g in graphs))
    if bidirected:
        out.graph["bidirected"] = bidirected
    for g in graphs:
        for node, data in g.nodes(data=True):
            if node not in out:
                out.add_node(node, **data)
            elif out.nodes[node].get("observed", False) != data.get("observed", False):
                out.nodes[node]["observed"] = "partly"
        for parent, child, data in g.edges(data=True):
            join_edge(out, parent, child, data)
    return out


def join_edge(g: nx.DiGraph, parent: str, child: str, data: dict) -> None:
    """Add an edge in place, or join it with the one that is there."""
    if not g.has_edge(parent, child):
        g.add_edge(parent, child, **data)
        return
    old = g.edges[parent, child]
    if "via" in old or "via" in data:
        old["via"] = old.get("via", frozenset()) | data.get("via", frozenset())
    if old.get("label") != data.get("label"):
        old["label"] = None
