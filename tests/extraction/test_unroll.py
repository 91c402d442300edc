"""Whole sequences in one site become one node a step, with the arrows of the elements."""

import itertools
import warnings

import pyro
import pyro.distributions as dist
import pytest
import torch
from torch import nn

import pgm_rnn
from pgm_rnn import BadOption, CrossingWarning, LeakWarning, UnknownNode
from pgm_rnn.graph import kind

B, T, H = 2, 5, 4


def before(y):
    """The sequence one step later, zero first: [batch, tau, 1]."""
    return torch.cat([torch.zeros(len(y), 1), y[:, :-1]], 1).unsqueeze(-1)


def sequence_model(net, shift=True, **registered):
    """y(t) from the net's output at t; `shift` feeds y(t-1), else y(t) itself: a leak."""

    def model(y):
        with pyro.plate("batch", len(y)):
            loc = net(before(y) if shift else y.unsqueeze(-1))
            pyro.sample("y", dist.Normal(loc, 1.0).to_event(1), obs=y)

    return model


def unrolled(model, *args, time=None, quiet=False):
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", pgm_rnn.PgmWarning)
        return pgm_rnn.unroll(model, time=time or {"y": -1})(*args)


def among(g, parents, children):
    """(s, t) of the arrows between two families."""
    return {
        (int(a.split("_")[1]), int(b.split("_")[1]))
        for a, b in g.edges
        if a.startswith(parents + "_") and b.startswith(children + "_")
    }


def pairs(keep, steps=T):
    return {(s, t) for s in range(1, steps + 1) for t in range(1, steps + 1) if keep(s, t)}


class Recurrent(nn.Module):
    def __init__(self, cell, layers=1, both=False, **options):
        super().__init__()
        self.net = cell(1, H, num_layers=layers, batch_first=True, bidirectional=both, **options)

    def forward(self, x):
        return self.net(x)[0].sum(-1)


CELLS = list(itertools.product([nn.RNN, nn.GRU, nn.LSTM], [1, 2]))


@pytest.mark.parametrize(("cell", "layers"), CELLS)
def test_shifted_inputs_give_the_triangle(cell, layers):
    """Would catch arrows that stop at one step: h carries everything that was read."""
    g = unrolled(sequence_model(Recurrent(cell, layers)), torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)
    assert not g.graph["leaks"]
    assert g.nodes["y_3"]["time"] == 3
    assert g.nodes["y_3"]["observed"] is True
    assert g.nodes["y_3"]["shape"] == (B,)
    assert not any("numeric" in d for *_, d in g.edges(data=True))


@pytest.mark.parametrize(("cell", "layers"), CELLS)
def test_unshifted_inputs_leak(cell, layers):
    model = sequence_model(Recurrent(cell, layers), shift=False)
    with pytest.warns(LeakWarning, match="y_1 reads y_1; y_2 reads y_2"):
        g = unrolled(model, torch.randn(B, T))
    assert g.graph["leaks"] == {(f"y_{t}", f"y_{t}") for t in range(1, T + 1)}
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)
    assert ("y", "y_2") in g.edges
    assert kind(g, "y") == "input"


@pytest.mark.parametrize(("cell", "layers"), CELLS)
def test_a_bidirectional_net_leaks_both_ways(cell, layers):
    model = sequence_model(Recurrent(cell, layers, both=True))
    with pytest.warns(LeakWarning, match="y_1 reads"):
        g = unrolled(model, torch.randn(B, T))
    assert g.graph["leaks"] == {(f"y_{t}", f"y_{s}") for s, t in pairs(lambda s, t: t <= s < T)}


@pytest.mark.parametrize(("cell", "layers"), CELLS)
def test_a_bidirectional_net_over_x_is_no_leak(cell, layers):
    """Would catch a warning for context that is read from both sides, as it may be."""
    net = Recurrent(cell, layers, both=True)

    def model(y, x):
        x = pyro.sample("x", dist.Normal(torch.zeros(B, T), 1.0).to_event(2), obs=x)
        pyro.sample("y", dist.Normal(net(x.unsqueeze(-1)), 1.0).to_event(2), obs=y)

    g = unrolled(model, torch.randn(B, T), torch.randn(B, T), time={"y": -1, "x": -1})
    assert among(g, "x", "y") == pairs(lambda s, t: True)
    assert not among(g, "y", "y")


