"""One generative program a figure, each readable on its own."""
