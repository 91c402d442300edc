"""Every figure in small, its data, and a judge in NumPy that knows only the equations."""

import itertools

import numpy as np
import torch

import pgm_rnn

TAU, K = 4, 3
FIGURES = [
    ("10.3", {}),
    ("10.4", {}),
    ("10.7", {}),
    ("10.8", {}),
    ("text", {}),
    ("10.9", {"entry": "input"}),
    ("10.9", {"entry": "initial"}),
    ("10.9", {"entry": "both"}),
    ("10.10", {}),
]
IDS = ["-".join([name, *options.values()]) for name, options in FIGURES]


def make(name, tau=TAU, k=K, seed=3, **options):
    return pgm_rnn.figure(name, tau=tau, k=k, hidden=5, seed=seed, **options).model


def context(net, n, same=False):
    """A random x for n sequences (or the same for all), None where the figure has none."""
    if net.inputs is None:
        return None
    shape = [] if net.inputs == "vector" else [net.tau]
    random = torch.Generator().manual_seed(1)
    rows = 1 if same else n
    if net.finite:
        x = torch.randint(net.k, (rows, *shape), generator=random)
    else:
        x = torch.randn(rows, *shape, net.x_dim, generator=random, dtype=torch.float64)
    return x.expand(n, *x.shape[1:])


def everything(k=K, tau=TAU):
    """All k^tau sequences, [k^tau, tau]."""
    return torch.tensor(list(itertools.product(range(k), repeat=tau)))


def judge(net, y, x):
    """log P(y(t) | y(1..t-1), x) of one sequence by eqs 10.8 to 10.11, in NumPy: [tau]."""
    p = {name: value.detach().numpy() for name, value in net.named_parameters()}
    hot = np.eye(net.k)
    h, o, found = np.zeros(net.hidden), None, []
    if net.entry != "input":
        h = np.tanh(p["b"] + x @ p["R"])
    for t in range(len(y)):
        last = hot[y[t - 1]] if t else np.zeros(net.k)
        if net.figure == "10.3":
            h = np.tanh(p["b"] + h @ p["W"] + x[t] @ p["U"])
        elif net.figure == "10.10":
            h = np.tanh(p["b"] + h @ p["W"] + x[t] @ p["U"] + last @ p["R"])
        elif net.figure == "10.4":
            h = np.tanh(p["b"] + x[t] @ p["U"] + (o @ p["W"] if t else 0))
        elif net.figure == "text" or (net.figure == "10.8" and t):
            h = np.tanh(p["b"] + h @ p["W"] + last @ p["U"])
        elif net.figure == "10.9" and t:
            read = 0 if net.entry == "initial" else x @ p["R"]
            h = np.tanh(p["b"] + h @ p["W"] + last @ p["U"] + read)
        if net.figure == "10.7":
            row = sum(int(s) * net.k ** (t - 1 - i) for i, s in enumerate(y[:t]))
            o = np.append(p[f"table_{t + 1}"][row], 0.0)
        else:
            o = p["c"] + h @ p["V"]
        found.append(o[y[t]] - np.log(np.exp(o).sum()))
    return np.array(found)
