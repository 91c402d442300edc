"""Names that DOT, SVG and CSS can all take, made from names that hold any character."""

import re
from collections.abc import Iterable

from pgm_rnn.drawing.scene import Edge, Node


def slug(name: str) -> str:
    """`name` with letters, digits and hyphens alone.

    >>> slug("h_2"), slug("y(t+1)"), slug("h(...)L"), slug("</script>")
    ('h-2', 'y-t-plus-1', 'h-dots-L', 'script')
    """
    words = name.replace("+", "-plus-").replace("...", "-dots-")
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-") or "unnamed"


def unique(names: Iterable[str]) -> list[str]:
    """The names, with -2, -3, ... behind those that have been before."""
    seen: set[str] = set()
    out = []
    for name in names:
        new, k = name, 1
        while new in seen:
            k += 1
            new = f"{name}-{k}"
        seen.add(new)
        out.append(new)
    return out


def node_ids(nodes: Iterable[Node]) -> list[str]:
    """An id per node, such as `node-h-2`."""
    return [f"node-{s}" for s in unique(slug(n.name) for n in nodes)]


def edge_ids(edges: Iterable[Edge], nodes: list[str]) -> list[str]:
    """An id per edge, such as `edge-y-1--h-1`."""
    ends = [(nodes[e.tail].removeprefix("node-"), nodes[e.head].removeprefix("node-"), e.both)
            for e in edges]  # fmt: skip
    return unique(f"{'both' if both else 'edge'}-{a}--{b}" for a, b, both in ends)


def node_class(node: Node) -> str:
    """The classes of a node: its kind, its family, and what else sets it apart."""
    observed = {True: "observed", "partly": "partly-observed"}.get(node.observed, "")
    words = [slug(node.kind), f"family-{slug(node.family)}", observed, node.mark]
    return " ".join(filter(None, [*words, "dashed" if node.dashed else ""]))


def edge_class(edge: Edge) -> str:
    """The classes of an edge: by which ways the parent is used, and what else sets it apart."""
    words = [f"via-{slug(way)}" for way in sorted(edge.via)]
    marks = {"dashed": edge.dashed, "disputed": edge.disputed, "bidirected": edge.both,
             "delayed": bool(edge.lags)}  # fmt: skip
    return " ".join(filter(None, [*words, edge.mark, *(w for w, on in marks.items() if on)]))
