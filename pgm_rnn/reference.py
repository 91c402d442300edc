"""What the book draws, as data, and how a program's graph compares with it.

A reference file lists families of nodes and rules for edges; the rules give the graphical
model at any length tau and, through its `drawing`, the picture that the book prints.
Reference files are written by hand from the book, never from this project's output.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import networkx as nx

from pgm_rnn.errors import MalformedReference
from pgm_rnn.graph import KINDS, add_node, sites, time
from pgm_rnn.options import positive
from pgm_rnn.transform import View, view


@dataclass(frozen=True)
class Family:
    """A family of nodes, one a step from `first` to tau - `short`, or one node without time.

    A family that is `short` has one step at least; one that is `last` has the step tau alone.
    `spans` makes it a balanced tree over the steps: h[1:4], h[1:2], h[1], ...
    """

    kind: str
    first: int = 1
    timed: bool = True
    short: int = 0
    last: bool = False
    spans: bool = False

    def times(self, tau: int) -> range:
        """The steps that the family has at length `tau`."""
        if self.last:
            return range(tau, tau + 1)
        end = tau - self.short
        return range(self.first, (max(1, end) if self.short > 1 else end) + 1)


@dataclass(frozen=True)
class Rule:
    """An arrow from `source`(t - lag) to `target`(t), for every t from `start` to `stop`.

    The lag "all" stands for every lag from 1 on, and -1 for an arrow back in time; a source without
    time points at every t, and a target without time has the source's last step as its parent. In
    a tree "leaf" joins step t to its leaf, "left" and "right" a half to the whole.
    """

    source: str
    target: str
    lag: int | str
    label: str | None = None
    start: int = 0
    stop: int | None = None
    control: bool = False  # the source decides whether the target exists, and gives it no value


@dataclass(frozen=True)
class Reference:
    """One figure as the book draws it."""

    figure: str
    title: str
    source: str
    families: dict[str, Family]
    edges: tuple[Rule, ...]
    picture: View
    equations: tuple[str, ...] = ()
    notes: str = ""
    part: str = "section"  # which part of the catalogue it belongs to

    def graph(self, tau: int) -> nx.DiGraph:
        """The graphical model at length `tau`: nodes `y_1`, `h_2`, ..., edges with `label`."""
        tau = positive("tau", tau)
        g = nx.DiGraph(title=self.title)
        for t in range(tau + 1):
            for name, family in self.families.items():
                if family.spans:
                    if t == 0:
                        for span in _spans(1, tau):
                            add_node(g, _span(name, *span), family.kind)
                elif family.timed and t in family.times(tau):
                    add_node(g, f"{name}_{t}", family.kind)
                elif not family.timed and t == 0:
                    add_node(g, name, family.kind)
        for rule in self.edges:
            g.add_edges_from(self._edges(rule, tau))
        return g

    def _edges(self, rule: Rule, tau: int):
        source, target = self.families[rule.source], self.families[rule.target]
        attributes: dict[str, Any] = {"label": rule.label}
        if rule.control:
            attributes["via"] = frozenset({"control"})
        if target.spans:
            yield from _halves(rule, tau, attributes)
            return
        if not target.timed:
            start = rule.source
            if source.spans:
                start = _span(rule.source, 1, tau)
            elif source.timed:
                start = f"{rule.source}_{source.times(tau)[-1]}"
            yield start, rule.target, attributes
            return
        times = target.times(tau)
        for t in times:
            if t < rule.start or (rule.stop is not None and t > rule.stop):
                continue
            if not source.timed:
                yield rule.source, f"{rule.target}_{t}", attributes
                continue
            lags = range(1, t + 1) if rule.lag == "all" else [int(rule.lag)]
            for lag in lags:
                if t - lag in source.times(tau):
                    yield f"{rule.source}_{t - lag}", f"{rule.target}_{t}", attributes

    def drawing(self) -> nx.DiGraph:
        """The book's picture: nodes `y(t)`, `h(...)`, with `dashed` ends and edge labels."""
        return view(self.graph(self.picture.tau), self.picture)


def _span(name: str, first: int, last: int) -> str:
    return f"{name}[{first}]" if first == last else f"{name}[{first}:{last}]"


