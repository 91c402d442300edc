"""The independences of the book's figures, statement by statement, at two lengths.

d  ordinary d-separation gives it;  D  only with determinism;  no  dependent
dc  as d, but not if the x are correlated;  -  no such variables
"""

import pytest

from pgm_rnn.separation import separated

from .checker import check
from .graphs import figure, graph

FIGURES = ("10.7", "10.8", "10.9", "10.3", "10.4", "10.10")
TABLE = [
    # x, y, given ("x" is all x up to the larger time), the six figures
    ("y_2", "y_1", "", "no no no no no no"),
    ("y_2", "y_1", "x_1 x_2", "- - no D D no"),
    ("y_3", "y_1", "x_1 x_2 x_3", "- - no D D no"),
    ("y_3", "y_1", "y_2", "no no no no no no"),
    ("y_3", "y_1", "y_2 x_1 x_2 x_3", "- - no D D no"),
    ("y_3", "y_1", "h_2", "- d d dc dc dc"),
    ("y_3", "y_1", "h_3", "- no no d d d"),
    ("y_2", "y_1", "h_1", "- d d d D no"),
    ("y_2", "x_3", "x_1 x_2", "- - - d d d"),
    ("y_1", "x_2", "x_1", "- - - d d d"),
    ("y_1", "x_2", "x_1 y_2", "- - - D D no"),
    ("y_2", "x_3", "x_1 x_2 y_3", "- - - D D no"),
]


def by_hand(name, tau):
    """The figures once more, edge by edge, without o where the book needs none."""
    steps, edges = range(1, tau + 1), []
    for t in steps:
        if name == "10.7":
            edges += [f"y_{s}>y_{t}" for s in range(1, t)]
        if name == "10.8":
            edges += [f"y_{t}>h_{t}", f"h_{t}>h_{t + 1}", f"h_{t}>y_{t + 1}"]
        if name == "10.9":
            edges += [f"y_{t}>h_{t}", f"h_{t - 1}>h_{t}", f"x>h_{t}", f"h_{t - 1}>y_{t}", "x>h_0"]
        if name == "10.3":
            edges += [f"x_{t}>h_{t}", f"h_{t}>y_{t}"] + [f"h_{t - 1}>h_{t}"] * (t > 1)
        if name == "10.4":
            edges += [f"x_{t}>h_{t}", f"h_{t}>o_{t}", f"o_{t}>y_{t}"]
            edges += [f"o_{t - 1}>h_{t}"] * (t > 1)
        if name == "10.10":
            edges += [f"x_{t}>h_{t}", f"h_{t}>y_{t}"]
            edges += [f"h_{t - 1}>h_{t}", f"y_{t - 1}>h_{t}"] * (t > 1)
    g = graph(" ".join(edges), nodes=" ".join(f"y_{t}" for t in steps))
    g.remove_nodes_from([f"y_{tau + 1}", f"h_{tau + 1}"])
    for node in g:
        if node[0] in "ho":
            g.nodes[node]["kind"] = "deterministic"
    return g


def from_file(name, tau):
    stem = "fig_" + name.replace(".", "_") + ("_both" if name == "10.9" else "")
    return figure(stem, tau)


def statement(name, g, x, y, z):
    """The names as this figure has them, None if it lacks one."""
    names = [n for n in z.split() if n in g or name != "10.9" or n[0] != "x"]
    names += ["x"] * (name == "10.9" and "x_" in z)
    return None if {x, y, *names} - set(g) else (x, y, names)


@pytest.mark.parametrize("build", [by_hand, from_file])
@pytest.mark.parametrize("tau", [3, 4])
@pytest.mark.parametrize(("x", "y", "z", "cells"), TABLE)
def test_table(build, tau, x, y, z, cells):
    for name, cell in zip(FIGURES, cells.split(), strict=True):
        g = build(name, tau)
        asked = statement(name, g, x, y, z)
        if cell == "-":
            assert asked is None
            continue
        assert asked is not None, name
        verdict = separated(g, *asked)
        check(g, verdict)
        assert (bool(verdict), verdict.plain) == (cell != "no", cell[0] == "d"), name
        if not any(n.startswith("x_") for n in g):
            continue
        g.add_edges_from((f"x_{s}", f"x_{t}") for t in range(2, tau + 1) for s in range(1, t))
        correlated = separated(g, *asked)
        if "x" not in y:  # the statements about a later x are no statements about the net
            assert bool(correlated) == (cell in ("d", "D")), name


def test_equation_10_35_needs_determinism_and_a_fixed_start():
    g = by_hand("10.3", 4)
    verdict = separated(g, "y_1", "y_4", "x")
    assert verdict
    assert not verdict.plain
    random_start = graph("h_0>h_1 " + " ".join(f"{a}>{b}" for a, b in g.edges))
    random_start.add_nodes_from(g.nodes(data=True))
    assert not separated(random_start, "y_1", "y_4", "x")
    random_start.nodes["h_0"]["kind"] = "input"
    assert separated(random_start, "y_1", "y_4", "x")


def test_parameters_are_fixed_and_sampled_weights_are_not():
    g = by_hand("10.3", 4)
    g.add_node("V", kind="parameter")
    g.add_edges_from(("V", f"y_{t}") for t in range(1, 5))
    assert separated(g, "y_1", "y_4", "x")
    g.nodes["V"]["kind"] = "stochastic"  # a Bayesian net
    assert not separated(g, "y_1", "y_4", "x")


def test_fig_10_10_is_not_arbitrary_and_feeding_back_o_changes_nothing():
    assert separated(by_hand("10.10", 4), "y_1", "x_2", "x_1")
    assert separated(by_hand("10.4", 4), "y_1", "y_4", "x")
    assert not separated(by_hand("10.10", 4), "y_1", "y_4", "x")


def test_h_decouples_past_and_future_in_fig_10_8():
    g = by_hand("10.8", 5)
    for t in range(1, 5):
        past = [f"y_{s}" for s in range(1, t + 1)] + [f"h_{s}" for s in range(1, t)]
        assert separated(g, f"y_{t + 1}", past, f"h_{t}").plain
