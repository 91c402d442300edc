"""Reruns of one program in which one thing is nudged, and what they show, pair by pair."""

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from pgm_rnn.extraction.clamped import same, same_values
from pgm_rnn.extraction.data import Piece, other_contents
from pgm_rnn.extraction.nudged import NudgedRun, first_values
from pgm_rnn.extraction.nudges import other_values
from pgm_rnn.extraction.owned import belonging, owners
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.values import Key, alternatives, changer
from pgm_rnn.graph import kind

Pair = tuple[str, str]

ROUNDS = 2  # other values that every site gets; more only where an arrow has not moved yet
MOST = 8
BASES = 6  # other values of all sites at once, tried where an arrow has not moved


class Nudging:
    """The reruns of one program, and what they have shown so far."""

    def __init__(
        self, call: Program, g: nx.DiGraph, data: list[Piece], inputs: set[str], budget: int
    ):
        self.call, self.g, self.data, self.left = call, g, data, budget
        self.reruns = 0
        self.inputs = {path: f"input {path}" if kind_of(g, path) else path for path in inputs}
        self.values, self.drawn = first_values(call)
        base = self._run()
        assert base is not None
        self.base, again = base, self._run()
        known = self.base.recorder.signatures
        there = again.recorder.signatures if again else known
        # what differs between two equal runs is the program's own doing: it shows nothing
        self.restless = {n for n in known if n not in there or not same(known[n], there[n])}
        self.order = {name: i for i, name in enumerate(known)}
        self.extracted = {(a, b) for a, b in g.edges if kind(g, a) != "parameter"}
        self._others = {name: self._other_values(name) for name in self.order}
        self.moved: set[Pair] = set()
        self.seen: set[Pair] = set()
        self.hang_on: dict[Key, set[tuple[str, int]]] = {}  # Python value -> who moves it

    def _run(self, **options: Any) -> NudgedRun | None:
        """One rerun, None when the budget is used up."""
        if self.left <= 0 and self.reruns >= 2:
            return None
        self.left -= 1
        self.reruns += 1
        changed = options.pop("data", {})
        if changed:

            def before() -> None:
                for i, contents in changed.items():
                    self.data[i].put(contents)

            options["before"] = before
        run = NudgedRun(self.call, self.values, self.drawn, **options)
        for i in changed:
            self.data[i].put(self.data[i].value)
        return run

    def go(self) -> None:
        """Nudge everything, most telling first."""
        extracted = self.extracted
        owned = (
            owners(self.data, self.base, lambda d: self._run(data=d, free=self.order))
            if self.data
            else {}
        )
        total = sum(p.value.numel() for p in self.data)
        for number in range(MOST):
            for name in self.order:
                if number < ROUNDS or self._open(name):
                    self._nudge_site(name, number, owned)
            for name, mine in owned.items():
                if number < ROUNDS or self._open(name):
                    mask = torch.zeros(total, dtype=torch.bool)
                    mask[mine] = True
                    self._nudge_data(mask, number, name)
            free = ~belonging(owned, owned, total)
            for piece in self.data:
                mask = torch.zeros(total, dtype=torch.bool)
                mask[piece.start : piece.start + piece.value.numel()] = True
                node = self.inputs.get(piece.path)
                if node is not None and (number < ROUNDS or self._open(node)):
                    self._nudge_data(mask & free, number, None)
            if number == ROUNDS - 1:
                self._force()
        for number in range(BASES):
            if extracted & self.seen - self.moved:
                self._elsewhere(number)

    def pairs(self) -> Iterator[Pair]:
        """All pairs that might have an arrow: a site and a later one, an argument and a site."""
        names = list(self.order)
        for i, child in enumerate(names):
            yield from ((parent, child) for parent in names[:i])
        for path, node in self.inputs.items():
            if any(p.path == path for p in self.data) and node in self.g:
                yield from ((node, child) for child in names)

    def _open(self, node: str) -> bool:
        """Is there an arrow out of a node that no nudge has confirmed yet?"""
        children = self.g.successors(node) if node in self.g else ()
        return any((node, c) in self.extracted and (node, c) not in self.moved for c in children)

    def _other_values(self, name: str) -> list[Tensor]:
        torch.default_generator.manual_seed(self.order[name])
        handed = self.base.recorder.sites[name].kind == "deterministic"
        fn = None if handed else self.base.recorder.functions.get(name)
        return other_values(self.values[name], fn)

    def _nudge_site(self, name: str, number: int, owned: dict[str, Tensor]) -> None:
        others = self._others[name]
        if number >= len(others):
            return
        run = self._run(nudge={name: others[number]})
        if run is None:
            return
        position = self.order[name]
        for child, moved in self._compare(run, observations=self._own_data(name, owned)):
            if self.order[child] > position:
                self._note(name, child, moved)
        self._note_answers(run, lambda place: name if position < place else None)

    def _elsewhere(self, number: int) -> None:
        """Look for arrows that have not moved yet around other values of all sites at once.

        What a site does with one parent may show only at some values of the others. Other values
        can lead into branches that the extraction did not take, so nothing else is noted here.
        """
        torch.default_generator.manual_seed(number)
        elsewhere = dict(self.values)
        for name, others in self._others.items():
            if others:
                which = int(torch.randint(len(others) + 1, ()))
                elsewhere[name] = [self.values[name], *others][which]
        base = self._run(nudge=elsewhere)
        for parent in list(self.order):
            if base is None or not self._open(parent):
                continue
            for other in self._others[parent][:ROUNDS]:
                run = self._run(nudge={**elsewhere, parent: other})
                if run is None:
                    return
                known, there = base.recorder.signatures, run.recorder.signatures
                for child in set(self.g.successors(parent)) & known.keys() & there.keys():
                    if not same(known[child], there[child]):
                        self._note(parent, child, True)

    def _own_data(self, name: str, owned: dict[str, Tensor]) -> bool:
        """Does a site's value show anything in what others are observed with? Not if it is data."""
        return name not in owned

    def _nudge_data(self, mask: Tensor, number: int, owner: str | None) -> None:
        """Change numbers that `owner` is observed from: they are the site once it has run."""
        changed = other_contents(self.data, mask, number)
        free = {owner} if owner is not None else set()
        run = self._run(data=changed, free=free) if changed else None
        if run is None:
            return
        nodes = {self.inputs.get(self.data[i].path) for i in changed} - {None}

        def sources(place: int) -> set[str]:
            if owner is not None and self.order[owner] < place:
                return {owner}
            return {node for node in nodes if node is not None}

        alone = len(nodes) == 1 or owner is not None
        for child, moved in self._compare(run, observations=False):
            for parent in sources(self.order[child]):
                if alone:
                    self._note(parent, child, moved)
        for parent in {p for p in (owner, *nodes) if p is not None}:

            def who(place: int, parent: str = parent) -> str | None:
                return parent if parent in sources(place) else None

            self._note_answers(run, who)

    def _compare(self, run: NudgedRun, observations: bool) -> Iterator[tuple[str, bool]]:
        """(site, has it moved?) for every site of which a rerun says anything."""
        known, there = self.base.recorder.signatures, run.recorder.signatures
        for name, was in known.items():
            if name in self.restless:
                continue
            now = there.get(name)
            if now is None:
                if not run.raised:
                    yield name, True
            elif observations:
                yield name, not same(was, now)
            else:
                yield name, not same_values(was.made_of, now.made_of)

    def _note(self, parent: str, child: str, moved: bool) -> None:
        if parent == child:
            return
        self.seen.add((parent, child))
        if moved:
            self.moved.add((parent, child))

    def _note_answers(self, run: NudgedRun, who: Callable[[int], str | None]) -> None:
        """Keep which Python values another value of a site has changed."""
        for key, answer in self.base.answers.items():
            if key in run.answers and not _equal(answer, run.answers[key]):
                place = self.order[key[0]] + 1 if key[0] is not None else 0
                parent = who(place)
                if parent is not None:
                    self.hang_on.setdefault(key, set()).add((parent, place))

    def _force(self) -> None:
        """Force every decision the other way: an exception may have hidden what hangs on it."""
        for key, parents in self.hang_on.items():
            for number in range(len(alternatives(self.base.answers[key]))):
                run = self._run(answers={key: changer(number)})
                if run is None:
                    return
                for child, moved in self._compare(run, observations=True):
                    for parent, place in parents:
                        if moved and self.order[child] >= place:
                            self._note(parent, child, True)


def kind_of(g: nx.DiGraph, path: str) -> bool:
    """Does a site bear the name of this argument already?"""
    return path in g and kind(g, path) != "input"


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a == b) or (a != a and b != b)
