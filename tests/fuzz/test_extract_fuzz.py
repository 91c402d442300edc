"""`extract` finds exactly the graph for which a random program was written."""

import pytest
import torch

import pgm_rnn

from .compare import check
from .program import generate, load
from .registry import DISTRACTORS, VALUES
from .small import small

SIZE = 25
SHOWN = 2  # of the failures in full


@pytest.mark.parametrize("start", range(0, 300, SIZE))
def test_extracted_graph_is_the_planned_one(start):
    failures = []
    for seed in range(start, start + SIZE):
        message = check(generate(seed))
        if message:
            failures.append((seed, message))
    if failures:
        shown = "\n\n".join(message for _, message in failures[:SHOWN])
        seeds = [seed for seed, _ in failures]
        message = f"{len(seeds)} of {SIZE} programs differ, seeds {seeds}\n\n{shown}"
        pytest.fail(message, pytrace=False)


def test_every_idiom_alone():
    messages = [check(small(name, 1)) for name in (*VALUES, *DISTRACTORS)]
    failures = [message for message in messages if message]
    if failures:
        pytest.fail("\n\n".join(failures[:SHOWN]), pytrace=False)


@pytest.mark.parametrize("start", range(5000, 5040, 20))
def test_nothing_moves_that_is_not_joined(start):
    """The second opinion, which follows nothing, finds no arrow that extraction misses."""
    for seed in range(start, start + 20):
        program = generate(seed)
        run = load(program)
        torch.manual_seed(program.seed)
        report = pgm_rnn.verify(run.model, *run.args, **run.kwargs)
        assert not report.only_moved, f"seed {seed}\n{report}\n{program.source}"
