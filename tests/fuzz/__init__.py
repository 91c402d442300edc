"""Random programs whose graph is known beforehand: the independent judge of `extract`."""
