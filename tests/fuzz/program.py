"""A generated program: its text, what is true of it, and how to run it."""

import linecache
import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import pyro

from .compose import Composer
from .draw import draw
from .plan import Plan


@dataclass(frozen=True)
class Program:
    """A program's source text, which defines `model`, `args` and `kwargs`, and its true graph."""

    seed: int
    source: str
    edges: frozenset[tuple[str, str]]
    inputs: frozenset[tuple[str, str]]
    params: frozenset[tuple[str, str]]
    plates: dict[str, frozenset[str]]
    kinds: dict[str, str]
    observed: frozenset[str]
    idioms: tuple[tuple[str, str], ...]

    def used(self) -> frozenset[str]:
        """The names of the idioms in it."""
        return frozenset(idiom for _, idiom in self.idioms)


def generate(seed: int, discrete: bool = False) -> Program:
    """The program of this seed: its graph first, then a text that has exactly this graph."""
    plan = draw(seed, discrete)
    return of_plan(plan, Composer(plan))


def of_plan(plan: Plan, composer: Composer) -> Program:
    """The program that this composer writes for this plan."""
    source = composer.program()
    return Program(
        seed=plan.seed,
        source=source,
        edges=plan.edges,
        inputs=plan.input_edges,
        params=plan.param_edges,
        plates=plan.members,
        kinds=plan.kinds,
        observed=plan.observed,
        idioms=tuple(composer.idioms),
    )


def load(program: Program) -> SimpleNamespace:
    """Run the text, and hand back its `model`, `args` and `kwargs`; the store is cleared first."""
    pyro.clear_param_store()
    # The compiler of scripted functions reads their source, which it finds in this cache.
    name = f"<program {program.seed}>"
    lines = program.source.splitlines(keepends=True)
    linecache.cache[name] = (len(program.source), None, lines, name)
    space: dict = {"__name__": f"program_{program.seed}"}
    with warnings.catch_warnings():
        # Deprecated, yet people use it.
        warnings.filterwarnings("ignore", "`torch.jit.script", DeprecationWarning)
        exec(compile(program.source, name, "exec"), space)
    return SimpleNamespace(model=space["model"], args=space["args"], kwargs=space["kwargs"])


def trace(program: Program) -> pyro.poutine.Trace:
    """Run the program once, without any extraction."""
    run = load(program)
    return pyro.poutine.trace(run.model).get_trace(*run.args, **run.kwargs)
