"""The verbs that ask a graph: check, independence."""

import json
from pathlib import Path
from typing import Any

import click

from pgm_rnn.cli.common import TARGET, Failed, arguments, extracted, plain, reporting, table


@click.command(epilog=TARGET + " Exit status 1 if the graphs differ.")
@click.argument("target")
@click.option(
    "--reference",
    "against",
    metavar="FILE",
    help="A reference file, or a figure number. Default: the figure's own.",
)
@arguments
@reporting
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
    result = compare(extracted(found, seed), reference)
    if as_json:
        keys = ("missing", "extra", "missing_nodes", "extra_nodes")
        lists = {k: sorted(map(plain, getattr(result, k))) for k in keys}
        click.echo(json.dumps({"target": target, "equal": bool(result), **lists}, indent=2))
    else:
        click.echo(f"{target} against {reference.figure}: {result}")
    if not result:
        raise Failed


@click.command(epilog=TARGET)
@click.argument("target", required=False)
@click.option("--x", "xs", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--y", "ys", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--given", multiple=True, metavar="SITE", help="A site or family. Repeatable.")
@click.option("--contrast", is_flag=True, help="The book's statements, with numbers.")
@arguments
@reporting
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
    g = sites(extracted(found, seed))
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
        shown = {name: plain(getattr(verdict, name)) for name in names}
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
    table(
        ["fig", "statement", "d-separation", "knowing h", "nats", ""],
        [
            [r["figure"], r["statement"], yes[r["d_separation"]], yes[r["separation"]],
             f"{r['nats']:.2g}", r["note"]]
            for r in rows
        ],
    )  # fmt: skip
