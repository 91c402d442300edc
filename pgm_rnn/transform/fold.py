"""Fold an unrolled graph into its template: one node a family, arrows with a lag."""

from collections import defaultdict

import networkx as nx

from pgm_rnn.errors import GraphError
from pgm_rnn.graph import family, time
from pgm_rnn.transform.merge import join_edge

_COMMON = ("kind", "observed", "distribution", "plates", "shape")


def fold(g: nx.DiGraph) -> nx.DiGraph:
    """The template of an unrolled graph: the same arrows at every step, drawn once.

    An arrow from a(t-lag) to b(t), present at every t at which both nodes exist, becomes one
    edge a -> b with `lag` (a tuple of ints where there are several, as in fig 10.7). Nodes
    without time stay as they are. The book draws a lag of one step as a black square.
    Raises GraphError, which names the step at which a pattern breaks.

    >>> g = nx.DiGraph([("y_1", "h_1"), ("h_1", "h_2"), ("y_2", "h_2")])
    >>> sorted(fold(g).edges(data="lag"))
    [('h', 'h', 1), ('y', 'h', 0)]
    """
    at = {node: (family(g, node), time(g, node)) for node in g}
    there = {place: node for node, place in at.items()}
    if len(there) < len(at):
        twice = next(n for n, place in at.items() if there[place] != n)
        raise GraphError(f"{twice!r} and {there[at[twice]]!r} are the same family at the same time")
    steps: dict[tuple[str, str, int | None], list[int | None]] = defaultdict(list)
    for parent, child in g.edges:
        (a, s), (b, t) = at[parent], at[child]
        lag = None if s is None or t is None else t - s
        steps[a, b, lag].append(t if t is not None else s)
    for pattern in steps:
        _check(g, pattern, at, there)

    out = nx.DiGraph(title=g.graph.get("title"))
    for node in g:
        name = at[node][0]
        if name not in out:
            common = {k: v for k, v in g.nodes[node].items() if k in _COMMON}
            out.add_node(name, family=name, time=None, **common)
        elif out.nodes[name].get("observed") != g.nodes[node].get("observed"):
            out.nodes[name]["observed"] = "partly"
    for parent, child, data in g.edges(data=True):
        (a, s), (b, t) = at[parent], at[child]
        kept = {k: v for k, v in data.items() if k in ("via", "label")}
        join_edge(out, a, b, {"via": frozenset(), "label": data.get("label"), **kept})
        lag = 0 if s is None or t is None else t - s
        out.edges[a, b]["lag"] = out.edges[a, b].get("lag", frozenset()) | {lag}
    for a, b, lags in list(out.edges(data="lag")):
        one = len(lags) == 1
        out.edges[a, b]["lag"] = next(iter(lags)) if one else tuple(sorted(lags))
    return out


def _check(g: nx.DiGraph, pattern: tuple, at: dict, there: dict) -> None:
    """Is an arrow of the pattern at every step at which it could be?"""
    a, b, lag = pattern
    for node, (name, t) in at.items():
        if name != b or (lag is not None and t is None):
            continue
        # an arrow from or to a node without time runs at every step
        sources = [there.get((a, None))] if (a, None) in there else []
        if lag is not None:
            sources = [there.get((a, t - lag))]
        for source in sources:
            if source is not None and source != node and not g.has_edge(source, node):
                raise GraphError(
                    f"the pattern breaks at step {t}: no arrow from {source} to {node}, "
                    f"though there is one from {a} to {b} at other steps"
                )
