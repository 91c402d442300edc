"""Checks of option values, each with a message that says what is allowed."""

from collections.abc import Iterable

from pgm_rnn.errors import BadOption


def positive(name: str, value: object, least: int = 1) -> int:
    """`value` as an int of at least `least`, else BadOption."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadOption(f"{name} = {value!r} should be an integer of at least {least}")
    return value


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """`value` if it is one of `allowed`, else BadOption."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise BadOption(f"{name} = {value!r} should be one of {', '.join(map(repr, allowed))}")
    return str(value)
