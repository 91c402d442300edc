"""A second opinion by nudging: it knows nothing of provenance, and finds what that misses."""

import numpy as np
import pyro
import pyro.distributions as dist
import pytest
import torch

import pgm_rnn
from pgm_rnn.extraction import second_opinion
from pgm_rnn.extraction.nudges import other_data, other_values


def chain():
    z = pyro.sample("z", dist.Normal(0.0, 1.0))
    h = pyro.deterministic("h", torch.tanh(z))
    w = pyro.sample("w", dist.Normal(0.0, 1.0))
    pyro.sample("y", dist.Normal(h + w, 1.0))


def lost(monkeypatch, *pairs):
    """Let extraction lose arrows."""
    original = second_opinion.graph_of

    def graph_of(*args):
        g = original(*args)
        g.remove_edges_from(pairs)
        return g

    monkeypatch.setattr(second_opinion, "graph_of", graph_of)


def test_agrees_on_a_plain_program():
    report = pgm_rnn.verify(chain)
    assert report
    assert report.agree == {("z", "h"), ("h", "y"), ("w", "y")}
    assert not report.unchecked
    assert set(report.union.edges) == set(report.graph.edges)


def test_a_lost_arrow_is_found(monkeypatch):
    """Would catch an opinion that repeats what extraction says."""
    lost(monkeypatch, ("h", "y"))
    report = pgm_rnn.verify(chain)
    assert not report
    assert report.only_moved == {("h", "y")}
    assert ("h", "y") not in report.graph.edges
    assert report.union.edges["h", "y"]["disputed"]


def test_an_arrow_that_nothing_moves_is_reported(monkeypatch):
    """Would catch a report that takes extraction's word for an arrow."""
    original = second_opinion.graph_of

    def graph_of(*args):
        g = original(*args)
        g.add_edge("z", "y", via=frozenset({"value"}), label=None)
        return g

    monkeypatch.setattr(second_opinion, "graph_of", graph_of)
    report = pgm_rnn.verify(chain)
    assert report.only_extracted == {("z", "y")}
    assert "extracted, but moved by no nudge: z -> y" in str(report)


def test_a_way_around_torch_is_found():
    """Text carries no provenance, but a nudge moves what was read back from it."""

    def program():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        pyro.sample("y", dist.Normal(float(f"{z:.6f}"), 1.0))

    report = pgm_rnn.verify(program)
    assert report.agree | report.only_moved == {("z", "y")}


@pytest.mark.parametrize("kind", ["tensor", "array", "list"])
def test_teacher_forcing(kind):
    """Would catch data that is nudged without the site that is observed from it."""

    def program(data):
        previous = torch.zeros(())
        for t in range(3):
            y = pyro.sample(f"y_{t}", dist.Normal(previous, 1.0), obs=torch.as_tensor(data[t]))
            previous = torch.as_tensor(data[t]).float()
            del y

    numbers = [0.3, -0.2, 1.1]
    given = {"tensor": torch.tensor(numbers), "array": np.array(numbers), "list": numbers}[kind]
    kept = given.copy() if kind == "array" else list(given)
    report = pgm_rnn.verify(program, given)
    assert report.agree | report.only_moved >= {("y_0", "y_1"), ("y_1", "y_2")}
    assert list(given) == list(kept)  # the user's own data are as they were
    if kind == "tensor":
        assert report


def test_a_decision_hides_nothing():
    def program():
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        loc = 1.0 if z > 0 else -1.0
        pyro.sample("y", dist.Normal(loc, 1.0))

    assert pgm_rnn.verify(program).agree == {("z", "y")}


def test_a_decision_is_forced_where_the_site_raises():
    """The nudge itself only raises; the decision it would change is forced the other way."""
    table = torch.arange(3.0)

    def program():
        z = pyro.sample("z", dist.Categorical(torch.ones(3)))
        n = int(z)
        pyro.sample("a", dist.Normal(0.0, 1.0))
        pyro.sample("y", dist.Normal(table[n], 1.0))

    assert pgm_rnn.verify(program).agree == {("z", "y")}


