"""The graphical model that a Pyro program really is.

`import pgm_rnn` loads neither torch nor pyro: each public name below is found when it is
first used, in the room that the table names.
"""

from importlib import import_module
from typing import Any

_ROOMS = {
    "pgm_rnn.catalog": ["Figure", "figure"],
    "pgm_rnn.drawing": ["Drawing", "draw"],
    "pgm_rnn.errors": [
        "AmbiguousNode", "BadOption", "CheckpointError", "CrossingWarning", "DataError",
        "DuplicateSite", "GraphError",
        "LeakWarning", "MalformedReference", "NoSites", "OutputError", "PgmError", "PgmWarning",
        "ProgramError", "TargetError", "TooLarge", "UnknownFigure", "UnknownName", "UnknownNode",
    ],
    "pgm_rnn.extraction": ["Line", "Report", "extract", "unroll", "verifier", "verify", "why"],
    "pgm_rnn.fitting": ["Fitted", "fit", "log_prob", "sample"],
    "pgm_rnn.graph": ["sites"],
    "pgm_rnn.graph_json": ["from_json", "read_json", "to_json"],
    "pgm_rnn.missing": ["Infilled", "infill"],
    "pgm_rnn.numbers": ["Joint", "joint"],
    "pgm_rnn.reference": ["Comparison", "Reference", "compare"],
    "pgm_rnn.rendering": ["render_model"],
    "pgm_rnn.separation": [
        "Independence", "Separations", "Verdict", "Witness", "determined", "independencies",
        "markov_blanket", "minimal_separator", "separated", "separations", "witness",
    ],
    "pgm_rnn.sequences": ["LengthLaw", "VariableLength", "length_distribution"],
    "pgm_rnn.transform": ["fold", "marginalise", "merge", "substitute"],
}  # fmt: skip

_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_HOME)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "experiments":  # a room that is spoken of by name
        return import_module("pgm_rnn.experiments")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
