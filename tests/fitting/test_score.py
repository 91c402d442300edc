"""Scores are those of the program, of the equations, and sum to one."""

import math

import pyro
import pytest
import torch
from torch.nn import functional as F

import pgm_rnn
from pgm_rnn import BadOption, DataError
from pgm_rnn.fitting import reading
from pgm_rnn.sequences import SequenceDistribution, clock, steps, teacher_forced

from .cases import FIGURES, IDS, TAU, K, context, everything, judge, make


def y_of(n=6, seed=0, tau=TAU):
    return torch.randint(K, (n, tau), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_the_equations_in_numpy(name, options):
    """Would catch an h that is shifted by a step, a transposed W, a missing R."""
    net = make(name, **options)
    y, x = y_of(), context(net, 6)
    got = pgm_rnn.log_prob(net, y, x, per_step=True).detach()
    for i in range(6):
        want = judge(net, y[i].tolist(), None if x is None else x[i].numpy())
        assert torch.allclose(got[i], torch.tensor(want), atol=1e-12)


@pytest.mark.parametrize("state", ["real", "finite"])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_the_programs_own_trace_and_gradients(name, options, state):
    net = make(name, state=state, **options)
    y, x = y_of(), context(net, 6)
    trace = pyro.poutine.trace(net).get_trace(y, **({} if x is None else {"x": x}))
    trace.compute_log_prob()
    sites = torch.stack([trace.nodes[f"y_{t}"]["log_prob"] for t in range(1, TAU + 1)], -1)
    ours = pgm_rnn.log_prob(net, y, x, per_step=True)
    assert torch.allclose(ours, sites, atol=1e-12)
    total = pgm_rnn.log_prob(net, y, x)
    assert torch.allclose(total, SequenceDistribution(net, x, batch=6).log_prob(y), atol=1e-12)
    mine = torch.autograd.grad(total.sum(), list(net.parameters()), allow_unused=True)
    other = torch.autograd.grad(sites.sum(), list(net.parameters()), allow_unused=True)
    for a, b in zip(mine, other, strict=True):
        assert (a is None or not a.any()) if b is None else torch.allclose(a, b, atol=1e-9)


@pytest.mark.parametrize("state", ["real", "finite"])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_sums_to_one_and_conditionals(name, options, state):
    """All 81 sequences: total 1, and each step's conditional is a ratio of marginals."""
    net = make(name, state=state, **options)
    y = everything()
    x = context(net, len(y), same=True)
    parts = pgm_rnn.log_prob(net, y, x, per_step=True).detach()
    p = parts.sum(-1).exp()
    assert float(p.sum()) == pytest.approx(1, abs=1e-12)
    for t in range(1, TAU + 1):
        past = (y[:, None, : t - 1] == y[None, :, : t - 1]).all(-1)
        now = past & (y[:, None, t - 1] == y[None, :, t - 1])
        ratio = (now * p).sum(-1) / (past * p).sum(-1)
        assert torch.allclose(parts[:, t - 1].exp(), ratio, atol=1e-12)


@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_one_step_at_a_time_is_the_same_net(name, options):
    net = make(name, **options)
    y, x = y_of(), context(net, 6)
    recursion = steps(net)
    state, found = recursion.first(6, x), []
    for t in range(1, TAU + 1):
        found.append(recursion.outputs(state, t).expand(6, -1))
        if t < TAU:
            state = recursion.advance(state, t, y[:, t - 1], x)
    assert torch.allclose(torch.stack(found, 1), teacher_forced(net, y, x), atol=1e-12)


LOSSES = [
    ("cross entropy", lambda o, y: F.cross_entropy(o.transpose(1, 2), y.long(), reduction="sum")),
    ("bce", lambda o, y: F.binary_cross_entropy_with_logits(o[..., 0], y, reduction="sum")),
    ("mse", lambda o, y: F.mse_loss(o[..., 0], y, reduction="sum")),
    ("L1 loss", lambda o, y: F.l1_loss(o[..., 0], y, reduction="sum")),
]


@pytest.mark.parametrize(("loss", "function"), LOSSES, ids=[name for name, _ in LOSSES])
def test_a_loss_is_a_density(loss, function):
    """Would catch a missing half, or a constant that is not log 2 pi / 2 a step."""
    read = reading(loss)
    net = make("10.8", output=read.output)
    symbols = net.output.symbols
    y = torch.randn(6, TAU).double() if symbols is None else torch.randint(symbols, (6, TAU))
    y = y if read.output == "categorical" else y.double()
    nats = -pgm_rnn.log_prob(net, y).sum()
    value = function(teacher_forced(net, y), y.double())
    assert nats.item() == pytest.approx(read.scale * value.item() + 6 * TAU * read.constant)
    mine = torch.autograd.grad(nats, list(net.parameters()))
    other = torch.autograd.grad(read.scale * value, list(net.parameters()))
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, other, strict=True))
    trace = pyro.poutine.trace(net).get_trace(y)
    assert trace.log_prob_sum().item() == pytest.approx(-nats.item())


