"""The command line: one thin function a verb, each calling the library.

Results go to stdout, progress to stderr. Exit status: 0 fine, 1 a check failed, 2 wrong usage.
"""

import json
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from pgm_rnn.errors import PgmError

TARGET = """TARGET is a figure number (10.8), a file (my_model.py:model) or a module
(package.module:model); the function's name may be left out if it is "model"."""


class _Failed(Exception):
    """A check failed: exit status 1, after the result was printed."""


def _reporting(command: Callable) -> Callable:
    """Turn our errors into one line and a program's own error into its traceback, exit 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except _Failed:
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
    here = str(Path(__file__).parent)
    own = [f for f in frames if not f.filename.startswith((here, "<frozen"))]
    own = [f for f in own if not {"site-packages", "dist-packages"} & set(Path(f.filename).parts)]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(own or frames)]
    last = traceback.format_exception_only(type(error), error)
    notes = getattr(error, "__notes__", [])
    return "".join(lines + [line for line in last if line.rstrip("\n") not in notes])


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pgm-rnn")
def main() -> None:
    """The graphical model that a Pyro program really is.

    \b
    Start here:
      pgm-rnn draw 10.8 --out fig.svg      a figure of the Deep Learning book, from its program
      pgm-rnn draw my_model.py:model       the graph of your own program
      pgm-rnn check my_model.py:model --reference 10.8
    """


def _arguments(command: Callable) -> Callable:
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


@main.command(epilog="Exit status 1 if a program differs from the book.")
@click.argument("names", nargs=-1, metavar="[FIGURE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("figures/rendered"),
    show_default=True,
    help="Folder for the SVG, PNG, PDF and DOT files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@_reporting
def figures(names: tuple[str, ...], out: Path, as_json: bool) -> None:
    """Extract every figure's program, compare it with the book and draw it."""
    from pgm_rnn import catalog, gallery

    chosen = {catalog.reference(name).figure for name in names}
    wanted = [v for v in catalog.variants() if not chosen or v[0] in chosen]
    rows = []
    for i, (name, entry) in enumerate(wanted, 1):
        click.echo(f"[{i}/{len(wanted)}] fig {name} ...", err=True)
        rows.append(gallery.examine(name, entry))
    for row in rows:
        gallery.save(row, out)
    click.echo(f"wrote {len(rows)} figures to {out} (svg, png, pdf, dot)", err=True)
    if as_json:
        keys = ("figure", "stem", "nodes", "edges", "differences")
        click.echo(json.dumps([{k: getattr(row, k) for k in keys} for row in rows], indent=2))
    else:
        cells = [[r.figure, r.stem, str(r.nodes), str(r.edges),
                  "\n".join(r.differences) or "as in the book"] for r in rows]  # fmt: skip
        _table(["figure", "files", "nodes", "edges", "compared with the book"], cells)
    if any(row.differences for row in rows):
        raise _Failed


@main.command(epilog=TARGET)
@click.argument("target")
@_arguments
@click.option("--style", default="book", show_default=True, help='"book" or "model".')
@click.option("--legend", is_flag=True, help="Add a legend of the marks.")
@click.option("--folded", is_flag=True, help="Draw one step, with a square for each delay.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File to write: .svg, .png, .pdf or .dot. Default: the target's name with .svg.",
)
@_reporting
def draw(
    target: str,
    pairs: tuple[str, ...],
    seed: int,
    as_json: bool,
    style: str,
    legend: bool,
    folded: bool,
    out: Path | None,
) -> None:
    """Draw a program's graph.

    A figure number alone gives the book's own picture; with --arg tau=N the unrolled graph of
    N steps.
    """
    from pgm_rnn import drawing, gallery
    from pgm_rnn.graph import sites
    from pgm_rnn.targets import parse_arguments, resolve
    from pgm_rnn.transform import fold

    arguments = parse_arguments(pairs)
    found = resolve(target, arguments)
    rows = None
    if found.reference is not None and "tau" not in arguments and not folded and style == "book":
        g = gallery.book_drawing(found.reference.figure, **arguments)
    else:
        g = _extract(found, seed)
        if found.reference is not None:
            rows = [row for row in found.reference.picture.rows if row != "L"]
    if folded:
        g = fold(sites(g))
    picture = drawing.draw(g, style=style, legend=legend, rows=rows)
    path = out or Path(f"{found.name}.svg")
    picture.save(path)
    if as_json:
        click.echo(json.dumps({"file": str(path), **_as_json(g)}, indent=2))
    else:
        shown = sites(g)
        click.echo(f"{path}: {len(shown)} sites, {shown.number_of_edges()} arrows among them")


