"""Rules for when to stop, against every sequence of every length."""

import itertools

import pyro
import pytest
import torch
from click.testing import CliRunner

import pgm_rnn
from pgm_rnn import BadOption, DataError, TooLarge, VariableLength
from pgm_rnn.cli import main
from pgm_rnn.gallery import book_drawing
from pgm_rnn.reference import compare_drawings
from pgm_rnn.sequences import by_coin

LONGEST, K = 4, 2
RULES = [("eos", "real"), ("eos", "finite"), ("halt", "real"), ("halt", "finite"), ("tau", "real")]


def make(rule, state="real", tau=LONGEST, k=K, seed=3, **options):
    return pgm_rnn.figure(rule, tau=tau, k=k, hidden=5, state=state, seed=seed, **options).model


def everything(net):
    """All sequences of all lengths that a rule gives, padded, [all, tau]."""
    shortest = 0 if net.length_rule == "eos" else 1
    return torch.tensor(
        [
            list(y) + [-1] * (net.tau - n)
            for n in range(shortest, net.tau + 1)
            for y in itertools.product(range(net.k), repeat=n)
        ]
    )


@pytest.mark.parametrize("tau", [1, 2, 3, 5])
@pytest.mark.parametrize(("rule", "state"), RULES)
def test_graph_is_as_in_our_reference(rule, state, tau):
    """Would catch a loop that goes on in any case: then no control arrow is there."""
    f = pgm_rnn.figure(rule, tau=tau, state=state)
    g = pgm_rnn.sites(pgm_rnn.extract(f.model, *f.args, **f.kwargs))
    wanted = f.reference.graph(tau)
    found = pgm_rnn.compare(g, wanted)
    assert found, str(found)
    control = {e for e in g.edges if g.edges[e]["via"] == {"control"}}
    assert control == {e for e in wanted.edges if "via" in wanted.edges[e]}
    if tau > 1:
        assert control


@pytest.mark.parametrize("rule", ["eos", "halt", "tau"])
def test_drawing_is_as_in_our_reference(rule):
    drawing = pgm_rnn.catalog.reference(rule).drawing()
    assert compare_drawings(book_drawing(rule), drawing) == ""
    assert 'stroke-dasharray="1.6,4"' in pgm_rnn.draw(book_drawing(rule)).svg().decode()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("rule", "state"), RULES)
def test_all_lengths_sum_to_one_and_the_law_is_exact(rule, state, seed):
    """Would catch an end that is paid twice at the largest length."""
    net = make(rule, state, seed=seed)
    y = everything(net)
    p = pgm_rnn.log_prob(net, y).detach().exp()
    assert p.sum().item() == pytest.approx(1, abs=1e-12)
    n = (y >= 0).sum(-1)
    by_hand = torch.stack([p[n == t].sum() for t in range(LONGEST + 1)])
    law = pgm_rnn.length_distribution(net)
    assert torch.allclose(law.probability, by_hand, atol=1e-12)
    assert law.tail == 0
    forced = 0 if rule == "tau" else by_hand[-1].item()
    assert law.forced == pytest.approx(forced, abs=1e-12)
    cut = pgm_rnn.length_distribution(net, 2)
    assert torch.allclose(cut.probability, by_hand[:3], atol=1e-12)
    assert cut.tail == pytest.approx(by_hand[3:].sum().item(), abs=1e-12)
    assert cut.forced == 0


@pytest.mark.parametrize("output", ["categorical", "bernoulli", "normal", "laplace"])
@pytest.mark.parametrize(("rule", "state"), RULES)
def test_the_program_and_the_distribution_are_one_law(rule, state, output):
    if output != "categorical" and (rule == "eos" or state == "finite"):
        return
    net = make(rule, state, output=output)
    torch.manual_seed(1)
    y = pgm_rnn.sample(net, 30, seed=1)
    scores = pgm_rnn.log_prob(net, y)
    for row, score in zip(y, scores, strict=True):
        trace = pyro.poutine.trace(net).get_trace(row.unsqueeze(0))
        assert trace.log_prob_sum().item() == pytest.approx(score.item(), abs=1e-12)
    steps = pgm_rnn.log_prob(net, y, per_step=True)
    assert steps.shape == (30, LONGEST + 1)
    assert torch.allclose(steps.sum(-1), scores)


