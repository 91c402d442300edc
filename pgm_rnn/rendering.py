"""A drop-in for `pyro.render_model` that draws the graph which the program really is."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphviz
import networkx as nx

from pgm_rnn.drawing import fonts
from pgm_rnn.drawing.dot import source
from pgm_rnn.drawing.labels import NO_BREAK
from pgm_rnn.drawing.picture import Picture, picture
from pgm_rnn.drawing.render import render
from pgm_rnn.drawing.scene import read
from pgm_rnn.errors import BadOption
from pgm_rnn.extraction import extract
from pgm_rnn.files import write
from pgm_rnn.graph import kind
from pgm_rnn.transform import merge, substitute

ANNOTATION = "distribution_description_node"


class InProcessDigraph(graphviz.Digraph):
    """A `graphviz.Digraph` that is rendered in this process: no `dot` on the machine is asked.

    Nodes bear their sites' names, so that further nodes and edges can be added as usual; the
    picture is laid out anew then.
    """

    _drawn: tuple[str, ...] = ()
    _placed = False

    def pipe(
        self, format: str | None = None, *args: Any, encoding: str | None = None, **kwargs: Any
    ) -> Any:
        """The picture as bytes (as text with `encoding`), in `format` or the graph's own."""
        chosen = kwargs.get("engine")
        as_drawn = self._placed and tuple(self.body) == self._drawn
        data = render(self.source, chosen or ("nop2" if as_drawn else "dot"), format or self.format)
        return data if encoding is None else data.decode(encoding)

    def render(
        self,
        filename: str | os.PathLike[str] | None = None,
        directory: str | os.PathLike[str] | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        *args: Any,
        outfile: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> str:
        """Write the DOT source and the picture beside it; returns the picture's path.

        With `cleanup` only the picture stays.
        """
        if outfile is not None:
            target = Path(outfile)
            format = format or target.suffix[1:]
            text = target.with_suffix(".gv")
        else:
            if directory is not None:
                self.directory = os.fspath(directory)
            if filename is not None:
                self.filename = os.fspath(filename)
            text = Path(self.directory or "", self.filename)
            target = text.with_name(f"{text.name}.{format or self.format}")
        data = self.pipe(format, engine=kwargs.get("engine"))
        target.parent.mkdir(parents=True, exist_ok=True)
        write(target, data)
        if not cleanup:
            write(text, self.source.encode())
        if view:
            self._view(os.fspath(target), format=format or self.format, quiet=True)
        return os.fspath(target)


def render_model(
    model: Callable,
    model_args: tuple | list[tuple] | None = None,
    model_kwargs: dict | list[dict] | None = None,
    filename: str | None = None,
    render_distributions: bool = False,
    render_params: bool = False,
    render_deterministic: bool = False,
) -> graphviz.Digraph:
    """Draw a model: `pyro.render_model`, with the arrows that the program has.

    Lists of `model_args` or `model_kwargs` are several calls of a semi-supervised model, drawn as
    one. `filename` is written in the format of its suffix. `render_distributions` lists each
    site's distribution and each parameter's constraint, `render_params` shows the parameters,
    `render_deterministic` the deterministic sites, which else pass their parents on.

    Returns a `graphviz.Digraph` whose `render`, `pipe` and notebook picture need no Graphviz.
    Raises BadOption where the two lists differ in length, and what `extract` raises.

    >>> import pyro, pyro.distributions as dist
    >>> def model():
    ...     z = pyro.sample("z", dist.Normal(0., 1.))
    ...     pyro.sample("y", dist.Normal(2 * z, 1.), obs=z.detach())
    >>> '"z" -> "y"' in render_model(model).source
    True
    """
    g = merge(*(extract(model, *args, **kw) for args, kw in _calls(model_args, model_kwargs)))
    g.remove_nodes_from([n for n in g if kind(g, n) == "input"])
    if not render_params:
        g.remove_nodes_from([n for n in g if kind(g, n) == "parameter"])
    if not render_deterministic:
        g = substitute(g)
    laid_out = picture(read(g, fixed=True), "model", None, False, named=True)
    digraph = InProcessDigraph(format="svg")
    lines = source(laid_out).splitlines()[2:-1]  # between the braces
    if render_distributions:
        lines.append(_annotation(g, laid_out))
    digraph.body += [f"\t{line}\n" for line in lines]
    digraph._drawn, digraph._placed = tuple(digraph.body), laid_out.grid is not None
    if filename is not None:
        if not Path(filename).suffix:
            raise BadOption(f"filename = {filename!r} should end in .svg, .png, .pdf or the like")
        digraph.render(outfile=filename, cleanup=True)
    return digraph


def _calls(
    args: tuple | list[tuple] | None, kwargs: dict | list[dict] | None
) -> list[tuple[tuple, dict]]:
    """The calls of a model: one, or one for each item of a list."""
    if not isinstance(args, list) and not isinstance(kwargs, list):
        return [(args or (), kwargs or {})]
    count = len(args) if isinstance(args, list) else len(kwargs or ())
    many_args = args if isinstance(args, list) else [args or ()] * count
    many_kwargs = kwargs if isinstance(kwargs, list) else [kwargs or {}] * count
    if len(many_args) != len(many_kwargs):
        raise BadOption(
            f"model_args lists {len(many_args)} calls and model_kwargs {len(many_kwargs)}; "
            "they should be as many"
        )
    return [(a or (), k or {}) for a, k in zip(many_args, many_kwargs, strict=True)]


def _annotation(g: nx.DiGraph, p: Picture) -> str:
    """A node without a frame that lists the distributions, below the picture."""
    lines = [f"{n} ~ {d['distribution']}" for n, d in g.nodes(data=True) if d.get("distribution")]
    lines += [f"{n} : {d['constraint']}" for n, d in g.nodes(data=True) if d.get("constraint")]
    text = "".join(_escaped(line) + "\\l" for line in lines)
    place = ""
    if p.grid is not None:
        left, bottom, *_ = p.bounds()
        wide, high = 7.5 * max(map(len, lines), default=0), 18.0 * len(lines)
        place = f' pos="{left + wide / 2:.2f},{bottom - high / 2 - 14:.2f}"'
    return (
        f'{ANNOTATION} [label="{text}" shape=plaintext style=solid fixedsize=false '
        f'fontname="{fonts.NAME}"{place}]'
    )


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", NO_BREAK)
