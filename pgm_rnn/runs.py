"""A fitted figure in a folder: made by `fit(..., out=FOLDER)`, loaded here."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pgm_rnn.catalog import figure
from pgm_rnn.errors import CheckpointError
from pgm_rnn.fitting import checkpoint
from pgm_rnn.sequences import Program


@dataclass(frozen=True)
class Run:
    """A fitted program, and the characters its symbols stand for (None: plain numbers)."""

    figure: str
    model: Program
    symbols: str | None
    done: bool  # False for a fit that was broken off: run it again to take it up
    outcome: dict[str, Any]  # losses in nats per step


def load(folder: str | Path) -> Run:
    """The program that a folder holds. Raises CheckpointError.

    A fit that was broken off gives its last saved parameters.
    """
    path = Path(folder) / checkpoint.NAME
    record = checkpoint.read(path)
    try:
        about = dict(record["about"])
        name, kind = about.pop("figure"), about.pop("dtype")
        net = figure(name, **about).model
        assert isinstance(net, Program)
        net.to(getattr(torch, kind.removeprefix("torch.")))
        net.load_state_dict(record["net"])
        symbols = record["note"].get("symbols")
        return Run(name, net, symbols, record["done"], record.get("outcome", {}))
    except (KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise CheckpointError(f"{path} lacks a part: {error}. Fit anew") from error
