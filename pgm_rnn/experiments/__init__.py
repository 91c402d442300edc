"""The section's claims as experiments: a number that theory gives, and the same number measured.

    pgm_rnn.experiments.run("independence-gap", seeds=5)

Each file is one experiment on a toy process with known truth and a program of the figures.
"""

from pgm_rnn.experiments.experiment import Experiment, Measured, Row
from pgm_rnn.experiments.grid import Cell, sweep
from pgm_rnn.experiments.registry import find, names
from pgm_rnn.experiments.runner import run

__all__ = ["Cell", "Experiment", "Measured", "Row", "find", "names", "run", "sweep"]
