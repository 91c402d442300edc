"""Checks of option values, each with a message that says what is allowed."""

import math
from collections.abc import Iterable
from difflib import get_close_matches

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


def huge(n: int) -> str:
    """A count for people: its digits, or its order where they would be too many.

    >>> huge(1234), huge(3**100)
    ('1,234', 'about 10^47')
    """
    return f"{n:,}" if n < 10**18 else f"about 10^{int(n.bit_length() * math.log10(2))}"


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """`value` if it is one of `allowed`, else BadOption."""
    allowed = tuple(allowed)
    if value not in allowed:
        close = get_close_matches(str(value), allowed, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise BadOption(
            f"{name} = {value!r} should be one of {', '.join(map(repr, allowed))}{hint}"
        )
    return str(value)