@main.command(epilog=TARGET + " Exit status 1 if the graphs differ.")
@click.argument("target")
@click.option(
    "--reference",
    "against",
    metavar="FILE",
    help="A reference file, or a figure number. Default: the figure's own.",
)
@_arguments
@_reporting
def check(
    target: str, against: str | None, pairs: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Compare a program's graph with a reference, edge by edge."""
    from pgm_rnn import catalog
    from pgm_rnn.reference import compare, load
    from pgm_rnn.targets import parse_arguments, resolve

    found = resolve(target, parse_arguments(pairs))
    reference = found.reference
    if against is not None:
        is_file = against.endswith(".json") or Path(against).is_file()
        reference = load(against) if is_file else catalog.reference(against)
    if reference is None:
        raise click.UsageError(
            f"{target} has no reference of its own; name one with --reference FILE or a figure"
        )
    result = compare(_extract(found, seed), reference)
    if as_json:
        keys = ("missing", "extra", "missing_nodes", "extra_nodes")
        lists = {k: sorted(map(_plain, getattr(result, k))) for k in keys}
        click.echo(json.dumps({"target": target, "equal": bool(result), **lists}, indent=2))
    else:
        click.echo(f"{target} against {reference.figure}: {result}")
    if not result:
        raise _Failed


@main.command(epilog=TARGET)
@click.argument("target", required=False)
@click.option("--x", "xs", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--y", "ys", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--given", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--contrast", is_flag=True, help="The book's statements, with numbers.")
@_arguments
@_reporting
def independence(
    target: str | None,
    xs: tuple[str, ...],
    ys: tuple[str, ...],
    given: tuple[str, ...],
    contrast: bool,
    pairs: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Say what a program's graph implies about independence, why, and with which numbers.

    Without --x and --y: the list of independences. With both: one verdict, explained, and where
    the program is small and discrete the mutual information in nats.
    """
    from pgm_rnn.graph import sites
    from pgm_rnn.targets import parse_arguments, resolve

    if contrast:
        _print_contrast(parse_arguments(pairs), as_json)
        return
    if target is None:
        raise click.UsageError("name a TARGET, or ask for the book's table with --contrast")
    if bool(xs) != bool(ys):
        raise click.UsageError("a question needs both --x and --y")
    found = resolve(target, parse_arguments(pairs))
    g = sites(_extract(found, seed))
    if xs:
        _print_verdict(found, g, (xs, ys, given), as_json)
    else:
        _print_independencies(g, as_json)


def _print_verdict(found: Any, g: Any, query: tuple, as_json: bool) -> None:
    from pgm_rnn.contrast import reading
    from pgm_rnn.errors import ProgramError, TooLarge
    from pgm_rnn.numbers import joint
    from pgm_rnn.separation import separated

    verdict = separated(g, *query)
    nats, unmeasured = None, ""
    try:
        nats = joint(found.model, *found.args, **found.kwargs).mutual_information(*query)
    except (ProgramError, TooLarge) as error:
        unmeasured = str(error)
    if as_json:
        names = ("separated", "plain", "determined", "trail", "why")
        shown = {name: _plain(getattr(verdict, name)) for name in names}
        shown["trail"], shown["why"] = (list(map(list, shown[k])) for k in ("trail", "why"))
        click.echo(json.dumps({**shown, "text": str(verdict), "nats": nats}, indent=2))
        return
    click.echo(str(verdict))
    if nats is not None:
        click.echo(f"measured: {reading(bool(verdict), nats)}")
    else:
        click.echo(f"not measured: {unmeasured}")


def _print_independencies(g: Any, as_json: bool) -> None:
    from pgm_rnn.separation import independencies

    found = independencies(g)
    if as_json:
        rows = [{"x": s.x, "y": s.y, "given": s.given, "where": s.where} for s in found]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for statement in found:
        click.echo(str(statement))
    if not found:
        click.echo("no independence: every two sites are joined, or nothing separates them")


def _print_contrast(options: dict[str, Any], as_json: bool) -> None:
    from pgm_rnn.contrast import contrast
    from pgm_rnn.separation.words import listed, set_of

    rows: list[dict[str, Any]] = []
    for answer in contrast(**options):
        s = answer.statement
        click.echo(f"fig {s.figure} ...", err=True)
        condition = f" given {listed(s.given)}" if s.given else ""
        rows.append(
            {
                "figure": s.figure,
                "statement": f"{set_of((s.x,))} ⊥ {set_of((s.y,))}{condition}",
                "d_separation": answer.plain,
                "separation": answer.separated,
                "nats": answer.nats,
                "note": s.note,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    yes = {True: "yes", False: "no"}
    _table(
        ["fig", "statement", "d-separation", "knowing h", "nats", ""],
        [
            [r["figure"], r["statement"], yes[r["d_separation"]], yes[r["separation"]],
             f"{r['nats']:.2g}", r["note"]]
            for r in rows
        ],
    )  # fmt: skip


def _extract(found: Any, seed: int) -> Any:
    import pyro

    from pgm_rnn.extraction import extract

    pyro.set_rng_seed(seed)
    return extract(found.model, *found.args, **found.kwargs)


def _as_json(g: Any) -> dict[str, Any]:
    return {
        "nodes": [{"name": n, **{k: _plain(v) for k, v in d.items()}} for n, d in g.nodes.items()],
        "edges": [
            {"from": a, "to": b, **{k: _plain(v) for k, v in d.items()}}
            for (a, b), d in g.edges.items()
        ],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(map(_plain, value))
    return list(value) if isinstance(value, tuple) else value


def _table(head: list[str], rows: list[list[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100)
    console.print(table)


if __name__ == "__main__":
    main()
