"""A run in which every site is held at the value it had, and some answers are changed."""

import zlib
from typing import Any, NamedTuple

import torch
from pyro.poutine.util import site_is_subsample
from torch import Tensor

from pgm_rnn.extraction.recorder import Recorder, Site, cut, parts
from pgm_rnn.extraction.run import Run
from pgm_rnn.extraction.values import Change, Key, Listener


class Signature(NamedTuple):
    """What tells whether a site has moved: the tensors of its distribution, and its `obs=`."""

    made_of: tuple = ()
    seen: tuple = ()


class ClampedRun(Run):
    """A run of the same program as `run`, with its sites held at `values`."""

    recorder: "Clamped"

    def __init__(self, run: Run, values: dict[str, Tensor], changes: dict[Key, Change]):
        self.values, self.drawn = values, run.recorder.subsamples
        super().__init__(run.call, run.atoms, run.arguments, run.owners)
        self.listener = Listener(self.tracker, self.recorder, changes)
        self.raised = False

    def make_recorder(self) -> Recorder:
        return Clamped(self.values, self.drawn, self.tracker, self.settle)

    def settle(self, site: Site) -> Tensor:
        if site.kind == "deterministic":
            _hold(site.value, self.values.get(site.name))
        return super().settle(site)

    def go(self) -> None:
        try:
            super().go()
        except Exception:  # the program's own, at an answer that it never meant to get
            self.raised = True

    def parents(self, site: str) -> set[tuple[str, str]]:
        """The sources of a site's distribution, whatever letters they met."""
        members = self.atoms.members(self.recorder.sites[site].parents)
        return {(source.kind, source.name) for source in members}


class Clamped(Recorder):
    """Holds every site at the value it had, and keeps what its distribution is made of."""

    def __init__(self, values: dict[str, Tensor], drawn: dict[str, Any], *args: Any):
        super().__init__(*args)
        self.drawn = drawn  # the indices of subsampling plates
        self.values = values
        self.signatures: dict[str, Signature] = {}

    def _pyro_sample(self, msg: Any) -> None:
        super()._pyro_sample(msg)
        torch.default_generator.manual_seed(zlib.crc32(str(msg["name"]).encode()))
        if msg["name"] in self.drawn and site_is_subsample(msg):
            msg["value"] = self.drawn[msg["name"]]
            return
        held = self.values.get(msg["name"])
        if held is not None and msg["value"] is None and msg["fn"].shape() == held.shape:
            msg["value"] = held.view_as(held)

    def finished(self, msg: Any) -> None:
        signature = Signature()
        if msg["type"] == "sample" and not cut(msg):  # nothing moves a site under poutine.do
            # what the program observes a site with counts too: `obs=` may hang on a decision
            seen = [msg["value"]] if msg["is_observed"] else []
            made_of = (*parts(msg["fn"]), msg["mask"], msg["scale"], type(msg["fn"]).__name__)
            signature = Signature(tuple(map(_content, made_of)), tuple(map(_content, seen)))
        count = len(self.sites)
        super().finished(msg)  # puts a deterministic value back, so the signature came first
        torch.default_generator.manual_seed(zlib.crc32(str(msg["name"]).encode()) ^ 1)
        if len(self.sites) > count and self.last is not None:
            self.signatures[self.last] = signature


def _content(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def same(a: Signature, b: Signature) -> bool:
    """Are two signatures equal, NaN being equal to NaN?"""
    return same_values(a.made_of, b.made_of) and same_values(a.seen, b.seen)


def same_values(a: tuple, b: tuple) -> bool:
    """Are two lists of tensors and other values equal, NaN being equal to NaN?"""
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            if x.shape != y.shape or x.dtype != y.dtype:
                return False
            if not torch.equal(x, y) and not bool(((x == y) | ((x != x) & (y != y))).all()):
                return False
        elif isinstance(x, Tensor) or isinstance(y, Tensor) or x != y:
            return False
    return True


def _hold(value: Tensor, held: Tensor | None) -> None:
    """Put a deterministic site back to the value it had, also under the program's own name."""
    if held is not None and held.shape == value.shape and not torch.equal(held, value):
        with torch.no_grad():
            value.detach().copy_(held)
