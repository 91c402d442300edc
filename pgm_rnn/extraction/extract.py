"""Run a Pyro program and read its graphical model off the run."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from pgm_rnn.errors import NoSites
from pgm_rnn.extraction.arguments import named_tensors
from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.build import build
from pgm_rnn.extraction.compiled import compiled_calls
from pgm_rnn.extraction.decisions import Clamped, Findings, Listener, Outcome, decide, hold, same
from pgm_rnn.extraction.elements import Algebra, Elements, OwnerAlgebra, SetAlgebra, normal
from pgm_rnn.extraction.isolation import Surroundings, isolated
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.recorder import Recorder, Site, recording
from pgm_rnn.extraction.tracker import Tracker, address


def extract(model: Callable, *args: Any, **kwargs: Any) -> nx.DiGraph:
    """The graphical model of a Pyro program, read off the running program.

    There is an edge p -> c when the distribution of c (its value, if c is deterministic) uses
    the value of p with no other named site in between. The program runs once, and once more if
    it is given tensors: the first run finds which site is observed from which of their elements.
    All `args` and `kwargs` go to the program.

    Returns a `networkx.DiGraph` with the attributes that `pgm_rnn.graph` describes; nodes are
    sites, inputs and parameters in the order in which the program met them.
    Raises NoSites, DuplicateSite; what the program itself raises passes through, with a note.
    Random states, the parameter store, arguments and buffers are left as they were.

    >>> import pyro, pyro.distributions as dist
    >>> def model():
    ...     z = pyro.sample("z", dist.Normal(0., 1.))
    ...     pyro.sample("y", dist.Normal(2 * z, 1.))
    >>> extract(model).edges
    OutEdgeView([('z', 'y')])
    """
    arguments = named_tensors(model, args, kwargs)
    with isolated(model, list(arguments.values())) as surroundings:
        call = Program(model, args, kwargs, surroundings)
        owners = _owners(call, arguments) if arguments else {}
        return _graph(call, arguments, owners)


class Program:
    """A program with its arguments, to be run again and again from the same start."""

    def __init__(self, model: Callable, args: tuple, kwargs: dict, surroundings: Surroundings):
        self.model, self.args, self.kwargs = model, args, kwargs
        self.surroundings = surroundings

    def run(self, mode: OriginMode, recorder: Recorder) -> None:
        """Run under a mode and a recorder; notes on the program's own exception which call it was."""
        self.surroundings.restore()
        try:
            with recording(recorder), compiled_calls(mode.tracker), mode:
                self.model(*self.args, **self.kwargs)
        except Exception as error:
            done = list(recorder.sites)
            where = f"after site {done[-1]!r}" if done else "before its first site"
            error.add_note(f"raised by {describe(self.model, self.args, self.kwargs)}, {where}")
            raise


def describe(model: Callable, args: tuple, kwargs: dict) -> str:
    """The call in words, with tensors as their shapes."""

    def short(value: Any) -> str:
        if isinstance(value, Tensor):
            return f"tensor{list(value.shape)}"
        text = repr(value)
        return text if len(text) <= 40 else text[:37] + "..."

    name = getattr(model, "__name__", type(model).__name__)
    inside = [*map(short, args), *(f"{k}={short(v)}" for k, v in kwargs.items())]
    return f"{name}({', '.join(inside)})"


def _owners(call: Program, arguments: dict[str, Tensor]) -> dict[int, str]:
    """First run: element number -> the site that is observed from this element."""
    tracker = Tracker(OwnerAlgebra())
    owners: dict[int, str] = {}

    def settle(site: Site) -> Tensor:
        if site.observed:
            origin = tracker.origin(site.value)
            labels = origin.labels if isinstance(origin, Elements) else torch.tensor(origin)
            for number in set(labels.reshape(-1).tolist()):
                if number > 0:
                    owners.setdefault(number, site.name)
        return site.value

    try:
        for tensor, numbers in _numbered(arguments).values():
            tracker.mark(tensor, normal(tracker.algebra, numbers))
        call.run(OriginMode(tracker), Recorder(tracker, settle))
    finally:
        tracker.close()
    return owners


