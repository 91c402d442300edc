"""The laws of the programs: parameters, equal laws, tables."""

import itertools

import pytest
import torch
from pyro import poutine

import pgm_rnn
from pgm_rnn.errors import BadOption, TooLarge, UnknownFigure


def log_prob(f, y, x=None):
    """log p(y | x) of each sequence, from the program's own trace."""
    trace = poutine.trace(f.model).get_trace(y, x)
    trace.compute_log_prob()
    sites = [s for n, s in trace.nodes.items() if n.startswith("y_")]
    return sum(s["log_prob"] for s in sites)


def all_sequences(k, tau):
    return torch.tensor(list(itertools.product(range(k), repeat=tau)))


@pytest.mark.parametrize("name", ["10.3", "10.4", "10.7", "10.8", "10.9", "10.10", "text"])
@pytest.mark.parametrize("state", ["real", "finite"])
def test_probabilities_of_all_sequences_sum_to_one(name, state):
    f = pgm_rnn.figure(name, tau=4, k=3, state=state)
    y = all_sequences(3, 4)
    x = None
    if f.model.inputs:
        shape = () if name == "10.9" else (4,)
        one = torch.randint(3, shape) if state == "finite" else torch.randn(*shape, 2)
        x = one.expand(len(y), *one.shape)
    assert log_prob(f, y, x).exp().sum().item() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("k", "tau"), [(2, 1), (3, 4), (4, 3)])
def test_the_table_has_as_many_parameters_as_the_joint(k, tau):
    f = pgm_rnn.figure("10.7", k=k, tau=tau)
    assert sum(p.numel() for p in f.model.parameters()) == k**tau - 1


def test_the_nets_parameters_do_not_grow_with_tau():
    def count(tau, k=3, h=8):
        return sum(
            p.numel() for p in pgm_rnn.figure("10.8", tau=tau, k=k, hidden=h).model.parameters()
        )

    assert count(5) == count(50) == 8 * 8 + 2 * 3 * 8 + 8 + 3


def test_x_r_is_an_input_dependent_bias():
    # 10.9 with x given is 10.8 with b + x R.
    context, plain = pgm_rnn.figure("10.9", tau=6, seed=1), pgm_rnn.figure("10.8", tau=6, seed=2)
    x, y = torch.randn(1, 2, dtype=torch.float64), torch.randint(3, (20, 6))
    with torch.no_grad():
        for letter in "UWVc":
            getattr(plain.model, letter).copy_(getattr(context.model, letter))
        plain.model.b.copy_(context.model.b + (x @ context.model.R)[0])
    there, here = log_prob(context, y, x.expand(20, 2)), log_prob(plain, y)
    assert torch.allclose(there, here, rtol=0, atol=1e-12)


def test_text_rnn_is_10_8_with_h_one_step_later():
    text, drawn = pgm_rnn.figure("text", tau=5, seed=3), pgm_rnn.figure("10.8", tau=5, seed=4)
    with torch.no_grad():
        for letter in "UWVbc":
            getattr(drawn.model, letter).copy_(getattr(text.model, letter))
        # fig 10.8 starts from h(0) = 0; the text's h(1) = tanh(b), so start there
    y = torch.randint(3, (10, 5))
    start = torch.tanh(text.model.b).detach()
    drawn.model.start = lambda: start
    assert torch.allclose(log_prob(text, y), log_prob(drawn, y), rtol=0, atol=1e-12)


def test_seeds_and_dtype():
    one, again, other = (pgm_rnn.figure("10.8", seed=s).model for s in (0, 0, 1))
    assert torch.equal(one.U, again.U)
    assert not torch.equal(one.U, other.U)
    assert one.U.dtype == torch.float64
    before = torch.get_rng_state()
    pgm_rnn.figure("10.10", state="finite")
    assert torch.equal(torch.get_rng_state(), before)


def test_a_history_storing_state_gives_any_causal_law():
    # 10.10 with a state that stores its whole history, k 2, tau 3: any p(y_t | x_1..t, y_<t).
    from pgm_rnn.sequences import remember

    f = pgm_rnn.figure("10.10", tau=3, k=2, state="finite")
    random = torch.Generator().manual_seed(5)
    table = {}

    def law(x, y):
        return table.setdefault((x, y), torch.randn(2, generator=random, dtype=torch.float64))

    remember(f.model, law)
    y = all_sequences(2, 3)
    for x in itertools.product(range(2), repeat=3):
        given = torch.tensor(x).expand(len(y), 3)
        expected = [
            sum(law(x[: t + 1], tuple(s[:t])).log_softmax(0)[s[t]].item() for t in range(3))
            for s in y.tolist()
        ]
        assert log_prob(f, y, given).tolist() == pytest.approx(expected, abs=1e-12)
    assert pgm_rnn.compare(pgm_rnn.extract(f.model), f.reference)


BAD = [
    (("10.77",), {}, UnknownFigure, "10.7"),
    (("10.8",), {"tau": 0}, BadOption, "tau = 0"),
    (("10.8",), {"tau": 2.5}, BadOption, "tau = 2.5"),
    (("10.8",), {"tau": True}, BadOption, "tau = True"),
    (("10.8",), {"k": -1}, BadOption, "k = -1"),
    (("10.8",), {"cell": "gru"}, BadOption, "'tanh', 'relu'"),
    (("10.8",), {"output": "gauss"}, BadOption, "'categorical', 'bernoulli'"),
    (("10.8",), {"state": "big"}, BadOption, "'real', 'finite'"),
    (("10.8",), {"state": "finite", "output": "normal"}, BadOption, "needs symbols"),
    (("10.8",), {"entry": "both"}, BadOption, "fig 10.8"),
    (("10.9",), {"entry": "all"}, BadOption, "input, initial, both"),
    (("10.7",), {"output": "normal"}, BadOption, "knows only categorical"),
    (("10.7",), {"tau": 40}, TooLarge, "Lower tau or k"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "options", "error", "message"), BAD)
def test_bad_options(args, options, error, message):
    with pytest.raises(error) as caught:
        pgm_rnn.figure(*args, **options)
    assert message in str(caught.value)


def test_a_table_too_large_says_how_large():
    with pytest.raises(TooLarge) as caught:
        pgm_rnn.figure("10.7", tau=20, k=3)
    assert caught.value.entries == 3**20 - 1
    assert caught.value.bytes == 8 * (3**20 - 1) > caught.value.limit
    assert f"{3**20 - 1:,} table entries" in str(caught.value)


def test_bad_data():
    f = pgm_rnn.figure("10.8", tau=3)
    with pytest.raises(BadOption, match=r"y has shape \[2, 4\]"):
        f.model(torch.zeros(2, 4))
    with pytest.raises(BadOption, match="has no x"):
        f.model(x=torch.zeros(2, 3, 2))
    f = pgm_rnn.figure("10.10", tau=3)
    with pytest.raises(BadOption, match=r"takes \[batch, 3, 2\]: one x for each of its steps"):
        f.model(x=torch.zeros(2, 4, 2))
    with pytest.raises(BadOption, match="x holds 2 sequences and y 5"):
        f.model(torch.zeros(5, 3), torch.zeros(2, 3, 2))
    with pytest.raises(BadOption, match="one x for the whole sequence"):
        pgm_rnn.figure("10.9", tau=3).model(x=torch.zeros(2, 3, 2))
