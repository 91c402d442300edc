"""Values that leave as text or the like, and may come back: their sources are nudged.

`float(f"{z}")` gives a number without a source, and a rerun has no answer to change: the text is
made of the value. So the sources of what left get other values, everything else is held, and a
later site that moves without being known to use them hangs on them.
"""

from typing import Any

import torch
from torch import Tensor

from pgm_rnn.extraction.arguments import named_arguments
from pgm_rnn.extraction.atoms import Source
from pgm_rnn.extraction.clamped import same_values
from pgm_rnn.extraction.data import Piece, other_contents, pieces
from pgm_rnn.extraction.decisions import Findings
from pgm_rnn.extraction.nudged import NudgedRun, first_values
from pgm_rnn.extraction.nudges import other_values
from pgm_rnn.extraction.owners import source_mask
from pgm_rnn.extraction.run import Run

TRIES = 3  # other values of each source
MOST = 300  # sources that are nudged; more make the graph partial


def escapes(run: Run) -> Findings:
    """Which later sites hang on the values that a run let go as text."""
    found = Findings()
    left: dict[Source, int] = {}
    for bits, position in run.listener.escaped.items():
        for source in run.atoms.members(bits):
            plain = Source(source.kind, source.name, source.path)
            left[plain] = min(position, left.get(plain, position))
    left = {s: position for s, position in left.items() if s.kind != "parameter"}
    call = run.call
    with torch.no_grad():
        values, drawn = first_values(call)
        base = NudgedRun(call, values, drawn)
        data = pieces(iter(named_arguments(call.model, call.args, call.kwargs)))
        for number, (source, position) in enumerate(left.items()):
            if number >= MOST:
                return found.joined(Findings(partial=True))
            moved, heard = _moved(run, base, values, drawn, data, source)
            found.partial = found.partial or not heard
            for place, (name, site) in enumerate(run.recorder.sites.items()):
                known = {(s.kind, s.name) for s in run.atoms.members(site.parents)}
                if place >= position and name in moved and (source.kind, source.name) not in known:
                    found.arrows.append((run.atoms.bit(source), name))
    return found


def _moved(
    run: Run,
    base: NudgedRun,
    values: dict[str, Tensor],
    drawn: dict[str, Any],
    data: list[Piece],
    source: Source,
) -> tuple[set[str], bool]:
    """The sites that move with a source; did any rerun end without an exception?"""
    moved: set[str] = set()
    heard = False
    for options in _nudges(run, base, values, data, source):
        again = NudgedRun(run.call, values, drawn, **options)
        heard = heard or not again.raised
        there = again.recorder.signatures
        for name, was in base.recorder.signatures.items():
            if name in there:
                if not same_values(was.made_of, there[name].made_of):
                    moved.add(name)
            elif not again.raised:
                moved.add(name)
    return moved, heard


def _nudges(
    run: Run, base: NudgedRun, values: dict[str, Tensor], data: list[Piece], source: Source
) -> list[dict[str, Any]]:
    """Up to TRIES ways to run the program with another value of the source."""
    if source.kind == "site":
        torch.default_generator.manual_seed(0)
        handed = base.recorder.sites[source.name].kind == "deterministic"
        fn = None if handed else base.recorder.functions.get(source.name)
        others = other_values(values[source.name], fn)[:TRIES]
        return [{"nudge": {source.name: other}} for other in others]
    mask = source_mask(run.arguments, run.owners, source, data)
    ways: list[dict[str, Any]] = []
    for number in range(TRIES):
        contents = other_contents(data, mask, number)

        def before(contents: dict[int, Tensor] = contents) -> None:
            for i, value in contents.items():
                data[i].put(value)

        if contents:
            free = {source.name} if source.kind == "data" else set()
            ways.append({"before": before, "free": free})
    return ways
