"""Values that leave as text, and may come back as numbers without a source."""

import pickle

import pyro
import pyro.distributions as dist
import pytest
import torch

import pgm_rnn

from .helpers import edges

WAYS = {
    "format": lambda z: float(f"{z:.6f}"),
    "str": lambda z: float(str(z.detach())[7:-1]),
    "repr": lambda z: float(repr(z.detach())[7:-1]),
    "pickle": lambda z: pickle.loads(pickle.dumps(z.detach())),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_number_read_back_out_of_text(way):
    """Would miss the arrow if only answers of Python values were changed in reruns."""

    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        w = pyro.sample("w", dist.Normal(z, 1.0))
        pyro.sample("y", dist.Normal(WAYS[way](z) + w, 1.0))

    assert edges(model) == {("z", "w"), ("z", "y"), ("w", "y")}


def test_what_is_only_printed_is_no_arrow(capsys):
    def model():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        print(f"here is {z}")
        pyro.sample("y", dist.Normal(0.0, 1.0))

    assert edges(model) == set()
    assert capsys.readouterr().out.count("here is") == 1  # reruns are silent


def test_text_of_the_data_is_the_observed_site():
    def model(y):
        last = 0.0
        for t in range(3):
            pyro.sample(f"y_{t}", dist.Normal(last, 1.0), obs=y[t])
            last = float(f"{y[t]:.6f}")

    assert edges(model, torch.randn(3)) == {("y_0", "y_1"), ("y_1", "y_2")}


def test_text_of_an_input():
    def model(x):
        pyro.sample("y", dist.Normal(float(f"{x[0]:.6f}"), 1.0))

    g = pgm_rnn.extract(model, torch.randn(3))
    assert g.edges["x", "y"]["via"] == {"control"}


def test_dlpack_hands_the_memory_over():
    def model():
        z = pyro.sample("z", dist.Normal(torch.zeros(2), 1.0).to_event(1))
        a = torch.from_dlpack(z.detach())
        b = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(z.detach()))
        pyro.sample("x", dist.Normal(a[0], 1.0))
        pyro.sample("y", dist.Normal(b[1], 1.0))

    assert edges(model) == {("z", "x"), ("z", "y")}
