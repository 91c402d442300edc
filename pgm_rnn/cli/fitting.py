"""The verbs that run a figure on data: fit, sample, infill."""

import json
from pathlib import Path
from typing import Any

import click

from pgm_rnn.cli.common import reporting
from pgm_rnn.errors import BadOption, TargetError

RULES = ("eos", "halt", "tau")
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(epilog="Run the same command again to take up a fit that was broken off.")
@click.argument("figure")
@click.option(
    "--data", required=True, type=click.Path(path_type=Path),
    help="Text with one sequence a line, or .npy (y) or .npz (y, x, lengths).",
)  # fmt: skip
@click.option("--out", type=FOLDER, default=Path("run"), show_default=True, help="Folder.")
@click.option(
    "--arg", "pairs", multiple=True, metavar="NAME=VALUE",
    help="An option of the figure: hidden=64, cell=relu, entry=both, output=normal. Repeatable.",
)  # fmt: skip
@click.option(
    "--length",
    "rule",
    help="When to stop, for fig 10.8: eos (end symbol), halt (a coin) or tau (drawn first).",
)
@click.option("--steps", default=500, show_default=True, help="Gradient steps.")
@click.option("--batch-size", type=int, default=64, show_default=True, help="Rows a step; 0: all.")
@click.option("--lr", default=0.02, show_default=True, help="Adam's step size, falling to 0.")
@click.option("--validation", default=0.1, show_default=True, help="Share that is held out.")
@click.option("--patience", type=int, help="Stop after so many scores without progress.")
@click.option("--smoothing", default=0.5, show_default=True, help="Added to each count, fig 10.7.")
@click.option("--seed", default=0, show_default=True, help="Of the start and of the batches.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reporting
def fit(
    figure: str, data: Path, out: Path, pairs: tuple[str, ...], rule: str | None, steps: int,
    batch_size: int, lr: float, validation: float, patience: int | None, smoothing: float,
    seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Fit a figure's program to sequences by maximum likelihood."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from pgm_rnn import fitting as engine
    from pgm_rnn.fitting.read import read
    from pgm_rnn.targets import parse_arguments, resolve

    figure = _with_length(figure, rule)
    found = read(data, empty=rule == "eos" or figure == "eos")
    options = {**_sizes(found), "seed": seed, **parse_arguments(pairs)}
    program: Any = resolve(figure, options).model
    words = "{task.completed:.0f} of {task.total:.0f}, {task.fields[loss]:.4f} nats per step"
    columns = (TextColumn("fit"), BarColumn(), TextColumn(words), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=steps, loss=float("nan"))
        result = engine.fit(
            program, found.y, found.x, lengths=found.lengths, steps=steps,
            batch_size=batch_size or None, lr=lr, validation=validation, patience=patience,
            smoothing=smoothing, seed=seed, out=out, note={"symbols": found.symbols},
            progress=lambda step, _, loss: bar.update(task, completed=step, loss=loss),
        )  # fmt: skip
    record = {
        "figure": figure, "out": str(out), "sequences": len(found.y), "nats_per_step": result.loss,
        "validation": result.validation, "steps": result.steps, "best": result.best,
        "unseen": result.unseen,
    }  # fmt: skip
    if as_json:
        click.echo(json.dumps(record, indent=2))
        return
    held = "" if result.validation is None else f", held out {result.validation:.4f}"
    loss = f"{result.loss:.4f} nats per step{held}"
    click.echo(f"{out}: fig {figure}, {len(found.y)} sequences, {loss}")
    if result.unseen:
        click.echo(f"{result.unseen} contexts never occur in the data; they are uniform", err=True)
    click.echo(f"next: pgm-rnn sample {out}", err=True)


def _with_length(figure: str, rule: str | None) -> str:
    """The program of fig 10.8 with a rule for the length."""
    from pgm_rnn.options import choice

    if rule is None:
        return figure
    choice("length", rule, RULES)
    if figure.removeprefix("fig").strip() not in ("10.8", "text", rule):
        raise BadOption(
            f"length = {rule!r}: the rules are told on fig 10.8; for fig {figure} leave --length "
            "out, or let the data have a symbol that ends each sequence"
        )
    return rule


def _sizes(found: Any) -> dict[str, Any]:
    """The sizes that data gives a program."""
    sizes: dict[str, Any] = {"tau": found.y.shape[1]}
    if found.symbols is not None:
        sizes["k"] = len(found.symbols)
    elif found.y.is_floating_point():
        sizes["output"] = "normal"
    else:
        sizes["k"] = int(found.y.max()) + 1
    if found.x is not None:
        sizes["x_dim"] = found.x.shape[-1]
    return sizes


@click.command()
@click.argument("run", type=FOLDER)
@click.option("-n", default=10, show_default=True, help="How many sequences.")
@click.option("--prefix", default="", help="Given first steps: text, or numbers with commas.")
@click.option("--x", "context", type=click.Path(path_type=Path), help=".npy with x, [1 or n, ...].")
@click.option("--temperature", default=1.0, show_default=True, help="Below 1: likelier ones.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reporting
def sample(
    run: Path, n: int, prefix: str, context: Path | None, temperature: float, seed: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Draw sequences from a program that `pgm-rnn fit` saved in folder RUN."""
    from pgm_rnn import fitting as engine
    from pgm_rnn.fitting.read import decode
    from pgm_rnn.runs import load
    from pgm_rnn.sequences.ends import padding

    fitted = load(run)
    if not fitted.done:
        click.echo("this fit was broken off; its last saved parameters are used", err=True)
    drawn = engine.sample(
        fitted.model, n, x=None if context is None else _array(context),
        prefix=_steps(prefix, fitted.symbols, "--prefix") if prefix else None,
        temperature=temperature, seed=seed,
    )  # fmt: skip
    if fitted.model.length_rule is not None:
        longest = int((~padding(drawn)).all(-1).sum())
        if longest:
            words = f"{longest} of {n} have the largest length, {fitted.model.tau}"
            click.echo(f"{words}, where a sequence ends in any case", err=True)
    lines = decode(drawn, fitted.symbols)
    if as_json:
        click.echo(json.dumps({"figure": fitted.figure, "samples": lines}, indent=2))
    else:
        click.echo("\n".join(lines))


@click.command()
@click.argument("run", type=FOLDER)
@click.argument("text")
@click.option("--x", "context", type=click.Path(path_type=Path), help=".npy with x, [1, ...].")
@click.option(
    "--method", default="auto", show_default=True,
    help="exact, gibbs, smc, importance; auto: exact if it can be, else two approximations.",
)  # fmt: skip
@click.option("--particles", default=1000, show_default=True, help="Of smc and importance.")
@click.option("--sweeps", default=100, show_default=True, help="Of gibbs.")
@click.option("--seed", default=0, show_default=True, help="Of the approximations.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reporting
def infill(
    run: Path, text: str, context: Path | None, method: str, particles: int, sweeps: int,
    seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Say what may stand in the gaps of TEXT: "an?a", or numbers "0,1,?,1".

    P(gap | all the rest) under the program in folder RUN, exact wherever all fillings can be
    followed.
    """
    from pgm_rnn import missing
    from pgm_rnn.fitting.read import encode
    from pgm_rnn.runs import load
    from pgm_rnn.sequences.ends import padding

    fitted = load(run)
    if fitted.symbols is not None:
        y = encode([text], fitted.symbols, "TEXT", gap="?")
    else:
        mark = "nan" if fitted.model.output.symbols is None else "-1"
        y = _steps(text.replace("?", mark), None, "TEXT")
    found = missing.infill(
        fitted.model, y, None if context is None else _array(context), method,
        particles=particles, sweeps=sweeps, seed=seed,
    )  # fmt: skip
    apart = None if found.disagreement is None else found.disagreement[0].item()
    real = fitted.model.output.symbols is None
    names = list(fitted.symbols or map(str, range(fitted.model.output.symbols or 0)))
    if real:
        names = ["mean", "standard deviation"]
    missing_at = padding(y[0]) if real else y[0] == -1
    places = [t + 1 for t, gap in enumerate(missing_at.tolist()) if gap]
    told = "value" if real else "probability"
    gaps: list[dict[str, Any]] = [
        {"step": t, told: dict(zip(names, row.tolist(), strict=True))}
        for t, row in zip(places, found.marginals[0], strict=True)
    ]
    if as_json:
        evidence = found.log_evidence[0].item()
        record = {"method": found.method, "log_evidence": evidence, "gaps": gaps,
                  "cell_steps": found.cell_steps, "disagreement": apart}  # fmt: skip
        click.echo(json.dumps(record, indent=2))
        return
    for gap in gaps:
        if real:
            mean, spread = gap["value"].values()
            click.echo(f"step {gap['step']}: {mean:.4g} ± {spread:.2g}")
            continue
        click.echo(f"step {gap['step']}")
        best = sorted(gap["probability"].items(), key=lambda item: -item[1])[:8]
        for symbol, p in best:
            click.echo(f"  {symbol}  {p:6.4f}  {'█' * round(40 * p)}")
    evidence = found.log_evidence[0].item()
    if evidence == evidence:
        click.echo(f"log P(the rest) = {evidence:.4f} nats")
    if found.method != "exact":
        unit = "standard deviations" if real else "total variation"
        far = "" if apart is None else f": they differ by {apart:.3f} in {unit}"
        click.echo(f"approximate, by {found.method}{far}", err=True)


def _array(path: Path) -> Any:
    import numpy as np
    import torch

    try:
        return torch.as_tensor(np.load(path, allow_pickle=False))
    except (OSError, ValueError, TypeError, EOFError, RuntimeError) as error:
        raise TargetError(f"cannot read x from {path}: {error}") from None


def _steps(text: str, symbols: str | None, what: str) -> Any:
    import torch

    from pgm_rnn.fitting.read import encode

    if symbols is not None:
        return encode([text], symbols, what)
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise TargetError(f"{what} {text!r} should be numbers with commas: 0,2,1") from None
    return torch.tensor([numbers])
