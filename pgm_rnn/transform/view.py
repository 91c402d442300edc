"""Choose what a picture of an unrolled graph shows: columns, dashed ends, the loss nodes.

A picture shows edges of the graph only. Its dashed "..." ends are the outermost times of a
longer graph, with everything left out that the picture does not show there.
"""

from dataclasses import dataclass

import networkx as nx

from pgm_rnn.errors import BadOption
from pgm_rnn.graph import family, sites, time


@dataclass(frozen=True)
class View:
    """What the book's drawing of a figure shows of its unrolled graph."""

    rows: tuple[str, ...]  # families, top to bottom; "L" is the loss
    columns: tuple[str, ...]  # the superscripts, left to right: "1", ..., "5" or "t-1", "t", "t+1"
    before: tuple[str, ...] = ()  # families with a dashed end left of the first column
    after: tuple[str, ...] = ()  # families with a dashed end right of the last column
    labels: bool = False  # the parameters' letters on the edges
    start: int = 1  # the first step of the unrolled graph
    omit: frozenset[tuple[str, str]] = frozenset()  # edges that the book leaves out at its ends
    whole: int | None = None  # no columns: the graph at this length, as it is

    @property
    def tau(self) -> int:
        """The length of the unrolled graph that this view needs."""
        if self.whole is not None:
            return self.whole
        steps = len(self.columns) + bool(self.before) + bool(self.after)
        return self.start + steps - 1


def view(g: nx.DiGraph, spec: View) -> nx.DiGraph:
    """The part of `g` that `spec` shows, under the names that the book prints.

    Node `h_2` becomes `h(2)`, or `h(t)` under a column of that title; an end is `h(...)`, with an
    L or R behind where the picture has ends on both sides. Node attributes beside those of `g`:
    `title` (the superscript, None for a node without time), `column`, `row`, `dashed`, `site`
    (the name in `g`). Edges carry `dashed` and, if the view shows them, `label`.
    Raises BadOption if `g` is shorter than `spec.tau`.
    """
    g = sites(g)
    if spec.whole is not None:
        return _as_it_is(g, spec)
    last = max((time(g, n) or 0 for n in g), default=0)
    if last < spec.tau:
        raise BadOption(f"this picture needs tau of at least {spec.tau}; the graph ends at {last}")
    first = spec.start + bool(spec.before)
    out = nx.DiGraph(title=g.graph.get("title"))
    name: dict[str, str] = {}
    for node in g:
        placed = _place(family(g, node), time(g, node), spec, first)
        if placed is None:
            continue
        shown, column, title = placed
        name[node] = shown
        attributes = dict(g.nodes[node], family=family(g, node), time=time(g, node))
        out.add_node(
            shown,
            **attributes,
            site=node,
            title=title,
            column=column,
            row=spec.rows.index(family(g, node)),
            dashed=title == "...",
        )
    for parent, child, data in g.edges(data=True):
        if parent in name and child in name:
            _edge(out, name[parent], name[child], data, spec)
    if "L" in spec.rows:
        out = _with_loss(out, spec)
    out.remove_edges_from(list(spec.omit))
    return out


def _as_it_is(g: nx.DiGraph, spec: View) -> nx.DiGraph:
    """A picture without columns: a tree, which the book draws from the leaves upward."""
    out = nx.DiGraph(title=g.graph.get("title"), upward=True)
    for node, data in g.nodes(data=True):
        out.add_node(node, **{**data, "plates": ()}, dashed=False)
    for parent, child, data in g.edges(data=True):
        _edge(out, parent, child, data, spec)
    return out


def _place(
    family: str, at: int | None, spec: View, first: int
) -> tuple[str, int | None, str | None] | None:
    """(name, column, superscript) of a node in the picture, None if it is not shown."""
    if family not in spec.rows:
        return None
    if at is None:
        return family, None, None
    column = at - first
    if 0 <= column < len(spec.columns):
        return f"{family}({spec.columns[column]})", column, spec.columns[column]
    side = {-1: "L", len(spec.columns): "R"}.get(column)
    if side is None or family not in (spec.before if side == "L" else spec.after):
        return None
    both = spec.before and spec.after
    return f"{family}(...){side if both else ''}", column, "..."


def _edge(out: nx.DiGraph, parent: str, child: str, data: dict, spec: View) -> None:
    dashed = out.nodes[parent]["dashed"] or out.nodes[child]["dashed"]
    label = data.get("label") if spec.labels else None
    out.add_edge(parent, child, via=data.get("via", frozenset()), label=label, dashed=dashed)


def _with_loss(out: nx.DiGraph, spec: View) -> nx.DiGraph:
    """Show o(t) -> y(s) as the book does: o(t) -> L(t) <- y(s), where L is y's loss term."""
    pairs = [
        (o, y)
        for o, y in out.edges
        if out.nodes[o]["family"] == "o" and out.nodes[y]["family"] == "y"
    ]
    for o, y in pairs:
        at = out.nodes[o]
        loss = o.replace("o", "L", 1)
        out.add_node(
            loss, kind="loss", family="L", title=at["title"], column=at["column"],
            row=spec.rows.index("L"), dashed=at["dashed"], site=None, observed=False,
        )  # fmt: skip
        out.remove_edge(o, y)
        plain = {"via": frozenset({"value"}), "label": None}
        out.add_edge(o, loss, **plain, dashed=at["dashed"])
        out.add_edge(y, loss, **plain, dashed=out.nodes[y]["dashed"] or at["dashed"])
    return out
