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


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_whole_scores_and_branches_agree(name, options, few, monkeypatch):
    """Would catch a row of U that belongs to another symbol."""
    monkeypatch.setattr(exact, "FEW", few)
    monkeypatch.setattr(exact, "CHUNK", 10)
    for output in ("categorical", "bernoulli"):
        if name == "10.7" and output == "bernoulli":
            continue
        net = make(name, output=output, **options)
        y = torch.tensor([[0, -1, 1, -1]])
        x = context(net, 1)
        weight = torch.cat([w for w, _ in exact.fillings(net, y[0], x)])
        k = net.output.symbols
        whole = torch.tensor([[0, a, 1, b] for a in range(k) for b in range(k)])
        many = None if x is None else x.expand(len(whole), *x.shape[1:])
        assert torch.allclose(weight, pgm_rnn.log_prob(net, whole, many), atol=1e-12)


def test_the_table_gives_the_same_by_summing_it():
    net = make("10.7")
    table = pgm_rnn.log_prob(net, everything()).detach().exp().reshape([K] * TAU)
    found = pgm_rnn.infill(net, torch.tensor([[-1, 2, -1, 0]]))
    part = table[:, 2, :, 0]
    assert torch.allclose(found.joint[0], part / part.sum(), atol=1e-12)
    assert found.log_evidence.item() == pytest.approx(part.sum().log().item(), abs=1e-12)


@pytest.mark.parametrize("method", ["gibbs", "smc", "importance"])
@pytest.mark.parametrize(("name", "options"), FIGURES, ids=IDS)
def test_approximations_within_their_own_standard_error(name, options, method):
    """Would catch that the evidence after a gap is left out: several errors, at all seeds."""
    net = make(name, **options)
    y = torch.tensor([[-1, 2, -1, 0], [1, -1, -1, 2]])
    x = context(net, 2)
    true = pgm_rnn.infill(net, y, x)
    far, rows = [], []
    for seed in range(4):
        found = pgm_rnn.infill(net, y, x, method=method, seed=seed, particles=2000, sweeps=60)
        for i in range(2):
            error = found.errors[i].clamp(min=2e-3)
            far.append(((found.marginals[i] - true.marginals[i]) / error).flatten())
            rows.append(found.marginals[i])
        if method != "gibbs":
            off = (found.log_evidence - true.log_evidence).abs()
            assert (off < 6 * found.evidence_errors + 1e-9).all()
    far = torch.cat(far)
    assert far.abs().max() < 6, far
    assert (far**2).mean() < 2.5  # about 1 if the errors are right
    assert all(torch.allclose(r.sum(-1), torch.ones(2).double()) for r in rows)


def test_auto_beyond_the_budget_says_how_far_two_approximations_are_apart():
    net = make("10.8")
    y = torch.tensor([[-1, -1, 1, 0]])
    found = pgm_rnn.infill(net, y, budget=8)
    assert found.method == "gibbs and importance"
    tv = (found.marginals[0] - found.other.marginals[0]).abs().sum(-1).max() / 2
    assert found.disagreement.item() == pytest.approx(tv.item())
    assert found.log_evidence.isfinite().all()
    assert pgm_rnn.infill(net, y, budget=9).method == "exact"


def test_nothing_missing_and_all_missing():
    net = make("10.8")
    whole, none = torch.tensor([[0, 1, 2, 0]]), torch.full((1, TAU), -1)
    for method in ("exact", "gibbs", "smc", "importance", "auto"):
        found = pgm_rnn.infill(net, whole, method=method)
        assert found.marginals[0].shape == (0, K)
        assert (found.samples[0] == whole).all()
        if method != "gibbs":
            score = pgm_rnn.log_prob(net, whole).item()
            assert found.log_evidence.item() == pytest.approx(score, abs=1e-10)
            off = pgm_rnn.infill(net, none, method=method).log_evidence
            assert off.item() == pytest.approx(0, abs=1e-10)


