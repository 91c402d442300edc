"""Samples follow the law that log_prob scores."""

import pytest
import torch

import pgm_rnn
from pgm_rnn import BadOption, DataError

from .cases import FIGURES, IDS, TAU, K, context, everything, make

N = 20_000


def number(y):
    """The number of a sequence in base k."""
    return (y * K ** torch.arange(y.shape[1] - 1, -1, -1)).sum(-1)


def chi_square(drawn, p):
    """p-value of counts against probabilities; rare cells are taken together."""
    counts = torch.bincount(number(drawn), minlength=len(p)).double()
    wanted = p * len(drawn)
    rare = wanted < 5
    have, want = counts[~rare].tolist(), wanted[~rare].tolist()
    if rare.any():
        have.append(counts[rare].sum().item())
        want.append(wanted[rare].sum().item())
    have, want = torch.tensor(have).double(), torch.tensor(want).double()
    distance = ((have - want) ** 2 / want.clamp(min=1e-9)).sum()
    freedom = torch.tensor((len(have) - 1) / 2).double()
    return torch.special.gammaincc(freedom, distance / 2).item()  # P(chi-square > distance)


@pytest.mark.parametrize("state", ["real", "finite"])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_chi_square_over_all_sequences(name, options, state):
    """Would catch a step that reads the state before it was updated."""
    net = make(name, state=state, **options)
    y = everything()
    p = pgm_rnn.log_prob(net, y, context(net, len(y), same=True)).detach().exp()
    drawn = pgm_rnn.sample(net, N, context(net, 1), seed=5)
    assert drawn.shape == (N, TAU)
    assert chi_square(drawn, p) > 1e-3


def test_prefix_temperature_and_seed():
    net = make("10.8")
    y = everything()
    p = pgm_rnn.log_prob(net, y).detach().exp()
    prefix = torch.tensor([[2, 0]])
    drawn = pgm_rnn.sample(net, N, prefix=prefix, seed=1)
    fits = (y[:, :2] == prefix).all(-1)
    assert chi_square(drawn, p * fits / (p * fits).sum()) > 1e-3
    steps = pgm_rnn.log_prob(net, y, per_step=True).detach()
    first = steps[:, 0].exp()[y[:, 1:].sum(-1) == 0] ** 2  # temperature 1/2: squares, normalised
    cold = pgm_rnn.sample(net, N, temperature=0.5, seed=1)[:, :1]
    assert chi_square(cold, first / first.sum()) > 1e-3
    state = torch.get_rng_state()
    assert pgm_rnn.sample(net, 5, seed=9).equal(pgm_rnn.sample(net, 5, seed=9))
    assert torch.get_rng_state().equal(state)


def test_finished_sequences_leave_the_batch():
    net = make("10.8")
    drawn = pgm_rnn.sample(net, N, end=2, seed=1)
    ended = (drawn == 2).long().cumsum(-1).cumsum(-1) > 1
    assert drawn[ended].eq(-1).all()
    assert drawn[~ended].ge(0).all()
    # the law of what remains: would catch that the states of other rows are kept
    y = everything()
    over = (y == 2).long().cumsum(-1).cumsum(-1) > 1
    p = torch.zeros(len(y)).double()
    p.index_add_(0, number(y.masked_fill(over, 0)), pgm_rnn.log_prob(net, y).detach().exp())
    assert chi_square(drawn.masked_fill(ended, 0), p) > 1e-3


@pytest.mark.parametrize("output", ["normal", "laplace", "bernoulli"])
def test_other_outputs(output):
    """The first step's moments: mean o, variance 1 (Laplace 2)."""
    net = make("10.8", output=output)
    y = pgm_rnn.sample(net, N, seed=0)[:, 0].double()
    o = net.c.item()
    mean = torch.sigmoid(net.c).item() if output == "bernoulli" else o
    variance = {"normal": 1.0, "laplace": 2.0, "bernoulli": mean * (1 - mean)}[output]
    assert y.mean().item() == pytest.approx(mean, abs=0.04)
    assert y.var().item() == pytest.approx(variance, rel=0.06)


def test_bad_wishes():
    net = make("10.8")
    with pytest.raises(BadOption, match="temperature = 0"):
        pgm_rnn.sample(net, 1, temperature=0)
    with pytest.raises(BadOption, match="n = 0"):
        pgm_rnn.sample(net, 0)
    with pytest.raises(BadOption, match="end = 7"):
        pgm_rnn.sample(net, 1, end=7)
    with pytest.raises(DataError, match="prefix holds 2"):
        pgm_rnn.sample(net, 3, prefix=torch.zeros(2, 1).long())
    with pytest.raises(DataError, match=r"pass x, shape \[3, 4, 2\]"):
        pgm_rnn.sample(make("10.10"), 3)