@pytest.mark.parametrize(("rule", "state"), RULES)
def test_samples_have_the_exact_lengths(rule, state):
    net = make(rule, state)
    law = pgm_rnn.length_distribution(net).probability
    n = 20_000
    pyro.set_rng_seed(0)
    for y in (pgm_rnn.sample(net, n, seed=5), VariableLength(net, n).sample()):
        share = torch.bincount((y >= 0).sum(-1), minlength=LONGEST + 1) / n
        assert torch.allclose(share.double(), law, atol=0.015)
    told = [net().shape[1] for _ in range(600)]  # the explicit program, one by one
    share = torch.bincount(torch.tensor(told), minlength=LONGEST + 1) / 600
    assert torch.allclose(share.double(), law, atol=0.09)


@pytest.mark.parametrize(("rule", "state"), RULES)
def test_a_prefix_is_conditioned_on(rule, state):
    """Would catch that "tau" draws its length as if there were no prefix."""
    net = make(rule, state, seed=1)
    y = everything(net)
    p = pgm_rnn.log_prob(net, y).detach().exp()
    begins = (y[:, :2] == torch.tensor([1, 0])).all(-1)
    n = (y >= 0).sum(-1)
    wanted = torch.stack([p[begins & (n == t)].sum() for t in range(LONGEST + 1)]) / p[begins].sum()
    drawn = pgm_rnn.sample(net, 20_000, prefix=torch.tensor([[1, 0]]), seed=2)
    assert (drawn[:, :2] == torch.tensor([1, 0])).all()
    share = torch.bincount((drawn >= 0).sum(-1), minlength=LONGEST + 1) / 20_000
    assert torch.allclose(share.double(), wanted, atol=0.015)


def test_end_symbol_and_coin_are_one_family_of_hazards():
    net = make("eos", tau=6)
    y = everything(net)
    empty = (y >= 0).sum(-1) == 0
    score = pgm_rnn.log_prob(net, y)
    begun = torch.log1p(-score[empty].exp())
    assert (by_coin(net, y[~empty]) + begun - score[~empty]).abs().max() < 4e-15 * 8


@pytest.mark.parametrize("rule", ["eos", "halt", "tau"])
def test_a_fit_learns_the_lengths(rule):
    """Would catch an end that is left out of the loss."""
    random = torch.Generator().manual_seed(0)
    n = torch.tensor([2, 2, 2, 4]).repeat(50)
    y = torch.randint(2, (200, 4), generator=random)
    y = torch.where(torch.arange(4) < n.unsqueeze(-1), y, -1)
    net = make(rule)
    pgm_rnn.fit(net, y, steps=300, lr=0.05)
    law = pgm_rnn.length_distribution(net).probability
    assert torch.allclose(law, torch.tensor([0, 0, 0.75, 0, 0.25]).double(), atol=0.05)
    given = make(rule)
    pgm_rnn.fit(given, y.clamp(min=0), lengths=n, steps=300, lr=0.05)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), given.parameters(), strict=True))


@pytest.mark.parametrize("rule", ["eos", "halt", "tau"])
def test_a_fit_that_was_broken_off_ends_in_the_same_parameters(rule, tmp_path):
    """Would catch a gradient of the counted lengths that weighs in the clipping."""
    y = pgm_rnn.sample(make(rule, seed=8), 60, seed=0)
    setting = {"steps": 60, "every": 20, "clip": 0.05, "batch_size": 16, "smoothing": 0.5}
    whole, broken = make(rule), make(rule)
    pgm_rnn.fit(whole, y, **setting)

    def stop(step, steps, loss):
        if step == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pgm_rnn.fit(broken, y, out=tmp_path, progress=stop, **setting)
    pgm_rnn.fit(broken, y, out=tmp_path, **setting)
    for a, b in zip(whole.parameters(), broken.parameters(), strict=True):
        assert torch.equal(a, b)


