"""Value idioms with records, objects, an argument used as memory, and rarer maths."""

from .registry import value


@value(sources=(1, 2), decoys=(0, 1))
def record(w, s, d):
    state = w.top_lines(
        "State",
        "import dataclasses",
        "",
        "",
        "@dataclasses.dataclass",
        "class State:",
        "    h: torch.Tensor",
        "    c: torch.Tensor",
        "    other: torch.Tensor | None = None",
    )
    c = s[1] if len(s) > 1 else w.const()
    other = f", {d[0]}" if d else ""
    r = w.let(f"{state}({s[0]}, {c}{other})", "record")
    return f"({w.num()} * {r}.h + {w.num()} * {r}.c)"


@value(sources=(1, 2), decoys=(1, 1))
def named_tuple(w, s, d):
    w.top_lines("namedtuple", "from collections import namedtuple")
    pair = w.top_lines("Pair", "Pair = namedtuple('Pair', ['kept', 'other'])")
    kept = w.let(f"{pair}(kept={' + '.join(s)}, other={d[0]})", "pair")
    return f"{kept}.kept"


@value(decoys=(1, 1))
def bounded_queue(w, s, d):
    # What falls out of the queue is gone.
    w.top_lines("deque", "from collections import deque")
    queue = w.let("deque(maxlen=1)", "queue")
    w.line(f"{queue}.append({d[0]})")
    w.line(f"{queue}.append({s[0]})")
    return f"sum({queue})"


@value(decoys=(0, 1), flat=True)
def argument_as_memory(w, s, d):
    # The program writes into its own argument; the element read is no longer the input.
    w.scratch = True
    for x in d:
        w.line(f"scratch[1] = {x}.detach()")
    w.line(w.rng.choice(("scratch[2] = {}.detach()", "scratch[2:].fill_({}.detach())",
                         "scratch.data[2] = {}.detach()", "scratch.copy_({}.detach())")
                        ).format(s[0]))  # fmt: skip
    # Read at once: another idiom may write there.
    return w.let("scratch[2].clone()")


@value(sources=(1, 2), flat=True)
def matrix_function(w, s, d):
    matrix = w.let(f"torch.diag(2.0 + torch.sin(torch.stack([{', '.join([*s, w.const()])}])))", "A")
    return w.rng.choice(
        (
            f"torch.linalg.det({matrix})",
            f"torch.linalg.inv({matrix}).sum()",
            f"torch.linalg.cholesky({matrix}).sum()",
            f"torch.linalg.solve({matrix}, {w.vector(len(s) + 1)}).sum()",
            f"torch.logdet({matrix})",
            f"torch.linalg.matrix_norm({matrix})",
            f"torch.matrix_exp(0.1 * {matrix}).trace()",
        )
    )


@value(sources=(1, 2))
def complex_number(w, s, d):
    real, imaginary = s[0], s[1] if len(s) > 1 else w.const()
    return f"torch.view_as_real(torch.complex({real}, {imaginary}) * (0.3 + 0.8j)).sum(-1)"


@value(sources=(1, 3), flat=True)
def fourier(w, s, d):
    row = f"torch.stack([{', '.join([*s, w.const()])}])"
    return f"torch.fft.rfft({row}).real.sum()"


@value(sources=(1, 2), discrete=False)
def bucket(w, s, d):
    bounds = "torch.tensor([-1.0, 0.0, 0.5, 1.0])"
    name = w.rng.choice(("torch.bucketize({x}, {b})", "torch.searchsorted({b}, {x})"))
    terms = [f"{w.num()} * {name.format(x=f'({x}).contiguous()', b=bounds)}" for x in s]
    return f"({' + '.join(terms)})"


@value(sources=(1, 2), discrete=False)
def dropout(w, s, d):
    return f"F.dropout({' + '.join(s)}, 0.5)"


@value(decoys=(1, 1), flat=True)
def masked_write(w, s, d):
    buf = w.let(f"torch.stack([{d[0]}, {d[0]}, torch.tensor(0.4)])", "buf")
    mask = "torch.tensor([True, False, False])"
    w.line(
        w.rng.choice(
            (
                f"{buf}.masked_fill_({mask}, {s[0]})",
                f"{buf}.index_fill_(0, torch.tensor([0]), {s[0]})",
                f"{buf}[{mask}] = {s[0]}",
            )
        )
    )
    return f"{buf}[0]"


@value(sources=(1, 2))
def keyword_arguments(w, s, d):
    f = w.top_lines(
        "joined",
        "def joined(*terms, scale=1.0, **named):",
        "    return scale * sum(terms) + sum(named.values())",
    )
    last = f", late={s[1]}" if len(s) > 1 else ""
    return f"{f}({s[0]}, scale={w.num()}{last})"


@value(sources=(1, 2))
def method_of_object(w, s, d):
    # An object keeps what it is given between two calls.
    cell = w.top_lines(
        "Keeper",
        "class Keeper:",
        "    def __init__(self, first):",
        "        self.total = first",
        "",
        "    def __call__(self, x):",
        "        self.total = self.total + 0.5 * x",
        "        return self.total",
    )
    keeper = w.let(f"{cell}({s[0]})", "keeper")
    return f"{keeper}({s[1] if len(s) > 1 else w.const()})"
