"""Value idioms with modules, recurrent cells, whole sequences, compiled and custom functions.

`w.module(cls)` gives the code of a module: a registered one if the plan wants the
child to depend on its parameters, else a global one that nothing registers.
"""

from .registry import value


def _column(s):
    """The sources' sum as the one feature of the last dimension."""
    return f"({' + '.join(s)}).unsqueeze(-1)"


@value(sources=(1, 3), module="Linear", weight=1.5)
def linear(w, s, d):
    lin = w.module("Linear")
    return f"{lin}({_column(s)}){w.rng.choice(('[..., 1]', '.sum(-1)', '.select(-1, 0)'))}"


@value(decoys=(1, 1), flat=True, module="Linear")
def linear_rows(w, s, d):
    items, (at,) = w.mix(s, d)
    lin = w.module("Linear")
    return f"{lin}(torch.stack([{items}]).unsqueeze(-1))[{at}, 0]"


@value(module="Embedding", raw="int", weight=2)
def embedding(w, s, d):
    return w.spread(f"{w.module('Embedding')}({s[0]})[..., 1]")


@value(raw="int")
def embedding_function(w, s, d):
    table = "torch.tensor([[0.3, 1.0], [-0.8, 0.1], [1.4, 0.0], [0.9, 2.0], [-1.7, 1.2]])"
    return w.spread(f"F.embedding({s[0]}, {table})[..., 0]")


def _cell(w, cls, s):
    cell = w.module(cls)
    rows = f"({' + '.join(s)}).reshape(-1, 1)"
    n = w.size
    state = f"torch.zeros({n}, 2)"
    if cls == "LSTMCell":
        new = f"{cell}({rows}, ({state}, {state})){w.rng.choice(('[0]', '[1]'))}"
    else:
        new = f"{cell}({rows}, {state})"
    return f"{new}[:, 0].reshape({w.shape_text})"


@value(sources=(1, 3), module="RNNCell")
def rnn_cell(w, s, d):
    return _cell(w, "RNNCell", s)


@value(sources=(1, 3), module="GRUCell")
def gru_cell(w, s, d):
    return _cell(w, "GRUCell", s)


@value(sources=(1, 3), module="LSTMCell")
def lstm_cell(w, s, d):
    return _cell(w, "LSTMCell", s)


@value(sources=(2, 2), decoys=(1, 1), flat=True, module="GRUCell")
def gru_cell_state(w, s, d):
    # One source enters as input, one as state; the decoy is another row of the batch.
    cell = w.module("GRUCell")
    state = f"torch.stack([{s[1]}, {s[1]}, {d[0]}, {d[0]}]).reshape(2, 2)"
    return f"{cell}(torch.stack([{s[0]}, {d[0]}])[:, None], {state})[0, 1]"


@value(sources=(2, 2), flat=True, module="LSTMCell")
def lstm_cell_states(w, s, d):
    cell = w.module("LSTMCell")
    hc = w.let(f"(torch.zeros(1, 2), {s[1]}.expand(1, 2))", "hc")
    w.line(f"{hc} = {cell}({s[0]}.reshape(1, 1), {hc})")
    return f"{hc}[0].sum()"


def _sequence(w, cls, s, d):
    """A whole sequence through a recurrent net, read at the last source's step."""
    net = w.module(cls)
    items = ", ".join([*s, *d])
    steps = f"torch.stack([{items}])"
    if w.shape:
        output = f"{net}({steps}.reshape({len(s) + len(d)}, -1, 1))[0]"
        return f"{output}[{len(s) - 1}, :, 0].reshape({w.shape_text})"
    form = w.rng.choice(("batched", "unbatched", "last", "state"))
    if form == "unbatched":
        return f"{net}({steps}[:, None])[0][{len(s) - 1}].sum()"
    if form == "state" and not d:
        state = w.let(f"{net}({steps}[:, None, None])[1]", "state")
        return f"{state}[0].sum()" if cls == "LSTM" else f"{state}.sum()"
    if form == "last" and not d:
        return f"{net}({steps}.view(-1, 1, 1))[0][-1].sum()"
    out = w.let(f"{net}({steps}.view(-1, 1, 1))[0]", "outputs")
    return f"{out}[{len(s) - 1}, 0, 1]"


@value(sources=(1, 4), decoys=(0, 2), module="RNN")
def rnn_sequence(w, s, d):
    return _sequence(w, "RNN", s, d)


@value(sources=(1, 4), decoys=(0, 2), module="GRU", weight=1.5)
def gru_sequence(w, s, d):
    return _sequence(w, "GRU", s, d)


@value(sources=(1, 4), decoys=(0, 2), module="LSTM")
def lstm_sequence(w, s, d):
    return _sequence(w, "LSTM", s, d)


@value(sources=(1, 3), flat=True)
def attention(w, s, d):
    row = w.let(f"torch.stack([{', '.join(s)}])[None, :, None].expand(1, {len(s)}, 2)", "row")
    return f"F.scaled_dot_product_attention({row}, {row}, {row}).sum()"


@value(sources=(1, 2))
def autograd_function(w, s, d):
    double = w.top_lines(
        "Double",
        "class Double(torch.autograd.Function):",
        "    @staticmethod",
        "    def forward(ctx, x):",
        "        return 2.0 * x",
        "",
        "    @staticmethod",
        "    def backward(ctx, grad):",
        "        return 2.0 * grad",
    )
    return f"({' + '.join(f'{w.num()} * {double}.apply({x})' for x in s)})"


@value(weight=2)
def scripted(w, s, d):
    step = w.top_lines(
        "scripted_step",
        "@torch.jit.script",
        "def scripted_step(x):",
        "    return torch.tanh(x) * 0.9",
    )
    return f"{step}({s[0]})"


@value(sources=(2, 2))
def scripted_pair(w, s, d):
    pair = w.top_lines(
        "scripted_pair",
        "@torch.jit.script",
        "def scripted_pair(x, y):",
        "    return 0.3 * x - 0.6 * torch.sin(y)",
    )
    return f"{pair}({s[0]}, {s[1]})"


@value(sources=(1, 3), flat=True, weight=2)
def vmapped(w, s, d):
    form = w.rng.choice(("lambda", "row", "vmap_two"))
    row = w.let(f"torch.stack([{', '.join(s)}])", "row")
    if form == "vmap_two":
        weights = w.vector(len(s))
        return f"torch.vmap(lambda a, b: a * b + 0.1)({row}, {weights}).sum()"
    if form == "row":
        return f"torch.vmap(torch.sin)({row}) @ {w.vector(len(s))}"
    return f"torch.vmap(lambda v: 2.0 * v - 0.4)({row}).mean()"


@value(weight=1.5, discrete=False, sources=(1, 2))
def functional(w, s, d):
    name = w.rng.choice(("leaky_relu", "elu", "softsign", "silu", "tanhshrink", "logsigmoid"))
    return f"({' + '.join(f'{w.num()} * F.{name}({x})' for x in s)})"


@value(sources=(1, 2), module="LayerNorm")
def layer_norm_module(w, s, d):
    row = f"torch.stack([{s[0]}, {s[-1] if len(s) > 1 else w.const()}], -1)"
    return f"{w.module('LayerNorm')}({row}).sum(-1)"


@value(sources=(2, 3))
def layer_norm(w, s, d):
    row = f"torch.stack([{', '.join(s)}, {w.const()}], -1)"
    return f"F.layer_norm({row}, ({len(s) + 1},))[..., 0]"
