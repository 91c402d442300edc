"""The lines of a program through which a parent's value reached its child, and no others."""

import pyro
import pyro.distributions as dist
import pytest
import torch

import pgm_rnn


def texts(model, parent, child, *args):
    return [line.text for line in pgm_rnn.why(model, parent, child)(*args)]


def test_only_the_lines_on_the_way():
    """Would catch lines that a value passed on its way to another site."""

    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.sample("b", dist.Normal(0.0, 1.0))
        left = a * 2
        right = b * 3
        unused = a + right
        del unused
        both = left + right
        pyro.sample("c", dist.Normal(left, 1.0))
        pyro.sample("d", dist.Normal(both, 1.0))

    c = 'pyro.sample("c", dist.Normal(left, 1.0))'
    d = 'pyro.sample("d", dist.Normal(both, 1.0))'
    assert texts(model, "a", "c") == ["left = a * 2", c]
    assert texts(model, "a", "d") == ["left = a * 2", "both = left + right", d]
    assert texts(model, "b", "d") == ["right = b * 3", "both = left + right", d]
    assert texts(model, "b", "c") == []


def test_file_and_line():
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        pyro.sample("b", dist.Normal(a.exp(), 1.0))

    (line,) = pgm_rnn.why(model, "a", "b")()
    assert line.file == __file__
    assert line.line == model.__code__.co_firstlineno + 2
    assert str(line).endswith('pyro.sample("b", dist.Normal(a.exp(), 1.0))')


def test_a_helper_function_and_a_module_show_the_innermost_own_line():
    net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))

    def helper(z):
        return net(z)

    def model():
        a = pyro.sample("a", dist.Normal(torch.zeros(1), 1.0).to_event(1))
        loc = helper(a)
        pyro.sample("b", dist.Normal(loc, 1.0).to_event(1))

    assert texts(model, "a", "b")[0] == "return net(z)"


def test_the_elements_of_a_buffer():
    """Would catch a line that wrote into another place of the same tensor."""

    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.sample("b", dist.Normal(0.0, 1.0))
        row = torch.zeros(2)
        row[0] = a
        row[1] = b
        pyro.sample("c", dist.Normal(row[0], 1.0))

    assert texts(model, "a", "c") == ["row[0] = a", 'pyro.sample("c", dist.Normal(row[0], 1.0))']


def test_a_decision():
    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        sign = a.sign()
        loc = 1.0 if sign > 0 else -1.0
        pyro.sample("b", dist.Normal(loc, 1.0))

    assert texts(model, "a", "b") == [
        "sign = a.sign()",
        "loc = 1.0 if sign > 0 else -1.0",
        'pyro.sample("b", dist.Normal(loc, 1.0))',
    ]


def test_teacher_forcing():
    def model(data):
        before = 2 * data
        pyro.sample("y_0", dist.Normal(0.0, 1.0), obs=data[0])
        pyro.sample("y_1", dist.Normal(before[0], 1.0), obs=data[1])

    assert texts(model, "y_0", "y_1", torch.randn(2)) == [
        "before = 2 * data",
        'pyro.sample("y_1", dist.Normal(before[0], 1.0), obs=data[1])',
    ]


def test_inputs_and_parameters():
    def model(x):
        w = pyro.param("w", torch.ones(3))
        loc = (w * x).sum()
        pyro.sample("y", dist.Normal(loc, 1.0))

    expected = ["loc = (w * x).sum()", 'pyro.sample("y", dist.Normal(loc, 1.0))']
    assert texts(model, "x", "y", torch.ones(3)) == expected
    assert texts(model, "w", "y", torch.ones(3)) == expected


def test_a_scripted_function():
    @torch.jit.script
    def double(z: torch.Tensor) -> torch.Tensor:
        return 2 * z

    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        loc = double(a)
        pyro.sample("b", dist.Normal(loc, 1.0))

    assert texts(model, "a", "b")[0] == "loc = double(a)"


def test_a_figure():
    """The book's own line: h(t) = f(b + W h(t-1) + U y(t)) is where y(1) enters h(1)."""
    f = pgm_rnn.figure("10.8", tau=2)
    lines = pgm_rnn.why(f.model, "y_1", "h_1")()
    assert any("net.encode(y_t) @ net.U" in line.text for line in lines)
    assert all("fig_10_8" in line.file or "sequences" in line.file for line in lines)


def test_an_unknown_node():
    def model():
        pyro.sample("alpha", dist.Normal(0.0, 1.0))

    with pytest.raises(pgm_rnn.UnknownNode, match="did you mean 'alpha'"):
        pgm_rnn.why(model, "alpa", "alpha")()
