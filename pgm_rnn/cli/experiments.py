"""The verb `experiment`: list the section's claims, and measure them."""

import json
from pathlib import Path
from typing import Any

import click

from pgm_rnn.cli.common import Failed, reporting, table
from pgm_rnn.errors import BadOption, PgmError


@click.group(epilog="Start with: pgm-rnn experiment list")
def experiment() -> None:
    """The section's claims as experiments: theory beside measurement."""


@experiment.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reporting
def list_(as_json: bool) -> None:
    """Every experiment: its claim, its figure, its seconds and its settings."""
    from pgm_rnn.experiments import find, names

    found = [find(name) for name in names()]
    if as_json:
        keys = ("name", "claim", "about", "seconds", "settings", "mutation")
        click.echo(json.dumps([{k: getattr(e, k) for k in keys} for e in found], indent=2))
        return
    table(["experiment", "claim", "about", "seconds"],
          [[e.name, e.claim, e.about, str(e.seconds)] for e in found])  # fmt: skip
    click.echo("next: pgm-rnn experiment run independence-gap --out results", err=True)


@experiment.command("run")
@click.argument("name")
@click.option("--seeds", default=1, show_default=True, help="How many seeds, from 0 on.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE",
    help="A setting of the experiment: tau=6; mutate=True damages the model. Repeatable.",
)  # fmt: skip
@click.option(
    "--sweep", "axes", multiple=True, metavar="NAME=V1,V2",
    help="A grid: the experiment at each of these values. Repeatable.",
)  # fmt: skip
@click.option("--jobs", default=1, show_default=True, help="Cells of the grid side by side.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster that runs the grid.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("results"),
    show_default=True, help="Folder for NAME/result.json, plot.svg and plot.png.",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Compute again what the folder holds.")
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON.")
@reporting
def run(
    name: str, seeds: int, pairs: tuple[str, ...], axes: tuple[str, ...], jobs: int,
    scheduler: str | None, out: Path, fresh: bool, as_json: bool,
) -> None:  # fmt: skip
    """Measure NAME ("all": every one); exit status 1 if a claim does not hold."""
    from pgm_rnn.experiments import names
    from pgm_rnn.targets import parse_arguments

    settings = parse_arguments(pairs, "--set")
    if axes or scheduler:
        records = _grid(name, axes, seeds, jobs, scheduler, out, fresh, settings)
    else:
        wanted = names() if name == "all" else (name,)
        records = [_one(n, seeds, out, fresh, settings, len(wanted) > 1) for n in wanted]
        if all(r["verdict"] is None for r in records):
            raise BadOption("no experiment ran; each was left out for the reason above")
    if as_json:
        click.echo(json.dumps(records, indent=2))
    elif len(records) == 1 and "rows" in records[0]:
        _numbers(records[0], out)
    else:
        _verdicts(records)
    if not all(r["verdict"] for r in records if r["verdict"] is not None):
        raise Failed


def _one(
    name: str, seeds: int, out: Path, fresh: bool, settings: dict[str, Any], several: bool
) -> dict[str, Any]:
    """One experiment with a line of progress; of several, an error does not end the rest."""
    from rich.console import Console

    from pgm_rnn.experiments import run as measure

    console = Console(stderr=True)
    try:
        with console.status(name) as status:

            def tell(seed: int, seeds: int, stage: str) -> None:
                where = f"seed {seed + 1} of {seeds}" if seeds > 1 else ""
                status.update(" · ".join(part for part in (name, where, stage) if part))

            found = measure(name, seeds, out=out, fresh=fresh, progress=tell, **settings)
    except PgmError as error:
        if not several or not _elsewhere(name, settings):
            raise
        click.echo(f"{name}: left out: {error}", err=True)
        return {"experiment": name, "verdict": None, "error": str(error)}
    click.echo(f"{name}: {sum(found['seconds']):.1f} s", err=True)
    return found


def _grid(
    name: str, axes: tuple[str, ...], seeds: int, jobs: int, scheduler: str | None, out: Path,
    fresh: bool, settings: dict[str, Any],
) -> list[dict[str, Any]]:  # fmt: skip
    from pgm_rnn.experiments import find, sweep

    find(name)
    grid: dict[str, list[Any]] = {}
    for pair in axes:
        key, equals, text = pair.partition("=")
        if not equals or not text:
            raise BadOption(f"--sweep {pair!r} should be NAME=V1,V2, for example --sweep tau=4,6")
        grid[key] = _values(key, text)

    def tell(cell: Any) -> None:
        what = ", ".join(f"{k} = {v}" for k, v in cell.settings.items())
        if cell.error is not None:
            click.echo(f"{what}: failed: {cell.error}", err=True)
        else:
            click.echo(f"{what}: {'holds' if cell.record['verdict'] else 'fails'}", err=True)

    cells = sweep(name, grid, seeds, jobs=jobs, scheduler=scheduler, out=out, fresh=fresh,
                  progress=tell, **settings)  # fmt: skip
    return [
        {"cell": c.settings, "experiment": name, "verdict": False, "error": c.error}
        if c.record is None
        else {"cell": c.settings, **c.record}
        for c in cells
    ]


def _elsewhere(name: str, settings: dict[str, Any]) -> bool:
    """Whether an experiment can be left out of "all": it lacks a setting, or a package."""
    from importlib.util import find_spec

    from pgm_rnn.experiments import find

    one = find(name)
    lacks = set(settings) - {*one.settings, "mutate"}
    return bool(lacks) or (one.needs is not None and find_spec(one.needs) is None)


def _values(key: str, text: str) -> list[Any]:
    """The values of an axis: 4,6 or lists, [2,3],[2,4]."""
    import ast

    from pgm_rnn.targets import parse_arguments

    try:
        return list(ast.literal_eval(f"[{text}]"))
    except (ValueError, SyntaxError):
        return [parse_arguments([f"{key}={value}"])[key] for value in text.split(",")]


def _numbers(record: dict[str, Any], out: Path) -> None:
    """One experiment: every number."""
    click.echo(record["claim"])
    signs = {"equal": "", "at most": "at most ", "at least": "at least "}
    rows = []
    for row in record["rows"]:
        measured = row["measured"]
        low, high = measured["low"], measured["high"]
        spread = f" ({low:.5g} to {high:.5g})" if high > low else ""
        rows.append(
            [
                row["quantity"],
                f"{signs[row['rule']]}{row['theory']['value']:.6g}",
                f"{measured['value']:.6g}{spread}",
                f"{row['difference']:.2g}",
                row["unit"],
                "holds" if row["holds"] else "FAILS",
            ]
        )
    table(["quantity", "theory", "measured", "difference", "unit", "verdict"], rows)
    click.echo(f"theory: {record['rows'][0]['theory']['source']}")
    click.echo(f"measured: {record['rows'][0]['measured']['source']}")
    click.echo("the claim holds" if record["verdict"] else "the claim FAILS")
    click.echo(f"plot: {out / record['folder'] / 'plot.svg'}", err=True)


def _verdicts(records: list[dict[str, Any]]) -> None:
    """Several: a line each, with the number that is furthest off."""
    rows = []
    for record in records:
        cell = ", ".join(f"{k} = {v}" for k, v in record.get("cell", {}).items())
        name = f"{record['experiment']} {cell}".strip()
        if "rows" not in record:
            left = "left out" if record["verdict"] is None else "FAILED"
            rows.append([name, "", "", "", f"{left}: {record['error']}"])
            continue
        worst = max(record["rows"], key=_strain)
        rows.append(
            [
                name,
                worst["quantity"],
                f"{worst['theory']['value']:.5g}",
                f"{worst['measured']['value']:.5g}",
                "holds" if record["verdict"] else "FAILS",
            ]
        )
    table(["experiment", "the number furthest off", "theory", "measured", "verdict"], rows)


def _strain(row: dict[str, Any]) -> float:
    """How near a number is to its tolerance; failures first."""
    off = row["difference"]
    off = {"at most": max(off, 0.0), "at least": max(-off, 0.0)}.get(row["rule"], abs(off))
    return (0.0 if row["holds"] else 1e9) + off / max(row["tolerance"], 1e-12)
