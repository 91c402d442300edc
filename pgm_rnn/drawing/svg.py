"""Graphviz' SVG made fit for the web: text as text, titles, ids, nothing that changes.

Graphviz raises a superscript by `baseline-shift`, which some browsers ignore, and places every
piece of a text by the widths of its own font. Here each line becomes one `text`, anchored at its
middle, so that it stays centred in whatever font the reader has.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from pgm_rnn.drawing.fonts import FALLBACK
from pgm_rnn.drawing.labels import Label, Line, delays, visible
from pgm_rnn.drawing.picture import Picture
from pgm_rnn.drawing.scene import Edge, Node, Scene
from pgm_rnn.drawing.styles import GREY, look

SVG = "http://www.w3.org/2000/svg"
RAISE = 0.36  # of the letter's size
LONGEST = 600  # letters of a description

ET.register_namespace("", SVG)


def finish(data: bytes, p: Picture) -> bytes:
    """The finished SVG of a picture, from Graphviz' output."""
    root = ET.fromstring(data)
    root.set("role", "img")
    root.set("font-family", FALLBACK)
    graph = root.find(f"{{{SVG}}}g")
    assert graph is not None
    graph.attrib.pop("id", None)  # two pictures on one page would share it
    _drop_titles(graph)
    groups = {g.get("id"): g for g in graph.iter(f"{{{SVG}}}g")}
    for group in groups.values():
        _halve(group)
    shift = None
    for i, node in enumerate(p.scene.nodes):
        group = groups[p.node_ids[i]]
        x, y = _centre(group)
        if p.grid and shift is None:
            shift = x - p.grid.boxes[i].x, y + p.grid.boxes[i].y
        outside = look(node, p.style).outside
        _node(group, node, p.node_label(i), x, y + (16 if outside else 0))
    for i, edge in enumerate(p.scene.edges):
        at = None
        if p.grid and shift:
            place = p.routes[i].label_at
            at = (place[0] + shift[0], shift[1] - place[1]) if place else None
        _edge(groups[p.edge_ids[i]], edge, p.scene, p.edge_label(i), at)
    words_below = graph.findall(f"{{{SVG}}}text")
    if words_below:  # a legend, where it is the label of the whole
        group = ET.SubElement(graph, f"{{{SVG}}}g", {"id": "legend", "class": "legend"})
        for text in words_below:
            graph.remove(text)
            group.append(text)
    background = graph.find(f"{{{SVG}}}polygon")
    if background is not None:
        background.set("class", "background")
    _tidy(graph)
    words = ("title", p.scene.title), ("desc", description(p.scene))
    for i, (tag, said) in enumerate(words):
        element = ET.Element(f"{{{SVG}}}{tag}")
        element.text = visible(said)
        root.insert(i, element)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _tidy(graph: ET.Element) -> None:
    """Drop empty texts and fonts that the root names; draw dashes that a thick line shows."""
    for parent in list(graph.iter()):
        for text in parent.findall(f"{{{SVG}}}text"):
            text.attrib.pop("font-family", None)
            if not text.findall(f"{{{SVG}}}tspan") and not (text.text or "").strip():
                parent.remove(text)
        dash = parent.get("stroke-dasharray")
        if dash:
            parent.set("stroke-dasharray", {"5,2": "6,4", "1,5": "1.6,4"}.get(dash, dash))


def _drop_titles(graph: ET.Element) -> None:
    for parent in list(graph.iter()):
        for title in parent.findall(f"{{{SVG}}}title"):
            parent.remove(title)


