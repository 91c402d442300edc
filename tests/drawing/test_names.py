"""Names may hold any character: shown as written, and neither DOT nor SVG breaks."""

import xml.etree.ElementTree as ET

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pgm_rnn.drawing import draw
from pgm_rnn.drawing.labels import visible

ODD = ["a:b", "<b>bold</b>", "a & b", "&amp;", "&#65;", 'say "so"', "it's", "two\nlines", "$x_1$",
       "back\\slash", "\\N", "\\", "emoji 🎲", "{a|b}", "</script>", "", " ", " padded ", "\x00",
       "\x1b[0m", "\r\n", "\ud800", "\uffff", "-->", "]]>", "名前", "ünïcode", "n0", "graph",
       "a" * 300, "%d %s", "<", ">", ";", "x_", "_1", "é́", "\u2028",
       "\u202egnp", "\x85"]  # fmt: skip


def shown(text):
    """The text of a name as a reader sees it, spaces alike."""
    return "".join(visible(text).split())


def check(see, names, capfd=None):
    """Draw an edge from each name to the next, both ways, and read the names back."""
    names = list(dict.fromkeys(names))
    g = nx.path_graph(names, create_using=nx.DiGraph)
    for node in g:
        g.nodes[node]["plates"] = (node,)
    for edge in g.edges.values():
        edge["label"] = names[0]
    for style in ("book", "model"):
        drawing = draw(g, style, title=names[0])
        svg = drawing.svg()
        root = ET.fromstring(svg)
        assert len(root) == 3
        groups = see.groups(svg, "node")
        assert len(groups) == len(names)
        by_id = {n.get("id"): n for n in groups}
        for i, name in enumerate(names):
            group = by_id[drawing._picture.node_ids[i]]
            # XML reads a carriage return as a newline; here it has become a picture of itself.
            assert group.get("data-node").split() == visible(name).split()
            if not drawing._picture.scene.nodes[i].math:
                assert shown(name) in "".join("".join(see.lines(group)).split())
            assert shown(name) in "".join(group.find("{http://www.w3.org/2000/svg}title").text
                                          .split())  # fmt: skip
        assert len(see.groups(svg, "edge")) == g.number_of_edges()
        assert len({e.get("id") for e in root.iter() if e.get("id")}) == sum(
            1 for e in root.iter() if e.get("id"))  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_shown_as_written(see, name, capfd):
    # Unescaped `<` ends the HTML label, `"` the attribute, `&` the XML; NUL the whole text.
    check(see, [name, "other"])
    assert capfd.readouterr().err == ""


def test_odd_names_all_at_once_have_ids_of_their_own(see):
    # Two names that lose their differences when made into ids.
    check(see, ODD)


@settings(max_examples=60, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
def test_any_names_give_valid_svg(see, names):
    # Whatever the list above forgot.
    check(see, names)


@settings(max_examples=40, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.text(min_size=1, max_size=6))
def test_any_family_with_a_time_gives_valid_svg(see, family):
    # The same on the grid, where shapes and labels are measured by us.
    g = nx.DiGraph([(f"{family}_1", f"{family}_2"), (f"{family}_1", f"{family}_3")])
    groups = see.groups(draw(g).svg(), "node")
    assert {n.get("data-node").split()[0] if n.get("data-node").split() else ""
            for n in groups} == {visible(n).split()[0] if visible(n).split() else ""
                                 for n in g}  # fmt: skip


def test_nodes_need_not_be_strings(see):
    # networkx allows numbers and tuples.
    svg = draw(nx.DiGraph([(1, 2), ((1, 2), "1")])).svg()
    assert sorted(n.get("data-node") for n in see.groups(svg, "node")) == ["(1, 2)", "1", "1", "2"]


def test_png_and_pdf_survive_them_too(capfd):
    # Other renderers, other escapes.
    g = nx.path_graph(ODD, create_using=nx.DiGraph)
    assert draw(g).png().startswith(b"\x89PNG")
    assert draw(g).pdf().startswith(b"%PDF")
    assert capfd.readouterr().err == ""
