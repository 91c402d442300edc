"""Pyro's own inference runs on the explicit programs."""

import pyro
import pyro.distributions as dist
import pytest
import torch
from pyro.infer import SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, config_enumerate, infer_discrete

import pgm_rnn
from pgm_rnn.sequences import SequenceDistribution

from .cases import FIGURES, IDS, K, context, everything, make


def no_guide(*args, **kwargs):
    pass


@pytest.mark.parametrize("whole", [False, True], ids=["a site a step", "one site"])
def test_svi(whole):
    """Both evaluation orders, fitted by SVI, lower the loss that log_prob reports."""
    net = make("10.8")
    y = torch.tensor([[0, 1, 2, 0]] * 8)

    def model(y):
        pyro.module("net", net)
        if whole:
            with pyro.plate("batch", len(y)):
                pyro.sample("y", SequenceDistribution(net, batch=len(y)), obs=y)
        else:
            net(y)

    svi = SVI(model, no_guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
    start = -pgm_rnn.log_prob(net, y).sum().item()
    assert svi.evaluate_loss(y) == pytest.approx(start)
    for _ in range(30):
        svi.step(y)
    assert -pgm_rnn.log_prob(net, y).sum().item() < 0.3 * start


@pytest.fixture
def double():
    """Pyro's enumeration makes constants of the default type, our parameters are float64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_enumeration_sums_out_the_later_steps(name, options):
    """TraceEnum_ELBO of an observed beginning is the brute-force sum over the rest."""
    net = make(name, **options)
    x = context(net, 1)
    kwargs = {} if x is None else {"x": x}
    start = torch.tensor([[2, 0]])
    elbo = TraceEnum_ELBO(max_plate_nesting=1)
    got = -elbo.loss(config_enumerate(net), no_guide, start, **kwargs)
    y = everything()
    p = pgm_rnn.log_prob(net, y, context(net, len(y), same=True)).detach()
    want = p[(y[:, :2] == start).all(-1)].logsumexp(0)
    own = 0.0
    if x is not None:  # the program scores x too
        own = sum(
            site["log_prob"].sum().item()
            for site in _scored(net, start, kwargs)
            if site["name"].startswith("x")
        )
    assert got == pytest.approx(want.item() + own, abs=1e-6)


def _scored(net, y, kwargs):
    trace = pyro.poutine.trace(net).get_trace(y, **kwargs)
    trace.compute_log_prob()
    return [site for site in trace.nodes.values() if site["type"] == "sample"]


def test_infer_discrete_draws_the_rest_from_its_posterior():
    """A gap's most probable filling is the brute-force one."""
    net = make("10.8")
    start = torch.tensor([[1, 2]])
    best = infer_discrete(config_enumerate(net), first_available_dim=-2, temperature=0)
    drawn = best(start)
    y = everything()
    p = pgm_rnn.log_prob(net, y).detach()
    p[(y[:, :2] != start).any(-1)] = -torch.inf
    assert drawn[..., -1].flatten()[0] == y[p.argmax(), -1]


def test_predictive():
    net = make("10.8")
    drawn = Predictive(net, num_samples=5000, parallel=False)(batch=1)
    first = torch.bincount(drawn["y_1"].flatten(), minlength=K) / 5000
    assert torch.allclose(first.double(), torch.softmax(net.c.detach(), -1), atol=0.03)


def test_sequence_site_in_a_plate_samples_and_expands():
    net = make("10.10")
    x = context(net, 6)
    whole = SequenceDistribution(net, x)
    y = whole.sample((3,))
    assert y.shape == (3, 6, 4)
    assert whole.log_prob(y[0]).shape == (6,)
    one = SequenceDistribution(net, x[:1]).expand([6])
    assert one.log_prob(y[0])[0].item() == pytest.approx(whole.log_prob(y[0])[0].item())
    with pytest.raises(ValueError, match="support"):
        SequenceDistribution(net, x, validate_args=True).log_prob(y[0] + K)
    assert isinstance(whole, dist.TorchDistribution)
