"""`python -m pgm_rnn.cli`."""

from pgm_rnn.cli import main

main()
