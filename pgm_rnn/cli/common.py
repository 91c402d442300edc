"""What every verb shares: its arguments, its exit status, and how it speaks."""

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from pgm_rnn.errors import BadOption, PgmError

TARGET = """TARGET is a figure number (10.8), a file (my_model.py:model) or a module
(package.module:model); the function's name may be left out if it is "model"."""


class Failed(Exception):
    """A check failed: exit status 1, after the result was printed."""


def reporting(command: Callable) -> Callable:
    """Turn our errors into one line and a program's own error into its traceback, exit 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except Failed:
            sys.exit(1)
        except click.ClickException:
            raise
        except PgmError as error:
            click.echo(f"pgm-rnn: {error}", err=True)
            for note in getattr(error, "__notes__", ()):
                click.echo(f"pgm-rnn: {note}", err=True)
            sys.exit(2)
        except Exception as error:
            click.echo(_own_traceback(error), err=True, nl=False)
            notes = getattr(error, "__notes__", ["raised by the target while it was loaded"])
            click.echo(f"pgm-rnn: the program raised {type(error).__name__}; {notes[-1]}", err=True)
            sys.exit(2)

    return run


def _own_traceback(error: BaseException) -> str:
    """The traceback without this project's and its libraries' frames, where others remain."""
    frames = traceback.extract_tb(error.__traceback__)
    here = str(Path(__file__).parent.parent)
    own = [f for f in frames if not f.filename.startswith((here, "<frozen"))]
    own = [f for f in own if not {"site-packages", "dist-packages"} & set(Path(f.filename).parts)]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(own or frames)]
    last = traceback.format_exception_only(type(error), error)
    notes = getattr(error, "__notes__", [])
    return "".join(lines + [line for line in last if line.rstrip("\n") not in notes])


def arguments(command: Callable) -> Callable:
    command = click.option(
        "--arg",
        "pairs",
        multiple=True,
        metavar="NAME=VALUE",
        help="A keyword argument of the program, or an option of the figure (tau=7). Repeatable.",
    )(command)
    command = click.option(
        "--seed", default=0, show_default=True, help="Seed of the run, which decides branches."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        command
    )


def extracted(found: Any, seed: int, verified: bool = False) -> Any:
    """A target's graph; with `verified` the conservative one, its disputed arrows marked."""
    import pyro

    from pgm_rnn.extraction import extract, verify

    pyro.set_rng_seed(seed)
    if verified:
        report = verify(found.model, *found.args, **found.kwargs)
        click.echo(str(report), err=True)
        return report.union
    return extract(found.model, *found.args, **found.kwargs)


def unrolled(found: Any, seed: int, pairs: tuple[str, ...]) -> Any:
    """A target's graph with whole-sequence sites taken apart; its warnings go to stderr."""
    import warnings

    import pyro

    from pgm_rnn.errors import PgmWarning
    from pgm_rnn.extraction import unroll

    time = {}
    for pair in pairs:
        site, _, dim = pair.partition("=")
        if not dim.lstrip("-").isdigit():
            raise BadOption(
                f"--unroll {pair}: expected SITE=DIM, such as y=-1 (the last dimension)"
            )
        time[site] = int(dim)
    pyro.set_rng_seed(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PgmWarning)
        g = unroll(found.model, time)(*found.args, **found.kwargs)
    for warning in caught:
        if issubclass(warning.category, PgmWarning):
            click.echo(f"warning: {warning.message}", err=True)
    return g


def graph_record(g: Any) -> dict[str, Any]:
    return {
        "nodes": [{"name": n, **{k: plain(v) for k, v in d.items()}} for n, d in g.nodes.items()],
        "edges": [
            {"from": a, "to": b, **{k: plain(v) for k, v in d.items()}}
            for (a, b), d in g.edges.items()
        ],
    }


def plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    return list(value) if isinstance(value, tuple) else value


def table(head: list[str], rows: list[list[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100)
    console.print(table)
