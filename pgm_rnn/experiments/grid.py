"""The same experiment over a grid of settings, on several cores or a cluster."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from pgm_rnn.errors import BadOption, PgmError
from pgm_rnn.experiments.experiment import Experiment
from pgm_rnn.experiments.registry import find
from pgm_rnn.experiments.runner import Record, run
from pgm_rnn.options import positive


@dataclass(frozen=True)
class Cell:
    """One setting of a grid: its record, or the error that ended it."""

    settings: dict[str, Any]
    record: Record | None
    error: str | None = None


def sweep(
    name: str | Experiment,
    axes: dict[str, list[Any]],
    seeds: int = 1,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    progress: Callable[[Cell], None] | None = None,
    **settings: Any,
) -> list[Cell]:
    """Run experiment `name` at every combination of `axes`, `jobs` at a time, in their order.

    `scheduler` is the address of a Dask cluster (the extra "dask"), which then runs the cells.
    A cell that fails is reported with its error, and the rest goes on. `progress(cell)` is called
    for each, in order. Raises BadOption for an empty axis.
    """
    import joblib

    positive("jobs", jobs)
    find(name)
    for key, values in axes.items():
        if not isinstance(values, list | tuple) or not values:
            raise BadOption(f"the axis {key} = {values!r} should be a list of values")
    cells = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    work = (joblib.delayed(_cell)(name, cell, seeds, out, fresh, settings) for cell in cells)
    if scheduler is None:
        return _collected(joblib.Parallel(n_jobs=jobs, return_as="generator")(work), progress)
    if find_spec("distributed") is None:
        raise BadOption('a scheduler needs Dask: pip install "pgm-rnn[dask]"')
    from dask.distributed import Client

    try:
        client = Client(scheduler, timeout=10)
    except OSError as error:
        raise BadOption(f"no Dask scheduler answers at {scheduler!r}: {error}") from None
    with client, joblib.parallel_config(backend="dask"):
        return _collected(joblib.Parallel()(work), progress)


def _collected(cells: Any, progress: Callable[[Cell], None] | None) -> list[Cell]:
    def told() -> Iterator[Cell]:
        for cell in cells:
            if progress is not None:
                progress(cell)
            yield cell

    return list(told())


def _cell(
    name: str | Experiment, cell: dict[str, Any], seeds: int, out: str | Path | None, fresh: bool,
    settings: dict[str, Any],
) -> Cell:  # fmt: skip
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the cells are what runs side by side
    try:
        return Cell(cell, run(name, seeds, out=out, fresh=fresh, **{**settings, **cell}))
    except PgmError as error:
        return Cell(cell, None, str(error))
    except Exception as error:
        return Cell(cell, None, f"{type(error).__name__}: {error}")
    finally:
        torch.set_num_threads(threads)
