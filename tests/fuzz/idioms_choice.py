"""Value idioms in which Python itself chooses: comparisons, sorting, matching, recursion."""

from .idioms_python import number
from .registry import value


@value(raw="int")
def membership(w, s, d):
    return number(w, f"0.4 if {s[0]} in (0, 4) else 2.2")


@value(raw="int")
def match_statement(w, s, d):
    t = w.new("t")
    w.line(f"match int({s[0]}):")
    w.line("    case 0:")
    w.line(f"        {t} = 0.2")
    w.line("    case _:")
    w.line(f"        {t} = 1.9")
    return number(w, t)


@value(raw="int")
def chained_branches(w, s, d):
    t = w.new("t")
    w.line(f"if {s[0]} == 0:")
    w.line(f"    {t} = 0.3")
    w.line(f"elif {s[0]} == 1:")
    w.line(f"    {t} = -1.8")
    w.line("else:")
    w.line(f"    {t} = 2.4")
    return number(w, t)


@value(raw="int")
def recursion(w, s, d):
    name = w.top_lines(
        "halve",
        "def halve(n):",
        "    if n <= 0:",
        "        return 0.2",
        "    return 1.0 + 0.5 * halve(n - 1)",
    )
    return number(w, f"{name}({s[0]})")


@value(raw="int")
def number_arithmetic(w, s, d):
    # Arithmetic on Python numbers in between.
    k = w.let(f"int({s[0]})", "k")
    return number(w, f"0.5 * ({k} ** 2 + 3 * {k}) / (1 + {k}) + 0.1 * divmod({k} + 7, 2)[0]")


@value(raw="int", sources=(2, 2))
def list_times_int(w, s, d):
    # At least one copy of the other source.
    return f"sum([0.7 * {s[1]} + 0.2] * (1 + int({s[0]})))"


@value(raw="int", sources=(2, 2))
def nested_loops(w, s, d):
    t = w.let(w.const(), "t")
    w.line(f"for i in range(1 + int({s[0]})):")
    w.line("    for j in range(2):")
    w.line(f"        {t} = {t} + 0.2 * (i + j + 1) + 0.1 * {s[1]}.sin()")
    return t


@value(raw="scalar", sources=(2, 2))
def function_chosen(w, s, d):
    # Both functions use the other source.
    f = w.let(f"(lambda x: 0.3 * x) if {s[0]} > 0.4 else (lambda x: 1.7 * x + 2.0)", "f")
    return f"{f}({s[1]})"


@value(raw="scalar")
def exception_chosen(w, s, d):
    t = w.new("t")
    w.line("try:")
    w.line(f"    if {s[0]} > 0.3:")
    w.line("        raise KeyError")
    w.line(f"    {t} = 0.2")
    w.line("except KeyError:")
    w.line(f"    {t} = 2.3")
    return number(w, t)


@value(raw="scalar")
def boolean_number(w, s, d):
    return number(w, f"2.0 * bool({s[0]} > 0.1) - 0.4")


@value(raw="scalar")
def short_circuit(w, s, d):
    return number(w, f"({s[0]} > 0.2 and 2.5) or 0.3")


@value(raw="scalar")
def python_arithmetic(w, s, d):
    x = w.let(f"{s[0]}.item()", "float")  # a name that no argument has
    return number(w, f"0.3 * ({x} + 1.7) ** 3 / (1.0 + {x} * {x})")


@value(raw="int", sources=(2, 2), flat=True)
def rows_by_number(w, s, d):
    # As many rows as the number says, all of one source.
    return f"{s[1]}.expand(1 + int({s[0]})).sum() + 0.4 * int({s[0]})"


@value(raw="int")
def one_hot_by_item(w, s, d):
    buf = w.let("torch.zeros(6)", "buf")
    w.line(f"{buf}[{s[0]}.item()] = 1.0")
    return w.spread(f"{buf} @ torch.tensor([0.2, -1.1, 0.9, 2.1, -0.6, 1.4])")


@value(sources=(2, 2), flat=True, discrete=False)
def smaller_of_two(w, s, d):
    # Python compares the tensors: the decision and both values count.
    a, b = w.let(s[0], "a"), w.let(s[1], "b")
    return f"(0.6 * {a} + 2.0 * {b} if {a} < {b} else 2.0 * {a} + 0.6 * {b} + 1.0)"


@value(sources=(1, 2), flat=True)
def generator_of_terms(w, s, d):
    name = w.top_lines(
        "halves",
        "def halves(terms):",
        "    for term in terms:",
        "        yield 0.5 * term",
    )
    return f"sum({name}([{', '.join(s)}]))"


@value(sources=(1, 2))
def closure(w, s, d):
    f = w.let(f"lambda x: x + {s[0]} * 0.4", "f")
    return f"{f}({s[1] if len(s) > 1 else w.const()})"


@value(sources=(2, 3))
def module_list(w, s, d):
    nets = w.top_lines(
        "free_list",
        "free_list = torch.nn.ModuleList([torch.nn.Linear(1, 1) for _ in range(3)])",
    )
    t = w.let(w.const(), "t")
    w.line(f"for net, x in zip({nets}, [{', '.join(s)}]):")
    w.line(f"    {t} = {t} + net(x.unsqueeze(-1))[..., 0]")
    return t


@value(sources=(1, 2), module="Sequential")
def sequential(w, s, d):
    net = w.module("Sequential")
    return f"{net}(({' + '.join(s)}).unsqueeze(-1)).squeeze(-1)"


@value(sources=(1, 3), module="Conv1d")
def convolution(w, s, d):
    row = f"torch.stack([{', '.join(s)}], -1).reshape(-1, 1, {len(s)})"
    return f"{w.module('Conv1d')}({row}).sum((-1, -2)).reshape({w.shape_text})"
