"""Run an experiment over seeds, keep what is finished, and say what was found."""

import json
import math
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from pgm_rnn.errors import BadOption, CheckpointError, OutputError, PgmError
from pgm_rnn.experiments import plots
from pgm_rnn.experiments.experiment import Experiment, Measured
from pgm_rnn.experiments.registry import find
from pgm_rnn.files import write
from pgm_rnn.options import positive

FORMAT = 1
Record = dict[str, Any]


def run(
    name: str | Experiment,
    seeds: int | None = 1,
    *,
    out: str | Path | None = None,
    fresh: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
    **settings: Any,
) -> Record:
    """Run experiment `name` with seeds 0 .. seeds - 1; returns its record, as JSON would hold it.

    `name` is one of `pgm_rnn.experiments.names()`, or an Experiment of your own.

    `settings` replace the experiment's own (`pgm_rnn.experiments.find(name).settings`);
    `mutate=True` damages the model, and the claim should fail. The record holds `claim`,
    `settings`, `seeds`, `versions`, `rows` (a number each: theory and its source, measured values
    and their source, difference, tolerance, `holds`), `series` for the plot and `verdict`.

    With `out`, `out/NAME/result.json` is written after every seed, and plot.svg and plot.png at
    the end; other settings than the experiment's own have a folder of their own. What is finished
    there is not computed again, unless `fresh`; `seeds=None` takes as many as are finished there,
    and one at least. `progress(seed, seeds, stage)` is called at each
    stage. Raises UnknownExperiment, BadOption for a setting that the experiment lacks or an extra
    that is not installed, CheckpointError for a damaged result, OutputError.

    >>> run("gaussian-loss")["verdict"]
    True
    """
    experiment = find(name)
    if seeds is not None:
        positive("seeds", seeds)
    chosen = _settings(experiment, settings)
    if experiment.needs is not None and find_spec(experiment.needs) is None:
        raise BadOption(
            f"experiment {experiment.name!r} needs the extra package {experiment.needs}: "
            'pip install "pgm-rnn[digits]"'
        )
    folder = None if out is None else Path(out) / _folder(experiment, chosen)
    kept = [] if folder is None or fresh else _kept(folder, chosen)
    seeds = max(1, len(kept)) if seeds is None else seeds
    done = kept[:seeds]
    for seed in range(len(done), seeds):
        start = time.perf_counter()

        def tick(stage: str, seed: int = seed) -> None:
            if progress is not None:
                progress(seed, seeds, stage)

        tick("")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            found = _measured(experiment, chosen, seed, tick)
        done.append(_plain(found, time.perf_counter() - start))
        if folder is not None:
            _save(folder, _record(experiment, chosen, done))
    record = _record(experiment, chosen, done)
    if folder is not None and len(kept) <= seeds:  # else the folder tells of more seeds than these
        _save(folder, record)
        plots.save(record, experiment.plot, folder)
    return record


def _measured(
    experiment: Experiment, chosen: dict[str, Any], seed: int, tick: Callable[[str], None]
) -> Measured:
    """What one seed shows. Raises BadOption for settings that the experiment cannot run with."""
    own = {**experiment.settings, "mutate": False}
    changed = {k: v for k, v in chosen.items() if v != own[k]}
    listed = ", ".join(f"{k} = {v!r}" for k, v in changed.items())
    words = f"experiment {experiment.name!r} with {listed or 'its own settings'}"
    try:
        found = experiment.measure(chosen, seed, tick)
    except PgmError:
        raise
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        if not changed:
            raise
        raise BadOption(f"{words} cannot run: {type(error).__name__}: {error}") from error
    numbers = [v for r in found.rows for v in (r.theory, r.measured, r.tolerance)]
    if not found.rows or not all(map(math.isfinite, numbers)):
        bad = next((r.quantity for r in found.rows if not math.isfinite(r.measured)), "no number")
        raise BadOption(f"{words} measures nothing: {bad} is not a number")
    return found


def _settings(experiment: Experiment, given: dict[str, Any]) -> dict[str, Any]:
    own = {**experiment.settings, "mutate": False}
    for key, value in given.items():
        if key not in own:
            raise BadOption(
                f"experiment {experiment.name!r} has no setting {key!r}; it has {', '.join(own)}"
            )
        kind = type(own[key])
        fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if not fits or (kind is not bool and isinstance(value, bool)):
            raise BadOption(f"{key} = {value!r} should be {kind.__name__}, as {own[key]!r} is")
    return {**own, **given}


def _folder(experiment: Experiment, chosen: dict[str, Any]) -> str:
    own = {**experiment.settings, "mutate": False}
    other = {k: v for k, v in chosen.items() if v != own[k]}
    text = ",".join(f"{k}={v}" for k, v in other.items())
    plain = "".join(c if c.isalnum() or c in "=,.-_" else "_" for c in text)
    return "-".join([experiment.name, *([plain] if plain else [])])[:120]


def _kept(folder: Path, chosen: dict[str, Any]) -> list[Record]:
    """The seeds that a folder holds of these very settings."""
    path = folder / "result.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT or record["settings"] != chosen:
            return []
        runs = list(record["runs"])
        for found in runs:
            _ = found["rows"][0]["measured"], found["series"], found["seconds"]
        return runs
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CheckpointError(
            f"{path} is damaged ({type(error).__name__}: {error}); delete it, or run --fresh"
        ) from None


def _save(folder: Path, record: Record) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make folder {str(folder)!r}: {error.strerror}") from None
    write(folder / "result.json", (json.dumps(record, indent=2, allow_nan=False) + "\n").encode())


def _plain(found: Measured, seconds: float) -> Record:
    rows = [
        {"quantity": r.quantity, "unit": r.unit, "rule": r.rule, "theory": r.theory,
         "measured": r.measured, "tolerance": r.tolerance, "holds": r.holds}
        for r in found.rows
    ]  # fmt: skip
    return {"rows": rows, "series": found.series, "seconds": round(seconds, 2)}


def _record(experiment: Experiment, chosen: dict[str, Any], runs: list[Record]) -> Record:
    rows = []
    for same in zip(*(r["rows"] for r in runs), strict=True):
        values = [r["measured"] for r in same]
        theories = [r["theory"] for r in same]
        mean, theory = sum(values) / len(values), sum(theories) / len(theories)
        rows.append(
            {
                "quantity": same[0]["quantity"],
                "unit": same[0]["unit"],
                "theory": {"value": theory, "values": theories, "source": experiment.theory_from},
                "measured": {
                    "value": mean, "values": values, "source": experiment.measured_from,
                    "low": min(values), "high": max(values),
                },
                "difference": mean - theory,
                "rule": same[0]["rule"],
                "tolerance": max(r["tolerance"] for r in same),
                "holds": all(r["holds"] for r in same),
            }
        )  # fmt: skip
    return {
        "format": FORMAT,
        "experiment": experiment.name,
        "folder": _folder(experiment, chosen),
        "claim": experiment.claim,
        "about": experiment.about,
        "settings": chosen,
        "mutation": experiment.mutation,
        "seeds": list(range(len(runs))),
        "versions": _versions(),
        "rows": rows,
        "series": [r["series"] for r in runs],
        "seconds": [r["seconds"] for r in runs],
        "verdict": all(row["holds"] for row in rows),
        "runs": runs,
    }


def _versions() -> dict[str, str]:
    packages = ("torch", "pyro-ppl", "networkx", "matplotlib")
    found = {name: version(name) for name in packages}
    return {"python": platform.python_version(), **found}
