"""Gaps against brute force over all k^tau sequences."""

import pytest
import torch

import pgm_rnn
from pgm_rnn import BadOption, DataError, TooLarge
from pgm_rnn.missing import exact

from .cases import FIGURES, IDS, TAU, K, context, everything, make

GAPS = [[0, -1, 2, 1], [-1, 1, -1, 0], [-1, -1, -1, -1], [0, 1, 2, 0], [2, 1, 0, -1]]


def brute(net, row, x):
    """Posterior of each gap and log-evidence, by summing over every sequence."""
    y = everything()
    x = None if x is None else x[:1].expand(len(y), *x.shape[1:])
    p = pgm_rnn.log_prob(net, y, x).detach().exp()
    p = p * ((y == row) | (row < 0)).all(-1)
    places = (row < 0).nonzero().flatten().tolist()
    table = [[p[y[:, t] == s].sum() / p.sum() for s in range(K)] for t in places]
    return torch.tensor(table).double(), p.sum().log(), p


@pytest.mark.parametrize("state", ["real", "finite"])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_every_figure_against_brute_force(name, options, state, monkeypatch):
    """Would catch that the evidence after a gap is left out."""
    monkeypatch.setattr(exact, "CHUNK", 10)  # so that chunks are split
    net = make(name, state=state, **options)
    y = torch.tensor(GAPS)
    x = context(net, len(y))
    found = pgm_rnn.infill(net, y, x)
    for i, row in enumerate(y):
        mine = None if x is None else x[i : i + 1]
        marginals, evidence, p = brute(net, row, mine)
        assert torch.allclose(found.marginals[i], marginals.reshape(-1, K), atol=1e-10)
        assert found.log_evidence[i].item() == pytest.approx(evidence.item(), abs=1e-10)
        kept = p[p > 0] / p.sum()
        assert torch.allclose(found.joint[i].flatten(), kept, atol=1e-10)


def test_samples_fill_the_gaps_from_the_posterior():
    net = make("10.8")
    y = torch.tensor([[0, -1, 2, -1]])
    found = pgm_rnn.infill(net, y, samples=20_000, seed=2)
    assert (found.samples[:, 0, [0, 2]] == torch.tensor([0, 2])).all()
    share = torch.bincount(found.samples[:, 0, 1], minlength=K) / 20_000
    assert torch.allclose(share.double(), found.marginals[0][0], atol=0.02)


def test_branches_start_at_the_first_gap():
    net = make("10.8")
    early, late = (torch.tensor([row]) for row in ([-1, 0, 0, 0], [0, 0, 0, -1]))
    assert pgm_rnn.infill(net, late).cell_steps == TAU
    assert pgm_rnn.infill(net, early).cell_steps == 1 + 3 * (TAU - 1)


def test_what_cannot_be_filled_is_said():
    y = torch.full((1, TAU), -1)
    with pytest.raises(TooLarge, match=r"4 gaps: k\^m = 3\^4 = 81 branches; the budget is 80"):
        pgm_rnn.infill(make("10.8"), y, budget=80)
    with pytest.raises(BadOption, match="real-valued"):
        pgm_rnn.infill(make("10.8", output="normal"), y.double())
    with pytest.raises(BadOption, match="method = 'magic'"):
        pgm_rnn.infill(make("10.8"), y, method="magic")
    with pytest.raises(DataError, match="-1 marks a gap"):
        pgm_rnn.infill(make("10.8"), torch.tensor([[0, 5, -1, 0]]))
    x = torch.zeros(1, TAU, 2)
    x[0, 1, 0] = float("nan")
    with pytest.raises(DataError, match=r"x\[0, 1, 0\] = nan"):
        pgm_rnn.infill(make("10.10"), y, x)


def test_a_bernoulli_run_on_the_command_line(tmp_path):
    """Would fail if the symbols of the gap were counted by k."""
    from click.testing import CliRunner

    from pgm_rnn.cli import main

    net = make("10.8", output="bernoulli")
    pgm_rnn.fit(net, torch.tensor([[0, 1, 0, 1]] * 4), steps=2, out=tmp_path)
    result = CliRunner().invoke(main, ["infill", str(tmp_path), "0,?,0,1"])
    assert result.exit_code == 0, result.output
    wrong = CliRunner().invoke(main, ["infill", str(tmp_path), "0,a"])
    assert wrong.exit_code == 2
    assert "TEXT '0,a' should be numbers with commas" in wrong.output