def test_a_long_lstm_forgets_nothing():
    """Would catch numbers as the judge: what is read at step 1 is far below float at step 200."""
    net = Recurrent(nn.LSTM)
    with torch.no_grad():
        net.net.bias_ih_l0[H : 2 * H] = -20.0  # the forget gate is shut
    g = unrolled(sequence_model(net), torch.randn(1, 200))
    assert ("y_1", "y_200") in g.edges
    assert len(among(g, "y", "y")) == 200 * 199 // 2


class Attention(nn.Module):
    def __init__(self, mask, layers=1, encoder=False):
        super().__init__()
        self.mask, self.encoder = mask, encoder
        self.inner = nn.Linear(1, H)
        if encoder:
            layer = nn.TransformerEncoderLayer(H, 2, 8, batch_first=True)
            self.net = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        else:
            self.net = nn.ModuleList(
                nn.MultiheadAttention(H, 2, batch_first=True) for _ in range(layers)
            )

    def forward(self, x):
        h = self.inner(x)
        if self.encoder:
            return self.net(h, mask=self.mask).sum(-1)
        for layer in self.net:
            h = layer(h, h, h, attn_mask=self.mask, need_weights=False)[0]
        return h.sum(-1)


CAUSAL = torch.triu(torch.full((T, T), -torch.inf), 1)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("encoder", [True, False])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("mask", [CAUSAL, -torch.inf == CAUSAL], ids=["float", "bool"])
def test_a_causal_mask_gives_the_triangle(layers, encoder, training, mask):
    net = Attention(mask, layers, encoder).train(training)
    g = unrolled(sequence_model(net), torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)


@pytest.mark.parametrize("encoder", [True, False])
@pytest.mark.parametrize("layers", [1, 2])
def test_a_missing_mask_shows_the_leak(layers, encoder):
    with pytest.warns(LeakWarning, match="y_1 reads y_1, y_2"):
        g = unrolled(sequence_model(Attention(None, layers, encoder)), torch.randn(B, T))
    assert ("y_1", "y_4") in g.graph["leaks"]


def test_scaled_dot_product_attention():
    def net(x):
        h = x.expand(-1, -1, H)
        return nn.functional.scaled_dot_product_attention(h, h, h, is_causal=True).sum(-1)

    g = unrolled(sequence_model(net), torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("depthwise", [False, True])
def test_convolutions_reach_as_far_as_they_are_wide(dilation, depthwise):
    width, channels = 2, 3
    conv = nn.Conv1d(channels, channels, width, dilation=dilation,
                     groups=channels if depthwise else 1)  # fmt: skip

    def net(x):
        wide = x.transpose(1, 2).expand(-1, channels, -1)
        return conv(nn.functional.pad(wide, (dilation, 0))).sum(1)

    g = unrolled(sequence_model(net), torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: t - s in (1, 1 + dilation))


def test_convolution_with_same_padding_leaks():
    conv = nn.Conv1d(1, 1, 5, padding="same")  # sees two inputs ahead, the shift hides one
    with pytest.warns(LeakWarning, match="y_1 reads y_1, y_2"):
        unrolled(sequence_model(lambda x: conv(x.transpose(1, 2))[:, 0]), torch.randn(B, T))


def test_symbols():
    """[batch, tau] of tokens, an embedding, logits of [batch, tau, k]."""
    embed, net, out = nn.Embedding(4, H), nn.GRU(H, H, batch_first=True), nn.Linear(H, 3)

    def model(y):
        start = torch.full((len(y), 1), 3)
        h = net(embed(torch.cat([start, y[:, :-1]], 1)))[0]
        with pyro.plate("batch", len(y)):
            pyro.sample("y", dist.Categorical(logits=out(h)).to_event(1), obs=y)

    g = unrolled(model, torch.randint(0, 3, (B, T)))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)
    assert g.nodes["y_1"]["plates"] == ("batch",)


