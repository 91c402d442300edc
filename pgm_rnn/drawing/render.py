"""Graphviz in process: DOT text in, bytes of a picture out."""

import re
import threading
from functools import lru_cache
from typing import Any

from pgm_rnn.drawing import fonts

DPI = 144.0  # twice what a point is
LARGEST = 30_000  # pixels a side; cairo ends at 32,767

_lock = threading.Lock()  # Graphviz keeps global state


@lru_cache(maxsize=1)
def _agraph() -> Any:
    """pygraphviz' graph class, loaded on first use, its fonts ours."""
    from pygraphviz import AGraph

    with fonts.private():  # the first text that Graphviz measures settles the fonts
        AGraph(string=f'graph {{ a [fontname="{fonts.NAME}"] }}').draw(format="svg", prog="dot")
    return AGraph


def render(source: str, engine: str | None, format: str) -> bytes:
    """The picture of `source` as "svg", "png" or "pdf"."""
    with _lock:
        graph = _agraph()(string=source)
        if engine == "nop2":
            # What `draw` uses without being told, and then without a warning above 1000 nodes.
            graph.has_layout, engine = True, None
        if format == "png":
            graph.graph_attr["dpi"] = f"{_dpi(graph, engine):g}"
        data = bytes(graph.draw(format=format, prog=engine))
    return _undated(data) if format == "pdf" else data


def _dpi(graph: Any, engine: str | None) -> float:
    """The resolution of a PNG: less where the picture would be larger than a PNG can be."""
    box = re.search(rb'viewBox="\S+ \S+ (\S+) (\S+)"', graph.draw(format="svg", prog=engine))
    points = max(map(float, box.groups())) if box else 1.0
    return min(DPI, LARGEST * 72 / points)


_DATE = re.compile(rb"/CreationDate \(D:[^)]*\)")


def _undated(pdf: bytes) -> bytes:
    """The PDF with a fixed date, its table of offsets put right."""
    found = _DATE.search(pdf)
    if found is None:
        return pdf
    fixed = b"/CreationDate (D:20000101000000Z)"
    start, shift = found.start(), len(fixed) - len(found[0])
    out = pdf[:start] + fixed + pdf[found.end() :]
    if not shift:
        return out

    def moved(match: re.Match[bytes]) -> bytes:
        offset = int(match[1])
        return b"%010d" % (offset + shift * (offset > start)) + match[2]

    table = out.rindex(b"\nxref\n")
    tail = re.sub(rb"(\d{10})( \d{5} n)", moved, out[table:])
    tail = re.sub(rb"startxref\n(\d+)", lambda m: b"startxref\n%d" % (int(m[1]) + shift), tail)
    return out[:table] + tail