def test_real_valued_gaps_by_particles():
    """y(1), y(2) of a linear-Gaussian chain, where the answer is in closed form."""
    net = make("10.8", output="normal", tau=3, cell="relu")
    with torch.no_grad():  # h = (relu(y), relu(-y), 0, ...), o = 0.8 y
        for p in net.parameters():
            p.zero_()
        net.U[0, 0], net.U[0, 1] = 1.0, -1.0
        net.V[0, 0], net.V[1, 0] = 0.8, -0.8
    y = torch.tensor([[1.0, float("nan"), -0.5]])
    precision = 1 + 0.8**2
    mean, sd = (0.8 * 1.0 + 0.8 * -0.5) / precision, precision**-0.5
    for method in ("smc", "importance", "auto"):
        found = pgm_rnn.infill(net, y, method=method, particles=20_000)
        assert found.marginals[0][0].tolist() == pytest.approx([mean, sd], abs=0.03)
        assert abs(found.marginals[0][0, 0].item() - mean) < 5 * found.errors[0][0, 0].item()


def test_merged_states_make_many_gaps_cheap():
    """Would catch branches that are never merged: 4^7 = 16,384 of them."""
    net = make("10.8", tau=20, k=4, state="finite")
    y = torch.randint(4, (1, 20), generator=torch.Generator().manual_seed(0))
    y[0, [2, 4, 6, 8, 10, 12, 14]] = -1
    found = pgm_rnn.infill(net, y)
    assert found.cell_steps < 150
    weight = torch.cat([w for w, _ in exact.fillings(net, y[0], None)])
    assert found.log_evidence.item() == pytest.approx(weight.logsumexp(0).item(), abs=1e-10)
    share = weight.softmax(0).reshape([4] * 7)
    for i in range(7):
        mine = share.sum([j for j in range(7) if j != i])
        assert torch.allclose(found.marginals[0][i], mine, atol=1e-10)


def copying(k=5, lag=10, tau=20, error=1e-3):
    """Fig 10.8 as a shift register: y(t) = y(t - lag) but for errors."""
    net = pgm_rnn.figure("10.8", tau=tau, k=k, hidden=k * lag, cell="relu").model
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
        net.U[:, :k] = torch.eye(k)
        net.W[: k * (lag - 1), k:] = torch.eye(k * (lag - 1))
        net.V[-k:] = torch.eye(k) * torch.tensor((1 - error) / error * (k - 1)).log()
    return net


def test_smc_is_sure_and_wrong_when_the_evidence_comes_late():
    net = copying()
    y = torch.arange(10).remainder(5).repeat(2).unsqueeze(0)
    y[0, 2:8] = -1  # steps 3..8, which steps 13..18 tell
    true = pgm_rnn.infill(net, y)
    smc = pgm_rnn.infill(net, y, method="smc", particles=1000)  # ten sets of 100
    assert (smc.log_evidence - true.log_evidence).abs().item() > 5
    assert smc.effective[0] > 90  # a whole set, at least: it looks healthy


def test_effective_size_counts_the_weights_that_are_used():
    """Would catch sets that are added up whatever their evidence is."""
    net = copying()
    y = torch.arange(10).remainder(5).repeat(2).unsqueeze(0)
    y[0, 2:6] = -1
    assert pgm_rnn.infill(net, y, method="importance", particles=100).effective[0] < 10


def test_a_belief_keeps_to_the_budget():
    """Its states do not meet again, though they are told as a finite h."""
    from pgm_rnn.sequences import believe

    net = pgm_rnn.figure("10.8", tau=11, k=3, state="finite").model
    law = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    believe(net, law[0], law, law.flip(0))  # float32 is read too
    y = torch.full((1, 11), -1)
    y[0, -1] = 0
    with pytest.raises(TooLarge, match="the budget is 100"):
        pgm_rnn.infill(net, y, method="exact", budget=100)
    assert pgm_rnn.infill(net, y, budget=100).method == "gibbs and importance"
    with pytest.raises(BadOption, match="initial has shape"):
        believe(net, law[0, :2], law, law)


def test_probability_zero_is_said():
    net = make("10.8")
    with torch.no_grad():
        net.c[0] = -torch.inf
    for method in ("exact", "gibbs", "smc", "importance", "auto"):
        with pytest.raises(DataError, match="probability 0"):
            pgm_rnn.infill(net, torch.tensor([[0, -1, 1, 2]]), method=method)


