"""The verb that asks for a second opinion: verify."""

import json

import click

from pgm_rnn.cli.common import TARGET, Failed, arguments, plain, reporting


@click.command(epilog=TARGET + " Exit status 1 if extraction and nudging disagree.")
@click.argument("target")
@click.option("--budget", default=2000, show_default=True, help="Reruns of the program at most.")
@arguments
@reporting
def verify(target: str, budget: int, pairs: tuple[str, ...], seed: int, as_json: bool) -> None:
    """Check a program's graph independently: nudge every site, rerun, see who moves."""
    import pyro

    from pgm_rnn.extraction import verifier
    from pgm_rnn.targets import parse_arguments, resolve

    found = resolve(target, parse_arguments(pairs))
    pyro.set_rng_seed(seed)
    report = verifier(found.model, budget=budget)(*found.args, **found.kwargs)
    if as_json:
        keys = ("agree", "only_extracted", "only_moved", "unchecked")
        lists = {k: sorted(map(list, plain(getattr(report, k)))) for k in keys}
        record = {"target": target, "agrees": bool(report), "reruns": report.reruns, **lists}
        click.echo(json.dumps(record, indent=2))
    else:
        click.echo(f"{target}: {report}")
    if not report:
        raise Failed
