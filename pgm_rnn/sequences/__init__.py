"""The engine of the figures' programs: parameters, states and output families."""

from pgm_rnn.sequences.history import remember
from pgm_rnn.sequences.program import Program, Size, given

__all__ = ["Program", "Size", "given", "remember"]