def _spans(first: int, last: int) -> Iterator[tuple[int, int]]:
    """A balanced tree over steps: each part before its halves; the left one has the odd step."""
    yield first, last
    if first < last:
        middle = (first + last) // 2
        yield from _spans(first, middle)
        yield from _spans(middle + 1, last)


def _halves(rule: Rule, tau: int, attributes: dict[str, Any]) -> Iterator[tuple]:
    """The arrows of one kind in a tree."""
    for first, last in _spans(1, tau):
        whole, middle = _span(rule.target, first, last), (first + last) // 2
        if rule.lag == "leaf" and first == last:
            yield f"{rule.source}_{first}", whole, attributes
        elif rule.lag == "left" and first < last:
            yield _span(rule.source, first, middle), whole, attributes
        elif rule.lag == "right" and first < last:
            yield _span(rule.source, middle + 1, last), whole, attributes


@dataclass(frozen=True)
class Comparison:
    """The difference between a graph and its reference; true when there is none."""

    graph: nx.DiGraph = field(repr=False)
    reference: nx.DiGraph = field(repr=False)
    missing: frozenset[tuple[str, str]]  # edges that only the reference has
    extra: frozenset[tuple[str, str]]  # edges that only the graph has
    missing_nodes: frozenset[str] = frozenset()
    extra_nodes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return not (self.missing or self.extra or self.missing_nodes or self.extra_nodes)

    def __str__(self) -> str:
        if self:
            return "as in the book"
        parts = [
            *(f"missing node {n}" for n in sorted(self.missing_nodes)),
            *(f"extra node {n}" for n in sorted(self.extra_nodes)),
            *(f"missing {a} -> {b}" for a, b in sorted(self.missing)),
            *(f"extra {a} -> {b}" for a, b in sorted(self.extra)),
        ]
        return "; ".join(parts)


def compare(g: nx.DiGraph, reference: "nx.DiGraph | Reference") -> Comparison:
    """Compare a graph with a reference, node by node and edge by edge.

    `reference` is a graph, or a Reference, which is taken at the length of `g` (its largest
    time). Inputs and parameters do not count: the book does not draw them.

    >>> g = nx.DiGraph([("y_1", "y_2")])
    >>> compare(g, nx.DiGraph([("y_1", "y_2"), ("y_1", "y_3")])).missing
    frozenset({('y_1', 'y_3')})
    """
    mine = sites(g)
    if isinstance(reference, Reference):
        times = [t for t in (time(mine, n) for n in mine) if t is not None]
        reference = reference.graph(max(times, default=1) or 1)
    theirs = sites(reference)
    return Comparison(
        graph=g,
        reference=reference,
        missing=frozenset(theirs.edges) - frozenset(mine.edges),
        extra=frozenset(mine.edges) - frozenset(theirs.edges),
        missing_nodes=frozenset(theirs) - frozenset(mine),
        extra_nodes=frozenset(mine) - frozenset(theirs),
    )


def compare_drawings(g: nx.DiGraph, reference: nx.DiGraph) -> str:
    """The differences between two pictures, in words: nodes, edges, dashes, labels; "" if none."""
    found = compare(g, reference)
    lines = [] if found else [str(found)]
    for node in g.nodes & reference.nodes:
        mine, theirs = g.nodes[node], reference.nodes[node]
        lines += [
            f"{node}: {key} {mine.get(key)!r}, in the book {theirs.get(key)!r}"
            for key in ("kind", "dashed", "row", "column")
            if mine.get(key) != theirs.get(key)
        ]
    for edge in g.edges & reference.edges:
        mine, theirs = g.edges[edge], reference.edges[edge]
        lines += [
            f"{edge[0]} -> {edge[1]}: {key} {mine.get(key)!r}, in the book {theirs.get(key)!r}"
            for key in ("dashed", "label")
            if mine.get(key) != theirs.get(key)
        ]
        control = theirs.get("via") == {"control"}
        if (mine.get("via") == {"control"}) != control:
            wanted = "control alone" if control else "a value"
            lines.append(f"{edge[0]} -> {edge[1]}: {wanted} in the reference")
    return "; ".join(sorted(lines))


