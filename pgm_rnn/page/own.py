"""A page for a user's own program: its graph, questions, exact numbers, and what verify says."""

import inspect
import warnings
from typing import Any

import networkx as nx

from pgm_rnn.drawing import draw
from pgm_rnn.drawing.labels import visible
from pgm_rnn.errors import BadOption, PgmWarning
from pgm_rnn.extraction import extract, verify
from pgm_rnn.graph import sites
from pgm_rnn.numbers import joint
from pgm_rnn.page import golden
from pgm_rnn.page.build import page
from pgm_rnn.page.figures import asked, table
from pgm_rnn.page.static import inline

VERIFIED = 60  # sites, up to which every arrow is checked by nudging


def own(model: Any, *args: Any, name: str = "model", **kwargs: Any) -> str:
    """The page of any Pyro program, as HTML.

    Questions are asked of its extracted graph; of a small discrete program with exact numbers.
    Every arrow is checked by `verify` where the graph has at most 60 sites, and a dispute is
    said on the page. Raises BadOption for a program with fewer than two sites.
    """
    caught: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", PgmWarning)
        g = sites(extract(model, *args, **kwargs))
        if len(g) < 2:
            raise BadOption(f"{name} has {len(g)} site; a question needs two")
        if len(g) <= VERIFIED:
            report = verify(model, *args, **kwargs)
            caught.append(str(report))
            agree = bool(report)
        else:
            caught.append(f"{len(g)} sites: too many to check each arrow by nudging here")
            agree = True
    caught += [str(w.message) for w in said if issubclass(w.category, PgmWarning)]
    listed = table(model, *args, **kwargs)
    a, b = _ends(g)
    figure = asked(g, "own", name, (a, b, ()), rows=None, table=listed, source=_source(model))
    law = None if listed is None else joint(model, *args, **kwargs)
    nodes = list(g)
    queries = [(nodes[0], node, ()) for node in nodes[1:6]]
    data = {
        "figures": [figure],
        "golden": {
            "verdicts": [_seen(golden.verdict(g, law, "own", x, y, z)) for x, y, z in queries]
        },
    }
    still = inline(draw(g, style="model", title=name).svg(), "own")
    return page(
        "own.html.j2", data, still=still, name=visible(name), nodes=len(g),
        arrows=g.number_of_edges(),
        checks=[visible(c) for c in caught], agree=agree, discrete=listed is not None,
    )  # fmt: skip


def _seen(verdict: dict[str, Any]) -> dict[str, Any]:
    """The names as the page shows them."""
    shown = {key: visible(verdict[key]) for key in ("a", "b")}
    return {**verdict, **shown, "given": [visible(z) for z in verdict["given"]]}


def _ends(g: nx.DiGraph) -> tuple[str, str]:
    """Two nodes to begin with: the last one, and the first that is not joined to it."""
    nodes = [n for n in g if g.nodes[n].get("kind") == "stochastic"] or list(g)
    last = nodes[-1]
    apart = [n for n in nodes[:-1] if not g.has_edge(n, last)]
    return (apart or [n for n in g if n != last])[0], last


def _source(model: Any) -> str:
    try:
        return inspect.getsource(getattr(model, "story", model))
    except (TypeError, OSError):
        return "# the source of this program could not be read\n"
