"""The figures that can be asked: drawing, adjacency, listed joint and source of each."""

import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx

from pgm_rnn.catalog import figure, program, reference
from pgm_rnn.drawing.labels import visible
from pgm_rnn.errors import PgmError
from pgm_rnn.extraction import extract
from pgm_rnn.graph import sites
from pgm_rnn.numbers import joint
from pgm_rnn.page.views import adjacency, names, view

CODES = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # a letter a value
MOST = 800  # rows of a listed joint that the page carries

# name, entry, tau, first question (A, B, given)
ASKED = (
    ("10.3", "input", 3, "y_1", "y_3", ("x_1", "x_2", "x_3")),
    ("10.4", "input", 3, "y_1", "y_3", ("x_1", "x_2", "x_3")),
    ("10.7", "input", 4, "y_1", "y_4", ("y_2", "y_3")),
    ("10.8", "input", 4, "y_1", "y_3", ("h_2",)),
    ("10.9", "initial", 3, "y_1", "y_2", ("x",)),
    ("10.10", "input", 3, "y_1", "y_3", ("x_1", "x_2", "x_3")),
    ("10.11", "input", 3, "y_1", "x_3", ("x_1", "x_2")),
    ("10.12", "input", 4, "y_1", "y_4", ("x_1", "x_2")),
    ("text", "input", 4, "y_1", "y_3", ("h_3",)),
)


def figures() -> list[dict[str, Any]]:
    """Every figure with a finite h, so that its exact joint can be listed beside the graph."""
    found = []
    for name, entry, tau, a, b, given in ASKED:
        f = figure(name, entry=entry, tau=tau, k=3, state="finite", seed=SEEDS.get(name, 0))
        rows = [row for row in f.reference.picture.rows if row != "L"]
        g = sites(extract(f.model))
        called = "The text's own net" if name == "text" else f"Fig {name}"
        title = f"{called}: {reference(name).title[:1].lower()}{reference(name).title[1:]}"
        found.append(
            asked(
                g, name, title, (a, b, given), rows=rows, table=table(f.model),
                source=inspect.getsource(program(f.stem.removesuffix(f"_{entry}"))),
            )
        )  # fmt: skip
    return found


SEEDS: dict[str, int] = {}


def asked(
    g: nx.DiGraph,
    name: str,
    title: str,
    start: tuple[str, str, tuple[str, ...]],
    *,
    rows: list[str] | None,
    table: dict[str, Any] | None,
    source: str,
) -> dict[str, Any]:
    """What the page needs to ask a graph."""
    a, b, given = start
    return {
        "name": name,
        "title": title,
        "view": view(g, rows, title),
        "graph": adjacency(g),
        "spoken": names(g),
        "start": {"a": visible(a), "b": visible(b), "given": [visible(z) for z in given]},
        "table": table,
        "source": source,
    }


def table(model: Callable, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
    """The listed joint of a program; None unless it is small and discrete.

    `codes` has a letter for each site's value in each row, `values[p[row]]` is the probability.
    """
    try:
        law = joint(model, *args, **kwargs)
    except PgmError:
        return None
    codes, p = law.coded()
    if len(p) > MOST or any(max(column) >= len(CODES) for column in codes.values()):
        return None
    rows = "".join(CODES[c] for row in zip(*codes.values(), strict=True) for c in row)
    p = [float(f"{value:.13g}") for value in p]  # so that equal products are equal
    distinct = sorted(set(p))  # few: products of few conditionals
    number = {value: i for i, value in enumerate(distinct)}
    return {
        "sites": [visible(s) for s in law.sites],
        "codes": rows,
        "values": distinct,
        "p": [number[value] for value in p],
    }
