"""An extraction leaves everything as it was, also after an error."""

import gc
import random

import numpy as np
import pyro
import pyro.distributions as dist
import pytest
import torch
from torch.distributions import Distribution

import pgm_rnn
from pgm_rnn.errors import DuplicateSite, NoSites


def snapshot():
    return (
        torch.get_rng_state().tolist(),
        random.getstate(),
        np.random.get_state()[1].tolist(),
        sorted(pyro.get_param_store()),
        torch.is_grad_enabled(),
        Distribution._validate_args,
        gc.isenabled(),
        pyro.poutine.runtime.apply_stack,
        list(pyro.poutine.runtime._PYRO_STACK),
        torch._C.ScriptFunction.__call__,
    )


def test_state_is_as_before():
    batch_norm = torch.nn.BatchNorm1d(2)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bn = batch_norm

        def forward(self, x):
            pyro.param("p", torch.ones(()))
            np.random.rand()
            random.random()
            x -= 1.0  # changes its argument
            torch.set_grad_enabled(False)
            pyro.sample("y", dist.Normal(self.bn(x), 1.0).to_event(2))

    net, x = Net(), torch.randn(4, 2)
    before, content, mean = snapshot(), x.clone(), batch_norm.running_mean.clone()
    pgm_rnn.extract(net, x)
    assert snapshot() == before
    assert torch.equal(x, content)
    assert torch.equal(batch_norm.running_mean, mean)
    assert not [k for k in x.__dict__ if k.startswith("_pgm")]
    assert not [k for p in net.parameters() for k in p.__dict__ if k.startswith("_pgm")]


def test_state_is_as_before_after_an_error():
    def model(x):
        pyro.sample("a", dist.Normal(x, 1.0))
        torch.set_grad_enabled(False)
        raise KeyError("mine")

    before = snapshot()
    with pytest.raises(KeyError) as caught:
        pgm_rnn.extract(model, torch.zeros(2))
    assert snapshot() == before
    assert caught.value.__notes__ == ["raised by model(tensor[2]), after site 'a'"]


def test_no_tensor_stays_alive():
    def model(x):
        h = x.sum()
        for t in range(20):
            y = pyro.sample(f"y_{t}", dist.Normal(h, 1.0))
            h = torch.tanh(torch.stack([h, y])).sum()

    x = torch.zeros(3)
    pgm_rnn.extract(model, x)  # torch's own caches
    gc.collect()
    before = sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())
    for _ in range(3):
        pgm_rnn.extract(model, x)
    gc.collect()
    assert sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects()) <= before


def test_same_program_same_graph():
    def model():
        z = pyro.sample("z", dist.Bernoulli(0.5))
        if z:
            pyro.sample("extra", dist.Normal(z, 1.0))

    first, second = pgm_rnn.extract(model), pgm_rnn.extract(model)
    assert list(first) == list(second)


def test_duplicate_names():
    def model():
        pyro.sample("a", dist.Normal(0.0, 1.0))
        pyro.sample("a", dist.Normal(0.0, 1.0))

    with pytest.raises(DuplicateSite, match="two sites are named 'a'"):
        pgm_rnn.extract(model)


def test_no_sites():
    with pytest.raises(NoSites, match="ran to its end"):
        pgm_rnn.extract(lambda: None)


def test_thousands_of_sites():
    def model():
        y = torch.zeros(())
        for t in range(3000):
            y = pyro.sample(f"y_{t}", dist.Normal(y, 1.0))

    g = pgm_rnn.extract(model)
    assert g.number_of_edges() == 2999


def test_a_delta_of_a_view_leaves_the_view_its_own_site():
    """Would fail if the value of a drawn site overwrote what its shared memory stands for."""

    def model():
        rows = torch.randn(2)
        h = pyro.deterministic("h", rows[0])
        pyro.sample("s", dist.Delta(h))
        pyro.sample("y", dist.Normal(h, 1.0))

    assert set(pgm_rnn.extract(model).edges) == {("h", "s"), ("h", "y")}


def test_a_part_of_a_drawn_value_made_a_site_leaves_the_rest():
    """Would fail if the part's memory stood for the new site everywhere."""

    def model():
        w = pyro.sample("w", dist.Normal(torch.zeros(2), 1.0).to_event(1))
        part = w[0]
        pyro.deterministic("h", part)
        pyro.sample("x", dist.Normal(part, 1.0))
        pyro.sample("y", dist.Normal(w[0], 1.0))

    assert set(pgm_rnn.extract(model).edges) == {("w", "h"), ("h", "x"), ("w", "y")}
