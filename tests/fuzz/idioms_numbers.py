"""Value idioms in which a value becomes a size, a text, a number of `math`, or a copy elsewhere."""

from .idioms_python import number
from .registry import value


@value(sources=(1, 3), flat=True, discrete=False)
def boolean_index(w, s, d):
    # How many elements are picked, and which, hangs on every source.
    mask = w.let(f"torch.stack([{', '.join(s)}]) > 0", "picked")
    return w.rng.choice(
        (
            f"{w.vector(len(s))}[{mask}].sum()",
            f"torch.masked_select({w.vector(len(s))}, {mask}).sum()",
            f"({mask}.nonzero().sum() * 0.7)",
            f"({mask}.nonzero(as_tuple=True)[0].sum() * {w.num()})",
        )
    )


@value(raw="scalar")
def math_function(w, s, d):
    # Bounded, since answers are tried that may be large.
    return number(w, f"math.{w.rng.choice(('atan', 'tanh', 'erf'))}({s[0]}.detach())")


@value(raw="scalar")
def text_round_trip(w, s, d):
    text = w.rng.choice(("str({}.item())", "repr(float({}.detach()))", "'%.9f' % {}.item()"))
    return number(w, f"float({text.format(s[0])}) * 0.4")


@value(raw="int")
def key_of_text(w, s, d):
    table = "{'0': 0.3, '1': -1.2, '2': 2.1, '3': 0.8, '4': -2.4, '5': 1.6}"
    return number(w, f"{table}.get(str({s[0]}.item()), 2.9)")


@value(raw="int", sources=(2, 2))
def slice_of_list(w, s, d):
    # A sampled integer says how many of equal terms are added: one at least.
    terms = w.let(f"[0.5 * {s[1]} + 0.6 + 0.1 * k for k in range(6)]", "terms")
    return f"sum({terms}[: 1 + {w.rng.choice((f'int({s[0]})', f'{s[0]}.item()'))}])"


@value(sources=(2, 2), flat=True, discrete=False)
def larger_of_two(w, s, d):
    # The answer decides which tensor is taken; both are compared.
    a, b = w.let(f"{w.num()} * {s[0]}", "a"), w.let(f"{w.num()} * {s[1]} + 0.2", "b")
    return w.rng.choice(
        (f"max({a}, {b})", f"min({a}, {b})", f"sorted([{a}, {b}])[0]", f"max([{b}, {a}])")
    )


@value(sources=(1, 3), flat=True)
def memory_shared(w, s, d):
    row = f"torch.stack([{', '.join(s)}]).detach()"
    return w.rng.choice(
        (
            f"torch.as_tensor({row}.numpy()) @ {w.vector(len(s))}",
            f"torch.tensor({row}.numpy().copy()) @ {w.vector(len(s))}",
            f"torch.frombuffer(bytearray({row}.numpy().tobytes()), dtype=torch.float32).sum()",
        )
    )


@value()
def copied(w, s, d):
    w.top_lines("copy", "import copy")
    return w.rng.choice((f"copy.copy({s[0]})", f"copy.deepcopy({s[0]}.detach())"))


@value()
def python_function_mapped(w, s, d):
    return f"{s[0]}.detach().clone().apply_(lambda v: 0.3 * v + 0.1)"


@value(sources=(1, 3), flat=True)
def numpy_in_between(w, s, d):
    array = w.let(f"np.array([{', '.join(f'{x}.item()' for x in s)}])", "array")
    return f"torch.tensor(float(np.sum(0.5 * {array}) + 0.2))"


@value(raw="int")
def counter_of_items(w, s, d):
    # A set or a dict remembers the number.
    seen = w.let("set()", "known")
    w.line(f"{seen}.add(int({s[0]}))")
    return number(w, f"sum(0.4 * (k + 1) for k in {seen})")


@value(sources=(1, 3), flat=True)
def dlpack(w, s, d):
    row = w.let(f"torch.stack([{', '.join(s)}]).detach()", "row")
    form = w.rng.choice(("{}", "torch.utils.dlpack.to_dlpack({})"))
    return f"torch.from_dlpack({form.format(row)}) @ {w.vector(len(s))}"


@value(raw="scalar")
def text_of_tensor(w, s, d):
    form = w.rng.choice(("f'{{{x}:.5f}}'", "'{{:.5f}}'.format({x})", "str({x}.detach())[7:-1]"))
    return number(w, f"float({form.format(x=w.let(s[0]))}) * 0.4")
