"""The text of nodes and edges: lines of runs, as Graphviz' HTML and as SVG need them.

A name may hold any character. Here it becomes text that neither DOT nor XML can stumble over.
"""

import html
import re
import unicodedata
from dataclasses import dataclass

from pgm_rnn.drawing.scene import Edge, Node

SIZE = 16.0  # of a node's letter
RAISED = 11.0  # of its superscript
EDGE = 15.0  # of an edge's letter
SMALL = 10.0  # of longer texts at an edge
NOTE = 9.0  # of "missing" and "extra"
NO_BREAK = "\u00a0"
LONGEST = 24  # letters beside an edge; its tooltip has them all


@dataclass(frozen=True)
class Run:
    """A piece of a line in one font."""

    text: str
    size: float
    bold: bool = False
    italic: bool = False
    raised: bool = False


Line = tuple[Run, ...]
Label = tuple[Line, ...]


def visible(text: object) -> str:
    """`text` with every character that XML forbids or a reader cannot see made visible.

    >>> visible("a\\x00b\\x7f")
    'a␀b␡'
    """
    return "".join(map(_visible, str(text)))


def _visible(char: str) -> str:
    code = ord(char)
    if char in "\n\t":
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0x80 <= code < 0xA0 or char in "\u2028\u2029":
        return f"\\u{code:04x}"
    return "\ufffd" if 0xD800 <= code < 0xE000 or code & 0xFFFE == 0xFFFE else char


def printed(title: str) -> str:
    """A superscript as the book prints it: a true minus and a true ellipsis.

    >>> printed("t-1"), printed("...")
    ('t−1', '…')
    """
    return visible(title).replace("...", "…").replace("-", "−").replace("\n", " ")


def written(name: str) -> list[str]:
    """The lines of a name as it is written, in quotes where its ends would not be seen."""
    text = visible(name).replace("\t", "    ")
    if text != text.strip() or not text:
        text = f'"{text}"'
    return text.split("\n")


def node_label(node: Node, *, size: float = SIZE, raised: float = RAISED) -> Label:
    """The lines of text that stand in a node."""
    if node.math:
        letter = Run(visible(node.family), size, bold=node.family != "L", italic=True)
        time = (Run(f"({printed(node.title)})", raised, raised=True),) if node.title else ()
        lines: Label = ((letter, *time),)
    else:
        lines = tuple((Run(line, size - 3),) for line in written(node.name))
    notes = [*(f"in {visible(plate)}" for plate in node.notes), *filter(None, [node.mark])]
    return (*lines, *((Run(note, NOTE, italic=True),) for note in notes))


def edge_label(edge: Edge, *, letters: bool) -> Label:
    """The line of text beside an edge: its letter, or what a comparison says of it."""
    runs: list[Run] = []
    if letters and edge.label and not edge.mark:
        text = " ".join(written(str(edge.label)))
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        short = len(text) <= 2
        runs.append(Run(text, EDGE if short else SMALL, bold=short, italic=short))
    notes = [edge.mark, "?" if edge.disputed else "", delays(edge)]
    for note in filter(None, notes):
        size = EDGE if note == "?" else SMALL
        runs.append(Run(f" {note}" if runs else note, size, italic=note == edge.mark))
    return (tuple(runs),) if runs else ()


def delays(edge: Edge) -> str:
    """The delays of an edge as text; "" for the one step that a bare square stands for.

    >>> delays(Edge(0, 0, lags=(1,))), delays(Edge(0, 0, lags=(1, 2, 3, 5))), delays(Edge(0, 0))
    ('', '1–3, 5', '')
    """
    runs: list[list[int]] = []
    for lag in edge.lags:
        if runs and lag == runs[-1][-1] + 1:
            runs[-1].append(lag)
        else:
            runs.append([lag])
    words = (f"{r[0]}–{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs)
    return "" if edge.lags == (1,) else ", ".join(words).replace("-", "−")


def as_html(label: Label) -> str:
    """A label in Graphviz' HTML, without the outer angle brackets."""
    lines = "<BR/>".join("".join(map(_run_html, line)) or NO_BREAK for line in label)
    first = label[0][0] if label and label[0] else None
    if first is None or not first.italic:
        return lines
    # Graphviz sets the slanted STIX a fifth of its size too high; an empty row above, twice as
    # high, makes up for it.
    row = f'<TR><TD FIXEDSIZE="TRUE" WIDTH="1" HEIGHT="{0.4 * first.size:.0f}"></TD></TR>'
    return (
        '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">'
        f"{row}<TR><TD>{lines}</TD></TR></TABLE>"
    )


def _run_html(run: Run) -> str:
    # Graphviz drops runs of spaces; a no-break space stands for each of them.
    text = html.escape(run.text.replace(" ", NO_BREAK)) or NO_BREAK
    for tag, on in (("SUP", run.raised), ("I", run.italic), ("B", run.bold)):
        text = f"<{tag}>{text}</{tag}>" if on else text
    return f'<FONT POINT-SIZE="{run.size:g}">{text}</FONT>'


def width(label: Label) -> float:
    """About how wide a label is, in points."""
    return max((sum(_run_width(run) for run in line) for line in label), default=0.0)


def height(label: Label) -> float:
    """About how high a label is, in points."""
    return sum(1.2 * max((run.size for run in line), default=SIZE) for line in label)


def _run_width(run: Run) -> float:
    # Emoji and East Asian letters fill a square; the rest are the widths of a Times.
    return run.size * sum(map(_char_width, run.text))


def _char_width(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 1.1
    if unicodedata.combining(char):
        return 0.0
    if re.match(r"[ijlt.,:;|'!()\[\] ]", char):
        return 0.33
    if re.match(r"[mwMW@%…—]", char):
        return 0.9
    return 0.72 if char.isupper() or ord(char) > 0x24F else 0.52
