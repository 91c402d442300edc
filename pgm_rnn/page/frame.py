"""A page inside a notebook: the same interactive frame, in a sandbox of its own."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

from pgm_rnn.page.own import own


@dataclass(frozen=True)
class Frame:
    """A page that shows itself in a notebook; `html` is the whole file."""

    html: str = field(repr=False)
    height: int = 760

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" title="graphical model" '
            f'style="width:100%;height:{self.height}px;border:0" srcdoc="{escape(self.html)}">'
            "</iframe>"
        )


def frame(model: Any, *args: Any, name: str = "model", height: int = 760, **kwargs: Any) -> Frame:
    """The page of a program, as an interactive frame in a notebook. See `own`."""
    return Frame(own(model, *args, name=name, **kwargs), height)
