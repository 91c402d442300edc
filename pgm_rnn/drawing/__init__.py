"""Draw graphical models as the book does, or with a mark for every kind of node."""

from pgm_rnn.drawing.drawing import Drawing, draw

__all__ = ["Drawing", "draw"]
