"""A graph as the page's data: the library's own drawing, small, and its adjacency in numbers."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import networkx as nx

from pgm_rnn.drawing import draw
from pgm_rnn.drawing.labels import visible
from pgm_rnn.drawing.svg import SVG
from pgm_rnn.separation.numbered import numbered
from pgm_rnn.separation.words import shown

PLACE = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")


def view(g: nx.DiGraph, rows: list[str] | None = None, title: str | None = None) -> dict[str, Any]:
    """What `draw(g, style="model")` shows, as positions and paths rounded to a tenth of a point.

    Plates and parameters' thin boxes keep their kind; colours are the page's own.
    """
    root = ET.fromstring(draw(g, style="model", rows=rows, title=title).svg())
    graph = _child(root, "g")
    shift = _shift(graph)
    nodes: list[dict[str, Any]] = []
    number: dict[str | None, int] = {}
    for group in graph.iter(f"{{{SVG}}}g"):
        if "node" in group.get("class", "").split():
            number[group.get("data-node")] = len(nodes)
            nodes.append(_node(group, shift))
    edges = [
        _edge(group, number, shift)
        for group in graph.iter(f"{{{SVG}}}g")
        if "edge" in group.get("class", "").split()
    ]
    box = _box(nodes, edges)
    heading = root.find(f"{{{SVG}}}title")
    return {
        "title": "" if heading is None else heading.text or "",
        "box": box,
        "nodes": nodes,
        "edges": edges,
    }


def adjacency(g: nx.DiGraph) -> dict[str, Any]:
    """A graph as the page's separation reads it: parents, functions and fixed nodes by number."""
    n = numbered(g)
    return {
        "names": [visible(name) for name in n.names],
        "parents": n.parents,
        "order": n.order,
        "functions": n.functions,
        "fixed": n.fixed,
    }


def names(g: nx.DiGraph) -> list[str]:
    """Every node as the verdicts call it: h_2 is h(2)."""
    return [visible(shown(node)) for node in g]


def _box(nodes: list[dict], edges: list[dict]) -> list[float]:
    """The frame around all nodes and curves; plates, which the page leaves out, take no room."""
    xs = [v for n in nodes for v in (n["x"] - n["rx"], n["x"] + n["rx"])]
    ys = [v for n in nodes for v in (n["y"] - n["ry"], n["y"] + n["ry"])]
    for edge in edges:
        pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", edge["path"])
        xs += [float(x) for x, _ in pairs]
        ys += [float(y) for _, y in pairs]
    left, top = min(xs) - 12, min(ys) - 12
    return [round(v, 1) for v in (left, top, max(xs) + 12 - left, max(ys) + 12 - top)]


def _child(element: ET.Element, tag: str) -> ET.Element:
    found = element.find(f"{{{SVG}}}{tag}")
    assert found is not None
    return found


def _shift(graph: ET.Element) -> tuple[float, float]:
    """The translation of the whole, so that the page need not have one."""
    match = PLACE.search(graph.get("transform", ""))
    return (float(match[1]), float(match[2])) if match else (0.0, 0.0)


def _node(group: ET.Element, shift: tuple[float, float]) -> dict[str, Any]:
    classes = group.get("class", "").split()
    ellipses = group.findall(f".//{{{SVG}}}ellipse")
    square = not ellipses
    if square:
        points = _child(group, "polygon").get("points", "").split()
        corners = [tuple(map(float, p.split(","))) for p in points]
        xs, ys = zip(*corners, strict=True)
        x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        rx, ry, rings = (max(xs) - min(xs)) / 2, (max(ys) - min(ys)) / 2, 1
    else:
        outer = max(ellipses, key=lambda e: float(e.get("rx", 0)))
        x, y = float(outer.get("cx", 0)), float(outer.get("cy", 0))
        rx, ry, rings = float(outer.get("rx", 0)), float(outer.get("ry", 0)), len(ellipses)
    title = group.find(f"{{{SVG}}}title")
    return {
        "name": group.get("data-node"),
        "words": "" if title is None else title.text or "",
        "kind": classes[1] if len(classes) > 1 else "stochastic",
        "square": square,
        "x": round(x + shift[0], 1),
        "y": round(y + shift[1], 1),
        "rx": round(rx, 1),
        "ry": round(ry, 1),
        "rings": rings,
        "label": _label(group),
    }


def _label(group: ET.Element) -> list[list[str]]:
    pieces = []
    for text in group.findall(f".//{{{SVG}}}text"):
        spans = text.findall(f"{{{SVG}}}tspan")
        if not spans:
            pieces.append([text.text or "", "plain"])
        for span in spans:
            raised = float(span.get("dy", 0)) < 0
            bold = span.get("font-style") == "italic"
            pieces.append([span.text or "", "super" if raised else "math" if bold else "plain"])
        break  # further lines are notes, which the words have
    return pieces


def _edge(group: ET.Element, number: dict, shift: tuple[float, float]) -> dict[str, Any]:
    path = _child(group, "path")
    title = group.find(f"{{{SVG}}}title")
    arrows = group.findall(f"{{{SVG}}}polygon")
    return {
        "tail": number[group.get("data-parent")],
        "head": number[group.get("data-child")],
        "path": _moved(path.get("d", ""), shift),
        "arrows": [_moved(a.get("points", ""), shift) for a in arrows],
        "via": [c[4:] for c in group.get("class", "").split() if c.startswith("via-")],
        "both": len(arrows) > 1,
        "title": "" if title is None else title.text or "",
    }


def _moved(text: str, shift: tuple[float, float]) -> str:
    """Coordinate pairs of a path or a polygon, shifted and rounded."""

    def moved(pair: re.Match) -> str:
        x, y = float(pair[1]) + shift[0], float(pair[2]) + shift[1]
        return f"{x:.1f},{y:.1f}".replace(".0", "")

    return re.sub(r"(-?[\d.]+),(-?[\d.]+)", moved, text)
