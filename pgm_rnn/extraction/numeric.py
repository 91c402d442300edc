"""Steps that went through an operation without a rule: each is nudged, in float64.

Provenance says of such an operation that every output may come from every input. So each step
that went in is changed alone, everything else held, and the steps that move hang on it. Numbers
can hide an arrow here (an influence below float64) but never invent one.
"""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction import steps as along_time
from pgm_rnn.extraction.arguments import named_arguments
from pgm_rnn.extraction.atoms import Source
from pgm_rnn.extraction.clamped import same_values
from pgm_rnn.extraction.data import other_contents, pieces
from pgm_rnn.extraction.doubled import doubled
from pgm_rnn.extraction.nudged import NudgedRun, first_values
from pgm_rnn.extraction.nudges import other_values
from pgm_rnn.extraction.owners import Owners, source_mask
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import parts
from pgm_rnn.extraction.unrolled_run import UnrolledRun

Pair = tuple[str, str]
Place = tuple[str, int | None]  # a site, and which of its steps (from 0), None for all of it

TRIES = 4  # other values of each step


@dataclass(frozen=True)
class Confirmed:
    """(parent, child) pairs of steps that only an operation without a rule joins."""

    numeric: frozenset[Pair] = frozenset()  # a nudge has moved the child
    still: frozenset[Pair] = frozenset()  # no nudge has


def confirm(
    call: Program,
    run: UnrolledRun,
    owners: Owners | None,
    places: Mapping[str, Place],
    wanted: Mapping[Source, set[str]],
) -> Confirmed:
    """Nudge the sources in `wanted`, and see which of their supposed children move."""
    if not wanted:
        return Confirmed()
    values, drawn = first_values(call)
    for precise in (True, False):
        with doubled(call, [*run.parameters.values()]) if precise else nullcontext(call) as program:
            held = {n: _as(v, precise) for n, v in values.items()}
            with torch.no_grad():
                base = NudgedRun(program, held, drawn)
                if base.raised and precise:
                    continue  # a program that insists on float32
                moved = set(_moved(program, run, owners, places, wanted, held, drawn, base))
        break
    pairs = {(source.name, child) for source, children in wanted.items() for child in children}
    return Confirmed(frozenset(moved), frozenset(pairs - moved))


def _as(value: Tensor, precise: bool) -> Tensor:
    return value.double() if precise and value.dtype == torch.float32 else value


def _moved(
    program: Program,
    run: UnrolledRun,
    owners: Owners | None,
    places: Mapping[str, Place],
    wanted: Mapping[Source, set[str]],
    held: dict[str, Tensor],
    drawn: dict[str, Any],
    base: NudgedRun,
) -> Iterator[Pair]:
    data = pieces(iter(named_arguments(program.model, program.args, program.kwargs)))
    axes = {name: s.axis for name, s in run.taken_apart.items()}
    for source, children in wanted.items():
        site, step = places[source.name]
        left = set(children)
        for number in range(TRIES):
            options: dict[str, Any] = {}
            if source.kind == "data":
                mask = source_mask(run.arguments, owners, source, data)
                contents = other_contents(data, mask, number)

                def before(contents: dict[int, Tensor] = contents) -> None:
                    for i, value in contents.items():
                        data[i].put(value)

                options = {"before": before, "free": {site}}
            else:
                other = _other_value(base, held, site, axes.get(site), step, number)
                if other is None:
                    break
                options = {"nudge": {site: other}}
            again = NudgedRun(program, held, drawn, **options)
            for child in list(left):
                name, place = places[child]
                here = _made_of(base, name, axes.get(name), place)
                there = _made_of(again, name, axes.get(name), place)
                if here is not None and there is not None and not same_values(here, there):
                    left.discard(child)
                    yield source.name, child
            if not left:
                break


def _other_value(
    base: NudgedRun,
    held: dict[str, Tensor],
    site: str,
    axis: int | None,
    step: int | None,
    number: int,
) -> Tensor | None:
    """The site's value with another one at one step."""
    torch.default_generator.manual_seed(number)
    handed = base.recorder.sites[site].kind == "deterministic"
    others = other_values(held[site], None if handed else base.recorder.functions.get(site))
    if number >= len(others):
        return None
    if axis is None or step is None:
        return others[number]
    value = held[site].clone()
    value.select(axis, step).copy_(others[number].select(axis, step))
    return value


def _made_of(run: NudgedRun, name: str, axis: int | None, step: int | None) -> tuple | None:
    """What one step of a site is made of, as it was when the site was drawn."""
    signature = run.recorder.signatures.get(name)
    if signature is None:
        return None
    if axis is None or step is None:
        return signature.made_of
    msg = run.recorder.messages[name]
    content = {id(t): c for t, c in zip(parts(msg["fn"]), signature.made_of, strict=False)}
    found = []
    for tensor, dimension in along_time.along(msg, axis):
        held = content.get(id(tensor), tensor)
        found.append(held if dimension is None else held.select(dimension, step))
    return tuple(found)