def test_laws_with_zeros_are_numbers():
    """Would catch 0 times the log of 0."""
    from pgm_rnn.sequences import believe, remember

    net = pgm_rnn.figure("10.8", tau=4, k=3, state="finite").model
    cycle = torch.eye(3).roll(1, 1)
    believe(net, torch.eye(3)[0], cycle, torch.eye(3))
    assert pgm_rnn.log_prob(net, torch.tensor([[0, 1, 2, 0]])).item() == pytest.approx(0, abs=1e-9)
    causal = pgm_rnn.figure("10.10", tau=2, k=2, state="finite").model
    remember(causal, lambda x, y: torch.eye(2).double()[x[-1]].log())
    same = torch.tensor([[0, 1]])
    assert pgm_rnn.log_prob(causal, same, same).item() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("blocks", [[()], [2], None, ["24"], [(2.0, 4.0)]])
def test_blocks_that_are_none(blocks):
    y = torch.tensor([[0, -1, 1, -1]])
    with pytest.raises(DataError, match="should hold tuples of steps"):
        pgm_rnn.infill(make("10.8"), y, method="gibbs", blocks=blocks)
    with pytest.raises(BadOption, match="redrawn by"):
        pgm_rnn.infill(make("10.8"), y, method="smc", blocks=[(2, 4)])


def test_gibbs_does_not_mix_where_two_gaps_copy_each_other():
    net = copying()
    y = torch.arange(10).remainder(5).repeat(2).unsqueeze(0)
    y[0, [2, 5, 12, 15]] = -1
    true = pgm_rnn.infill(net, y).marginals[0]
    assert torch.allclose(true, torch.full((4, 5), 0.2).double(), atol=1e-3)

    def far(**options):
        found = pgm_rnn.infill(net, y, method="gibbs", **options).marginals[0]
        return ((found - true).abs().sum(-1) / 2).max().item()

    alone = far(sweeps=20)
    assert alone > 0.1
    assert far(sweeps=80) > alone / 2  # more sweeps do not help
    assert far(sweeps=80, blocks=[(3, 13), (6, 16)]) < 0.05


@pytest.mark.parametrize("state", ["real", "finite"])
def test_samples_fill_the_gaps_from_the_posterior(state):
    net = make("10.8", state=state)
    y = torch.tensor([[0, -1, 2, -1]])
    found = pgm_rnn.infill(net, y, samples=20_000, seed=2)
    assert (found.samples[:, 0, [0, 2]] == torch.tensor([0, 2])).all()
    share = torch.bincount(found.samples[:, 0, 1], minlength=K) / 20_000
    assert torch.allclose(share.double(), found.marginals[0][0], atol=0.02)


def test_branches_start_at_the_first_gap(monkeypatch):
    monkeypatch.setattr(exact, "FEW", 0)
    net = make("10.8")
    early, late = (torch.tensor([row]) for row in ([-1, 0, 0, 0], [0, 0, 0, -1]))
    assert pgm_rnn.infill(net, late).cell_steps == TAU
    assert pgm_rnn.infill(net, early).cell_steps == 1 + 3 * (TAU - 1)


def test_what_cannot_be_filled_is_said():
    y = torch.full((1, TAU), -1)
    told = (
        r"4 gaps: k\^m = 3\^4 = 81 branches; the budget is 80.*\"gibbs\", \"smc\", \"importance\""
    )
    with pytest.raises(TooLarge, match=told):
        pgm_rnn.infill(make("10.8"), y, method="exact", budget=80)
    with pytest.raises(BadOption, match=r"real-valued.*smc"):
        pgm_rnn.infill(make("10.8", output="normal"), y.double(), method="exact")
    with pytest.raises(BadOption, match=r"method = 'magic' should be one of 'auto', 'exact'"):
        pgm_rnn.infill(make("10.8"), y, method="magic")
    with pytest.raises(BadOption, match="did you mean 'gibbs'"):
        pgm_rnn.infill(make("10.8"), y, method="gibs")
    with pytest.raises(DataError, match="blocks names step 5"):
        pgm_rnn.infill(make("10.8"), y, method="gibbs", blocks=[(1, 5)])
    with pytest.raises(BadOption, match="no gaps to fill"):
        pgm_rnn.infill(pgm_rnn.figure("eos").model, y)
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
