"""Posteriors of missing values: what stood in the gaps, given the rest."""

from pgm_rnn.missing.infill import Infilled, infill

__all__ = ["Infilled", "infill"]