def test_padded_and_empty_rows_of_files(tmp_path):
    import numpy as np

    from pgm_rnn.fitting.read import read

    np.save(tmp_path / "real.npy", np.array([[0.5, 1.0, np.nan], [0.1, 0.2, 0.3]]))
    assert read(tmp_path / "real.npy").lengths.tolist() == [2, 3]
    np.save(tmp_path / "bits.npy", np.array([[True, False]]))
    assert pgm_rnn.log_prob(
        pgm_rnn.figure("10.8", tau=2, k=2).model, read(tmp_path / "bits.npy").y
    ).ndim
    (tmp_path / "words.txt").write_text("ab\n\nb\n")
    with pytest.raises(DataError, match=r"line 2 is empty.*--length eos"):
        read(tmp_path / "words.txt")
    assert read(tmp_path / "words.txt", empty=True).lengths.tolist() == [2, 0, 1]
    for size in (10_000, 200):
        with pytest.raises(TooLarge, match=r"about 10\^"):
            pgm_rnn.figure("10.7", tau=size)


def test_a_finite_state_follows_long_lengths():
    net = make("halt", "finite", tau=200, k=5)
    law = pgm_rnn.length_distribution(net)
    assert law.probability.sum().item() == pytest.approx(1, abs=1e-9)


def test_bad_input_is_refused_with_the_reason():
    with pytest.raises(BadOption, match="no value left over"):
        pgm_rnn.figure("eos", output="normal")
    with pytest.raises(BadOption, match="knows only real"):
        pgm_rnn.figure("tau", state="finite")
    with pytest.raises(BadOption, match="one sequence a run"):
        make("halt")(batch=2)
    with pytest.raises(BadOption, match="has one length"):
        pgm_rnn.length_distribution(pgm_rnn.figure("10.8").model)
    with pytest.raises(BadOption, match="cannot be counted out"):
        pgm_rnn.length_distribution(make("halt", output="normal"))
    with pytest.raises(TooLarge, match="beginnings to follow"):
        pgm_rnn.length_distribution(make("eos", tau=30))
    with pytest.raises(BadOption, match="leave end out"):
        pgm_rnn.sample(make("eos"), 1, end=0)
    for rule in ("halt", "tau"):
        with pytest.raises(DataError, match="can give an empty one"):
            pgm_rnn.log_prob(make(rule), torch.full((1, 3), -1))
    with pytest.raises(DataError, match=r"symbols are 0 \.\. 1"):
        pgm_rnn.log_prob(make("eos"), torch.tensor([[0, 2, -1]]))
    with pytest.raises(BadOption, match="use VariableLength"):
        pgm_rnn.sequences.SequenceDistribution(make("eos"))


@pytest.mark.parametrize("rule", ["eos", "halt", "tau"])
def test_on_the_command_line(rule, tmp_path):
    data = tmp_path / "words.txt"
    data.write_text("ab\nabba\nab\nbaa\n")
    run = ["fit", "10.8", "--length", rule, "--data", str(data), "--out", str(tmp_path / "run"),
           "--steps", "20", "--validation", "0"]  # fmt: skip
    fitted = CliRunner().invoke(main, run)
    assert fitted.exit_code == 0, fitted.output
    drawn = CliRunner().invoke(main, ["sample", str(tmp_path / "run"), "-n", "50"])
    assert drawn.exit_code == 0, drawn.output
    assert {len(line) for line in drawn.stdout.splitlines()} <= set(range(5))
    assert "where a sequence ends in any case" in drawn.stderr
    wrong = CliRunner().invoke(main, [*run[:1], "10.10", *run[2:]])
    assert wrong.exit_code == 2
    assert "the rules are told on fig 10.8" in wrong.output
