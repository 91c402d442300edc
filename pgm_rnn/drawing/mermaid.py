"""A graph as Mermaid text, for places that draw it themselves, such as a README."""

import networkx as nx

from pgm_rnn.graph import sites

SHAPES = {"deterministic": ("(((", ")))"), "factor": ("[", "]")}


def mermaid(g: nx.DiGraph) -> str:
    """A Mermaid flowchart of a graph's sites: double ring for functions, grey for observed.

    Control arrows are dotted, bidirected edges have two heads.

    >>> print(mermaid(nx.DiGraph([("y_1", "y_2")])))
    flowchart LR
      n0("y_1")
      n1("y_2")
      n0 --> n1
    <BLANKLINE>
    """
    g = sites(g)
    number = {node: f"n{i}" for i, node in enumerate(g)}
    lines = ["flowchart LR"]
    for node, data in g.nodes(data=True):
        kind = data.get("kind", "stochastic")
        left, right = SHAPES.get(kind, ("(", ")"))
        lines.append(f'  {number[node]}{left}"{_escaped(str(node))}"{right}')
    for a, b, data in g.edges(data=True):
        arrow = "-.->" if data.get("via") == {"control"} else "-->"
        label = f'|"{_escaped(data["label"])}"|' if data.get("label") else ""
        lines.append(f"  {number[a]} {arrow}{label} {number[b]}")
    for pair in sorted(sorted(map(str, p)) for p in g.graph.get("bidirected") or ()):
        lines.append(f"  {number[pair[0]]} <-.-> {number[pair[1]]}")
    seen = [number[n] for n, data in g.nodes(data=True) if data.get("observed")]
    if seen:
        lines += [
            "  classDef observed fill:#d3d3d3,color:#000",
            f"  class {','.join(seen)} observed",
        ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Mermaid's own entities, so that no name ends a label."""
    return "".join(c if c.isalnum() or c in " _.,:()[]-" else f"#{ord(c)};" for c in text)
