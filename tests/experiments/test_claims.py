"""Every experiment's claim in a reduced setting, and the damage that should flip its verdict."""

import pytest
import torch

from pgm_rnn.experiments import find, names, run
from pgm_rnn.experiments.context import information
from pgm_rnn.experiments.lengths import constant_halt
from pgm_rnn.experiments.sample_efficiency import expected_excess
from pgm_rnn.experiments.toys import chain, coin, listed, markov, parity

SEEDS = {"stationarity": 1, "lengths": 1, "context": 1, "caption": 1}


@pytest.mark.parametrize("name", names())
def test_the_claim_holds(name):
    if name == "caption":
        pytest.importorskip("sklearn")
    record = run(name, SEEDS.get(name, 2), **find(name).small)
    wrong = [row for row in record["rows"] if not row["holds"]]
    assert record["verdict"], wrong


@pytest.mark.parametrize("name", names())
def test_the_mutation_flips_the_verdict(name):
    if name == "caption":
        pytest.importorskip("sklearn")
    record = run(name, mutate=True, **find(name).small)
    assert not record["verdict"], find(name).mutation


def test_published_numbers():
    """Against the numbers that the issue's page measured: another code, the same theory."""
    total = {}
    for name, process in (("coin", coin), ("chain", chain), ("parity", parity)):
        law, _, p = listed(process(5, 0.1), 5, "x", "y")
        assert p.sum().item() == pytest.approx(1, abs=1e-12)
        total[name] = sum(
            law.mutual_information(f"y_{t}", [f"y_{s}" for s in range(1, t)],
                                   [f"x_{s}" for s in range(1, t + 1)])
            for t in range(2, 6)
        )  # fmt: skip
    assert total == pytest.approx({"coin": 1.17704, "chain": 0.97191, "parity": 0}, abs=1e-5)
    law = torch.tensor([0.02, 0.02, 0.38, 0.02, 0.02, 0.02, 0.02, 0.46, 0.02, 0.02]).double()
    assert constant_halt(law, forced=False) == pytest.approx(1.29630, abs=1e-5)
    assert 1.38 < information(24) < torch.tensor(4.0).log()


def test_expected_excess_against_all_data_sets():
    """The binomial sums against every data set of three sequences, weighed one by one."""
    from itertools import product

    import pgm_rnn

    rows = torch.tensor([[0.7, 0.3], [0.2, 0.8]], dtype=torch.float64)
    _, (y,), p = listed(markov(2, rows), 2, "y")
    y = y.long()
    net = pgm_rnn.figure("10.7", tau=2, k=2).model
    entropy = -(p * p.log()).sum().item()
    mean = 0.0
    for data in product(range(len(p)), repeat=3):
        counts = torch.bincount(torch.tensor(data), minlength=len(p)).double()
        pgm_rnn.fit(net, y, weights=counts, smoothing=0.5)
        loss = -(p * pgm_rnn.log_prob(net, y).detach()).sum().item()
        mean += p[list(data)].prod().item() * (loss - entropy)
    assert expected_excess(y, p, 2, 3) == pytest.approx(mean, abs=1e-9)
