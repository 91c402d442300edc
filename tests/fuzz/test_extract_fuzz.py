"""`extract` finds exactly the graph for which a random program was written."""

import pytest

from .compare import check
from .program import generate

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
