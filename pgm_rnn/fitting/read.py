"""Sequences from files: text with one a line, .npy and .npz."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import Tensor

from pgm_rnn.errors import DataError
from pgm_rnn.sequences.ends import padding


@dataclass(frozen=True)
class Sequences:
    """Data as tensors; `symbols` are the characters that the numbers of y stand for."""

    y: Tensor  # [batch, tau], padded with -1 (0.0 where real-valued)
    lengths: Tensor  # [batch]
    x: Tensor | None = None
    symbols: str | None = None


def read(path: str | Path, symbols: str | None = None, *, empty: bool = False) -> Sequences:
    """Sequences of a file. `symbols`: the characters to expect, by default those that occur.

    Text: a line is a sequence, a character a symbol. `.npy`: y [batch, tau]; `.npz`: y, and x and
    lengths if it has them; rows may be padded at the end, with -1 or, if real, NaN. `empty` rows
    are allowed for a program that can end before it begins. Raises DataError.
    """
    path = Path(path)
    try:
        if path.suffix in (".npy", ".npz"):
            return _arrays(path, empty)
        lines = path.read_text(encoding="utf-8").splitlines()
    except DataError:
        raise
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(
            f"cannot read {path}: {error}. Data is a text file with one sequence a line, or "
            ".npy or .npz"
        ) from None
    return _text(str(path), lines, symbols, empty)


def encode(lines: list[str], symbols: str, source: str = "the text", gap: str = "") -> Tensor:
    """Lines of one length as numbers of symbols, [batch, tau]; `gap` characters become -1."""
    if gap and gap in symbols:
        raise DataError(f"{gap!r} marks a gap and is a symbol too; fit on text without it")
    number = {symbol: i for i, symbol in enumerate(symbols)} | dict.fromkeys(gap, -1)
    rows = []
    for i, line in enumerate(lines, 1):
        for j, symbol in enumerate(line, 1):
            if symbol not in number:
                raise DataError(
                    f"{source}: line {i}, character {j} is {symbol!r}; the vocabulary is "
                    f"{symbols!r}"
                )
        rows.append(torch.tensor([number[symbol] for symbol in line], dtype=torch.long))
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-1)


def decode(y: Tensor, symbols: str | None) -> list[str]:
    """Rows of numbers as text, up to the padding; without symbols numbers and spaces."""
    rows = []
    for row in y.tolist():
        kept = [v for v in row if (v == v if y.is_floating_point() else v != -1)]
        if symbols is None:
            rows.append(" ".join(f"{v:.6g}" for v in kept))
        else:
            rows.append("".join(symbols[v] for v in kept))
    return rows


def _text(path: str, lines: list[str], symbols: str | None, empty: bool) -> Sequences:
    if not lines:
        raise DataError(f"{path} is empty; it should hold one sequence a line")
    for i, line in enumerate(lines, 1):
        if not line and not empty:
            raise DataError(
                f"{path}: line {i} is empty; every line should be a sequence (only an end symbol, "
                "--length eos, can give an empty one)"
            )
    found = symbols or "".join(sorted(set("".join(lines))))
    y = encode(lines, found, path)
    return Sequences(y, torch.tensor([len(line) for line in lines]), None, found)


def _arrays(path: Path, empty: bool) -> Sequences:
    with path.open("rb") as file:  # numpy leaves a damaged archive open
        loaded: Any = np.load(file, allow_pickle=False)
        arrays = {"y": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    unknown = sorted(set(arrays) - {"y", "x", "lengths"})
    if "y" not in arrays or unknown:
        raise DataError(f"{path} holds {', '.join(arrays)}; expected y, and x and lengths if any")
    if any(a.dtype.kind not in "biuf" for a in arrays.values()):
        raise DataError(f"{path} holds other things than numbers")
    y = torch.as_tensor(arrays["y"])
    if y.ndim != 2 or not len(y):
        raise DataError(f"{path}: y has shape {list(y.shape)}; expected [batch, tau]")
    x = torch.as_tensor(arrays["x"]) if "x" in arrays else None
    lengths = (
        torch.as_tensor(arrays["lengths"]) if "lengths" in arrays else _unpadded(y, path, empty)
    )
    return Sequences(y, lengths, x)


def _unpadded(y: Tensor, path: Path, empty: bool) -> Tensor:
    """The lengths of rows whose ends are -1, or NaN where they are real."""
    there = ~padding(y)
    lengths = there.sum(-1)
    inside = torch.arange(y.shape[1]) < lengths.unsqueeze(-1)
    wrong = (there != inside).any(-1) | ((lengths == 0) & (not empty))
    if wrong.any():
        row = int(wrong.nonzero()[0])
        raise DataError(
            f"{path}: sequence {row + 1} is empty or has a -1 before its end; -1 pads the end. "
            "Fill gaps with infill, after the fit"
        )
    return lengths