def test_a_loss_without_a_density_is_refused_with_the_reason():
    with pytest.raises(BadOption, match="normaliser is part of the loss"):
        reading("hinge")
    with pytest.raises(BadOption, match="squared error"):
        reading("my own")


def test_lengths_cut_the_padding():
    net = make("10.8")
    y = y_of(2)
    padded = torch.where(torch.tensor([[True] * 4, [True, True, False, False]]), y, -1)
    got = pgm_rnn.log_prob(net, padded, lengths=torch.tensor([4, 2]))
    assert got[1].item() == pytest.approx(pgm_rnn.log_prob(net, y[1:, :2]).item())


def test_context_as_a_bias():
    """x R is a bias: 10.9 given x is fig 10.8 with b + x R (and the same first step)."""
    net, plain = make("10.9"), make("10.8")
    x = context(net, 1)
    with torch.no_grad():
        for letter in "UVWc":
            getattr(plain, letter).copy_(getattr(net, letter))
        plain.b.copy_(net.b + (x @ net.R)[0])
    y = y_of()
    assert torch.allclose(
        pgm_rnn.log_prob(net, y, x.expand(6, -1)), pgm_rnn.log_prob(plain, y), atol=1e-12
    )


def test_clock():
    assert clock(3)[0, :, 0].tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    assert clock(3, trained=2)[0, 2, 0] == 1.5
    beyond = clock(4, "onehot", trained=2, batch=5)
    assert beyond.shape == (5, 4, 2)
    assert beyond[0, :2].equal(torch.eye(2).double())
    assert not beyond[:, 2:].any()
    with pytest.raises(BadOption, match="scalar"):
        clock(3, "sine")


NET = {"10.8": {}, "10.10": {}, "10.9": {}}
BAD = [
    ("10.8", lambda: (torch.tensor([[0, 1, 3, 0]]), None), "y[0, 2] = 3 (sequence 1, step 3)"),
    ("10.8", lambda: (torch.tensor([[0, -1, 2, 0]]), None), "symbols are 0 .. 2"),
    ("10.8", lambda: (torch.tensor([0, 1, 2]), None), "expected [batch, tau]"),
    ("10.8", lambda: (torch.zeros(0, 4).long(), None), "no sequence"),
    ("10.8", lambda: (torch.zeros(2, 5).long(), None), 'figure("10.8", tau=5)'),
    ("10.8", lambda: (torch.full((1, 4), float("nan")), None), "y[0, 0] = nan"),
    ("10.8", lambda: (torch.zeros(1, 4).long(), torch.zeros(1, 4, 2)), "reads no x"),
    ("10.10", lambda: (torch.zeros(1, 4).long(), None), "pass x, shape [1, 4, 2]"),
    ("10.10", lambda: (torch.zeros(1, 4).long(), torch.zeros(1, 3, 2)), "figs 10.3 and 10.10"),
    ("10.10", lambda: (torch.zeros(1, 4).long(), torch.zeros(1, 4, 3)), "expected [1, 4, 2]"),
    ("10.9", lambda: (torch.zeros(1, 4).long(), torch.tensor([[0, float("inf")]])), "x[0, 1]"),
]


@pytest.mark.parametrize(("name", "data", "message"), BAD, ids=[m for _, _, m in BAD])
def test_what_cannot_be_read_is_said(name, data, message):
    with pytest.raises(DataError) as caught:
        pgm_rnn.log_prob(make(name), *data())
    assert message in str(caught.value)


def test_other_programs_are_refused():
    with pytest.raises(BadOption, match="not the program of a recurrent figure"):
        pgm_rnn.log_prob(lambda: None, y_of())


def test_unit_gaussian_constant():
    assert reading("squared error").constant == pytest.approx(0.5 * math.log(2 * math.pi))
