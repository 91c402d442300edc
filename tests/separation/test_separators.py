"""Minimal separators and Markov blankets against all sets of nodes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_rnn.errors import BadOption, UnknownNode
from pgm_rnn.separation import determined, markov_blanket, minimal_separator, separated

from .checker import FIXED
from .graphs import dags, figure, graph, splits, subsets

SMALL = dags(most=5, bidirected=True, fixed=True)
few = settings(max_examples=60, deadline=None)


@few
@given(SMALL, st.data())
def test_a_separator_is_found_whenever_there_is_one_and_no_part_of_it_is_one(g, data):
    x, y, rest = data.draw(splits(g, 3))
    allowed = data.draw(st.sampled_from([None, rest]))
    found = minimal_separator(g, x, y, allowed)
    free = set(g) - {*x, *y} if allowed is None else rest
    if found is None:
        assert not any(separated(g, x, y, z) for z in subsets(free))
        return
    assert found <= set(free)
    assert not any(g.nodes[n]["kind"] in FIXED for n in found)
    assert separated(g, x, y, found)
    assert not any(separated(g, x, y, z) for z in subsets(found) if len(z) < len(found))
    assert minimal_separator(g, y, x, allowed) == found


@few
@given(SMALL, st.data())
def test_a_blanket_cuts_off_all_others_and_no_part_of_it_does(g, data):
    node = data.draw(st.sampled_from(sorted(g)))

    def covers(z):
        rest = set(g) - {node, *z}
        return not rest or separated(g, node, rest, z)

    found = markov_blanket(g, node)
    assert node not in found
    assert covers(found)
    assert not any(covers(z) for z in subsets(found) if len(z) < len(found))


def test_separators_of_the_recurrent_net():
    g = figure("text_rnn", 5)
    assert minimal_separator(g, "y_1", "y_5") == {"h_5"}
    assert minimal_separator(g, "y_1", "y_5", within="y") is None
    assert minimal_separator(g, "y_1", "h_1") == frozenset()
    # An edge joins h(3) and y(2), but h(2) and y(2) determine h(3).
    assert minimal_separator(g, "h_3", "y_3") == {"h_2", "y_2"}
    x = figure("fig_10_3", 4)
    assert minimal_separator(x, "y_1", "y_4", within="x") == {"x_1"}


def test_what_opens_a_fixed_collider_can_stand_apart_from_both_sides():
    g = graph("a>V m>V m>W b>W", V="input", W="input")
    assert not separated(g, "a", "b")
    assert minimal_separator(g, "a", "b") == {"m"}


def test_a_separator_of_overlapping_sets():
    g = graph("a>h h>y", "h")
    assert minimal_separator(g, ["h", "y"], "h") == {"a"}
    assert minimal_separator(g, "y", "y") is None
    with pytest.raises(BadOption, match="y is empty"):
        minimal_separator(g, "a", [])


def test_blankets_of_the_recurrent_net():
    g = figure("text_rnn", 4)
    assert markov_blanket(g, "h_1") == frozenset()
    assert markov_blanket(g, "h_3") == {"h_2", "y_2"}
    assert markov_blanket(g, "y_4") == {"h_4"}
    assert markov_blanket(g, "y_2") == {"h_2", "h_3"}
    with pytest.raises(BadOption, match="'h' stands for 4 nodes"):
        markov_blanket(g, "h")
    with pytest.raises(UnknownNode):
        markov_blanket(g, "z")


def test_determined_in_order():
    g = figure("text_rnn", 4)
    assert determined(g, ["y_1", "y_2"]) == ("h_1", "h_2", "h_3")
    assert determined(g, "y") == ("h_1", "h_2", "h_3", "h_4")
    assert determined(g, ["h_3", "y_3"]) == ("h_1", "h_4")
    assert determined(g, ()) == ("h_1",)
