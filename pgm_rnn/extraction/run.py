"""One run of a program in which every value is followed."""

import torch
from torch import Tensor

from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.elements import SetAlgebra
from pgm_rnn.extraction.mode import OriginMode
from pgm_rnn.extraction.owners import Owners, numbered, origin_of_argument
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Recorder, Site
from pgm_rnn.extraction.tracker import Tracker, address
from pgm_rnn.extraction.values import Listener


class Run:
    """One run that follows values: its tracker, recorder and the Python values it took."""

    def __init__(
        self, call: Program, atoms: Atoms, arguments: dict[str, Tensor], owners: Owners | None
    ):
        self.call, self.atoms, self.arguments, self.owners = call, atoms, arguments, owners
        self.algebra = SetAlgebra(atoms)
        self.tracker = self.make_tracker()
        self.parameters: dict[str, Tensor] = {}
        self.recorder = self.make_recorder()
        self.recorder.on_parameter = self._parameter  # type: ignore[method-assign]
        self.listener = Listener(self.tracker, self.recorder)
        self._values: set[int] = set()
        self._drawn: set[int | None] = set()  # the memory of drawn values

    def make_tracker(self) -> Tracker:
        """What follows this run's values."""
        return Tracker(self.algebra)

    def make_mode(self) -> OriginMode:
        """What sees this run's calls."""
        return OriginMode(self.tracker, self.listener)

    def make_recorder(self) -> Recorder:
        """The handler that watches this run's sites."""
        return Recorder(self.tracker, self.settle)

    def settle(self, site: Site) -> Tensor:
        """Let a finished site's value stand for the site from now on."""
        value = site.value
        within = not site.drawn and address(value) in self._drawn
        shared = (site.drawn or within) and address(value) in self.tracker.written
        if id(value) in self._values or shared:  # another's memory: this site gets its own
            value = site.value = value.clone()
        self._values.add(id(value))
        if site.drawn:
            self._drawn.add(address(value))
        stand = self.tracker.mark if site.drawn or within else self.tracker.stand_for
        stand(value, self.atoms.bit(Source("site", site.name)))
        return value

    def _parameter(self, name: str, value: Tensor) -> None:
        self.parameters[name] = value
        self.tracker.mark(value, self.atoms.bit(Source("parameter", name)))

    def go(self) -> None:
        """Run the program; its marks are removed at the end."""
        try:
            for path, (tensor, numbers) in numbered(self.arguments).items():
                origin = origin_of_argument(self.algebra, self.atoms, path, numbers, self.owners)
                self.tracker.mark(tensor, origin)
                self.tracker.arguments.add(address(tensor))
            if isinstance(self.call.model, torch.nn.Module):
                for name, parameter in self.call.model.named_parameters():
                    self._parameter(name, parameter)
            mode = self.make_mode()
            self.recorder.pause = mode.pause
            self.call.run(mode, self.recorder)
        finally:
            self.tracker.close()