def test_a_state_with_a_name():
    """h(t) read y(1..t); y(t+1) reads h(t): in time, though h is computed before y is drawn."""
    net, out = nn.RNN(1, H, batch_first=True), nn.Linear(H, 1)

    def model(y):
        h = pyro.deterministic("h", net(y.unsqueeze(-1))[0], event_dim=2)
        loc = torch.cat([torch.zeros(len(y), 1), out(h)[:, :-1, 0]], 1)
        pyro.sample("y", dist.Normal(loc, 1.0).to_event(2), obs=y)

    g = unrolled(model, torch.randn(B, T), time={"y": -1, "h": -2})
    assert among(g, "y", "h") == pairs(lambda s, t: s <= t)
    assert among(g, "h", "y") == pairs(lambda s, t: t == s + 1)
    assert kind(g, "h_1") == "deterministic"
    assert not g.graph["leaks"]


def test_a_leak_through_a_named_state():
    net = nn.RNN(1, H, batch_first=True)

    def model(y):
        h = pyro.deterministic("h", net(y.unsqueeze(-1))[0], event_dim=2)
        pyro.sample("y", dist.Normal(h.sum(-1), 1.0).to_event(2), obs=y)

    with pytest.warns(LeakWarning, match="y_1 reads y_1; y_2 reads y_2"):
        g = unrolled(model, torch.randn(B, T), time={"y": -1, "h": -2})
    assert among(g, "y", "h") == pairs(lambda s, t: s < t)


def test_drawn_sequences():
    """Nothing is observed: x in one draw, y from a net over it."""
    net = Recurrent(nn.RNN)

    def model():
        x = pyro.sample("x", dist.Normal(torch.zeros(B, T), 1.0).to_event(2))
        pyro.sample("y", dist.Normal(net(x.unsqueeze(-1)), 1.0).to_event(2))

    g = unrolled(model, time={"y": -1, "x": -1})
    assert among(g, "x", "y") == pairs(lambda s, t: s <= t)
    assert not among(g, "x", "x")


def test_a_site_that_stays_whole():
    def model(y):
        z = pyro.sample("z", dist.Normal(0.0, 1.0))
        pyro.sample("y", dist.Normal(z + before(y)[..., 0], 1.0).to_event(2), obs=y)
        pyro.sample("last", dist.Normal(y[:, -1].sum(), 1.0))

    g = unrolled(model, torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: t == s + 1)
    assert {b for a, b in g.edges if a == "z"} == {f"y_{t}" for t in range(1, T + 1)}
    assert {a for a, b in g.edges if b == "last"} == {f"y_{T}"}


@pytest.mark.parametrize("kind_of_net", ["batch", "layer", "evaluation"])
def test_batch_normalisation_reads_across_the_plate(kind_of_net):
    """Each step by itself, over the batch: no leak in time, but the members are not apart."""
    norm = nn.BatchNorm1d(1) if kind_of_net != "layer" else nn.LayerNorm(1)
    norm.train(kind_of_net != "evaluation")

    def net(x):
        return torch.stack([norm(x[:, t]).sum(-1) for t in range(T)], 1)

    model = sequence_model(net)
    if kind_of_net == "batch":
        with pytest.warns(CrossingWarning, match="'y' read other members of plate 'batch'"):
            g = unrolled(model, torch.randn(B, T))
        assert g.edges["y_1", "y_2"]["across"] == ("batch",)
    else:
        g = unrolled(model, torch.randn(B, T))
        assert "across" not in g.edges["y_1", "y_2"]
    assert among(g, "y", "y") == pairs(lambda s, t: t == s + 1)


