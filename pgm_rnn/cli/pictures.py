"""The verbs that draw: figures, draw."""

import json
from pathlib import Path

import click

from pgm_rnn.cli.common import (
    TARGET,
    Failed,
    arguments,
    extracted,
    graph_record,
    reporting,
    table,
    unrolled,
)
from pgm_rnn.errors import BadOption


@click.command(epilog="Exit status 1 if a program differs from the book.")
@click.argument("names", nargs=-1, metavar="[FIGURE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("figures/rendered"),
    show_default=True,
    help="Folder for the SVG, PNG, PDF and DOT files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reporting
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
        table(["figure", "files", "nodes", "edges", "compared with the book"], cells)
    if any(row.differences for row in rows):
        raise Failed


@click.command(epilog=TARGET)
@click.argument("target")
@arguments
@click.option("--style", default="book", show_default=True, help='"book" or "model".')
@click.option("--legend", is_flag=True, help="Add a legend of the marks.")
@click.option("--verify", "verified", is_flag=True, help="Mark arrows in dispute with a '?'.")
@click.option(
    "--unroll",
    "time",
    multiple=True,
    metavar="SITE=DIM",
    help="Take a site that holds a whole sequence apart, one node a step (y=-1). Repeatable.",
)
@click.option("--folded", is_flag=True, help="Draw one step, with a square for each delay.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File to write: .svg, .png, .pdf, .dot, .tex (TikZ), .mmd (Mermaid) or .json. "
    "Default: the target's name with .svg.",
)
@reporting
def draw(
    target: str,
    pairs: tuple[str, ...],
    seed: int,
    as_json: bool,
    style: str,
    legend: bool,
    verified: bool,
    time: tuple[str, ...],
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
    if (
        found.reference is not None
        and "tau" not in arguments
        and not (folded or verified or time)
        and (style == "book")
    ):
        g = gallery.book_drawing(found.reference.figure, **arguments)
    else:
        if verified and time:
            raise BadOption("--verify and --unroll are for different graphs; choose one")
        g = unrolled(found, seed, time) if time else extracted(found, seed, verified)
        if found.reference is not None:
            rows = [row for row in found.reference.picture.rows if row != "L"]
    if folded:
        g = fold(sites(g))
    picture = drawing.draw(g, style=style, legend=legend, rows=rows)
    path = out or Path(f"{found.name}.svg")
    picture.save(path)
    if as_json:
        click.echo(json.dumps({"file": str(path), **graph_record(g)}, indent=2))
    else:
        shown = sites(g)
        click.echo(f"{path}: {len(shown)} sites, {shown.number_of_edges()} arrows among them")
