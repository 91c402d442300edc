"""The other figures of the chapter: graphs, drawings, and what each adds."""

import re

import pytest
import torch

import pgm_rnn
from pgm_rnn import catalog
from pgm_rnn.gallery import book_drawing
from pgm_rnn.reference import compare_drawings

CHAPTER = catalog.variants("chapter")


@pytest.mark.parametrize("tau", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("name", "entry"), CHAPTER)
def test_graph_is_as_in_the_reference(name, entry, tau):
    f = pgm_rnn.figure(name, entry=entry, tau=tau)
    found = pgm_rnn.compare(pgm_rnn.extract(f.model), f.reference.graph(tau))
    assert found, str(found)


@pytest.mark.parametrize(("name", "entry"), CHAPTER)
def test_drawing_and_letters_are_as_in_the_reference(name, entry):
    reference = catalog.reference(name, entry)
    assert compare_drawings(book_drawing(name, entry), reference.drawing()) == ""
    f = pgm_rnn.figure(name, entry=entry, tau=4)
    g, wanted = pgm_rnn.sites(pgm_rnn.extract(f.model)), reference.graph(4)
    for edge in g.edges:
        assert g.edges[edge]["label"] == wanted.edges[edge]["label"], edge


@pytest.mark.parametrize(("name", "entry"), CHAPTER)
def test_observing_leaves_the_arrows(name, entry):
    f = pgm_rnn.figure(name, entry=entry, tau=3)
    free = set(pgm_rnn.sites(pgm_rnn.extract(f.model)).edges)
    if name == "10.2" or entry == "test":
        return  # no y
    y = f.model(batch=2)
    x = torch.randn(2, f.model.x_length, 2)
    seen = pgm_rnn.sites(pgm_rnn.extract(f.model, y, x))
    assert set(seen.edges) == free


def test_the_two_panels_of_fig_10_6_are_one_program():
    """Would catch a test panel that feeds y back."""
    train, test = (pgm_rnn.figure("10.6", entry=e, tau=3).model for e in ("input", "test"))
    assert train.story is test.story
    fed = {e: set(pgm_rnn.sites(pgm_rnn.extract(m)).edges) for e, m in
           (("train", train), ("test", test))}  # fmt: skip
    assert ("y_1", "h_2") in fed["train"]
    assert ("o_1", "h_2") in fed["test"]
    assert not any(n.startswith("y") for edge in fed["test"] for n in edge)


def test_a_bidirectional_net_drops_the_look_ahead_assumption_alone():
    f = pgm_rnn.figure("10.11", tau=3, k=3, state="finite")
    g, law = pgm_rnn.extract(f.model), pgm_rnn.joint(f.model)
    assert pgm_rnn.separated(g, "y_1", "y_3", "x")
    assert not pgm_rnn.separated(g, "y_1", "y_3", "x").plain
    assert law.mutual_information("y_1", "y_3", "x") < 1e-12
    assert not pgm_rnn.separated(g, "y_1", "x_3", ("x_1", "x_2"))
    assert law.mutual_information("y_1", "x_3", ("x_1", "x_2")) > 1e-4


def test_a_decoder_has_a_length_of_its_own():
    f = pgm_rnn.figure("10.12", tau=5)
    assert f.model.x_length == 3
    assert f.model(x=torch.zeros(2, 3, 2)).shape == (2, 5)
    with pytest.raises(pgm_rnn.BadOption, match=r"takes \[batch, 3, 2\]"):
        f.model(x=torch.zeros(2, 5, 2))
    g = pgm_rnn.extract(f.model)
    assert pgm_rnn.separated(g, "x", "y", "C")
    assert not pgm_rnn.separated(g, "y_5", "y_1", ("x", "C"))


def test_a_tree_is_shallower_than_a_chain():
    import networkx as nx

    tree = pgm_rnn.sites(pgm_rnn.extract(pgm_rnn.figure("10.14", tau=8).model))
    chain = pgm_rnn.sites(pgm_rnn.extract(pgm_rnn.figure("10.5", tau=8).model))
    assert nx.shortest_path_length(tree, "x_1", "y") == 6  # leaf, 3 forks, o, y
    assert nx.shortest_path_length(chain, "x_1", "y_8") == 10


def test_the_tree_grows_upward_as_the_book_prints_it():
    svg = pgm_rnn.draw(book_drawing("10.14")).svg().decode()
    heights = {
        name: float(re.search(rf'id="node-{name}".*?cy="([^"]+)"', svg, re.S)[1])
        for name in ("x-1", "y")
    }
    assert heights["y"] < heights["x-1"]  # SVG counts from the top


def test_fold_gives_the_other_panel_of_fig_10_2():
    g = pgm_rnn.extract(pgm_rnn.figure("10.2", tau=4).model)
    folded = pgm_rnn.fold(pgm_rnn.sites(g))
    assert set(folded.edges) == {("x", "h"), ("h", "h")}


def test_a_figure_without_steps_of_its_own_is_not_scored():
    with pytest.raises(pgm_rnn.BadOption, match=r"fig 10\.11 is not a net whose y"):
        pgm_rnn.log_prob(pgm_rnn.figure("10.11", tau=3).model, torch.zeros(1, 3).long())
