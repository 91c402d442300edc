"""Drawings for papers and READMEs: TikZ, Mermaid, and JSON that comes back."""

import re
import shutil
import subprocess

import networkx as nx
import pytest

import pgm_rnn
from pgm_rnn import GraphError, catalog
from pgm_rnn.gallery import book_drawing, model_drawing

ODD = nx.DiGraph([("a_b$%&#", "c^~\\{}"), ("c^~\\{}", '"]|;end')])


def graph(name, entry="input"):
    f = pgm_rnn.figure(name, entry=entry, tau=3)
    return pgm_rnn.extract(f.model, *f.args, **f.kwargs)


@pytest.mark.parametrize(("name", "entry"), catalog.variants())
def test_tikz_has_every_shape_of_the_drawing(name, entry):
    """Would catch an arrow that is left out of the paper."""
    drawing = pgm_rnn.draw(book_drawing(name, entry))
    svg, tex = drawing.svg().decode(), drawing.tex()
    assert tex.count(" ellipse (") == svg.count("<ellipse")
    assert tex.count(".. controls") >= svg.count('class="edge')
    assert tex.count("\\node[") == len(re.findall(r"<text ", svg))
    assert tex.count("{") == tex.count("}")


def test_tikz_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here")
    found = subprocess.run(
        ["kpsewhich", "standalone.cls", "bm.sty"], capture_output=True, text=True
    )
    if len(found.stdout.split()) < 2:
        pytest.skip("this TeX has no standalone.cls")
    for stem, drawing in (
        ("book", pgm_rnn.draw(book_drawing("10.10"))),
        ("model", model_drawing("halt")),
        ("odd", pgm_rnn.draw(ODD, style="model", legend=True)),
    ):
        drawing.save(tmp_path / f"{stem}.tex")
        run = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{stem}.tex"],
            cwd=tmp_path, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        assert run.returncode == 0, run.stdout[-1500:]
        assert (tmp_path / f"{stem}.pdf").read_bytes().startswith(b"%PDF")


def test_names_are_taken_literally():
    tex = pgm_rnn.draw(ODD).tex()
    assert r"a\_b\$\%\&\#" in tex
    mmd = pgm_rnn.draw(ODD).mmd()
    assert len(mmd.splitlines()) == 6
    assert "end" in mmd


def test_mermaid_tells_kinds():
    mmd = pgm_rnn.draw(graph("halt")).mmd()
    assert '((("h_1")))' in mmd
    assert "-.->" in mmd
    assert "classDef observed" in mmd
    assert mmd.count("-->") + mmd.count("-.->") == len(
        pgm_rnn.sites(graph("halt")).edges
    ) + mmd.count("<-.->")


@pytest.mark.parametrize(("name", "entry"), catalog.variants())
def test_json_comes_back_without_loss(name, entry, tmp_path):
    g = graph(name, entry)
    pgm_rnn.draw(g).save(tmp_path / "g.json")
    back = pgm_rnn.read_json(tmp_path / "g.json")
    assert list(back) == list(g)
    assert list(back.edges) == list(g.edges)
    assert dict(back.nodes(data=True)) == dict(g.nodes(data=True))
    assert {e: back.edges[e] for e in back.edges} == {e: g.edges[e] for e in g.edges}
    assert back.graph == g.graph
    assert pgm_rnn.draw(back).source == pgm_rnn.draw(g).source


def test_json_keeps_what_was_removed():
    g = pgm_rnn.sites(graph("10.8"))
    for node in g:
        g.nodes[node]["kind"] = "stochastic"
    tied = pgm_rnn.marginalise(g, ["h_1"])
    assert pgm_rnn.from_json(pgm_rnn.to_json(tied)).graph["bidirected"] == tied.graph["bidirected"]
    assert "<-.->" in pgm_rnn.draw(tied).mmd()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '{"format": "pgm_rnn graph 1"}',
     '{"format": "pgm_rnn graph 1", "graph": {}, "nodes": [{"id": "a"}],'
     ' "links": [{"source": "a", "target": "b"}]}',
     '{"format": "pgm_rnn graph 1", "graph": {}, "nodes": [{"id": "a", "kind": "odd"}],'
     ' "links": []}'],
)  # fmt: skip
def test_other_json_is_refused(text, tmp_path):
    with pytest.raises(GraphError):
        pgm_rnn.from_json(text)
    with pytest.raises(GraphError, match="cannot read"):
        pgm_rnn.read_json(tmp_path / "missing.json")
    with pytest.raises(GraphError, match="has no form in JSON"):
        pgm_rnn.to_json(nx.DiGraph(thing=object()))
