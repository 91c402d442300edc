"""Is this data that a program can read? Said before anything runs."""

import torch
from torch import Tensor

from pgm_rnn.errors import BadOption, DataError
from pgm_rnn.options import number
from pgm_rnn.sequences import Program, steps
from pgm_rnn.sequences.ends import lengths as lengths_of
from pgm_rnn.sequences.variable import FIRST


def program(net: object) -> Program:
    """`net` if it is a figure's program, else BadOption."""
    if not (isinstance(net, Program) and net.length_rule is not None):
        steps(net)  # type: ignore[arg-type]
    assert isinstance(net, Program)
    return net


def tensor(name: str, value: object) -> Tensor:
    """`value` as a tensor of numbers, else DataError."""
    try:
        found = torch.as_tensor(value)
        if found.is_complex():
            raise TypeError("complex numbers")
        plain = found.is_floating_point() or found.dtype in (torch.int64, torch.int32)
        return found if plain else found.long()  # bools and short integers
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(f"{name} should be a tensor of numbers: {error}") from None


def data(
    net: Program, y: object, x: object, lengths: object
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """y [batch, tau], x and the true lengths as a program reads them; padding becomes 0."""
    y = tensor("y", y)
    first = 1 if net.length_rule is None else FIRST[net.length_rule]
    if lengths is None and net.length_rule is not None and y.ndim == 2:
        lengths = lengths_of(y)  # padding says it
    if lengths is not None and y.ndim == 2:
        lengths = true_lengths(y, lengths, first)
        y = torch.where(counted(y, lengths), y, torch.zeros_like(y))
    y = sequences(net, y)
    return y, context(net, x, y), None if lengths is None else true_lengths(y, lengths, first)


def counted(y: Tensor, lengths: Tensor) -> Tensor:
    """Which steps count: t <= length, [batch, tau]."""
    return torch.arange(y.shape[1]) < lengths.unsqueeze(-1)


def sequences(net: Program, y: object, *, gaps: bool = False) -> Tensor:
    """`y`, [batch, up to tau], of symbols or numbers that the program knows; `gaps`: -1 or NaN too.

    Raises DataError.
    """
    y = tensor("y", y)
    if y.ndim != 2:
        raise DataError(
            f"y has shape {list(y.shape)}; expected [batch, tau]: one row a sequence"
            + (" (y.unsqueeze(0) is a batch of one)" if y.ndim == 1 else "")
        )
    if not len(y) or not y.shape[1]:
        raise DataError(f"y has shape {list(y.shape)}: there is no sequence, or only empty ones")
    if y.shape[1] > net.tau:
        raise DataError(
            f"y has {y.shape[1]} steps and {net.title} was made with tau = {net.tau}; "
            f'make it longer: pgm_rnn.figure("{net.figure}", tau={y.shape[1]})'
        )
    missing = torch.isnan(y) if y.is_floating_point() else y == -1
    if net.output.symbols is not None:
        missing = missing | (y == -1)
        wrong = ((y != y.round()) | (y < 0) | (y >= net.output.symbols)) & ~(missing & gaps)
        allowed = f"symbols are 0 .. {net.output.symbols - 1}"
    else:
        wrong = ~torch.isfinite(y) & ~(missing & gaps)
        allowed = "numbers must be finite"
    if wrong.any():
        row, t = map(int, wrong.nonzero()[0])
        raise DataError(
            f"y[{row}, {t}] = {y[row, t].item()!r} (sequence {row + 1}, step {t + 1}): {allowed}"
            + (", -1 marks a gap" if gaps else "")
        )
    if net.output.symbols is None:
        return y.to(net.dtype)
    return torch.where(missing, -1, y).long() if gaps else y.long()


def context(net: Program, x: object, y: Tensor | None, batch: int | None = None) -> Tensor | None:
    """`x` as the program reads it. Raises DataError where it is missing, extra or misshapen."""
    if net.inputs is None:
        if x is not None:
            raise DataError(f"{net.title} reads no x; figs 10.3, 10.4, 10.9 and 10.10 do")
        return None
    width = [] if net.finite else [net.x_dim]
    tau = net.tau if y is None else y.shape[1]
    count = batch if y is None else len(y)
    wanted = [count, *([tau] if net.inputs == "sequence" else []), *width]
    if x is None:
        raise DataError(f"{net.title} is a model of y given x: pass x, shape {_text(wanted)}")
    x = tensor("x", x)
    each = net.inputs == "sequence" and y is not None and x.ndim == len(wanted)
    if each and x.shape[1] != tau:
        raise DataError(
            f"x has {x.shape[1]} steps and y has {tau}: {net.title} needs one x for each y "
            "(the restriction of figs 10.3 and 10.10: both sequences have the same length). "
            "A vector for the whole sequence is fig 10.9"
        )
    if list(x.shape) != wanted:
        raise DataError(f"x has shape {list(x.shape)}; expected {_text(wanted)}")
    if net.finite:
        if ((x < 0) | (x >= net.k) | (x != x.round())).any():
            raise DataError(f"x holds values other than the symbols 0 .. {net.k - 1}")
        return x.long()
    if not torch.isfinite(x).all():
        place = [int(i) for i in (~torch.isfinite(x)).nonzero()[0]]
        raise DataError(f"x{place} = {x[tuple(place)].item()!r}: numbers must be finite")
    return x.to(net.dtype)


def true_lengths(y: Tensor, lengths: object, first: int = 1) -> Tensor:
    """How many steps of each row count, [batch] of `first` .. tau. Raises DataError."""
    found = tensor("lengths", lengths)
    if list(found.shape) != [len(y)] or found.is_floating_point():
        raise DataError(f"lengths has shape {list(found.shape)}; expected {len(y)} whole numbers")
    bad = (found < first) | (found > y.shape[1])
    if bad.any():
        row = int(bad.nonzero()[0])
        raise DataError(
            f"lengths[{row}] = {int(found[row])}: a sequence has {first} to {y.shape[1]} steps "
            "here" + ('; only an end symbol, figure("eos"), can give an empty one' if first else "")
        )
    return found.long()


def share(name: str, value: float) -> float:
    """A share of the data, 0 <= value < 1, else BadOption."""
    if number(name, value, above=False) >= 1:
        raise BadOption(f"{name} = {value!r} should be a share: 0 or more, less than 1")
    return float(value)


def _text(shape: list) -> str:
    return "[" + ", ".join("batch" if n is None else str(n) for n in shape) + "]"
