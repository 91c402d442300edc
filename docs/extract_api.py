"""Write docs/api.md: every public name, by room. python docs/extract_api.py"""

from importlib import import_module
from pathlib import Path

import pgm_rnn

HEAD = """# Reference

Every public name of `pgm_rnn`, from its docstring. Numbers are nats; times count from 1.
"""


def text() -> str:
    """The page: a heading a room, a line a name."""
    lines = [HEAD]
    for room, names in pgm_rnn._ROOMS.items():
        lines.append(f"## {room.removeprefix('pgm_rnn.')}\n")
        for name in sorted(names):
            home = getattr(import_module(room), name).__module__
            lines.append(f"::: {home}.{name}\n")
    lines.append("## experiments\n")
    for name in ("run", "sweep", "find", "Experiment", "Row", "Measured", "Cell"):
        home = getattr(pgm_rnn.experiments, name).__module__
        lines.append(f"::: {home}.{name}\n")
    lines.append("## page\n")
    for name in ("lesson", "own", "frame"):
        home = getattr(import_module("pgm_rnn.page"), name).__module__
        lines.append(f"::: {home}.{name}\n")
    return "\n".join(lines)


if __name__ == "__main__":
    (Path(__file__).parent / "api.md").write_text(text(), encoding="utf-8")
