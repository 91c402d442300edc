"""The generator itself: its programs run, are what the plan says, and the judge agrees."""

import re
from pathlib import Path

import pyro
import pytest

from . import judge
from .program import generate, load, trace
from .registry import DISTRACTORS, VALUES


def _chunks(n: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(0, n, size)]


@pytest.mark.parametrize("seeds", _chunks(150, 50), ids=str)
def test_programs_run_with_the_planned_sites(seeds):
    for seed in seeds:
        program = generate(seed)
        nodes = {n: s for n, s in trace(program).nodes.items() if _is_site(s)}
        said = f"seed {seed}\n{program.source}"
        assert set(nodes) == set(program.kinds), said
        assert {n for n, s in nodes.items() if _is_observed(s)} == program.observed, said
        assert _plates(nodes) == program.plates, said
        order = list(nodes)
        assert all(order.index(a) < order.index(b) for a, b in program.edges), said


def _is_site(node: dict) -> bool:
    """A sample statement that is no choice of a subsample."""
    return node["type"] == "sample" and type(node["fn"]).__name__ != "_Subsample"


def _is_observed(node: dict) -> bool:
    """Observed, and no deterministic or factor site, which Pyro counts as observed."""
    fn = node["fn"]
    while hasattr(fn, "base_dist") and not isinstance(fn, pyro.distributions.Unit):
        fn = fn.base_dist
    return node["is_observed"] and not isinstance(
        fn, pyro.distributions.Delta | pyro.distributions.Unit
    )


def _plates(nodes: dict) -> dict[str, frozenset[str]]:
    """The members of every plate, read off the run."""
    found: dict[str, set[str]] = {}
    for name, node in nodes.items():
        for frame in node["cond_indep_stack"]:
            found.setdefault(frame.name, set()).add(name)
    return {plate: frozenset(names) for plate, names in found.items()}


@pytest.mark.parametrize("seeds", _chunks(60, 20), ids=str)
def test_enumeration_agrees_with_the_plan(seeds):
    judged = 0
    for seed in seeds:
        program = generate(seed, discrete=True)
        run = load(program)
        found = judge.arrows(run.model, *run.args, **run.kwargs)
        if found is None:
            continue
        judged += 1
        missing, extra = sorted(program.edges - found), sorted(found - program.edges)
        assert not missing, f"seed {seed}: no dependence for {missing}\n{program.source}"
        assert not extra, f"seed {seed}: a dependence for {extra}\n{program.source}"
    assert judged >= len(seeds) * 3 / 4


def test_the_judge_sees_a_wrong_graph():
    program = generate(_first_with_edges(), discrete=True)
    run = load(program)
    found = judge.arrows(run.model, *run.args, **run.kwargs)
    assert found
    assert found != program.edges - {min(program.edges)}


def _first_with_edges() -> int:
    """The first seed whose discrete program has an arrow and is small enough."""
    return next(seed for seed in range(100) if len(generate(seed, discrete=True).edges) > 1)


def test_the_same_seed_gives_the_same_program():
    assert generate(7) == generate(7)
    assert generate(7).source != generate(8).source


def test_every_idiom_occurs():
    used: set[str] = set().union(*(generate(seed).used() for seed in range(300)))
    assert set(VALUES) | set(DISTRACTORS) <= used


def test_neither_generator_nor_judge_knows_the_extractor():
    for path in _reached({"program", "judge", "small"}):
        assert "pgm_rnn" not in path.read_text(), path.name


def _reached(names: set[str]) -> set[Path]:
    """The files of these modules and of all that they import from this folder."""
    here = Path(__file__).parent
    found: set[Path] = set(here.glob("idioms_*.py"))
    waiting = [here / f"{name}.py" for name in names]
    while waiting:
        path = waiting.pop()
        found.add(path)
        imported = re.findall(r"from \.(\w+) import", path.read_text())
        waiting += [here / f"{name}.py" for name in imported if here / f"{name}.py" not in found]
    return found
