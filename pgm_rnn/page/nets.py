"""Small nets that are trained when the page is built; the browser runs their weights."""

from typing import Any

import torch

from pgm_rnn.catalog import figure
from pgm_rnn.fitting import fit
from pgm_rnn.sequences import Program, length_distribution

SYMBOLS = "abc"
LONGEST = 10


def weights(net: Program) -> dict[str, Any]:
    """A program's parameters as lists, and its sizes."""
    found: dict[str, Any] = {"tau": net.tau, "k": net.k}
    for name, value in net.state_dict().items():
        found[name] = value.tolist()
    return found


def gaps() -> Program:
    """Fig 10.8 on a toy text: abc repeated, from any letter on, one letter in ten at random."""
    random = torch.Generator().manual_seed(0)
    start = torch.randint(3, (4000, 1), generator=random)
    y = (start + torch.arange(9)) % 3
    noise = torch.rand(y.shape, generator=random) < 0.1
    y = torch.where(noise, torch.randint(3, y.shape, generator=random), y)
    net = _program("10.8", tau=12, k=3, hidden=6)
    fit(net, y, steps=600, batch_size=512, lr=0.03)
    return net


def lengths() -> tuple[dict[str, Any], dict[str, Any]]:
    """The three rules for when to stop, on lengths with two peaks; weights and exact laws."""
    law = torch.full((LONGEST,), 0.02)
    law[2], law[7] = 0.38, 0.46
    random = torch.Generator().manual_seed(0)
    n = 1 + torch.multinomial(law, 20_000, replacement=True, generator=random)
    y = torch.randint(2, (len(n), LONGEST), generator=random)
    y = torch.where(torch.arange(LONGEST) < n.unsqueeze(-1), y, -1)
    nets, laws = {}, {}
    for rule in ("eos", "halt", "tau"):
        net = _program(rule, tau=LONGEST, k=2, hidden=8)
        fit(net, y, steps=500, batch_size=512, lr=0.05)
        exact = length_distribution(net)
        nets[rule] = weights(net)
        laws[rule] = {"probability": exact.probability.tolist(), "forced": exact.forced}
    return nets, laws


def contexts() -> dict[str, Program]:
    """Fig 10.9 with x in each of its three ways: x(1) says how often b comes, x(2) alternation."""
    random = torch.Generator().manual_seed(0)
    x = torch.randn(4000, 2, generator=random, dtype=torch.float64)
    y = torch.zeros(4000, 5, dtype=torch.long)
    last = torch.zeros(4000, dtype=torch.float64)
    for t in range(5):
        chance = torch.sigmoid(2 * x[:, 0] + 2 * x[:, 1] * last)
        y[:, t] = torch.bernoulli(chance, generator=random).long()
        last = 1.0 - 2.0 * y[:, t]
    found = {}
    for entry in ("input", "initial", "both"):
        net = _program("10.9", entry=entry, tau=5, k=2, hidden=6)
        fit(net, y, x, steps=400, batch_size=512, lr=0.03)
        found[entry] = net
    return found


def _program(name: str, **options: Any) -> Program:
    net = figure(name, **options).model
    assert isinstance(net, Program)
    return net