def test_arguments_are_nudged():
    def program(x, y):
        z = pyro.sample("z", dist.Normal(x.sum(), 1.0))
        pyro.sample("y", dist.Normal(z, 1.0), obs=y)

    report = pgm_rnn.verify(program, torch.ones(3), torch.tensor(0.5))
    assert report
    assert report.agree == {("x", "z"), ("z", "y")}


def test_an_element_read_before_its_site_is_an_input():
    def program(data):
        pyro.sample("y_0", dist.Normal(data[1], 1.0), obs=data[0])
        pyro.sample("y_1", dist.Normal(0.0, 1.0), obs=data[1])

    report = pgm_rnn.verify(program, torch.tensor([0.3, 0.7]))
    assert report
    assert report.agree == {("data", "y_0")}


def test_many_numbers_are_told_apart_by_codes():
    def program(data):
        previous = torch.zeros(50)
        for t in range(3):
            pyro.sample(f"y_{t}", dist.Normal(previous, 1.0).to_event(1), obs=data[t])
            previous = 2 * data[t]

    report = pgm_rnn.verify(program, torch.randn(3, 50))
    assert report
    assert report.agree == {("y_0", "y_1"), ("y_1", "y_2")}


def test_the_budget_leaves_pairs_unchecked():
    report = pgm_rnn.extraction.verifier(chain, budget=3)()
    assert report.reruns == 3
    assert report.unchecked
    assert not report.only_extracted  # nothing is said of what was not looked at
    assert "not checked" in str(report)
    with pytest.raises(pgm_rnn.BadOption, match="budget"):
        pgm_rnn.extraction.verifier(chain, budget=0)


def test_numbers_of_its_own_show_nothing():
    """A program that draws fresh randomness each run moves by itself: no pair is claimed."""
    random = np.random.default_rng()

    def program():
        pyro.sample("z", dist.Normal(0.0, 1.0))
        pyro.sample("y", dist.Normal(float(random.normal()), 1.0))

    report = pgm_rnn.verify(program)
    assert not report.only_moved
    assert report.unchecked == {("z", "y")}


def test_nothing_is_left_changed():
    constant = torch.tensor([1.0, 2.0])
    data = torch.tensor([0.1, 0.2])

    def program(y):
        c = pyro.deterministic("c", constant)
        pyro.sample("y", dist.Normal(c, 1.0).to_event(1), obs=y)

    state = torch.get_rng_state()
    pgm_rnn.verify(program, data)
    assert torch.equal(constant, torch.tensor([1.0, 2.0]))
    assert torch.equal(data, torch.tensor([0.1, 0.2]))
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("figure", ["10.3", "10.4", "10.7", "10.8", "10.9", "10.10"])
@pytest.mark.parametrize("observed", [False, True])
def test_the_figures(figure, observed):
    f = pgm_rnn.figure(figure, tau=3)
    y = torch.randint(0, 3, (4, 3)) if observed else None
    report = pgm_rnn.verify(f.model, y)
    assert report, str(report)
    assert not report.unchecked


@pytest.mark.parametrize(
    ("value", "fn"),
    [
        (torch.tensor([0, 2]), dist.Categorical(torch.ones(2, 3))),
        (torch.tensor([1.0, 0.0]), dist.Bernoulli(torch.full((2,), 0.5))),
        (torch.tensor([0.2, 0.8]), dist.Dirichlet(torch.ones(2))),
        (torch.tensor(2.0), dist.Gamma(1.0, 1.0)),
        (torch.tensor(4.0), dist.Poisson(3.0)),
        (torch.tensor([0.0, 1.0, 0.0]), dist.OneHotCategorical(torch.ones(3))),
    ],
)
def test_other_values_stay_within_the_support(value, fn):
    others = other_values(value, fn)
    assert others
    for other in others:
        assert other.shape == value.shape
        assert not torch.equal(other, value)
        assert fn.support.check(other).all(), other


def test_other_data_are_symbols_that_occur():
    tokens = torch.tensor([5, 7, 9, 5])
    for other in other_data(tokens)[:2]:
        assert set(other.tolist()) <= {5, 7, 9}
        assert (other != tokens).all()
