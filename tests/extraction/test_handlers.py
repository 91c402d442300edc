"""Pyro's handlers, plates, parameters and distributions."""

import pyro
import pyro.distributions as dist
import pytest
import torch
from helpers import edges, into, plates
from pyro import poutine
from pyro.infer import config_enumerate
from pyro.infer.reparam import LocScaleReparam
from pyro.nn import PyroModule, PyroSample
from torch.distributions import constraints

import pgm_rnn


def chain():
    a = pyro.sample("a", dist.Normal(0.0, 1.0))
    b = pyro.sample("b", dist.Normal(a, 1.0))
    pyro.sample("c", dist.Normal(a + b, 1.0))


FULL = {("a", "b"), ("a", "c"), ("b", "c")}


def test_condition_changes_only_the_flag():
    g = pgm_rnn.extract(poutine.condition(chain, {"b": torch.tensor(0.5)}))
    assert set(g.edges) == FULL
    assert [n for n in g if g.nodes[n]["observed"]] == ["b"]


def test_do_cuts_the_arrows_in_and_keeps_those_out():
    g = pgm_rnn.extract(poutine.do(chain, {"b": torch.tensor(0.5)}))
    assert set(g.edges) == {("a", "c"), ("b", "c")}
    assert g.nodes["b"]["kind"] == "stochastic"
    assert g.nodes["b"]["observed"] is False


def test_one_tensor_for_two_interventions():
    # Mistake: the tensor is tagged once, so one site's arrows come from the other.
    x = torch.tensor(0.5)
    assert edges(poutine.do(chain, {"a": x, "b": x})) == {("a", "c"), ("b", "c")}


def test_reparam_puts_the_function_between():
    model = poutine.reparam(chain, {"b": LocScaleReparam(centered=0.0)})
    g = pgm_rnn.extract(model)
    assert set(g.edges) == {("a", "b"), ("b_decentered", "b"), ("a", "c"), ("b", "c")}
    assert g.nodes["b"]["kind"] == "deterministic"
    assert g.nodes["b"]["observed"] is False


def test_equalize():
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.sample("b", dist.Normal(0.0, 1.0))
        pyro.sample("y", dist.Normal(b, 1.0), obs=torch.tensor(0.0))
        return a

    assert edges(poutine.equalize(model, ["a", "b"])) == {("a", "b"), ("b", "y")}


def test_lift_turns_a_parameter_into_a_site():
    def model():
        w = pyro.param("w", torch.zeros(()))
        pyro.sample("y", dist.Normal(w, 1.0))

    assert edges(poutine.lift(model, prior={"w": dist.Normal(0.0, 1.0)})) == {("w", "y")}


@pytest.mark.parametrize("off", [False, torch.tensor(False)])
def test_a_mask_keeps_the_parents(off):
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        with poutine.mask(mask=off):
            pyro.sample("y", dist.Normal(z, 1.0).mask(off), obs=torch.tensor(0.0))

    assert edges(model) == {("z", "y")}


def test_what_a_mask_is_made_of_is_a_parent():
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        with poutine.mask(mask=z > 0):
            pyro.sample("y", dist.Normal(0.0, 1.0))

    assert edges(model) == {("z", "y")}


def test_obs_mask():
    def model(y, seen):
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        with pyro.plate("n", len(y)):
            full = pyro.sample("y", dist.Normal(z, 1.0), obs=y, obs_mask=seen)
        pyro.sample("s", dist.Normal(full.sum(), 1.0))

    assert edges(model, torch.randn(3), torch.tensor([True, False, True])) == {
        ("z", "y_observed"), ("z", "y_unobserved"), ("y_observed", "y"), ("y_unobserved", "y"),
        ("y", "s"),
    }  # fmt: skip


def test_factor():
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        pyro.factor("f", -(z**2))

    g = pgm_rnn.extract(model)
    assert set(g.edges) == {("z", "f")}
    assert g.nodes["f"]["kind"] == "factor"
    assert g.nodes["f"]["observed"] is False


def test_an_observation_computed_from_a_latent():
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        y = pyro.sample("y", dist.Normal(0.0, 1.0), obs=z * 2)
        pyro.sample("w", dist.Normal(y, 1.0))

    assert edges(model) == {("z", "y"), ("y", "w")}


