"""The engine of the figures' programs: parameters, states, output families, and fast passes."""

from pgm_rnn.sequences.belief import believe
from pgm_rnn.sequences.clock import clock
from pgm_rnn.sequences.distribution import SequenceDistribution
from pgm_rnn.sequences.ends import ended, length
from pgm_rnn.sequences.history import remember
from pgm_rnn.sequences.length_law import LengthLaw, length_distribution
from pgm_rnn.sequences.program import Program, Size, given, sequence
from pgm_rnn.sequences.steps import Steps, steps
from pgm_rnn.sequences.teacher import teacher_forced
from pgm_rnn.sequences.variable import VariableLength, by_coin

__all__ = [
    "LengthLaw",
    "Program",
    "SequenceDistribution",
    "Size",
    "Steps",
    "VariableLength",
    "believe",
    "by_coin",
    "clock",
    "ended",
    "given",
    "length",
    "length_distribution",
    "remember",
    "sequence",
    "steps",
    "teacher_forced",
]
