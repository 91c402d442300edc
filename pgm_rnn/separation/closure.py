"""What is known once some nodes are: a function of known things is known.

    K = Z;  for v in topological order:  if v is deterministic and pa(v) is within K:  K += v

One pass in topological order is enough, and it is where constants come in: a deterministic
root has no parents at all, so it is always known. Knowing a function's value never makes its
arguments known, and one known argument of two does not make the function known.
Source: Geiger, Verma, Pearl, "Identifying independence in Bayesian networks", 1990.
"""

from collections.abc import Iterable

import networkx as nx

from pgm_rnn.separation.numbered import Numbered, numbered, numbers


def closure(n: Numbered, given: Iterable[int]) -> tuple[bytearray, list[int]]:
    """A mask of what is known given `given`, and the determined nodes in order."""
    known = given_only(n, given)
    added = []
    for v in n.functions:
        if known[v]:
            continue
        for p in n.parents[v]:
            if not known[p]:
                break
        else:
            known[v] = 1
            added.append(v)
    return known, added


def given_only(n: Numbered, given: Iterable[int]) -> bytearray:
    """A mask of the given and the fixed nodes: what ordinary d-separation knows."""
    known = bytearray(len(n.parents))
    for v in (*given, *n.fixed):
        known[v] = 1
    return known


def determined(g: nx.DiGraph, given: str | Iterable[str] = ()) -> tuple[str, ...]:
    """The nodes that are functions of the given ones, in the order in which they become known.

    Inputs and parameters count as given. Raises UnknownNode, AmbiguousNode, GraphError.

    >>> g = nx.DiGraph([("h_1", "h_2"), ("y_1", "h_2"), ("h_2", "y_2")])
    >>> for h in ("h_1", "h_2"): g.nodes[h]["kind"] = "deterministic"
    >>> determined(g), determined(g, "y_1"), determined(g, "h_2")
    (('h_1',), ('h_1', 'h_2'), ('h_1',))
    """
    n = numbered(g)
    return tuple(n.names[v] for v in closure(n, numbers(g, n, given))[1])
