"""The precise rules, by kind of function.

A rule is called only where some argument's elements differ in origin.
"""

from collections.abc import Callable
from typing import Any

from pgm_rnn.extraction import joins, moves, sequence_rules
from pgm_rnn.extraction.call import Call
from pgm_rnn.extraction.kinds import Kind

# the output has every element of the arguments in it somewhere
COVERING = frozenset(
    {
        Kind.STACK,
        Kind.MOVE,
        Kind.ELEMENTWISE,
        Kind.PRODUCT,
        Kind.POWER,
        Kind.ALONG,
        Kind.LAYER_NORM,
        Kind.BEFORE,
        Kind.MATMUL,
        Kind.LINEAR,
        Kind.EINSUM,
        Kind.EMBEDDING,
        Kind.ONE_HOT,
        Kind.CELL,
    }
)

RULES: dict[Kind, Callable[[Call], Any]] = {
    Kind.COPY: moves.copy,
    Kind.REPLAY: moves.replay,
    Kind.MOVE: moves.replay,
    Kind.STACK: moves.stack,
    Kind.PAD: moves.pad,
    Kind.PAIRWISE: moves.pairwise,
    Kind.ELEMENTWISE: joins.elementwise,
    Kind.PRODUCT: joins.elementwise,
    Kind.POWER: joins.elementwise,
    Kind.ALONG: joins.along,
    Kind.BEFORE: joins.before,
    Kind.LAYER_NORM: joins.layer_norm,
    Kind.BATCH_NORM: joins.batch_norm,
    Kind.MATMUL: joins.matmul,
    Kind.LINEAR: joins.linear,
    Kind.EINSUM: joins.einsum,
    Kind.EMBEDDING: joins.embedding,
    Kind.ONE_HOT: joins.one_hot,
    Kind.GATHER: moves.gather,
    Kind.SELECT: moves.select,
    Kind.INDEX: moves.index,
    Kind.RECURRENT: sequence_rules.recurrent,
    Kind.CELL: sequence_rules.cell,
    Kind.ATTENTION: sequence_rules.attention,
    Kind.MULTIHEAD: sequence_rules.multihead,
    Kind.CONV1D: sequence_rules.conv1d,
    Kind.FILLED: moves.filled,
}
