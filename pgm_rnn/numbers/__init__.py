"""Numbers of small discrete programs: exact joints, entropies, mutual informations."""

from pgm_rnn.numbers.joint import Joint, joint

__all__ = ["Joint", "joint"]
