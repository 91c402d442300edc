"""The engine of the figures' programs: parameters, states, output families, and fast passes."""

from pgm_rnn.sequences.clock import clock
from pgm_rnn.sequences.distribution import SequenceDistribution
from pgm_rnn.sequences.ends import ended, length
from pgm_rnn.sequences.history import remember
from pgm_rnn.sequences.program import Program, Size, given, sequence
from pgm_rnn.sequences.steps import Steps, steps
from pgm_rnn.sequences.teacher import teacher_forced

__all__ = [
    "Program",
    "SequenceDistribution",
    "Size",
    "Steps",
    "clock",
    "ended",
    "given",
    "length",
    "remember",
    "sequence",
    "steps",
    "teacher_forced",
]