def test_deterministic_stands_for_itself_under_the_old_name():
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        h = a * 2
        pyro.deterministic("h", h)
        pyro.sample("y", dist.Normal(h, 1.0))

    assert edges(model) == {("a", "h"), ("h", "y")}


def test_deterministic_of_a_slice_stands_for_the_slice():
    def model():
        a = pyro.sample("a", dist.Normal(torch.zeros(2), 1.0).to_event(1))
        hs = a * 2
        pyro.deterministic("h", hs[0])
        pyro.sample("y", dist.Normal(hs[0], 1.0))
        pyro.sample("z", dist.Normal(hs[1], 1.0))

    assert edges(model) == {("a", "h"), ("h", "y"), ("a", "z")}


def test_deterministic_of_another_sites_own_tensor():
    # Mistake: a is tagged as b from then on, and c hangs on b.
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.deterministic("b", a)
        pyro.sample("c", dist.Normal(a, 1.0))
        pyro.sample("d", dist.Normal(b, 1.0))

    assert edges(model) == {("a", "b"), ("a", "c"), ("b", "d")}


def test_enumeration_and_markov():
    @config_enumerate
    def model():
        z = torch.tensor(0)
        for t in pyro.markov(range(3)):
            z = pyro.sample(f"z_{t}", dist.Categorical(torch.eye(2)[z] + 0.1))
            pyro.sample(f"y_{t}", dist.Normal(z.float(), 1.0), obs=torch.tensor(0.0))

    expected = {("z_0", "z_1"), ("z_1", "z_2")} | {(f"z_{t}", f"y_{t}") for t in range(3)}
    assert edges(model) == expected
    assert edges(poutine.enum(model, first_available_dim=-2)) == expected


def test_plates_nested_crossing_sequential_and_empty():
    def model():
        rows, columns = pyro.plate("rows", 2, dim=-2), pyro.plate("columns", 3, dim=-1)
        with rows:
            a = pyro.sample("a", dist.Normal(0.0, 1.0))
            with pyro.plate("inner", 4, dim=-1):
                pyro.sample("i", dist.Normal(a, 1.0))
        with columns:
            b = pyro.sample("b", dist.Normal(0.0, 1.0))
        with rows, columns:
            pyro.sample("ab", dist.Normal(a + b, 1.0))
        for s in pyro.plate("steps", 2):
            pyro.sample(f"s_{s}", dist.Normal(0.0, 1.0))
        with pyro.plate("nothing", 2):  # Pyro itself refuses a plate of size 0
            pass

    g = pgm_rnn.extract(model)
    assert plates(g) == {
        "rows": {"a", "i", "ab"},
        "columns": {"b", "ab"},
        "inner": {"i"},
        "steps": {"s_0", "s_1"},
    }
    assert g.nodes["i"]["plates"] == ("rows", "inner")
    assert set(g.edges) == {("a", "i"), ("a", "ab"), ("b", "ab")}


def test_a_subsampling_plate_is_no_node():
    def model(y):
        m = pyro.sample("m", dist.Normal(0.0, 1.0))
        with pyro.plate("n", 10, subsample_size=4) as chosen:
            pyro.sample("y", dist.Normal(m, 1.0), obs=y[chosen])

    assert set(pgm_rnn.extract(model, torch.randn(10))) == {"m", "y"}


def test_crossed_semi_supervised_calls_merge():
    def model(x, y=None):
        y = pyro.sample("y", dist.Bernoulli(0.5), obs=y)
        pyro.sample("x", dist.Normal(y, 1.0), obs=x)
        if x > 0:
            pyro.sample("head", dist.Normal(y, 1.0))

    one = pgm_rnn.extract(model, torch.tensor(1.0), torch.tensor(1.0))
    other = pgm_rnn.extract(model, torch.tensor(-1.0))
    g = pgm_rnn.merge(one, other)
    assert {n: g.nodes[n]["observed"] for n in pgm_rnn.sites(g)} == {
        "y": "partly", "x": True, "head": False,
    }  # fmt: skip
    assert ("y", "head") in g.edges


