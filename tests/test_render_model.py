"""A drop-in for `pyro.render_model`: its signature, the arrows that the program has, no binary."""

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import graphviz
import pyro
import pyro.distributions as dist
import pytest
import torch
from pyro.infer.inspect import render_model as pyros
from torch.distributions import constraints

import pgm_rnn


def chain():
    w = pyro.param("w", torch.tensor(1.0), constraint=constraints.positive)
    z = pyro.sample("z", dist.Normal(0.0, w))
    h = pyro.deterministic("h", z.exp())
    with pyro.plate("N", 3):
        pyro.sample("y", dist.Normal(h, 1.0), obs=torch.zeros(3))


def arrows(digraph):
    """(from, to) of every edge, as a Graphviz parser reads the source."""
    from pygraphviz import AGraph

    return {(str(a), str(b)) for a, b in AGraph(string=digraph.source).edges()}


def nodes(digraph):
    from pygraphviz import AGraph

    return set(map(str, AGraph(string=digraph.source).nodes()))


def test_the_signature_is_pyros():
    mine, theirs = (inspect.signature(f).parameters for f in (pgm_rnn.render_model, pyros))
    assert [(p.name, p.default) for p in mine.values()] == [
        (p.name, p.default) for p in theirs.values()
    ]
    assert isinstance(pgm_rnn.render_model(chain), graphviz.Digraph)


def test_what_is_shown():
    assert arrows(pgm_rnn.render_model(chain)) == {("z", "y")}
    assert arrows(pgm_rnn.render_model(chain, render_deterministic=True)) == {
        ("z", "h"),
        ("h", "y"),
    }
    with_params = pgm_rnn.render_model(chain, render_params=True)
    assert arrows(with_params) == {("w", "z"), ("z", "y")}
    assert "cluster" in with_params.source
    annotated = pgm_rnn.render_model(chain, render_distributions=True, render_params=True)
    assert "z ~ Normal\\l" in annotated.source
    assert "w : GreaterThan" in annotated.source
    assert "distribution_description_node" in annotated.source


def test_teacher_forcing_which_pyro_loses():
    """Would catch a drop-in that reads Pyro's own relations."""

    def model(data):
        before = torch.zeros(())
        for t in range(3):
            pyro.sample(f"y_{t}", dist.Normal(before, 1.0), obs=data[t])
            before = data[t]

    data = torch.randn(3)
    assert arrows(pgm_rnn.render_model(model, (data,))) == {("y_0", "y_1"), ("y_1", "y_2")}
    assert arrows(pyros(model, (data,))) == set()


def test_several_calls():
    def model(x, y=None):
        z = pyro.sample("z", dist.Normal(0.0, 1.0), obs=y)
        pyro.sample("x", dist.Normal(z, 1.0), obs=x)

    x = torch.tensor(0.0)
    half = pgm_rnn.render_model(model, [(x,), (x, torch.tensor(1.0))])
    assert arrows(half) == {("z", "x")}
    assert "partly-observed" in half.source
    same = pgm_rnn.render_model(model, model_kwargs=[{"x": x}, {"x": x, "y": x}])
    assert "partly-observed" in same.source
    with pytest.raises(pgm_rnn.BadOption, match="2 calls and model_kwargs 1"):
        pgm_rnn.render_model(model, [(x,), (x,)], [{}])


def test_names_are_taken_literally():
    names = ["a:b", 'q"q', "back\\slash", "<b>", "{r|s}", "new\nline"]

    def model():
        total = torch.zeros(())
        for name in names:
            total = total + pyro.sample(name, dist.Normal(total, 1.0))

    digraph = pgm_rnn.render_model(model)
    assert len(nodes(digraph)) == len(names)
    assert len(arrows(digraph)) == len(names) * (len(names) - 1) // 2
    assert digraph.pipe("svg").startswith(b"<?xml")


def test_files_need_no_binary(tmp_path):
    """In a process whose PATH holds nothing at all."""
    program = textwrap.dedent(
        """
        import sys, pyro, torch
        import pyro.distributions as dist
        from pgm_rnn import render_model

        def model():
            z = pyro.sample("z", dist.Normal(0., 1.))
            pyro.sample("y", dist.Normal(z, 1.))

        digraph = render_model(model, filename=sys.argv[1])
        print(digraph.render(sys.argv[2], format="png"))
        bundle = digraph._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<?xml"), bundle
        digraph.edge("y", "later")
        assert b"later" in digraph.pipe("svg")
        """
    )
    out = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.pdf"), str(tmp_path / "m.gv")],
        env={"PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert out.returncode == 0, out.stderr
    assert (tmp_path / "m.pdf").read_bytes().startswith(b"%PDF")
    assert out.stdout.strip() == str(tmp_path / "m.gv.png")
    assert (tmp_path / "m.gv.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "m.gv").read_text().startswith("digraph")
    with pytest.raises(pgm_rnn.BadOption, match="should end in"):
        pgm_rnn.render_model(chain, filename=str(tmp_path / "nosuffix"))
    assert not (tmp_path / "nosuffix").exists()


def test_a_grown_graph_is_laid_out_anew():
    f = pgm_rnn.figure("10.8", tau=4)
    digraph = pgm_rnn.render_model(f.model, render_deterministic=True)
    placed = digraph.pipe("svg")
    digraph.node("note")
    assert digraph.pipe("svg") != placed
    assert digraph.copy().pipe("svg").count(b"<g id") > 4


def test_the_readmes_program_before_and_after(monkeypatch):
    """What the README shows is what the two functions do."""
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "docs")
    char_rnn = pytest.importorskip("char_rnn")
    tokens = torch.zeros(8, 4, dtype=torch.long)
    assert arrows(pyros(char_rnn.model, (tokens,))) == set()
    ours = arrows(pgm_rnn.render_model(char_rnn.model, (tokens,)))
    assert ours == {(f"y_{s}", f"y_{t}") for t in range(1, 5) for s in range(1, t)}
