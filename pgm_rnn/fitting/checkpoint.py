"""Saved state of a fit: written whole or not at all, and read back with care."""

import io
from pathlib import Path
from typing import Any

import torch

from pgm_rnn.errors import CheckpointError, OutputError
from pgm_rnn.files import write

FORMAT = 1
NAME = "checkpoint.pt"


def save(path: Path, record: dict[str, Any]) -> None:
    """Replace the file at once: a kill or a full disk leaves the old one. Raises OutputError."""
    data = io.BytesIO()
    torch.save({"format": FORMAT, **record}, data)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make folder {str(path.parent)!r}: {error.strerror}") from None
    write(path, data.getvalue())


def read(path: Path) -> dict[str, Any]:
    """A saved record. Raises CheckpointError for a damaged or foreign file."""
    try:
        record = torch.load(path, weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(
            f"no file {path}; a run folder is made by pgm-rnn fit, or by fit(..., out=FOLDER)"
        ) from None
    except Exception as error:  # torch raises many kinds for bytes it cannot read
        what = ": ".join([type(error).__name__, *str(error).splitlines()[:1]])[:100]
        raise CheckpointError(f"{path} is damaged ({what}); delete it to fit anew") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of this version (format {FORMAT})")
    return record


def same(path: Path, saved: dict[str, Any], here: dict[str, Any], what: str) -> None:
    """Raise CheckpointError, naming the differences, unless two descriptions are equal."""
    differ = [key for key in here if saved.get(key) != here[key]]
    if differ:
        listed = ", ".join(
            f"{key} = {saved.get(key)!r} there, {here[key]!r} here" for key in differ
        )
        raise CheckpointError(f"{path} is of another {what}: {listed}. Use another folder")
