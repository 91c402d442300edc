"""What an experiment is: a claim, settings, a measurement, a plot."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Settings = dict[str, Any]
Tick = Callable[[str], None]  # called with a word at each stage of a measurement


@dataclass(frozen=True)
class Row:
    """One number that theory gives, beside the same number measured."""

    quantity: str
    theory: float
    measured: float
    tolerance: float
    rule: str = "equal"  # or "at most", "at least": what the measured number should be to theory
    unit: str = "nats per sequence"

    @property
    def holds(self) -> bool:
        """Whether the measured number is as theory says, up to the tolerance."""
        difference = self.measured - self.theory
        if self.rule == "at most":
            return difference <= self.tolerance
        if self.rule == "at least":
            return difference >= -self.tolerance
        return abs(difference) <= self.tolerance


@dataclass(frozen=True)
class Measured:
    """What one seed showed."""

    rows: tuple[Row, ...]
    series: dict[str, list[float]] = field(default_factory=dict)  # for the plot


@dataclass(frozen=True)
class Experiment:
    """A claim of the section and how it is measured.

    `measure(settings, seed, tick)` computes; `plot(record, ax)` draws a saved record. With the
    setting `mutate` the model is damaged as `mutation` says, and the claim should fail.
    """

    name: str
    claim: str
    about: str  # figure or equation
    seconds: int  # at full size on two cores
    settings: Settings
    small: Settings  # differences of a reduced setting, for tests
    mutation: str
    theory_from: str
    measured_from: str
    measure: Callable[[Settings, int, Tick], Measured]
    plot: Callable[[dict[str, Any], Any], Any]
    needs: str | None = None  # a module beyond the package's own requirements
