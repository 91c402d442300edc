"""The one data structure of the project: a graphical model as a `networkx.DiGraph`.

A node is a site, an input or a parameter. Node attributes:

    kind          one of KINDS; a node without it counts as stochastic
    observed      True, False or "partly"; deterministic and factor sites never are
    family, time  `y_3` is ("y", 3), `x` is ("x", None)
    distribution  class name, or None
    plates        tuple of plate names, outermost first
    shape         tuple of ints

Edge attributes:

    via           frozenset of "value", "data" and "control"
    label         the first parameter that the parent's value meets on its way to the child

Graph attributes: `partial` is True when the graph depends on the branch that the run took;
`bidirected` is a frozenset of frozensets of two nodes that share a removed random parent.
"""

import re
from collections.abc import Iterable

import networkx as nx

from pgm_rnn.errors import AmbiguousNode, GraphError, UnknownNode

KINDS = ("stochastic", "deterministic", "factor", "input", "parameter")
FIXED = ("input", "parameter")

_TIMED = re.compile(r"(.+)_(\d+)", re.DOTALL)


def family_time(name: str) -> tuple[str, int | None]:
    """Split a site's name into its family and its time.

    >>> family_time("y_3"), family_time("x")
    (('y', 3), ('x', None))
    """
    match = _TIMED.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, None)


def add_node(
    g: nx.DiGraph,
    name: str,
    kind: str = "stochastic",
    *,
    observed: bool | str = False,
    distribution: str | None = None,
    plates: tuple[str, ...] = (),
    shape: tuple[int, ...] = (),
) -> None:
    """Add one node to `g` with all its attributes, family and time read off its name."""
    family, time = family_time(name)
    g.add_node(
        name,
        kind=kind,
        observed=observed,
        family=family,
        time=time,
        distribution=distribution,
        plates=plates,
        shape=shape,
    )


def kind(g: nx.DiGraph, node: str) -> str:
    """The node's kind; a node that says nothing of it is stochastic."""
    return g.nodes[node].get("kind", "stochastic")


def family(g: nx.DiGraph, node: str) -> str:
    """The node's family, read off its name where the graph does not say it."""
    return g.nodes[node].get("family", family_time(str(node))[0])


def time(g: nx.DiGraph, node: str) -> int | None:
    """The node's time, read off its name where the graph does not say it."""
    return g.nodes[node].get("time", family_time(str(node))[1])


def sites(g: nx.DiGraph) -> nx.DiGraph:
    """The graph without its inputs and parameters: what the book draws.

    >>> g = nx.DiGraph([("U", "h_1"), ("h_1", "y_1")])
    >>> g.nodes["U"]["kind"] = "parameter"
    >>> list(sites(g))
    ['h_1', 'y_1']
    """
    return nx.DiGraph(g.subgraph([n for n in g if kind(g, n) not in FIXED]))


def check(g: nx.DiGraph) -> None:
    """Raise GraphError unless `g` is acyclic and every kind is one of KINDS."""
    for node in g:
        if kind(g, node) not in KINDS:
            raise GraphError(
                f"node {node!r} has kind {kind(g, node)!r}; allowed are {', '.join(KINDS)}"
            )
    if not nx.is_directed_acyclic_graph(g):
        cycle = [edge[0] for edge in nx.find_cycle(g)]
        raise GraphError("the graph has a cycle: " + " -> ".join(map(str, [*cycle, cycle[0]])))


def resolve(g: nx.DiGraph, names: str | Iterable[str]) -> frozenset[str]:
    """The set of nodes that `names` stands for.

    A string names one node, else a family ("x": all x(t)). A set is any iterable of strings.
    Raises UnknownNode with close matches, and AmbiguousNode where a string is both.

    >>> g = nx.DiGraph([("x_1", "y_1"), ("x_2", "y_2")])
    >>> sorted(resolve(g, "x")), sorted(resolve(g, ["y_1", "x_2"]))
    (['x_1', 'x_2'], ['x_2', 'y_1'])
    """
    given = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    families: dict[str | None, list[str]] = {}
    for node in g:
        if time(g, node) is not None:
            families.setdefault(family(g, node), []).append(node)
    found: set[str] = set()
    for name in given:
        members = families.get(name, [])
        if name in g and members:
            raise AmbiguousNode(
                f"{name!r} is a node and also the family of {', '.join(map(repr, members[:3]))}"
                f"{' ...' if len(members) > 3 else ''}; name the nodes one by one"
            )
        if name not in g and not members:
            raise UnknownNode(name, [*map(str, g), *map(str, families)])
        found.update([name] if name in g else members)
    return frozenset(found)
