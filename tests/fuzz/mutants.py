"""Switches off one mechanism of the extractor at a time and counts programs until one fails.

python tests/fuzz/mutants.py [--n 500]

A mechanism whose absence no program notices is not tested. Prints the number of programs that
it took, and exits with 1 if one mechanism was never missed.
"""

import argparse
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from pgm_rnn.extraction import compiled, mode, recorder, replay, run, writes
from pgm_rnn.extraction.decisions import Findings
from pgm_rnn.extraction.kinds import KIND, Kind
from pgm_rnn.extraction.tracker import Tracker
from tests.fuzz import compare
from tests.fuzz.program import generate


def without_rule(kind):
    """Unite the sources of all arguments where there was a precise rule."""
    rules = {k: rule for k, rule in replay.RULES.items() if k is not kind}
    return patch.multiple("pgm_rnn.extraction.tracker", RULES=rules)


def as_kind(kind, *functions):
    """Take functions for those of another kind."""
    return patch.dict(KIND, dict.fromkeys(functions, kind))


@contextmanager
def without_calls(name):
    """Leave compiled functions, or vmap, to themselves."""
    original = compiled.torch._C.ScriptFunction.__call__

    @contextmanager
    def calls(tracker):
        with unpatched(tracker):
            if name == "script":
                torch._C.ScriptFunction.__call__ = original
            else:
                compiled.predispatch._add_batch_dim_impl = batch[0]
                compiled.predispatch._remove_batch_dim_impl = batch[1]
            yield

    unpatched = compiled.compiled_calls
    batch = (
        compiled.predispatch._add_batch_dim_impl,
        compiled.predispatch._remove_batch_dim_impl,
    )
    with patch("pgm_rnn.extraction.program.compiled_calls", calls):
        yield


TENSOR = torch.Tensor
EXTRACT = sys.modules["pgm_rnn.extraction.extract"]  # the function hides its module
MUTANTS = {
    "data elements have no owner": lambda: patch.object(EXTRACT, "find_owners", lambda *a: None),
    "Python values carry nothing": lambda: patch.object(
        EXTRACT, "decisions", lambda run: Findings()
    ),
    "writes are not recorded": lambda: patch.object(writes, "after", lambda *a: None),
    "out= is not a write": lambda: patch.object(mode, "_writes", lambda kwargs: False),
    "compiled functions are not followed": lambda: without_calls("script"),
    "vmap is not followed": lambda: without_calls("vmap"),
    "times 0 carries": lambda: patch.object(mode, "_vanishes", lambda *a: False),
    "do does not cut": lambda: patch.object(recorder, "cut", lambda msg: False),
    "older views do not stand for the site": lambda: patch.object(
        Tracker, "stand_for", Tracker.mark
    ),
    "masks are no parents": lambda: patch.object(
        Tracker, "union", lambda self, values: _union(self, values[: max(len(values) - 2, 1)])
    ),
    "zeros_like carries": lambda: as_kind(Kind.ELEMENTWISE, torch.zeros_like),
    "new_zeros carries": lambda: as_kind(Kind.ELEMENTWISE, TENSOR.new_zeros),
    "detach carries nothing": lambda: as_kind(Kind.SILENT, TENSOR.detach),
    "full_like carries its template": lambda: as_kind(Kind.UNITE, torch.full_like),
    "parameters are not named": lambda: patch.object(run.Run, "_parameter", lambda *a: None),
} | {
    f"no rule for {kind.name}": (lambda k=kind: without_rule(k))
    for kind in replay.RULES
    if kind not in (Kind.PRODUCT, Kind.POWER, Kind.FILLED)
}

_union = Tracker.union


def programs_until_failure(mutant, most):
    """How many programs it takes until the mutant fails on one; None if it never does."""
    with mutant():
        for seed in range(most):
            program = generate(seed)
            try:
                lines = compare.differences(program, compare.extract(program))
            except Exception:
                return seed + 1
            if lines:
                return seed + 1
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=500)
    most = parser.parse_args().n
    warnings.simplefilter("error")
    missed = False
    for name, mutant in MUTANTS.items():
        count = programs_until_failure(mutant, most)
        missed = missed or count is None
        print(f"{name:42s} {count or f'not within {most}'}", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
