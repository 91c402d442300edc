"""The exact joint against sums written out by hand."""

import itertools
import math

import pyro
import pyro.distributions as dist
import pytest
import torch
from pyro import poutine

import pgm_rnn
from pgm_rnn.errors import BadOption, ProgramError, TooLarge, UnknownNode


def noisy_or():
    a = pyro.sample("a", dist.Bernoulli(0.3))
    b = pyro.sample("b", dist.Bernoulli(0.6))
    h = pyro.deterministic("h", torch.maximum(a, b))
    pyro.sample("y", dist.Bernoulli(0.1 + 0.8 * h))


def branching():
    a = pyro.sample("a", dist.Bernoulli(0.3))
    pyro.sample("y", dist.Bernoulli(0.9 if a else 0.2))


P_H = 1 - 0.7 * 0.4


def test_probabilities():
    p = pgm_rnn.joint(noisy_or)
    assert p.sites == ("a", "b", "y", "h")
    assert p.size == 8
    assert p.probability({"a": 1, "b": 0}) == pytest.approx(0.3 * 0.4, abs=1e-7)
    assert p.probability({"h": 1}) == pytest.approx(P_H, abs=1e-7)
    assert p.probability({"h": 1, "y": 1}) == pytest.approx(P_H * 0.9, abs=1e-7)
    assert p.probability({}) == pytest.approx(1, abs=1e-12)


def test_entropies():
    p = pgm_rnn.joint(noisy_or)

    def h(q):
        return -q * math.log(q) - (1 - q) * math.log(1 - q)

    assert p.entropy("a") == pytest.approx(h(0.3), abs=1e-6)
    assert p.entropy("h", ["a", "b"]) == pytest.approx(0, abs=1e-12)
    assert p.entropy("h") == pytest.approx(h(P_H), abs=1e-6)
    assert p.mutual_information("a", "b") == pytest.approx(0, abs=1e-12)
    assert p.mutual_information("a", "b", "h") > 0.01  # a collider
    assert p.mutual_information("a", "y", "h") < 1e-12
    assert p.mutual_information("a", "h") == pytest.approx(
        p.entropy("a") + p.entropy("h") - p.entropy(["a", "h"]), abs=1e-12
    )


def test_a_program_that_does_not_broadcast_runs_one_by_one():
    # Mistake: `if a` on all combinations at once takes one branch for all.
    p = pgm_rnn.joint(branching)
    assert p.probability({"a": 0, "y": 1}) == pytest.approx(0.7 * 0.2, abs=1e-7)
    assert p.probability({"a": 1, "y": 1}) == pytest.approx(0.3 * 0.9, abs=1e-7)


def test_a_program_that_broadcasts_wrongly_is_found_out():
    # Mistake: a sum over the combinations is taken for a sum over the site.
    def model():
        a = pyro.sample("a", dist.Bernoulli(0.3))
        pyro.sample("y", dist.Bernoulli(torch.sigmoid(a.sum() - 1)))

    p = pgm_rnn.joint(model)
    for a in (0, 1):
        want = (0.3 if a else 0.7) * torch.sigmoid(torch.tensor(a - 1.0)).item()
        assert p.probability({"a": a, "y": 1}) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("name", ["10.3", "10.4", "10.7", "10.8", "10.9", "10.10", "text"])
def test_figures_against_their_own_trace(name):
    f = pgm_rnn.figure(name, tau=3, k=3, state="finite")
    p = pgm_rnn.joint(f.model)
    random = [n for n in p.sites if n[0] in "xy"]
    for values in itertools.islice(itertools.product(range(3), repeat=len(random)), 0, None, 97):
        chosen = {n: torch.tensor([v]) for n, v in zip(random, values, strict=True)}
        trace = poutine.trace(poutine.condition(f.model, chosen)).get_trace()
        trace.compute_log_prob()
        want = sum(trace.nodes[n]["log_prob_sum"] for n in chosen).exp().item()
        got = p.probability(dict(zip(random, values, strict=True)))
        assert got == pytest.approx(want, abs=1e-12)


def test_data_do_not_condition():
    f = pgm_rnn.figure("10.8", tau=2, k=2)
    assert pgm_rnn.joint(f.model).size == pgm_rnn.joint(f.model, torch.tensor([[0, 1]])).size == 4


def test_families_and_bad_names():
    p = pgm_rnn.joint(pgm_rnn.figure("10.8", tau=3, k=2).model)
    assert p.entropy("y") == pytest.approx(p.entropy(["y_1", "y_2", "y_3"]), abs=1e-12)
    with pytest.raises(UnknownNode, match="did you mean"):
        p.entropy("y_11")
    with pytest.raises(UnknownNode):
        p.probability({"z": 1})
    with pytest.raises(BadOption, match="x is empty"):
        p.mutual_information([], "y_1")


def test_continuous_and_too_large():
    with pytest.raises(ProgramError, match="'x_1' is Normal, which has no finite list of values"):
        pgm_rnn.joint(pgm_rnn.figure("10.3", tau=2).model)
    with pytest.raises(TooLarge, match="Lower tau, k or the batch") as caught:
        pgm_rnn.joint(pgm_rnn.figure("10.8", tau=20, k=3).model)
    assert caught.value.entries == 3**20
    with pytest.raises(ProgramError, match="no random site"):
        pgm_rnn.joint(lambda: pyro.deterministic("a", torch.ones(())))


def test_other_branches_with_other_sites():
    def model():
        a = pyro.sample("a", dist.Bernoulli(0.0))
        if a:
            pyro.deterministic("extra", a)

    with pytest.raises(ProgramError, match="other sites"):
        pgm_rnn.joint(model)
