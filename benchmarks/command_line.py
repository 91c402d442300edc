"""The command line as whole processes: what a user waits for, against `import pyro` alone."""

import subprocess
import sys
import tempfile
from pathlib import Path

from timing import alternate


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "fig.svg")
        commands = {
            "python -c 'import pyro'": [sys.executable, "-c", "import pyro"],
            "pgm-rnn draw 10.8": [
                sys.executable,
                "-m",
                "pgm_rnn.cli",
                "draw",
                "10.8",
                "--out",
                out,
            ],
            "pgm-rnn --help": [sys.executable, "-m", "pgm_rnn.cli", "--help"],
        }
        functions = {
            name: lambda c=command: subprocess.run(c, check=True, capture_output=True)
            for name, command in commands.items()
        }
        best = alternate(functions, runs=5)
    base = best["python -c 'import pyro'"]
    for name, seconds in best.items():
        print(f"{name:26s} {seconds / base:6.2f} times import pyro")


if __name__ == "__main__":
    main()