def test_batch_normalisation_over_time_leaks():
    norm = nn.BatchNorm1d(1)
    with pytest.warns((LeakWarning, CrossingWarning)):
        g = unrolled(sequence_model(lambda x: norm(x.transpose(1, 2))[:, 0]), torch.randn(B, T))
    assert ("y_1", "y_3") in g.graph["leaks"]


def test_an_operation_without_a_rule_is_nudged():
    """A scripted net is opaque: numbers say which steps it reads, and the arrows say so."""

    @torch.jit.script
    def running_mean(x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x, 1) / (1.0 + torch.arange(x.shape[1]))

    g = unrolled(sequence_model(lambda x: running_mean(x[..., 0])), torch.randn(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)
    assert all(d["numeric"] for a, b, d in g.edges(data=True))
    assert not g.graph["leaks"]


def test_float64_sees_what_float32_rounds_away():
    @torch.jit.script
    def faint(x: torch.Tensor) -> torch.Tensor:
        return x.cumsum(1) * 1e-10 + 1.0

    g = unrolled(sequence_model(lambda x: faint(x[..., 0])), torch.rand(B, T))
    assert among(g, "y", "y") == pairs(lambda s, t: s < t)


def test_an_opaque_leak_is_found():
    @torch.jit.script
    def ahead(x: torch.Tensor) -> torch.Tensor:
        return x.flip(1).cumsum(1).flip(1)

    with pytest.warns(LeakWarning):
        g = unrolled(sequence_model(lambda x: ahead(x[..., 0])), torch.randn(B, T))
    assert g.graph["leaks"] == {(f"y_{t}", f"y_{s}") for s, t in pairs(lambda s, t: t <= s < T)}


def test_the_explicit_program_and_the_call_are_one_graph():
    """Fig 10.8 step by step, its states substituted, is the whole-sequence call over y."""
    f = pgm_rnn.figure("10.8", tau=T, output="normal")
    explicit = pgm_rnn.substitute(pgm_rnn.sites(pgm_rnn.extract(f.model)))
    g = pgm_rnn.sites(unrolled(sequence_model(Recurrent(nn.RNN)), torch.randn(B, T)))
    assert set(g.edges) == set(explicit.edges)


def test_nothing_is_left_changed():
    net = Recurrent(nn.RNN)
    kept = {k: v.clone() for k, v in net.state_dict().items()}
    y = torch.randn(B, T)
    same = y.clone()
    unrolled(sequence_model(torch.jit.script(net)), y, quiet=True)
    assert torch.equal(y, same)
    assert y.dtype == torch.float32
    assert torch.get_default_dtype() == torch.float32
    for name, value in net.state_dict().items():
        assert value.dtype == torch.float32
        assert torch.equal(value, kept[name])


def test_mistakes():
    model = sequence_model(Recurrent(nn.RNN))
    with pytest.raises(UnknownNode, match="unknown node 'Y'"):
        pgm_rnn.unroll(model, time={"Y": -1, "y": -1})(torch.randn(B, T))
    with pytest.raises(BadOption, match="one of its 2 dimensions"):
        pgm_rnn.unroll(model, time={"y": 7})(torch.randn(B, T))

    def joint(y):
        pyro.sample("y", dist.MultivariateNormal(torch.zeros(T), torch.eye(T)), obs=y)

    with pytest.raises(BadOption, match="joint along dimension -1"):
        pgm_rnn.unroll(joint, time={"y": -1})(torch.randn(T))


def test_data_in_a_default_is_followed_and_data_from_elsewhere_is_said():
    data = torch.randn(2, 3)
    net = Recurrent(nn.GRU)

    def default(y=data):
        pyro.sample("y", dist.Normal(net(before(y)), 1.0).to_event(2), obs=y)

    def elsewhere():
        default(data + 0)

    assert among(unrolled(default), "y", "y") == {(1, 2), (1, 3), (2, 3)}
    with pytest.warns(pgm_rnn.PgmWarning, match="no argument of the model"):
        pgm_rnn.unroll(elsewhere, {"y": -1})()
