"""An independent check of a graph: hold every site, nudge one, and see who moves.

Nothing is followed here. Every site is held at the value of the extraction's own run, one site
(or the data that it is observed from, or an argument) gets another value, the program runs again
with common random numbers, and whatever moved (a site's distribution, its value, its existence)
uses that value with no other named site in between. Provenance and nudging fail in different
ways: a derivative that is zero hides an arrow from nudging, a way around torch from provenance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import torch

from pgm_rnn.extraction.arguments import named_arguments, named_tensors
from pgm_rnn.extraction.data import pieces
from pgm_rnn.extraction.extract import graph_of
from pgm_rnn.extraction.isolation import isolated
from pgm_rnn.extraction.nudging import Nudging, Pair
from pgm_rnn.extraction.owners import find_owners
from pgm_rnn.extraction.program import Program
from pgm_rnn.graph import add_node
from pgm_rnn.options import positive

BUDGET = 2000  # reruns


@dataclass(frozen=True)
class Report:
    """What extraction and nudging say of the same program, pair by pair (parent, child).

    `agree` are the arrows that both see, `only_extracted` those that no nudge moved, `only_moved`
    the pairs that moved though extraction has no arrow there. `unchecked` pairs were reached by
    no rerun: the program raised, drew numbers that are not Pyro's, or the budget ran out.
    Parameters are not nudged. The report is true if the two disagree nowhere.
    """

    graph: nx.DiGraph = field(repr=False)  # as extracted
    agree: frozenset[Pair]
    only_extracted: frozenset[Pair]
    only_moved: frozenset[Pair]
    unchecked: frozenset[Pair]
    reruns: int

    def __bool__(self) -> bool:
        return not self.only_extracted and not self.only_moved

    @property
    def union(self) -> nx.DiGraph:
        """The conservative graph: all arrows of either, those in dispute with `disputed` True."""
        g = self.graph.copy()
        for parent, child in sorted(self.only_moved):
            if parent not in g:
                add_node(g, parent, "input")
            g.add_edge(parent, child, via=frozenset({"value"}), label=None)
        for pair in self.only_extracted | self.only_moved:
            g.edges[pair]["disputed"] = True
        return g

    def __str__(self) -> str:
        def listed(pairs: frozenset[Pair]) -> str:
            shown = [f"{a} -> {b}" for a, b in sorted(pairs)]
            return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if shown[10:] else "")

        lines = [f"{len(self.agree)} arrows seen by both, in {self.reruns} reruns"]
        if self.only_moved:
            lines.append(f"moved, but not extracted: {listed(self.only_moved)}")
        if self.only_extracted:
            lines.append(f"extracted, but moved by no nudge: {listed(self.only_extracted)}")
        if self.unchecked:
            lines.append(f"not checked, {len(self.unchecked)} pairs: {listed(self.unchecked)}")
        return "\n".join(lines)


def verify(model: Callable, *args: Any, **kwargs: Any) -> Report:
    """A second opinion on `extract(model, *args, **kwargs)`, by nudging instead of following.

    n sites need at least 2 n reruns of the program; `verifier` takes another budget than 2,000.
    Raises what `extract` raises; the surroundings are left as they were.

    >>> import pyro, pyro.distributions as dist
    >>> def model():
    ...     z = pyro.sample("z", dist.Normal(0., 1.))
    ...     pyro.sample("y", dist.Normal(2 * z, 1.))
    >>> report = verify(model)
    >>> bool(report), sorted(report.agree)
    (True, [('z', 'y')])
    """
    return verifier(model)(*args, **kwargs)


def verifier(model: Callable, *, budget: int = BUDGET) -> Callable[..., Report]:
    """`verify` with at most `budget` reruns: verifier(model, budget=100)(*args, **kwargs)."""
    positive("budget", budget)

    def check(*args: Any, **kwargs: Any) -> Report:
        arguments = named_tensors(model, args, kwargs)
        with isolated(model, list(arguments.values())) as surroundings, torch.no_grad():
            call = Program(model, args, kwargs, surroundings)
            with torch.enable_grad():
                owned = find_owners(call, arguments) if arguments else None
                g = graph_of(call, arguments, owned)
            data = pieces(iter(named_arguments(model, args, kwargs)))
            try:
                nudging = Nudging(call, g, data, set(arguments), budget)
                nudging.go()
                return _report(nudging)
            finally:
                for piece in data:
                    piece.put(piece.value)

    return check


def _report(nudging: Nudging) -> Report:
    moved, seen, extracted = nudging.moved, nudging.seen, nudging.extracted
    return Report(
        graph=nudging.g,
        agree=frozenset(moved & extracted),
        only_extracted=frozenset((extracted & seen) - moved),
        only_moved=frozenset(moved - extracted),
        unchecked=frozenset((extracted | set(nudging.pairs())) - seen),
        reruns=nudging.reruns,
    )
