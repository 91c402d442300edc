"""Why is there an arrow? The lines of the program through which the parent reached the child.

Whatever carries the parent's value also carries the lines that it has passed: each line of the
user's program is a source of its own, added to every result that the value has part in. So a
child's origin holds the lines on the way to it, and no others, by the same rules as the arrows.
"""

import linecache
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from pgm_rnn.errors import UnknownNode
from pgm_rnn.extraction.arguments import named_tensors
from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.call import as_bits, leaves
from pgm_rnn.extraction.decisions import decisions
from pgm_rnn.extraction.elements import Elements, Origin, distinct, labels_of, normal
from pgm_rnn.extraction.extract import extract, no_sites
from pgm_rnn.extraction.isolation import isolated
from pgm_rnn.extraction.kinds import KIND, Kind
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.owners import find_owners
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.run import Run
from pgm_rnn.extraction.tracker import Tracker
from pgm_rnn.extraction.values import Listener


class Line(NamedTuple):
    """A line of the user's program."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def why(model: Callable, parent: str, child: str) -> Callable[..., tuple[Line, ...]]:
    """The lines of the program through which a parent's value reached a child.

    `why(model, "y_1", "h_2")(*args, **kwargs)` runs the program as `extract` does and answers
    with the lines (file, line, text) in the order in which they ran, the child's own statement
    last; nothing where there is no arrow. `parent` is a site, an input or a parameter, `child` a
    site, both as the nodes of the graph are named. Of library code the line that called it shows.

    Raises UnknownNode, and what `extract` raises.

    >>> import pyro, pyro.distributions as dist
    >>> def model():
    ...     z = pyro.sample("z", dist.Normal(0., 1.))
    ...     loc = 2 * z
    ...     pyro.sample("y", dist.Normal(loc, 1.))
    >>> [line.text for line in why(model, "z", "y")()]
    ['loc = 2 * z', 'pyro.sample("y", dist.Normal(loc, 1.))']
    """

    def run(*args: Any, **kwargs: Any) -> tuple[Line, ...]:
        g = extract(model, *args, **kwargs)
        for name in (parent, child):
            if name not in g:
                raise UnknownNode(name, g)
        if not g.has_edge(parent, child):
            return ()
        kind = g.nodes[parent]["kind"]
        plain = parent.removeprefix(f"{kind} ") if kind in ("input", "parameter") else parent
        arguments = named_tensors(model, args, kwargs)
        with isolated(model, list(arguments.values())) as surroundings:
            call = Program(model, args, kwargs, surroundings)
            return _lines(call, arguments, (kind, plain), child)

    return run


def _lines(
    call: Program, arguments: dict[str, Tensor], parent: tuple[str, str], child: str
) -> tuple[Line, ...]:
    atoms = _Watched(*parent)
    owners = find_owners(call, arguments) if arguments else None
    run = _LineRun(call, atoms, arguments, owners)
    run.go()
    if child not in run.recorder.sites:
        raise no_sites(call)
    site = run.recorder.sites[child]
    bits = site.parents | site.observation
    if run.listener.taken:
        for sources, name in decisions(run).arrows:
            if name == child and sources & atoms.watched:
                bits |= sources
    found = [source.name for source in atoms.members(bits) if source.kind == "line"]
    statement = run.recorder.statements.get(child)
    passed = [run.places[name] for name in found]
    lines = sorted({p for p in passed if p != statement}, key=run.first.__getitem__)
    return tuple(map(_line, [*lines, statement] if statement else lines))


Place = tuple[str, int]


def _line(place: Place) -> Line:
    return Line(*place, linecache.getline(*place).strip())


class _Watched(Atoms):
    """Knows the bits of one source, under all the letters that it has met."""

    def __init__(self, kind: str, name: str):
        self.kinds = {"input": {"input", "data"}, "parameter": {"parameter"}}.get(
            kind, {"site", "data"}
        )
        self.by_path = kind == "input"
        self.name, self.watched = name, 0
        super().__init__()

    def bit(self, source: Source) -> int:
        count = len(self.sources)
        bit = super().bit(source)
        if len(self.sources) > count and source.kind in self.kinds:
            name = source.path if self.by_path and source.kind == "data" else source.name
            if name == self.name:
                self.watched |= bit
        return bit


class _LineRun(Run):
    """A run in which the watched source's value collects the lines that it passes."""

    atoms: _Watched
    recorder: "_Statements"

    def __init__(self, *args: Any):
        self.first: dict[Place, int] = {}  # in the order in which they ran
        self.places: dict[str, Place] = {}
        super().__init__(*args)
        self.listener = _Listener(self)

    def make_tracker(self) -> Tracker:
        return _LineTracker(self)

    def make_recorder(self) -> Recorder:
        return _Statements(self, self.tracker, self.settle)

    def make_mode(self) -> OriginMode:
        return _LineMode(self)

    def passed(self, origin: Origin) -> Origin:
        """The origin with the user's present line in it, wherever the watched value has part."""
        watched = self.atoms.watched
        if not as_bits(origin) & watched:
            return origin
        line = self.line()
        if not line:
            return origin
        if not isinstance(origin, Elements):
            return origin | line
        return normal(self.algebra, self._with(origin.labels, line))

    def line(self) -> int:
        """The bit of the user's present line, 0 where there is none."""
        place = user_place(sys._getframe(1))
        if place is None:
            return 0
        self.first.setdefault(place, len(self.first))
        name = f"{place[0]}:{place[1]}"
        self.places[name] = place
        return self.atoms.bit(Source("line", name, final=True))

    def _with(self, labels: Tensor, line: int) -> Tensor:
        table = {n: n for n in distinct(labels)}
        for number in table:
            bits = self.algebra.origin(number)
            if bits & self.atoms.watched:
                table[number] = self.algebra.label(bits | line)
        changed = labels.clone()
        for number, new in table.items():
            if new != number:
                changed[labels == number] = new
        return changed