def _numbered(arguments: dict[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
    """Numbers for the elements of every argument, from 1 on."""
    result, start = {}, 1
    for path, tensor in arguments.items():
        stop = start + tensor.numel()
        result[path] = (tensor, torch.arange(start, stop).reshape(tensor.shape))
        start = stop
    return result


class _Run:
    """One run that follows values: its tracker, recorder and the Python values it took."""

    def __init__(self, call: Program, atoms: Atoms, arguments: dict[str, Tensor],
                 owners: dict[int, str], clamp: dict[str, Tensor] | None = None,
                 changes: dict | None = None):  # fmt: skip
        self.call, self.atoms, self.arguments, self.owners = call, atoms, arguments, owners
        self.tracker = Tracker(SetAlgebra(atoms))
        self.parameters: dict[str, Tensor] = {}
        self._values: set[int] = set()
        self.recorder = (
            Recorder(self.tracker, self._settle)
            if clamp is None
            else Clamped(self.tracker, clamp, self._settle)
        )
        self.recorder.on_parameter = self._parameter  # type: ignore[method-assign]
        self.clamp = clamp
        self.listener = Listener(self.tracker, self.recorder, changes)

    def _settle(self, site: Site) -> Tensor:
        value = site.value
        if self.clamp is not None and site.kind == "deterministic":
            hold(value, self.clamp.get(site.name))
        if id(value) in self._values:  # another site's tensor: this site gets a view of its own
            value = site.value = value.view_as(value)
        self._values.add(id(value))
        stand = self.tracker.mark if site.drawn else self.tracker.stand_for
        stand(value, self.atoms.bit(Source("site", site.name)))
        return value

    def _parameter(self, name: str, value: Tensor) -> None:
        self.parameters[name] = value
        self.tracker.mark(value, self.atoms.bit(Source("parameter", name)))

    def go(self) -> None:
        """Run the program; its marks are removed at the end."""
        try:
            for path, (tensor, numbers) in _numbered(self.arguments).items():
                origin = _argument(self.tracker.algebra, self.atoms, path, numbers, self.owners)
                self.tracker.mark(tensor, origin)
                self.tracker.arguments.add(address(tensor))
            if isinstance(self.call.model, torch.nn.Module):
                for name, parameter in self.call.model.named_parameters():
                    self._parameter(name, parameter)
            mode = OriginMode(self.tracker, self.listener)
            self.recorder.pause = mode.pause
            self.call.run(mode, self.recorder)
        finally:
            self.tracker.close()


def _graph(call: Program, arguments: dict[str, Tensor], owners: dict[int, str]) -> nx.DiGraph:
    """Second run: follow every value and build the graph; more runs where Python values matter."""
    atoms = Atoms()
    run = _Run(call, atoms, arguments, owners)
    run.go()
    sites = run.recorder.sites
    if not sites:
        raise NoSites(
            f"{describe(call.model, call.args, call.kwargs)} ran to its end without a "
            "pyro.sample, pyro.deterministic or pyro.factor; is it the right function?"
        )
    findings = Findings()
    if run.listener.taken:
        values = {name: site.value.detach() for name, site in sites.items()}
        findings = _decisions(run, values)
    return build(sites, atoms, arguments, run.parameters, findings.arrows, findings.partial)


def _decisions(run: _Run, values: dict[str, Tensor]) -> Findings:
    """Which sites hang on the Python values that the program took."""

    def clamped(changes: dict) -> tuple[_Run, bool]:
        again = _Run(run.call, run.atoms, run.arguments, run.owners, values, changes)
        try:
            again.go()
        except Exception:  # the program's own, at an answer that it never meant to get
            return again, True
        return again, False

    base, raised = clamped({})
    if raised:
        return Findings(partial=True)
    known = base.recorder.signatures

    def parents(site: Site) -> set[tuple[str, str]]:
        return {(s.kind, s.name) for s in run.atoms.members(site.parents)}

    def rerun(changes: dict) -> Outcome:
        again, raised = clamped(changes)
        there, signatures = again.recorder.sites, again.recorder.signatures
        moved = {n for n in there if n in known and not same(known[n], signatures[n])}
        seen = set(there)
        if not raised:
            moved |= known.keys() - there.keys()
            seen |= known.keys()
        restructured = (not raised and there.keys() != known.keys()) or any(
            parents(there[n]) != parents(base.recorder.sites[n]) for n in there if n in known
        )
        return Outcome(moved, seen, raised, restructured)

    return decide(base.listener.taken, list(run.recorder.sites), rerun)


def _argument(
    algebra: Algebra, atoms: Atoms, path: str, numbers: Tensor, owners: dict[int, str]
) -> int | Elements:
    """The origin of an argument: each element is the site that is observed from it, or the input."""
    whole = atoms.bit(Source("input", path))
    if not owners:
        return whole
    first = int(numbers.min()) if numbers.numel() else 0
    labels = torch.full((numbers.numel(),), algebra.label(whole), dtype=torch.long)
    for number, site in owners.items():
        if 0 <= number - first < len(labels):
            labels[number - first] = algebra.label(atoms.bit(Source("data", site, path)))
    return normal(algebra, labels.reshape(numbers.shape))
