"""The verb `page`: the lesson, or a page of the user's own program."""

from pathlib import Path

import click

from pgm_rnn.cli.common import TARGET, reporting


@click.command(epilog=TARGET)
@click.argument("target", required=False)
@click.option(
    "--arg", "pairs", multiple=True, metavar="NAME=VALUE",
    help="A keyword argument of the program, or an option of the figure (tau=7). Repeatable.",
)  # fmt: skip
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("page.html"),
    show_default=True, help="File to write.",
)  # fmt: skip
@click.option(
    "--results", type=click.Path(path_type=Path, file_okay=False), default=Path("results"),
    show_default=True, help="Folder of experiment results; what it lacks is run and kept there.",
)  # fmt: skip
@click.option("--quick", is_flag=True, help="Run the experiments in their reduced settings.")
@click.option("--seed", default=0, show_default=True, help="Seed of the program's run.")
@reporting
def page(
    target: str | None, pairs: tuple[str, ...], out: Path, results: Path, quick: bool, seed: int
) -> None:
    """Write an interactive page: one file that opens without a network.

    Without TARGET it is the lesson on the section; with one, a page that answers questions on that
    program's graph.
    """
    from rich.console import Console

    from pgm_rnn.errors import BadOption, OutputError
    from pgm_rnn.files import write

    if target is None:
        if pairs:
            raise BadOption("--arg belongs to a TARGET; the lesson takes none")
        from pgm_rnn.page import lesson

        with Console(stderr=True).status("the lesson") as status:
            text = lesson(results, quick=quick, progress=lambda stage: status.update(stage))
    else:
        import pyro

        from pgm_rnn.page import own
        from pgm_rnn.targets import parse_arguments, resolve

        found = resolve(target, parse_arguments(pairs))
        pyro.set_rng_seed(seed)
        text = own(found.model, *found.args, name=found.name, **found.kwargs)
    if not out.parent.is_dir():
        raise OutputError(f"there is no folder {str(out.parent)!r}")
    write(out, text.encode())
    click.echo(f"{out}: {len(text.encode()) / 1000:.0f} kB; open it in a browser")
