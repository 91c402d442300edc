"""A graph as JSON in node-link form, and back without loss."""

import json
from pathlib import Path
from typing import Any

import networkx as nx

from pgm_rnn.errors import GraphError
from pgm_rnn.graph import check

FORMAT = "pgm_rnn graph 1"


def to_json(g: nx.DiGraph) -> str:
    """The graph as JSON text: nodes and edges with all their attributes, in order.

    Sets, tuples and shapes are marked, so that `from_json` gives back equal values. Raises
    GraphError for a value that JSON has no form for.

    >>> g = nx.DiGraph([("y_1", "y_2")])
    >>> nx.utils.graphs_equal(from_json(to_json(g)), g)
    True
    """
    record = {
        "format": FORMAT,
        "graph": {key: _plain(value, key) for key, value in g.graph.items()},
        "nodes": [
            {"id": _plain(n, "id"), **{k: _plain(v, k) for k, v in d.items()}}
            for n, d in g.nodes.items()
        ],
        "links": [
            {"source": _plain(a, "id"), "target": _plain(b, "id"),
             **{k: _plain(v, k) for k, v in d.items()}}
            for (a, b), d in g.edges.items()
        ],
    }  # fmt: skip
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> nx.DiGraph:
    """The graph that `to_json` wrote. Raises GraphError for other text, a cycle or unknown kind."""
    try:
        record = json.loads(text)
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise GraphError(f"this is no {FORMAT!r}; graphs are written by pgm_rnn.to_json")
        g = nx.DiGraph(**{key: _back(value) for key, value in record["graph"].items()})
        for node in record["nodes"]:
            data = {k: _back(v) for k, v in node.items()}
            g.add_node(data.pop("id"), **data)
        for link in record["links"]:
            data = {k: _back(v) for k, v in link.items()}
            a, b = data.pop("source"), data.pop("target")
            if a not in g or b not in g:
                raise GraphError(f"an arrow from {a!r} to {b!r} joins what is no node")
            g.add_edge(a, b, **data)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"this is not the JSON of a graph: {error}") from None
    check(g)
    return g


def read_json(path: str | Path) -> nx.DiGraph:
    """The graph of a file that `draw(g).save("g.json")` wrote. Raises GraphError."""
    try:
        return from_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GraphError(f"cannot read {path}: {error}") from None


def _plain(value: Any, key: str) -> Any:
    if isinstance(value, frozenset | set):
        return {"set": sorted((_plain(v, key) for v in value), key=str)}
    if isinstance(value, tuple):  # torch.Size is one
        return {"tuple": [_plain(v, key) for v in value]}
    if isinstance(value, list):
        return [_plain(v, key) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {"dict": [[_plain(k, key), _plain(v, key)] for k, v in value.items()]}
    raise GraphError(f"{key} = {value!r:.100} has no form in JSON")


def _back(value: Any) -> Any:
    if isinstance(value, list):
        return [_back(v) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "dict":
        return {_back(k): _back(v) for k, v in held}
    return {"set": frozenset, "tuple": tuple}[kind](_back(v) for v in held)
