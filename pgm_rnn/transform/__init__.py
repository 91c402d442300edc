"""Graphs out of graphs: nothing here draws, runs or measures."""

from pgm_rnn.transform.fold import fold
from pgm_rnn.transform.marginalise import marginalise
from pgm_rnn.transform.merge import merge
from pgm_rnn.transform.substitute import substitute
from pgm_rnn.transform.view import View, view

__all__ = ["View", "fold", "marginalise", "merge", "substitute", "view"]
