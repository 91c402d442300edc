"""From a running program to its graph."""

from pgm_rnn.extraction.extract import extract

__all__ = ["extract"]
