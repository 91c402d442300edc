"""Watches a running program's named sites and notes where each one's value comes from."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyro.poutine.runtime
import pyro.primitives
import torch
from pyro.distributions import ImproperUniform
from pyro.poutine.messenger import Messenger
from pyro.poutine.util import site_is_subsample
from torch import Tensor
from torch.distributions import Distribution, Transform, constraints, transform_to

from pgm_rnn.errors import DuplicateSite
from pgm_rnn.extraction.tracker import Tracker

_REACHED = "_pgm_reached"


@dataclass
class Site:
    """One named site of a run."""

    name: str
    kind: str
    observed: bool
    distribution: str | None
    plates: tuple[str, ...]
    value: Tensor = field(repr=False)
    drawn: bool  # by the distribution's own sampler, not handed over by the program
    parents: int = 0  # origin of its distribution
    observation: int = 0  # origin of the value given by obs=


class Recorder(Messenger):
    """The outermost handler of a run: sees each site that no handler hides."""

    def __init__(self, tracker: Tracker, settle: Callable[[Site], Any]):
        super().__init__()
        self.tracker = tracker
        self.settle = settle  # called with each finished site, before its value is handed over
        self.sites: dict[str, Site] = {}
        self.parameters: dict[str, Tensor] = {}
        self.constraints: dict[str, Any] = {}  # of parameters that have one
        self.subsamples: dict[str, Any] = {}  # plate -> the indices it drew
        self.last: str | None = None  # the site that finished last
        self._observed: set[int] = set()
        self._plates_below_do: dict[str, tuple] = {}
        self.pause: Callable[[bool], None] = lambda _: None  # told around a site's own sampling

    # -- Pyro's side ---------------------------------------------------------------------------

    def _pyro_sample(self, msg: Any) -> None:
        msg[_REACHED] = True
        if msg.get("_intervener_id") is not None:  # seen once more below `do`, inside its plates
            self._plates_below_do[msg["name"]] = msg["cond_indep_stack"]
        if msg["value"] is None and isinstance(base(msg["fn"]), ImproperUniform):
            msg["value"] = _start(msg["fn"])

        self.pause(True)

    def _pyro_post_sample(self, msg: Any) -> None:
        self.pause(False)
        if site_is_subsample(msg):
            self.subsamples[msg["name"]] = msg["value"]

    def _pyro_param(self, msg: Any) -> None:
        msg[_REACHED] = True

    def finished(self, msg: Any) -> None:
        """Take a message that all handlers are done with."""
        if msg["type"] == "sample":
            self._sample(msg)
        elif msg["type"] == "param" and msg.get(_REACHED) and isinstance(msg["value"], Tensor):
            self.parameters[msg["name"]] = msg["value"]
            constraint = (msg["kwargs"] or {}).get("constraint")
            if constraint is not None and constraint is not constraints.real:
                self.constraints[msg["name"]] = constraint
            self.on_parameter(msg["name"], msg["value"])

    def on_parameter(self, name: str, value: Tensor) -> None:
        """Told of every parameter that the program reads."""

    def _sample(self, msg: Any) -> None:
        name, is_cut = msg["name"], cut(msg)
        frames = msg["cond_indep_stack"]
        if is_cut:
            name = name.removesuffix("__CF")
            frames = self._plates_below_do.get(name, frames)
        elif not msg.get(_REACHED):
            return
        if site_is_subsample(msg) or not isinstance(msg["value"], Tensor):
            return
        if name in self.sites:
            raise DuplicateSite(
                f"two sites are named {name!r}; give every pyro.sample and pyro.deterministic "
                f'of one run a name of its own, for example f"{name}_{{t}}" in a loop'
            )
        fn = base(msg["fn"])
        kind = _KINDS.get(type(fn).__name__, "stochastic")
        value = msg["value"]
        site = Site(
            name=name,
            kind=kind,
            observed=bool(msg["is_observed"]) and kind == "stochastic" and not is_cut,
            distribution=type(fn).__name__ if kind == "stochastic" else None,
            plates=tuple(frame.name for frame in frames),
            value=value,
            drawn=not msg["is_observed"],
        )
        if not is_cut:
            # the same data seen by two sites is no arrow
            fresh = msg["is_observed"] and id(value) not in self._observed
            self.note_sources(site, msg, fresh)
            if site.observed:
                self._observed.add(id(value))  # kept alive by its site
        self.sites[name] = site
        self.last = name
        msg["value"] = self.settle(site)

    def note_sources(self, site: Site, msg: Any, fresh: bool) -> None:
        """Note where a site comes from; with `fresh` also what it is observed with."""
        site.parents = self.tracker.union([*parts(msg["fn"]), msg["mask"], msg["scale"]])
        if fresh:
            site.observation = self.tracker.union([site.value])


def cut(msg: Any) -> bool:
    """Is the site under `poutine.do`? Then no arrow goes into it."""
    return msg.get("_intervener_id") is not None and msg["name"].endswith("__CF")


_KINDS = {"Delta": "deterministic", "Unit": "factor"}


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Let `recorder` see every message after all handlers, `poutine.do` included."""
    modules: tuple[Any, ...] = (pyro.poutine.runtime, pyro.primitives)
    original = pyro.poutine.runtime.apply_stack

    def apply_stack(msg: Any) -> None:
        original(msg)
        with torch._C.DisableTorchFunction():  # our own calls are none of the program's
            recorder.finished(msg)

    for module in modules:
        module.apply_stack = apply_stack
    try:
        with recorder:
            yield
    finally:
        for module in modules:
            module.apply_stack = original


def base(fn: Any) -> Any:
    """The distribution below `to_event`, `expand` and `mask`."""
    while hasattr(fn, "base_dist") and type(fn).__name__ in _WRAPPERS:
        fn = fn.base_dist
    return fn


_WRAPPERS = {"Independent", "MaskedDistribution", "ExpandedDistribution", "ReshapedDistribution"}


def parts(fn: Any) -> list[Tensor]:
    """The tensors that a distribution is made of, through mixtures, transforms and modules."""
    found: list[Tensor] = []
    seen: set[int] = set()
    todo = [fn]
    while todo:
        value = todo.pop()
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, torch.Size):
            continue
        elif isinstance(value, (list, tuple)):
            todo.extend(value)
        elif isinstance(value, dict):
            todo.extend(value.values())
        elif isinstance(value, torch.nn.Module):
            if id(value) not in seen:
                seen.add(id(value))
                todo.extend([*value.parameters(), *value.buffers()])
                todo.extend(vars(value).values())
        elif isinstance(value, _MADE_OF) and id(value) not in seen:
            seen.add(id(value))
            todo.extend(vars(value).values())
    return found


_MADE_OF = (Distribution, Transform, constraints.Constraint)


def _start(fn: Any) -> Tensor:
    """A value in the support of a distribution that has no sampler."""
    support = base(fn).support
    while isinstance(support, constraints.independent):
        support = support.base_constraint
    unconstrained = torch.zeros(fn.batch_shape + fn.event_shape)
    value: Tensor = transform_to(support)(unconstrained)
    return value