class _LineMode(OriginMode):
    """After every call, lets its results remember the line."""

    def __init__(self, run: _LineRun):
        super().__init__(run.tracker, run.listener)
        self.run = run

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs)
        kind = KIND.get(func, Kind.UNITE)
        if self.paused or kind in (Kind.SILENT, Kind.VALUE, Kind.WRITE, Kind.ITERATE):
            return out
        with torch._C.DisableTorchFunction():
            for tensor in leaves(out):
                if not any(tensor is a for a in args):
                    origin = self.tracker.origin(tensor)
                    if as_bits(origin) & self.run.atoms.watched:
                        self.tracker.set(tensor, self.run.passed(origin))
        return out


class _LineTracker(Tracker):
    """Lets what is written in place remember the line, element by element."""

    def __init__(self, run: _LineRun):
        super().__init__(run.algebra)
        self.run = run

    def write(self, tensor: Tensor, origin: Origin) -> None:
        if as_bits(origin) & self.run.atoms.watched:
            before = labels_of(self.algebra, self.origin(tensor), tensor.shape)
            after = labels_of(self.algebra, origin, tensor.shape)
            line = self.run.line()
            if line:
                new = torch.where(before == after, after, self.run._with(after, line))
                origin = normal(self.algebra, new)
        super().write(tensor, origin)

    def opaque(self, value: Any) -> int:
        return as_bits(self.run.passed(super().opaque(value)))


class _Listener(Listener):
    """Lets a Python value remember the line on which it was taken."""

    def __init__(self, run: _LineRun):
        super().__init__(run.tracker, run.recorder)
        self.run = run

    def __call__(self, args: tuple, out: Any) -> Any:
        count = len(self.taken)
        answer = super().__call__(args, out)
        if len(self.taken) > count:
            taken = self.taken[-1]
            with torch._C.DisableTorchFunction():
                sources = self.run.passed(taken.sources)
            self.taken[-1] = type(taken)(taken.key, as_bits(sources), taken.position, taken.answer)
        return answer


class _Statements(Recorder):
    """Notes the user's line of every site."""

    def __init__(self, run: _LineRun, *args: Any):
        super().__init__(*args)
        self.run = run
        self.statements: dict[str, Place] = {}

    def note_sources(self, site: Site, msg: Any, fresh: bool) -> None:
        super().note_sources(site, msg, fresh)
        place = user_place(sys._getframe(1))
        if place is not None:
            self.statements[site.name] = place


_OURS = str(Path(__file__).resolve().parents[1])
_MODELS = str(Path(_OURS, "models"))  # of the book's figures: programs as a user's
_STANDARD = sysconfig.get_paths()["stdlib"]


def user_place(frame: FrameType | None) -> Place | None:
    """The innermost line that is neither a library's nor this one's own."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_MODELS) or not _is_library(file):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def _is_library(file: str) -> bool:
    installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return bool(installed) or file.startswith((_OURS, _STANDARD, "<frozen"))