def _centre(group: ET.Element) -> tuple[float, float]:
    """The middle of a node's outline."""
    ellipse = group.find(f".//{{{SVG}}}ellipse")
    if ellipse is not None:
        return float(ellipse.get("cx", 0)), float(ellipse.get("cy", 0))
    polygon = group.find(f".//{{{SVG}}}polygon")
    assert polygon is not None
    corners = [tuple(map(float, c.split(","))) for c in polygon.get("points", "").split()]
    xs, ys = zip(*corners, strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _node(group: ET.Element, node: Node, label: Label, x: float, y: float) -> None:
    old = group.findall(f"{{{SVG}}}text")
    colour = next((t.get("fill") for t in old if t.get("fill")), None)
    for text in old:
        group.remove(text)
    _titled(group, spoken_node(node))
    group.set("data-node", visible(node.name))
    group.extend(_texts(label, x, y, colour))


def _halve(group: ET.Element) -> None:
    """Draw the gradient of a partly observed node as what it looks like: a grey half."""
    gradients = group.find(f"{{{SVG}}}defs")
    if gradients is None:
        return
    group.remove(gradients)
    shape = next(e for e in group.iter() if e.get("fill", "").startswith("url("))
    place = list(group).index(shape)
    x, y = _centre(group)
    if shape.tag.endswith("ellipse"):
        rx, ry = float(shape.get("rx", 0)), float(shape.get("ry", 0))
        upper = f"M{x - rx:g},{y:g}a{rx:g},{ry:g} 0 0 1 {2 * rx:g},0z"
    else:
        corners = [tuple(map(float, c.split(","))) for c in shape.get("points", "").split()]
        left, right = min(u for u, _ in corners), max(u for u, _ in corners)
        upper = f"M{left:g},{y:g}V{min(v for _, v in corners):g}H{right:g}V{y:g}z"
    shape.set("fill", "none")
    paper = ET.Element(shape.tag, {**shape.attrib, "fill": "white", "stroke": "none"})
    half = ET.Element(f"{{{SVG}}}path", {"fill": GREY, "stroke": "none", "d": upper})
    group[place:place] = [paper, half]


def _edge(group: ET.Element, edge: Edge, scene: Scene, label: Label,
          at: tuple[float, float] | None) -> None:  # fmt: skip
    _titled(group, spoken_edge(edge, scene))
    group.set("data-parent", visible(scene.nodes[edge.tail].name))
    group.set("data-child", visible(scene.nodes[edge.head].name))
    old = group.findall(f"{{{SVG}}}text")
    if not old or at is None:
        return
    for text in old:
        group.remove(text)
    group.extend(_texts(label, *at, old[0].get("fill")))


def _titled(group: ET.Element, words: str) -> None:
    title = ET.Element(f"{{{SVG}}}title")
    title.text = words
    group.insert(0, title)


def _texts(label: Label, x: float, y: float, colour: str | None) -> Iterator[ET.Element]:
    heights = [1.12 * max((run.size for run in line), default=16.0) for line in label]
    top = y - sum(heights) / 2
    for line, high in zip(label, heights, strict=True):
        size = line[0].size if line else 16.0
        yield _text(line, x, top + high / 2 + 0.31 * size, colour)
        top += high


def _text(line: Line, x: float, y: float, colour: str | None) -> ET.Element:
    attributes = {"text-anchor": "middle", "x": f"{x:.2f}", "y": f"{y:.2f}"}
    text = ET.Element(f"{{{SVG}}}text", attributes | ({"fill": colour} if colour else {}))
    text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    lowered = 0.0
    for run in line:
        span = ET.SubElement(text, f"{{{SVG}}}tspan", {"font-size": f"{run.size:g}"})
        if run.bold:
            span.set("font-weight", "bold")
        if run.italic:
            span.set("font-style", "italic")
        rise = RAISE * line[0].size if run.raised else 0.0
        if rise != lowered:
            span.set("dy", f"{lowered - rise:.2f}")
            lowered = rise
        span.text = run.text
    return text


# Words for screen readers and tooltips --------------------------------------------------------


def spoken_node(node: Node) -> str:
    """What a node is, in words.

    >>> spoken_node(Node("y_1", "y", observed="partly", distribution="Normal"))
    'y_1: stochastic, Normal, partly observed'
    """
    observed = {True: "observed", "partly": "partly observed"}.get(node.observed)
    plates = f"in plate {', '.join(node.plates)}" if node.plates else None
    words = [node.kind, node.distribution, observed, plates, node.mark]
    return visible(f"{node.name}: " + ", ".join(w for w in words if w))


def spoken_edge(edge: Edge, scene: Scene) -> str:
    """What an edge says, in words."""
    tail, head = scene.nodes[edge.tail].name, scene.nodes[edge.head].name
    words = [
        f"through {edge.label}" if edge.label else "",
        "from the data of which the parent is observed" if "data" in edge.via else "",
        "a value or decision of Python" if "control" in edge.via else "",
        f"delayed by {delays(edge) or '1'} step{'s' * bool(delays(edge))}" if edge.lags else "",
        "disputed" if edge.disputed else "",
        "a common parent that is not shown" if edge.both else "",
        edge.mark,
    ]
    said = "; ".join(filter(None, words))
    return visible(f"{tail} {'↔' if edge.both else '→'} {head}{': ' if said else ''}{said}")


def description(scene: Scene) -> str:
    """One sentence with the counts and the edges, of bounded length."""
    counts = (f"{len(scene.nodes)} node{'s' * (len(scene.nodes) != 1)} and "
              f"{len(scene.edges)} edge{'s' * (len(scene.edges) != 1)}")  # fmt: skip
    said = ""
    for i, edge in enumerate(scene.edges):
        tail, head = scene.nodes[edge.tail].name, scene.nodes[edge.head].name
        mark = f" ({edge.mark})" if edge.mark else ""
        more = f"{', ' if i else ': '}{tail} {'↔' if edge.both else '→'} {head}{mark}"
        if len(said) + len(more) > LONGEST:
            said += f" and {len(scene.edges) - i} more"
            break
        said += more
    return f"A directed graph of {counts}{said}."
