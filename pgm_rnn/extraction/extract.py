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
from pgm_rnn.extraction.elements import Algebra, Elements, OwnerAlgebra, SetAlgebra, normal
from pgm_rnn.extraction.isolation import Surroundings, isolated
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.recorder import Recorder, Site, recording
from pgm_rnn.extraction.tracker import Tracker


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
            with recording(recorder), mode:
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


def _graph(call: Program, arguments: dict[str, Tensor], owners: dict[int, str]) -> nx.DiGraph:
    """Second run: follow every value and build the graph."""
    atoms = Atoms()
    tracker = Tracker(SetAlgebra(atoms))
    values: set[int] = set()

    def settle(site: Site) -> Tensor:
        value = site.value
        if id(value) in values:  # another site's tensor already: this site gets a view of its own
            value = site.value = value.view_as(value)
        values.add(id(value))
        tracker.mark(value, atoms.bit(Source("site", site.name)))
        return value

    recorder = Recorder(tracker, settle)
    known: dict[str, Tensor] = {}

    def on_parameter(name: str, value: Tensor) -> None:
        known[name] = value
        tracker.mark(value, atoms.bit(Source("parameter", name)))

    recorder.on_parameter = on_parameter  # type: ignore[method-assign]
    try:
        for path, (tensor, numbers) in _numbered(arguments).items():
            tracker.mark(tensor, _argument(tracker.algebra, atoms, path, numbers, owners))
        if isinstance(call.model, torch.nn.Module):
            for name, parameter in call.model.named_parameters():
                on_parameter(name, parameter)
        call.run(OriginMode(tracker), recorder)
        if not recorder.sites:
            raise NoSites(
                f"{describe(call.model, call.args, call.kwargs)} ran to its end without a "
                "pyro.sample, pyro.deterministic or pyro.factor; is it the right function?"
            )
        return build(recorder.sites, atoms, arguments, known)
    finally:
        tracker.close()


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
