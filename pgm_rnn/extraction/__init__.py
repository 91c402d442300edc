"""From a running program to its graph: provenance, decisions, and a second opinion."""

from pgm_rnn.extraction.extract import extract
from pgm_rnn.extraction.lines import Line, why
from pgm_rnn.extraction.second_opinion import Report, verifier, verify
from pgm_rnn.extraction.unrolled import unroll

__all__ = ["Line", "Report", "extract", "unroll", "verifier", "verify", "why"]
