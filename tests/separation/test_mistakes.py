"""The errors that naive versions make; each test bears the mistake's name."""

from pgm_rnn.separation import determined, separated

from .checker import check
from .graphs import figure, graph


def ask(g, x, y, given=""):
    verdict = separated(g, x.split(), y.split(), given.split())
    check(g, verdict)
    return bool(verdict)


def test_determinism_ignored():
    assert ask(graph("k>v", "k"), "k", "v")
    assert not ask(graph("k>v"), "k", "v")


def test_closure_in_the_wrong_order_or_in_one_pass():
    # b is written before a, whose function it is, and c before both.
    g = graph("b>c a>b k>a", "k a b c", nodes="c b a k v")
    g.add_edge("c", "v")
    assert ask(g, "a", "b")
    assert ask(g, "c", "v")
    assert determined(g, ()) == ("k", "a", "b", "c")


def test_endpoints_kept_although_determined():
    g = figure("text_rnn", 4)
    assert ask(g, "h_3", "y_3", "y_1 y_2")
    assert ask(g, "y_3", "h_3", "y_1 y_2")
    assert ask(g, "h_3", "h_3", "y_1 y_2")  # a constant is independent of itself
    assert not ask(g, "h_3", "h_3", "y_1")


def test_closure_of_the_given_and_x():
    g = graph("x>h h>y", "h")
    assert not ask(g, "x", "y")
    assert not ask(g, "y", "x")


def test_one_known_parent_taken_to_determine():
    g = graph("a>h b>h", "h")
    assert not ask(g, "a", "h", "b")
    assert ask(g, "a", "h", "a b")


def test_functions_taken_to_be_invertible():
    g = graph("x>h x>w", "h")
    assert not ask(g, "x", "w", "h")
    assert determined(g, "h") == ()


def test_functions_spliced_out_before_ordinary_d_separation():
    # Without h, nothing is left that could stand between x and y, or be asked about.
    g = graph("x>h h>y", "h")
    assert ask(g, "x", "y", "h")
    assert ask(g, "h", "y", "x")
    assert not ask(g, "h", "y")


def test_a_function_with_a_bidirected_edge_is_not_determined():
    g = graph("a>h", "h", nodes="b")
    g.graph["bidirected"] = frozenset({frozenset("hb")})
    assert not ask(g, "h", "b", "a")
    assert determined(g, "a") == ()