DISTRIBUTIONS = {
    "Independent": lambda z: dist.Normal(z.expand(2), 1.0).to_event(1),
    "Expanded": lambda z: dist.Gamma(z.exp(), 1.0).expand([2]).to_event(1),
    "Transformed": lambda z: dist.TransformedDistribution(
        dist.Normal(0.0, 1.0), [dist.transforms.AffineTransform(z, 1.0)]
    ),
    "Mixture": lambda z: dist.MixtureSameFamily(
        dist.Categorical(torch.ones(2)), dist.Normal(torch.stack([z, z]), 1.0)
    ),
    "Dirichlet": lambda z: dist.Dirichlet(z.exp() * torch.ones(3)),
    "Multinomial": lambda z: dist.Multinomial(5, logits=torch.stack([z, -z])),
    "MultivariateNormal": lambda z: dist.MultivariateNormal(z.expand(2), torch.eye(2)),
    "LKJ": lambda z: dist.LKJCholesky(3, z.exp()),
    "OrderedLogistic": lambda z: dist.OrderedLogistic(torch.zeros(()), torch.stack([z - 1, z])),
    "Truncated support": lambda z: dist.Uniform(0.0, z.exp()),
    "Improper over a random support": lambda z: dist.ImproperUniform(
        constraints.greater_than(z), (), ()
    ),
    "ZeroInflated": lambda z: dist.ZeroInflatedPoisson(z.exp(), gate=torch.tensor(0.5)),
    "Delta": lambda z: dist.Delta(z),
    "VonMises": lambda z: dist.VonMises(z, 1.0),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_tensors_of_a_distribution_are_found(name):
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        y = pyro.sample("y", DISTRIBUTIONS[name](z))
        pyro.sample("w", dist.Normal(y.sum() * 1.0, 1.0))

    assert edges(model) == {("z", "y"), ("y", "w")}


def test_parameters_by_every_registration():
    class Net(PyroModule):
        def __init__(self):
            super().__init__()
            self.lin = PyroModule[torch.nn.Linear](1, 1)
            self.lin.bias = PyroSample(dist.Normal(0.0, 1.0).expand([1]).to_event(1))

        def forward(self):
            pyro.sample("y", dist.Normal(self.lin(torch.ones(1)), 1.0).to_event(1))

    g = pgm_rnn.extract(Net())
    assert into(g, "parameter") == {("lin.weight", "y")}
    assert ("lin.bias", "y") in g.edges

    lin = torch.nn.Linear(1, 1)

    def model():
        pyro.module("lin", lin)
        s = pyro.param("s", torch.ones(()), constraint=constraints.positive)
        pyro.sample("y", dist.Normal(lin(torch.ones(1)), s).to_event(1))

    assert into(pgm_rnn.extract(model), "parameter") == {
        ("lin$$$weight", "y"), ("lin$$$bias", "y"), ("s", "y"),
    }  # fmt: skip

    def unregistered():
        pyro.sample("y", dist.Normal(lin(torch.ones(1)), 1.0).to_event(1))

    assert list(pgm_rnn.extract(unregistered)) == ["y"]


def test_labels_are_the_first_parameter_met():
    def model():
        U, W = pyro.param("U", torch.ones(2, 2)), pyro.param("W", torch.ones(2, 2))
        b = pyro.param("b", torch.ones(2))
        x = pyro.sample("x", dist.Normal(torch.zeros(2), 1.0).to_event(1))
        z = pyro.sample("z", dist.Normal(torch.zeros(2), 1.0).to_event(1))
        h = pyro.deterministic("h", torch.tanh(x @ U + b) @ W + z, event_dim=1)
        g = pyro.deterministic("g", torch.nn.functional.linear(z, W, b) + h @ U + h @ W)
        pyro.deterministic("k", torch.rnn_tanh_cell(x[None], z[None], U, W, b, b))
        return g

    g = pgm_rnn.extract(model)
    labels = {(a, b): d["label"] for a, b, d in g.edges(data=True) if a in "xzhg"}
    assert labels == {
        ("x", "h"): "U",  # not W, which comes later, and not the bias
        ("z", "h"): None,  # meets no parameter
        ("z", "g"): "W",  # a bias added later is not the label
        ("h", "g"): None,  # two paths disagree
        ("x", "k"): "U",  # a fused cell with one matrix per argument
        ("z", "k"): "W",
    }
