"""The catalogue: finds a figure's program and its reference by name.

This is the only room that knows where programs and references are: a program `fig_10_8` in the
models belongs to the reference `fig_10_8.json` in the figures.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any

from pgm_rnn.errors import BadOption, UnknownFigure
from pgm_rnn.reference import Reference, parse

_MODELS = "pgm_rnn.models"
_FIGURES = "pgm_rnn.figures"


@dataclass(frozen=True)
class Figure:
    """A figure: its program with parameters of its own, and what the book draws."""

    name: str
    stem: str  # of its reference and pictures: figures/reference/STEM.json
    reference: Reference
    model: Callable = field(repr=False)  # a seeded nn.Module: model(y=None, x=None)
    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@cache
def names(part: str | None = None) -> dict[str, str]:
    """Figure name -> stem of its files, in the book's order; of one part, or of all.

    The parts: "section" (the figures of sections 10.2.3 and 10.2.4, of one length tau), "length"
    (the section's rules for when to stop) and "chapter" (the other figures of chapter 10).
    """
    found: dict[str, str] = {}
    for file in _reference_files():
        stem = file.name.removesuffix(".json")
        ref = _reference(stem)
        if part in (None, ref.part):
            found.setdefault(ref.figure, stem)  # "fig_10_9" before "fig_10_9_both"
    return dict(sorted(found.items(), key=_book_order))


def variants(part: str | None = None) -> list[tuple[str, str]]:
    """(figure, entry) of every reference of a part: fig 10.9 has three ways in for x."""
    stems = [f.name.removesuffix(".json") for f in _reference_files()]
    found = []
    for name, stem in names(part).items():
        entries = getattr(program(stem), "ENTRIES", ("input",))
        found += [(name, e) for e in entries if e == "input" or f"{stem}_{e}" in stems]
    return found


def _reference_files() -> list[Traversable]:
    files = resources.files(_FIGURES).joinpath("reference").iterdir()
    return sorted((f for f in files if f.name.endswith(".json")), key=lambda f: f.name)


def _book_order(item: tuple[str, str]) -> tuple:
    digits = item[0].split(".")
    return (0, *map(int, digits)) if all(d.isdigit() for d in digits) else (1, item[0])


def reference(name: str, entry: str = "input") -> Reference:
    """What the book draws as figure `name`. Raises UnknownFigure with close names."""
    stem = _stem(name)
    return _reference(stem if entry == "input" else f"{stem}_{entry}")


@cache
def _reference(stem: str) -> Reference:
    file = resources.files(_FIGURES).joinpath("reference", f"{stem}.json")
    return parse(file.read_text(encoding="utf-8"), f"{stem}.json")


def _stem(name: str) -> str:
    known = names()
    plain = str(name).removeprefix("fig").strip(" _").replace("_", ".")
    if plain not in known:
        raise UnknownFigure(name, known)
    return known[plain]


def figure(
    name: str,
    *,
    tau: int = 5,
    k: int = 3,
    hidden: int = 8,
    cell: str = "tanh",
    output: str = "categorical",
    state: str = "real",
    entry: str = "input",
    x_dim: int = 2,
    seed: int = 0,
) -> Figure:
    """A figure of the catalogue, its program bound to a seeded module of parameters.

    `tau` steps, `k` symbols, `hidden` units (a finite state has three values instead); `cell` is
    "tanh" (eq 10.9) or "relu"; `output` is "categorical", "bernoulli", "normal" or "laplace";
    `state` is "real" or "finite" (a random function, for exact demonstrations); `entry` says how
    a fixed x enters fig 10.9: "input", "initial" or "both" (fig 10.6: "input", train time, "test";
    fig 10.13: "input", "mlp", "skip"); `x_dim` is the width of x where it is
    a vector of numbers. An option that a figure has no part
    for is not used there. Parameters are float64 and depend on `seed` alone.

    Raises UnknownFigure, BadOption, and TooLarge for a table that would not fit.

    >>> f = figure("10.8", tau=3)
    >>> sorted(name for name, _ in f.model.named_parameters())
    ['U', 'V', 'W', 'b', 'c']
    """
    from pgm_rnn.sequences import Program

    stem = _stem(name)
    module = program(stem)
    ref = _reference(stem)
    outputs = getattr(module, "OUTPUTS", None)
    if outputs is not None and output not in outputs:
        reason = getattr(module, "REASON", "")
        raise BadOption(
            f"output = {output!r}: {module.TITLE} knows only {', '.join(outputs)}"
            + (f": {reason}" if reason else "")
        )
    entries = getattr(module, "ENTRIES", ("input",))
    if entry not in entries:
        raise BadOption(
            f"entry = {entry!r} in fig {ref.figure} should be one of {', '.join(entries)}"
        )
    states = getattr(module, "STATES", ("real", "finite"))
    if state not in states and state in ("real", "finite"):
        raise BadOption(f"state = {state!r}: {module.TITLE} knows only {', '.join(states)}")
    length = getattr(module, "LENGTH", None)
    bound = Program(
        module.model,
        module.parameters,
        title=module.TITLE,
        tau=tau,
        k=k,
        hidden=hidden,
        cell=cell,
        output_family=output,
        state=state,
        seed=seed,
        inputs=getattr(module, "INPUTS", None),
        x_dim=x_dim,
        entry=entry,
        figure=ref.figure,
        length=length,
        x_steps=getattr(module, "x_steps", None),
    )
    if entry != "input":
        stem = f"{stem}_{entry}"
    return Figure(ref.figure, stem, _reference(stem), bound, kwargs=_whole(bound))


def _whole(net: Any) -> dict[str, Any]:
    """A program that may end early is looked at along a sequence of its largest length."""
    import torch

    if net.length_rule is None:
        return {}
    kind = torch.float64 if net.output.symbols is None else torch.long
    return {"y": torch.zeros(1, net.tau, dtype=kind)}


def program(stem: str) -> ModuleType:
    """The module of a figure's program."""
    return import_module(f"{_MODELS}.{stem}")
