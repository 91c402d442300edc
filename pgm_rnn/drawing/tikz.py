"""A drawing as standalone TikZ, for papers: the shapes of its SVG, one by one.

Whatever the SVG shows (marks, plates, legend) is in the TeX at the same place, so that there is one
layout and one look; letters are set by TeX. Letters beyond Latin become [U+....]: replace them by
what your TeX has.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from pgm_rnn.drawing.svg import SVG

HEAD = r"""% {title}
\documentclass[tikz,border=4pt]{{standalone}}
\usepackage{{amsmath,amssymb,bm}}
\begin{{document}}
\begin{{tikzpicture}}[x=1bp,y=1bp]
"""
FOOT = r"""\end{tikzpicture}
\end{document}
"""
PAIR = re.compile(r"(-?[\d.]+),(-?[\d.]+)")
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "−": r"\ensuremath{-}", "τ": r"\ensuremath{\tau}", "→": r"\ensuremath{\to}", "…": r"\dots{}",
    "○": r"\ensuremath{\circ}", "◎": r"\ensuremath{\circledcirc}", "□": r"\ensuremath{\square}",
    "■": r"\ensuremath{\blacksquare}", "●": r"\ensuremath{\bullet}", "◐": r"\ensuremath{\circ}",
    "≥": r"\ensuremath{\ge}", "≤": r"\ensuremath{\le}", "⤏": r"\ensuremath{\dashrightarrow}",
    "·": r"\ensuremath{\cdot}", "⫫": r"\ensuremath{\perp}",
}  # fmt: skip


def tikz(svg: bytes) -> str:
    """TeX source of a finished drawing: `pdflatex` makes the picture, on any machine with TikZ."""
    root = ET.fromstring(svg)
    title = " ".join((root.findtext(f"{{{SVG}}}title") or "").split())
    return HEAD.format(title=title) + "".join(_lines(root)) + FOOT


def _lines(element: ET.Element) -> Iterator[str]:
    tag = element.tag.removeprefix(f"{{{SVG}}}")
    if "background" in element.get("class", "").split():
        return
    if tag == "ellipse":
        place = _point(element.get("cx", "0"), element.get("cy", "0"))
        radii = f"{element.get('rx')} and {element.get('ry')}"
        yield f"\\path[{_style(element)}] {place} ellipse ({radii});\n"
    elif tag == "polygon":
        corners = " -- ".join(_point(x, y) for x, y in PAIR.findall(element.get("points", "")))
        yield f"\\path[{_style(element)}] {corners} -- cycle;\n"
    elif tag == "path":
        yield f"\\path[{_style(element)}] {_curve(element.get('d', ''))};\n"
    elif tag == "text":
        yield _text(element)
    for child in element:
        if child.tag not in (f"{{{SVG}}}title", f"{{{SVG}}}desc", f"{{{SVG}}}tspan"):
            yield from _lines(child)


def _point(x: str, y: str) -> str:
    return f"({float(x):g},{-float(y):g})"


def _curve(d: str) -> str:
    """An SVG path of moves, lines and cubic curves."""
    points = [_point(x, y) for x, y in PAIR.findall(d)]
    if "C" not in d:
        return " -- ".join(points) + (" -- cycle" if d.rstrip().lower().endswith("z") else "")
    parts = [points[0]]
    for i in range(1, len(points) - 2, 3):
        parts.append(f".. controls {points[i]} and {points[i + 1]} .. {points[i + 2]}")
    return " ".join(parts)


def _style(element: ET.Element) -> str:
    parts = []
    for key, name in (("fill", "fill"), ("stroke", "draw")):
        colour = element.get(key, "none")
        if colour not in ("none", "transparent"):
            parts.append(f"{name}={_colour(colour)}")
    if element.get("stroke", "none") != "none":
        parts.append(f"line width={element.get('stroke-width', '1')}bp")
    dash = element.get("stroke-dasharray")
    if dash:
        on, off = [*dash.split(","), *dash.split(",")][:2]
        parts.append(f"dash pattern=on {on}bp off {off}bp")
    return ", ".join(parts)


def _colour(colour: str) -> str:
    match = re.fullmatch(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})", colour)
    if match is None:
        return {"lightgrey": "lightgray"}.get(colour, colour)
    red, green, blue = (int(part, 16) for part in match.groups())
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _text(element: ET.Element) -> str:
    """One line of text, its pieces set by TeX."""
    spans = element.findall(f"{{{SVG}}}tspan")
    pieces = [_piece(span) for span in spans] or [_plain(element.text or "")]
    size = float((spans[0] if spans else element).get("font-size", element.get("font-size", "14")))
    anchor = {"middle": "base", "start": "base west", "end": "base east"}
    at = _point(element.get("x", "0"), element.get("y", "0"))
    ink = element.get("fill")
    options = [
        f"anchor={anchor[element.get('text-anchor', 'start')]}",
        "inner sep=0",
        f"font=\\fontsize{{{size:g}}}{{{size:g}}}\\selectfont",
        *([f"text={_colour(ink)}"] if ink else []),
    ]
    return f"\\node[{', '.join(options)}] at {at} {{{''.join(pieces)}}};\n"


def _piece(span: ET.Element) -> str:
    said = span.text or ""
    if float(span.get("dy", 0)) < 0:
        return f"\\textsuperscript{{{_plain(said)}}}"
    if span.get("font-style") != "italic":
        return _plain(said)
    letters = f"\\mathit{{{_plain(said)}}}" if len(said) > 1 else _plain(said)
    return f"$\\bm{{{letters}}}$" if span.get("font-weight") == "bold" else f"${letters}$"


def _plain(text: str) -> str:
    """Text that TeX takes literally; a letter that pdflatex lacks becomes its number."""
    return "".join(SPECIAL.get(c) or (c if c < "\u0180" else f"[U+{ord(c):04X}]") for c in text)
