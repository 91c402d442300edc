"""The table of idioms: each is one small function with a name, entered by a decorator.

A value idiom gets the writer and two lists of Python expressions: those of its sources, every
one of which reaches the child, and those of decoys, none of which does. All are float tensors
of the writer's `shape`; so is the expression that the idiom returns. With `raw="scalar"` the
first source is a single number of any type instead, with `raw="int"` a small integer.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Idiom:
    """One way of writing an arrow, or something that looks like one.

    `flat` idioms need a child outside all vectorised plates. `discrete` ones change their
    result with every change of a source, so that enumeration can see them. `module` names the
    class of a module that the idiom uses.
    """

    name: str
    write: Callable
    sources: tuple[int, int] = (1, 1)
    decoys: tuple[int, int] = (0, 0)
    raw: str = ""
    flat: bool = False
    discrete: bool = True
    module: str = ""
    weight: float = 1.0


VALUES: dict[str, Idiom] = {}
DISTRACTORS: dict[str, Idiom] = {}


def value(**options):
    """Enter a function as a value idiom under its own name."""
    return _enter(VALUES, options)


def distractor(**options):
    """Enter a function that uses decoys without any of them reaching the child."""
    return _enter(DISTRACTORS, {"sources": (0, 0), "decoys": (1, 1)} | options)


def _enter(table: dict[str, Idiom], options: dict):
    def enter(function: Callable) -> Callable:
        if function.__name__ in table:
            raise ValueError(f"two idioms are called {function.__name__!r}")
        table[function.__name__] = Idiom(function.__name__, function, **options)
        return function

    return enter
