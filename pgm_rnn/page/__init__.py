"""The interactive page: one self-contained file, every number and verdict from the library."""

from pgm_rnn.page.frame import Frame, frame
from pgm_rnn.page.lesson import lesson
from pgm_rnn.page.own import own

__all__ = ["Frame", "frame", "lesson", "own"]