def load(path: str | Path) -> Reference:
    """Read a reference file. Raises MalformedReference, which names the file and the field."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise MalformedReference(path, "(the file)", error.strerror or str(error)) from None
    return parse(text, path)


def parse(text: str, file: object) -> Reference:
    """Read a reference from its text; `file` is the name that errors show."""
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedReference(file, f"line {error.lineno}", f"not JSON: {error.msg}") from None
    check = _Checker(file)
    top = check.fields(raw, "(top)", {"figure": str, "title": str, "source": str,
        "families": dict, "edges": list, "drawing": dict},
        {"equations": list, "notes": str, "part": str})  # fmt: skip
    families = {
        name: check.family(spec, f"families.{name}") for name, spec in top["families"].items()
    }
    edges = tuple(check.rule(spec, f"edges[{i}]", families) for i, spec in enumerate(top["edges"]))
    return Reference(
        figure=top["figure"],
        title=top["title"],
        source=top["source"],
        families=families,
        edges=edges,
        picture=check.picture(top["drawing"], families),
        equations=tuple(top.get("equations", ())),
        notes=top.get("notes", ""),
        part=top.get("part", "section"),
    )


class _Checker:
    """Checks fields one by one, so that an error can say which one."""

    def __init__(self, file: object):
        self.file = file

    def fail(self, field: str, problem: str) -> MalformedReference:
        return MalformedReference(self.file, field, problem)

    def fields(self, raw: Any, at: str, needed: dict, allowed: dict) -> dict:
        if not isinstance(raw, dict):
            raise self.fail(at, f"should be an object, not {raw!r}")
        prefix = "" if at == "(top)" else at + "."
        for key, kind in {**needed, **allowed}.items():
            if key not in raw and key in needed:
                raise self.fail(prefix + key, "is missing")
            if key in raw and not isinstance(raw[key], kind):
                names = kind.__name__ if isinstance(kind, type) else str(kind)
                raise self.fail(prefix + key, f"should be {names}, not {raw[key]!r}")
        for key in raw.keys() - needed.keys() - allowed.keys():
            raise self.fail(prefix + key, f"unknown; allowed are {', '.join([*needed, *allowed])}")
        return raw

    def family(self, raw: Any, at: str) -> Family:
        raw = self.fields(
            raw,
            at,
            {"kind": str},
            {"first": int, "timed": bool, "short": int, "last": bool, "spans": bool},
        )
        if raw["kind"] not in KINDS:
            raise self.fail(f"{at}.kind", f"{raw['kind']!r} is not one of {', '.join(KINDS)}")
        return Family(**raw)

    def rule(self, raw: Any, at: str, families: dict) -> Rule:
        raw = self.fields(
            raw,
            at,
            {"from": str, "to": str, "lag": int | str},
            {"label": str | None, "start": int, "stop": int, "control": bool},
        )
        for end in ("from", "to"):
            if raw[end] not in families:
                raise self.fail(f"{at}.{end}", f"{raw[end]!r} is not one of {', '.join(families)}")
        lag = raw["lag"]
        words = ("all", "leaf", "left", "right")
        if isinstance(lag, bool) or (lag not in words and not (isinstance(lag, int) and lag >= -1)):
            raise self.fail(
                f"{at}.lag", f'should be "all" or 0, 1, 2, ... (or -1, "leaf", "left", "right"), '
                f"not {lag!r}"
            )  # fmt: skip
        return Rule(
            raw["from"],
            raw["to"],
            lag,
            raw.get("label"),
            raw.get("start", 0),
            raw.get("stop"),
            raw.get("control", False),
        )

    def picture(self, raw: Any, families: dict) -> View:
        optional = {"before": list, "after": list, "labels": bool, "omit": list, "start": int,
                    "whole": int}  # fmt: skip
        raw = self.fields(raw, "drawing", {"rows": list, "columns": list}, optional)
        for key in ("rows", "before", "after"):
            for name in raw.get(key, ()):
                if name not in families and not (key == "rows" and name == "L"):
                    known = ", ".join([*families, "L"])
                    raise self.fail(f"drawing.{key}", f"{name!r} is not one of {known}")
        return View(
            rows=tuple(raw["rows"]),
            columns=tuple(raw["columns"]),
            before=tuple(raw.get("before", ())),
            after=tuple(raw.get("after", ())),
            labels=raw.get("labels", False),
            start=raw.get("start", 1),
            whole=raw.get("whole"),
            omit=frozenset((a, b) for a, b in raw.get("omit", ())),
        )
