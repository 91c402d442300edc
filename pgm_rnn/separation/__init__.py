"""What a graph says about independence, where some nodes are functions of others.

Nothing here runs or measures a program: graphs in, verdicts out.
"""

from pgm_rnn.separation.closure import determined
from pgm_rnn.separation.independencies import Independence, independencies
from pgm_rnn.separation.pairs import Separations, separations
from pgm_rnn.separation.separators import markov_blanket, minimal_separator
from pgm_rnn.separation.verdict import Verdict, separated
from pgm_rnn.separation.witness import Witness, witness

__all__ = [
    "Independence",
    "Separations",
    "Verdict",
    "Witness",
    "determined",
    "independencies",
    "markov_blanket",
    "minimal_separator",
    "separated",
    "separations",
    "witness",
]
