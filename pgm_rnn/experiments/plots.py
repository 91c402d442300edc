"""How experiments are drawn: one look, theory as lines, measurements as points with a spread.

Every function takes a saved record and a matplotlib Axes, and returns the Axes.
"""

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pgm_rnn.files import write

# Okabe and Ito's colours, which colour-blind readers tell apart; a marker and a dash say the same.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
STYLE: dict[Any, Any] = {
    "font.family": "STIXGeneral", "mathtext.fontset": "stix", "font.size": 11.0,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8,
    "legend.frameon": False, "legend.fontsize": 9.5, "savefig.dpi": 160,
    "svg.fonttype": "none", "svg.hashsalt": "pgm_rnn", "figure.figsize": (6.4, 4.2),
}  # fmt: skip


def compared(record: dict[str, Any], ax: Any, quantities: Iterable[str] | None = None) -> Any:
    """Each number of an experiment: theory as a line, every seed as a point."""
    wanted = None if quantities is None else set(quantities)
    rows = [r for r in record["rows"] if wanted is None or r["quantity"] in wanted]
    for i, row in enumerate(rows):
        theory = row["theory"]["value"]
        ax.plot([i - 0.32, i + 0.32], [theory] * 2, color="black", lw=1.6, zorder=1,
                label="theory" if i == 0 else None)  # fmt: skip
        values = row["measured"]["values"]
        spots = [i + 0.08 * (j - (len(values) - 1) / 2) for j in range(len(values))]
        ax.plot(spots, values, MARKERS[0], color=COLOURS[0], ms=6, zorder=2,
                label="measured, a point a seed" if i == 0 else None)  # fmt: skip
    names = [textwrap.fill(row["quantity"], 13 if len(rows) < 7 else 8) for row in rows]
    ax.set_xticks(range(len(rows)), names, fontsize=9.5)
    ax.set_ylabel(rows[0]["unit"])
    ax.margins(y=0.12)
    ax.legend(loc="best")
    return ax


def spread(ax: Any, x: Iterable[float], seeds: list[list[float]], label: str, number: int) -> Any:
    """A measured curve: the mean over seeds as points, their range as bars."""
    x = list(x)
    mean = [sum(values) / len(values) for values in zip(*seeds, strict=True)]
    low = [m - min(v) for m, v in zip(mean, zip(*seeds, strict=True), strict=True)]
    high = [max(v) - m for m, v in zip(mean, zip(*seeds, strict=True), strict=True)]
    ax.errorbar(x, mean, yerr=[low, high], fmt=MARKERS[number % 6], color=COLOURS[number % 6],
                ms=5.5, capsize=2.5, lw=1.0, label=label)  # fmt: skip
    return ax


def theory(ax: Any, x: Iterable[float], y: Iterable[float], label: str, number: int) -> Any:
    """A curve that theory gives."""
    ax.plot(list(x), list(y), color=COLOURS[number % 6], ls=DASHES[number % 6], lw=1.4, label=label)
    return ax


def series(record: dict[str, Any], name: str) -> list[list[float]]:
    """A series of every seed."""
    return [seed[name] for seed in record["series"]]


def save(record: dict[str, Any], plot: Any, folder: Path) -> list[Path]:
    """plot.svg and plot.png of a record: the plot, and the claim as its caption."""
    import io

    import matplotlib

    with matplotlib.rc_context(STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        plot(record, figure.subplots())
        seeds = len(record["seeds"])
        caption = f"{record['claim']} ({record['about']}; {seeds} seed{'s' * (seeds > 1)})"
        figure.supxlabel(textwrap.fill(caption, 88), fontsize=9.5, x=0.02, ha="left")
        paths = []
        for suffix in ("svg", "png"):
            data = io.BytesIO()
            figure.savefig(data, format=suffix, metadata={"Date": None} if suffix == "svg" else {})
            path = folder / f"plot.{suffix}"
            write(path, data.getvalue())
            paths.append(path)
    return paths
