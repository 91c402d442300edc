"""Observed sites that feed later ones: through the returned value or through the data tensor."""

import numpy as np
import pyro
import pyro.distributions as dist
import pytest
import torch
from helpers import edges, into

import pgm_rnn

W = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))
CHAIN = {("h_1", "y_1"), ("y_1", "h_2"), ("h_1", "h_2"), ("h_2", "y_2"), ("y_2", "h_3"),
         ("h_2", "h_3"), ("h_3", "y_3")}  # fmt: skip


def rnn(previous):
    """The text's RNN over 3 steps; `previous(data, y, t)` says where y(t-1) is read from."""

    def model(data):
        h, y = torch.zeros(3), None
        for t in range(1, 4):
            read = previous(data, y, t) if t > 1 else torch.zeros(())
            h = pyro.deterministic(f"h_{t}", torch.tanh(h @ W + read), event_dim=1)
            y = pyro.sample(f"y_{t}", dist.Normal(h.sum(), 1.0), obs=data[t - 1])

    return model


def test_through_the_returned_value():
    assert edges(rnn(lambda data, y, t: y), torch.randn(3)) == CHAIN


def test_through_the_data_tensor():
    # Mistake: only values that pyro.sample returns count, so y -> h vanishes.
    g = pgm_rnn.extract(rnn(lambda data, y, t: data[t - 2]), torch.randn(3))
    assert set(g.edges) == CHAIN
    assert g.edges["y_1", "h_2"]["via"] == {"data"}
    assert g.edges["h_1", "h_2"]["via"] == {"value"}


def test_shifted_and_rescaled_copy():
    def model(data):
        shifted = torch.cat([torch.zeros(1), data[:-1] * 0.5 - 1.0])
        for t in range(3):
            pyro.sample(f"y_{t}", dist.Normal(shifted[t], 1.0), obs=data[t])

    g = pgm_rnn.extract(model, torch.randn(3))
    assert set(g.edges) == {("y_0", "y_1"), ("y_1", "y_2")}


def test_observed_through_a_cast_and_a_rescaling():
    def model(data):
        scaled = (data.float() - 1.0) / 2.0
        for t in range(3):
            mean = scaled[t - 1] if t else torch.zeros(())
            pyro.sample(f"y_{t}", dist.Normal(mean, 1.0), obs=scaled[t])

    assert set(pgm_rnn.extract(model, torch.arange(3)).edges) == {("y_0", "y_1"), ("y_1", "y_2")}


def test_elements_read_before_their_site_are_the_input():
    # A leak: y_0 reads the target of y_1.
    def model(data):
        pyro.sample("y_0", dist.Normal(data[1], 1.0), obs=data[0])
        pyro.sample("y_1", dist.Normal(0.0, 1.0), obs=data[1])

    g = pgm_rnn.extract(model, torch.randn(2))
    assert set(g.edges) == {("data", "y_0")}
    assert g.nodes["data"]["kind"] == "input"


def test_a_site_that_reads_its_own_data():
    # The argument bears the site's name, so its node is told apart.
    def model(x):
        pyro.sample("x", dist.Normal(x * 2, 1.0), obs=x)

    g = pgm_rnn.extract(model, torch.randn(()))
    assert set(g.edges) == {("input x", "x")}


def test_data_that_only_serves_as_observation_has_no_node():
    def model(data):
        pyro.sample("y", dist.Normal(0.0, 1.0), obs=data)

    assert list(pgm_rnn.extract(model, torch.randn(()))) == ["y"]


def test_differences_own_no_element():
    # dy mixes y[0] and y[1]; reading y[0] later is the input, not dy.
    def model(y):
        pyro.sample("dy", dist.Normal(0.0, 1.0), obs=y[1] - y[0])
        pyro.sample("z", dist.Normal(y[0], 1.0))

    assert set(pgm_rnn.extract(model, torch.randn(2)).edges) == {("y", "z")}


def test_whole_sequence_gru_over_shifted_data():
    gru = torch.nn.GRU(1, 2, batch_first=True)

    def model(y):
        shifted = torch.nn.functional.pad(y, (1, 0))[:, :-1]
        out, _ = gru(shifted[..., None])
        with pyro.plate("batch", len(y)):
            for t in range(3):
                pyro.sample(f"y_{t}", dist.Normal(out[:, t].sum(-1), 1.0), obs=y[:, t])

    assert set(pgm_rnn.extract(model, torch.randn(2, 3)).edges) == {
        ("y_0", "y_1"), ("y_0", "y_2"), ("y_1", "y_2"),
    }  # fmt: skip


def test_nested_arguments_have_paths():
    def model(batch, scale=None):
        pyro.sample("a", dist.Normal(batch["mean"], 1.0))
        pyro.sample("b", dist.Normal(batch["rest"][1], scale))

    g = pgm_rnn.extract(
        model,
        {"mean": torch.zeros(()), "rest": [torch.zeros(()), torch.ones(())]},
        scale=torch.ones(()),
    )
    assert into(g, "input") == {("batch.mean", "a"), ("batch.rest.1", "b"), ("scale", "b")}


@pytest.mark.parametrize("data", [[0.5, 0.2, 0.1], np.array([0.5, 0.2, 0.1])])
def test_numbers_in_lists_and_arrays_are_not_seen_and_a_warning_says_so(data):
    # A known blind spot, pinned: the arrows y_1 -> h_2 and y_2 -> h_3 are missing.
    def model(data):
        as_tensors = [torch.as_tensor(v, dtype=torch.float32) for v in data]
        return rnn(lambda d, y, t: as_tensors[t - 2])(torch.stack(as_tensors))

    with pytest.warns(UserWarning, match="'data' holds numbers in a list or NumPy array"):
        found = edges(model, data)
    assert found == {e for e in CHAIN if e[0] not in {"y_1", "y_2"}}


def test_the_same_data_observed_by_two_sites_is_no_arrow():
    def model(y):
        pyro.sample("a", dist.Normal(0.0, 1.0), obs=y)
        pyro.sample("b", dist.Normal(0.0, 1.0), obs=y)

    assert edges(model, torch.zeros(())) == set()


def test_an_iterator_is_there_in_every_run():
    # Mistake: the first of two runs uses it up.
    def model(x, scales):
        for i, scale in enumerate(scales):
            pyro.sample(f"y_{i}", dist.Normal(x, scale))

    g = pgm_rnn.extract(model, torch.zeros(()), iter([1.0, 2.0]))
    assert set(g.edges) == {("x", "y_0"), ("x", "y_1")}
