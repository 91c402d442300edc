"""Reference files, comparison, views."""

import json
from pathlib import Path

import networkx as nx
import pytest

from pgm_rnn.catalog import reference
from pgm_rnn.errors import BadOption, MalformedReference
from pgm_rnn.reference import compare, load, parse
from pgm_rnn.transform import view

FILES = sorted((Path(__file__).parents[1] / "figures" / "reference").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_files_are_in_their_standard_form(path):
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_10_8_edge_by_edge():
    assert set(reference("10.8").graph(3).edges) == {
        ("y_1", "h_1"), ("h_1", "y_2"), ("h_1", "h_2"), ("y_2", "h_2"), ("h_2", "y_3"),
        ("h_2", "h_3"), ("y_3", "h_3"),
    }  # fmt: skip


def test_drawings_have_the_books_counts():
    # book.md: fig 10.7 has 15 edges, 10 of them solid; fig 10.8 has 16.
    drawn = {name: reference(name).drawing() for name in ("10.7", "10.8")}
    solid = {n: sum(not d for *_, d in g.edges(data="dashed")) for n, g in drawn.items()}
    assert {n: g.number_of_edges() for n, g in drawn.items()} == {"10.7": 15, "10.8": 16}
    assert solid == {"10.7": 10, "10.8": 13}


def test_compare_ignores_inputs_and_parameters():
    g = reference("10.8").graph(2)
    g.add_node("U", kind="parameter")
    g.add_edge("U", "h_1")
    assert compare(g, reference("10.8"))
    assert str(compare(g, reference("10.8"))) == "as in the book"


def test_compare_names_every_difference():
    g = nx.DiGraph([("y_1", "h_1"), ("h_1", "h_2"), ("y_2", "h_2"), ("y_1", "y_2")])
    found = compare(g, reference("10.8"))
    assert found.missing == {("h_1", "y_2")}
    assert found.extra == {("y_1", "y_2")}
    assert str(found) == "missing h_1 -> y_2; extra y_1 -> y_2"


def test_a_view_needs_a_graph_that_is_long_enough():
    r = reference("10.8")
    with pytest.raises(BadOption, match="needs tau of at least 6; the graph ends at 5"):
        view(r.graph(5), r.picture)


def test_bad_tau():
    for tau in (0, -1, 1.5, "3"):
        with pytest.raises(BadOption, match="tau"):
            reference("10.8").graph(tau)


BROKEN = [
    ("title", None, "field title: is missing"),
    ("title", 3, "field title: should be str, not 3"),
    ("colour", "red", "field colour: unknown; allowed are"),
    ("families", {"y": {"kind": "random"}}, "field families.y.kind: 'random' is not one of"),
    ("families", {"y": {}}, "field families.y.kind: is missing"),
    ("edges", [{"from": "z", "to": "h", "lag": 0}], "field edges[0].from: 'z' is not one of"),
    ("edges", [{"from": "y", "to": "h", "lag": -2}], "field edges[0].lag: should be"),
    ("edges", [{"from": "y", "to": "h", "lag": True}], "field edges[0].lag: should be"),
    ("edges", ["y -> h"], "field edges[0]: should be an object"),
    ("drawing", {"rows": ["q"], "columns": ["1"]}, "field drawing.rows: 'q' is not one of"),
    ("drawing", {"rows": ["y"]}, "field drawing.columns: is missing"),
]


@pytest.mark.parametrize(("field", "value", "message"), BROKEN)
def test_a_malformed_file_names_file_and_field(tmp_path, field, value, message):
    raw = json.loads(FILES[[p.stem for p in FILES].index("fig_10_8")].read_text(encoding="utf-8"))
    if value is None:
        del raw[field]
    else:
        raw[field] = value
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(MalformedReference) as caught:
        load(path)
    assert "mine.json" in str(caught.value)
    assert message in str(caught.value)


def test_not_json_and_not_there(tmp_path):
    with pytest.raises(MalformedReference, match=r"mine: field line 2: not JSON"):
        parse("{\n?", "mine")
    with pytest.raises(MalformedReference, match="No such file"):
        load(tmp_path / "nothing.json")
