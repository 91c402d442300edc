"""Python values, decisions and compiled functions."""

import numpy as np
import pyro
import pyro.distributions as dist
import pytest
import torch
from helpers import edges

import pgm_rnn
from pgm_rnn.extraction.values import alternatives


def program(reads, first=None):
    """Site z (a number) or `first`, then y from `reads(z)`."""

    def model():
        z = pyro.sample("z", first or dist.Normal(0.5, 0.1))
        pyro.sample("y", dist.Normal(reads(z), 1.0))

    return model


COUNT = dist.Categorical(torch.tensor([0.0, 0.0, 1.0, 0.0]))  # always 2
TABLE = torch.arange(5.0)


@torch.jit.script
def _scripted(x):
    return torch.tanh(x) + 1.0


class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def _while(z):
    total, left = 0.0, int(z)
    while left > 0:
        total, left = total + 1.5, left - 1
    return torch.tensor(total)


CASES = {
    "item": (lambda z: torch.tensor(z.item() * 2), None),
    "float": (lambda z: torch.tensor(float(z)), None),
    "numpy round trip": (lambda z: torch.tensor(z.detach().numpy() + 1), None),
    "numpy function": (lambda z: torch.as_tensor(np.tanh(np.asarray(z.detach()))), None),
    "tolist": (lambda z: torch.tensor(z[None].tolist()[0]), None),
    "if": (lambda z: torch.tensor(1.0 if z > 0 else -1.0), None),
    "index": (lambda z: TABLE[int(z)], COUNT),
    "list index": (lambda z: [torch.zeros(()), torch.ones(()), torch.ones(()) * 3][z], COUNT),
    "range": (lambda z: torch.tensor(sum(0.5 * i for i in range(1, int(z) + 1))), COUNT),
    "while": (_while, COUNT),
    "jit": (_scripted, None),
    "vmap": (lambda z: torch.vmap(lambda v: 2.0 * v)(z.expand(3)).sum(), None),
    "autograd function": (lambda z: _Twice.apply(z), None),
}


@pytest.mark.parametrize("name", CASES)
def test_values_carry_their_source(name):
    reads, first = CASES[name]
    assert edges(program(reads, first)) == {("z", "y")}


def test_via_says_control():
    g = pgm_rnn.extract(program(CASES["index"][0], COUNT))
    assert g.edges["z", "y"]["via"] == {"control"}
    assert g.graph["partial"] is False


def test_a_value_that_decides_nothing_is_no_arrow():
    # Mistake: every Python value makes an arrow to all that follows.
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        message = f"{z.item():.2f}"
        if z > 0:
            message += "!"
        pyro.sample("y", dist.Normal(0.0, 1.0))
        return message

    assert edges(model) == set()


def test_an_early_exit_makes_later_sites_depend():
    def model():
        for t in range(1, 4):
            stop = pyro.sample(f"s_{t}", dist.Bernoulli(0.0))
            if stop:
                break
            pyro.sample(f"y_{t}", dist.Normal(0.0, 1.0))

    g = pgm_rnn.extract(model)
    expected = {(f"s_{t}", f"{v}_{u}") for t in (1, 2, 3) for u in (1, 2, 3) for v in "sy"
                if u > t or (u == t and v == "y")}  # fmt: skip
    assert set(g.edges) == expected
    assert g.graph["partial"] is True


def test_an_end_symbol_that_stops_the_sequence():
    # Every later site exists because no earlier symbol was the end symbol 0.
    def model():
        h = torch.zeros(())
        for t in range(1, 4):
            y = pyro.sample(f"y_{t}", dist.Categorical(torch.tensor([0.0, 1.0, 1.0])))
            if int(y) == 0:
                break
            h = pyro.deterministic(f"h_{t}", torch.tanh(h + y))

    g = pgm_rnn.extract(model)
    assert g.edges["y_1", "y_2"]["via"] == {"control"}
    assert g.edges["y_1", "h_1"]["via"] == {"value", "control"}
    assert {(a, b) for a, b in g.edges if a == "y_1"} == {
        ("y_1", name) for name in ("h_1", "y_2", "h_2", "y_3", "h_3")
    }
    assert g.graph["partial"] is True


def test_another_branch_with_other_arrows_makes_the_graph_partial():
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.sample("b", dist.Normal(0.0, 1.0))
        coin = pyro.sample("coin", dist.Bernoulli(1.0))
        pyro.sample("y", dist.Normal(a if coin > 0 else b, 1.0))

    g = pgm_rnn.extract(model)
    assert set(g.edges) == {("a", "y"), ("coin", "y")}
    assert g.graph["partial"] is True


def test_decisions_on_inputs_and_observed_data():
    def model(n, data):
        for t in range(int(n)):
            pyro.sample(f"y_{t}", dist.Normal(0.0, 1.0), obs=data[t])
        pyro.sample("end", dist.Normal(1.0 if data[0] > 0 else 0.0, 1.0))

    g = pgm_rnn.extract(model, torch.tensor(2), torch.tensor([1.0, 2.0]))
    assert g.edges["y_0", "end"]["via"] == {"control"}
    assert {("n", "y_0"), ("n", "y_1")} <= set(g.edges)
    assert ("y_1", "end") not in g.edges


def test_many_values_are_told_apart():
    # Mistake: an answer that leaves the table raises, and every site after it counts as moved.
    table = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))

    def model():
        y = pyro.sample("y_0", dist.Categorical(torch.ones(3)))
        for t in range(1, 40):
            y = pyro.sample(f"y_{t}", dist.Categorical(logits=table[int(y)]))

    assert edges(model) == {(f"y_{t}", f"y_{t + 1}") for t in range(39)}


def test_reruns_keep_the_subsample_that_was_drawn():
    # Mistake: a rerun draws other indices, on which both branches happen to agree.
    def model(x):
        coin = pyro.sample("coin", dist.Bernoulli(1.0))
        plate = pyro.plate("n", 6, subsample_size=1)
        chosen = x[plate.indices].sum()
        drawn.append(int(plate.indices))
        pyro.sample("y", dist.Normal(chosen if coin else 2 * chosen, 1.0))

    drawn = []
    pgm_rnn.extract(model, torch.arange(6.0))
    assert len(set(drawn)) == 1


def test_two_values_that_one_site_needs_together():
    def model():
        a = pyro.sample("a", dist.Bernoulli(1.0))
        b = pyro.sample("b", dist.Bernoulli(1.0))
        c = pyro.sample("c", dist.Bernoulli(1.0))
        pyro.sample("y", dist.Normal(1.0 if a and b else 0.0, 1.0))
        pyro.sample("w", dist.Normal(1.0 if c else 0.0, 1.0))

    assert edges(model) == {("a", "y"), ("b", "y"), ("c", "w")}


def test_alternatives():
    assert alternatives(True) == [False]
    assert alternatives(3) == [2, 0, 4]
    assert alternatives(0) == [1]
    assert alternatives(1) == [0, 2]
    assert alternatives(-2) == [-1, 0]
    assert [a.tolist() for a in alternatives(np.array([1, 0]))] == [[0, 0], [2, 1]]
    assert alternatives([1.0, True])[0] == [2.0, False]
    assert alternatives("text") == []
