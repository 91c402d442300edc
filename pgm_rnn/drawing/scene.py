"""What a picture holds, read off a graph: plain records of nodes and edges, no positions yet.

Everything later (layout, DOT, SVG) works on these records alone, so the four things that can be
drawn (a graph, a view, a folded template, a comparison) differ only here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import networkx as nx

from pgm_rnn.graph import FIXED, family_time
from pgm_rnn.reference import Comparison


@dataclass(frozen=True)
class Node:
    """One node of a picture."""

    name: str  # as the graph names it
    family: str
    title: str | None = None  # what stands in the superscript, without its brackets
    math: bool = False  # a letter with a superscript, as the book sets it; else as written
    kind: str = "stochastic"
    observed: bool | str = False
    distribution: str | None = None
    dashed: bool = False
    mark: str = ""  # "missing" or "extra" in a comparison
    plates: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # plates that no rectangle shows
    row: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class Edge:
    """One arrow of a picture, between two positions in its list of nodes."""

    tail: int
    head: int
    label: str | None = None
    via: frozenset[str] = frozenset()
    dashed: bool = False
    mark: str = ""  # "missing" or "extra" in a comparison
    lags: tuple[int, ...] = ()  # steps of delay, in a folded template; none within one step
    disputed: bool = False
    both: bool = False  # an arrowhead at either end: a removed random parent


@dataclass(frozen=True)
class Scene:
    """All that one picture shows."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    title: str
    folded: bool = False
    upward: bool = False  # children above their parents, where Graphviz lays out


def read(what: nx.DiGraph | Comparison, *, fixed: bool, title: str | None = None) -> Scene:
    """The scene of a graph or a comparison, with inputs and parameters if `fixed` says so."""
    g, marks = _union(what) if isinstance(what, Comparison) else (what, {})
    shown = [n for n in g if fixed or g.nodes[n].get("kind") not in FIXED]
    index = {node: i for i, node in enumerate(shown)}
    edges = [
        edge
        for u, v, data in g.edges(data=True)
        if u in index and v in index
        for edge in _edges(index[u], index[v], data, marks.get((u, v), ""))
    ]
    pairs = (sorted(index[n] for n in pair if n in index) for pair in _bidirected(g))
    edges += [Edge(p[0], p[1], both=True) for p in sorted(pairs) if len(p) == 2]
    return Scene(
        nodes=tuple(_node(n, g.nodes[n], marks.get(n, "")) for n in shown),
        edges=tuple(edges),
        title=str(title or g.graph.get("title") or "Graphical model"),
        folded=any("lag" in data for _, _, data in g.edges(data=True)),
        upward=bool(g.graph.get("upward")),
    )


def _bidirected(g: nx.DiGraph) -> Iterable[frozenset]:
    return g.graph.get("bidirected") or ()


def _node(node: Any, data: dict, mark: str) -> Node:
    name = str(node)
    family, time = family_time(name)
    family, time = str(data.get("family", family)), data.get("time", time)
    # A view says itself what stands in the superscript; elsewhere it is the time.
    title = data["title"] if "title" in data else None if time is None else str(time)
    single = len(family) == 1 and family.isalpha()
    written = name == family or name == f"{family}_{time}"
    return Node(
        name=name,
        family=family,
        title=title,
        math="title" in data or (single and written),
        kind=data.get("kind") or "stochastic",
        observed=data.get("observed") or False,
        distribution=data.get("distribution"),
        dashed=bool(data.get("dashed")),
        mark=mark,
        plates=tuple(data.get("plates") or ()),
        row=data.get("row"),
        column=data.get("column", time),
    )


def _edges(tail: int, head: int, data: dict, mark: str) -> Iterable[Edge]:
    """The arrow within one step and the delayed one: five delays of fig 10.7 are one loop."""
    lag = data.get("lag") or 0
    lags = {lag} if isinstance(lag, int) else set(lag)
    delays = tuple(sorted(lags - {0}))
    for steps in [*([()] if 0 in lags else []), *([delays] if delays else [])]:
        yield Edge(
            tail=tail,
            head=head,
            label=data.get("label"),
            via=frozenset(data.get("via") or ()),
            dashed=bool(data.get("dashed")),
            mark=mark,
            lags=steps,
            disputed=bool(data.get("disputed")),
        )


def _union(comparison: Comparison) -> tuple[nx.DiGraph, dict[Any, str]]:
    """Both graphs of a comparison in one, and what is missing or extra in it.

    The reference shows no inputs or parameters, so those of the graph are never extra.
    """
    g, reference = comparison.graph, comparison.reference
    union = nx.DiGraph(**g.graph)
    # A missing node goes where the reference has it, next to its neighbours in time.
    union.add_nodes_from(g.nodes(data=True))
    union.add_nodes_from(
        (n, reference.nodes[n]) for n in reference if n in comparison.missing_nodes
    )
    union.add_edges_from(g.edges(data=True))
    union.add_edges_from((u, v, reference.edges[u, v]) for u, v in reference.edges
                         if (u, v) in comparison.missing)  # fmt: skip
    marks: dict[Any, str] = dict.fromkeys(comparison.missing | comparison.missing_nodes, "missing")
    marks |= dict.fromkeys(comparison.extra | comparison.extra_nodes, "extra")
    return union, marks
