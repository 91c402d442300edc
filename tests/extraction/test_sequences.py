"""Whole sequences through one call: which output step comes from which input step."""

import pyro
import pyro.distributions as dist
import pytest
import torch
from helpers import edges
from torch import nn

T = 4
BEFORE = {(s, t) for t in range(T) for s in range(t + 1)}
ALL = {(s, t) for t in range(T) for s in range(T)}
CAUSAL = torch.ones(T, T).triu(1).bool()  # True is hidden, as nn.MultiheadAttention reads it


def multihead(**options):
    net = nn.MultiheadAttention(4, 2, batch_first=options.pop("batch_first", False))

    def run(x):
        wide = x.transpose(0, 1) if net.batch_first else x
        out = net(wide, wide, wide, **options)[0]
        return out.transpose(0, 1) if net.batch_first else out

    return run


def dot_product(**options):
    def run(x):
        q = x.transpose(0, 1)
        return nn.functional.scaled_dot_product_attention(q, q, q, **options).transpose(0, 1)

    return run


def convolution(**options):
    net = nn.Conv1d(4, 2, 2, **options)

    def run(x):
        padded = nn.functional.pad(x.permute(1, 2, 0), (1, 0))
        return net(padded).permute(2, 0, 1)

    return run


def recurrent(cls, **options):
    net = cls(4, 3, **options)
    return lambda x: net(x)[0]


def transformer(net):
    return lambda x: net(x, src_mask=CAUSAL)


CASES = {
    "transformer layer, causal": (transformer(nn.TransformerEncoderLayer(4, 2, 8)), BEFORE),
    "transformer layer, causal, evaluated": (
        transformer(nn.TransformerEncoderLayer(4, 2, 8).eval()),
        BEFORE,
    ),
    "rnn": (recurrent(nn.RNN), BEFORE),
    "gru, two layers": (recurrent(nn.GRU, num_layers=2), BEFORE),
    "lstm": (recurrent(nn.LSTM), BEFORE),
    "lstm, two directions": (recurrent(nn.LSTM, bidirectional=True), ALL),
    "attention without a mask": (multihead(), ALL),
    "attention, causal": (multihead(attn_mask=CAUSAL), BEFORE),
    "attention, causal, batch first": (multihead(attn_mask=CAUSAL, batch_first=True), BEFORE),
    "attention, causal, without weights": (
        multihead(attn_mask=CAUSAL, need_weights=False),
        BEFORE,
    ),
    "attention, a float mask": (
        multihead(attn_mask=torch.zeros(T, T).masked_fill(CAUSAL, -torch.inf)),
        BEFORE,
    ),
    "dot product": (dot_product(), ALL),
    "dot product, causal": (dot_product(is_causal=True), BEFORE),
    "convolution of width 2": (convolution(), {(s, t) for s, t in BEFORE if t - s <= 1}),
}


@pytest.mark.parametrize("name", CASES)
def test_steps(name):
    net, expected = CASES[name]

    def model():
        steps = [
            pyro.sample(f"x_{t}", dist.Normal(torch.zeros(1, 4), 1.0).to_event(2)) for t in range(T)
        ]
        out = net(torch.stack(steps))
        for t in range(T):
            pyro.sample(f"y_{t}", dist.Normal(out[t].sum(), 1.0))

    assert edges(model) == {(f"x_{s}", f"y_{t}") for s, t in expected}
