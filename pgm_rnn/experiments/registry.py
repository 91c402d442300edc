"""The experiments by name."""

from importlib import import_module

from pgm_rnn.errors import UnknownName
from pgm_rnn.experiments.experiment import Experiment

_NAMES = (
    "cost", "independence-gap", "look-ahead", "any-causal-law", "sample-efficiency", "long-range",
    "optimisation-price", "stationarity", "lengths", "context", "caption", "infill",
    "belief-state", "gaussian-loss",
)  # fmt: skip


class UnknownExperiment(UnknownName):
    """An experiment that does not exist."""

    what = "experiment"


def names() -> tuple[str, ...]:
    """The experiments, in the order of the section."""
    return _NAMES


def find(name: str | Experiment) -> Experiment:
    """An experiment by name, or your own. Raises UnknownExperiment with close names."""
    if isinstance(name, Experiment):
        return name
    if name not in _NAMES:
        raise UnknownExperiment(name, _NAMES)
    module = import_module(f"pgm_rnn.experiments.{name.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return found
