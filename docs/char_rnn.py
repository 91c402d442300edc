"""A character-level language model, trained by teacher forcing, as people write it."""

import pyro
import pyro.distributions as dist
import torch
from torch import nn

K, H = 27, 32
embed, cell, out = nn.Embedding(K, H), nn.GRUCell(H, H), nn.Linear(H, K)


def model(tokens):
    for name, module in {"embed": embed, "cell": cell, "out": out}.items():
        pyro.module(name, module)
    batch, tau = tokens.shape
    h = torch.zeros(batch, H)
    with pyro.plate("names", batch):
        for t in range(1, tau + 1):
            pyro.sample(f"y_{t}", dist.Categorical(logits=out(h)), obs=tokens[:, t - 1])
            h = cell(embed(tokens[:, t - 1]), h)
