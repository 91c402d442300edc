"""Checks of option values, each with a message that says what is allowed."""

import math
from collections.abc import Iterable

from pgm_rnn.errors import BadOption


def positive(name: str, value: object, least: int = 1) -> int:
    """`value` as an int of at least `least`, else BadOption."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadOption(f"{name} = {value!r} should be an integer of at least {least}")
    return value


def number(name: str, value: object, least: float = 0.0, *, above: bool = True) -> float:
    """`value` as a finite number above `least` (`above` false: or equal to it), else BadOption."""
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not fits or value < least or (above and value == least):  # type: ignore[operator]
        limit = f"above {least:g}" if above else f"of at least {least:g}"
        raise BadOption(f"{name} = {value!r} should be a number {limit}")
    return float(value)  # type: ignore[arg-type]


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """`value` if it is one of `allowed`, else BadOption."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise BadOption(f"{name} = {value!r} should be one of {', '.join(map(repr, allowed))}")
    return str(value)
