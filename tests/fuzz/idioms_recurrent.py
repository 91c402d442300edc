"""Value idioms of recurrent nets beyond one layer: deep, backward, batch first, by hand."""

from .registry import value


def _net(w, name, arguments):
    """A global net that nothing registers."""
    cls = w.rng.choice(("RNN", "GRU", "LSTM"))
    name = f"{name}_{cls.lower()}"
    return w.top_lines(name, f"{name} = torch.nn.{cls}({arguments})")


@value(sources=(1, 3), decoys=(1, 2), flat=True)
def deep_sequence(w, s, d):
    # Two layers still look only back.
    net = _net(w, "deep", "1, 2, num_layers=2")
    steps = f"torch.stack([{', '.join([*s, *d])}])"
    return f"{net}({steps}[:, None])[0][{len(s) - 1}].sum()"


@value(sources=(1, 3), decoys=(1, 2), flat=True)
def batch_first_sequence(w, s, d):
    net = _net(w, "batched", "1, 2, batch_first=True")
    steps = f"torch.stack([{', '.join([*s, *d])}])[None, :, None]"
    return f"{net}({steps})[0][0, {len(s) - 1}].sum()"


@value(sources=(1, 3), decoys=(1, 2), flat=True)
def row_of_batch(w, s, d):
    # One row of a batch of sequences; the other rows are other sequences.
    net = _net(w, "rows", "1, 2, batch_first=True")
    row = f"torch.stack([{', '.join(s)}])"
    other = f"torch.stack([{', '.join((d * len(s))[: len(s)])}])"
    return f"{net}(torch.stack([{row}, {other}]).unsqueeze(-1))[0][0, -1].sum()"


@value(sources=(1, 4), flat=True)
def two_way_sequence(w, s, d):
    # Read at any step, it has seen all steps.
    net = _net(w, "two_way", "1, 2, bidirectional=True")
    at = w.rng.randrange(len(s))
    return f"{net}(torch.stack([{', '.join(s)}])[:, None])[0][{at}].sum()"


@value(sources=(1, 2), flat=True)
def initial_state(w, s, d):
    # The first source is the state before the first step.
    net = w.top_lines("state_gru", "state_gru = torch.nn.GRU(1, 2)")
    steps = f"torch.stack([{', '.join([*s[1:], w.const()])}])[:, None]"
    return f"{net}({steps}, {s[0]}.expand(1, 2))[0][{len(s) - 1}].sum()"


@value(sources=(2, 2))
def gates_by_hand(w, s, d):
    x, h = w.let(s[0], "x"), w.let(s[1], "h")
    gates = w.let(f"{x}.unsqueeze(-1) * {w.vector(3)} + {h}.unsqueeze(-1) * {w.vector(3)}", "gates")
    r, z, n = w.new("reset"), w.new("update"), w.new("new")
    w.line(f"{r}, {z}, {n} = {gates}.chunk(3, -1)")
    w.line(f"{r}, {z} = torch.sigmoid({r}), torch.sigmoid({z})")
    return f"((1 - {z}) * torch.tanh({n} * {r}) + {z} * {h}.unsqueeze(-1)).squeeze(-1)"


@value(sources=(2, 3))
def steps_by_hand(w, s, d):
    # The Elman recursion, one source a step.
    h = w.let(w.const(), "h")
    w.line(f"for x in ({', '.join(s)}):")
    w.line(f"    {h} = torch.tanh(0.8 * {h} + 0.5 * x)")
    return h


@value(sources=(1, 3), decoys=(1, 1), flat=True)
def states_collected(w, s, d):
    # All states of a recursion in one tensor, read before the decoy's step.
    h, kept = w.let(w.const(), "h"), w.let("[]", "kept")
    w.line(f"for x in ({', '.join([*s, *d])}):")
    w.line(f"    {h} = torch.tanh(0.8 * {h} + 0.5 * x)")
    w.line(f"    {kept}.append({h})")
    return f"torch.stack({kept})[:{len(s)}][-1]"


@value(sources=(1, 3), decoys=(1, 2), flat=True)
def embedded_sequence(w, s, d):
    # Tokens, their embedding and a whole-sequence net, read at one step.
    items = ", ".join(f"({x} > 0).long()" for x in [*s, *d])
    table = w.top_lines("token_table", "token_table = torch.nn.Embedding(2, 2)")
    net = w.top_lines("token_gru", "token_gru = torch.nn.GRU(2, 2)")
    return f"{net}({table}(torch.stack([{items}])))[0][{len(s) - 1}].sum()"
