"""Score, fit, save and sample the figures' programs."""

from pgm_rnn.fitting.fit import Fitted, fit
from pgm_rnn.fitting.losses import Reading, reading
from pgm_rnn.fitting.sample import sample
from pgm_rnn.fitting.score import log_prob

__all__ = ["Fitted", "Reading", "fit", "log_prob", "reading", "sample"]
