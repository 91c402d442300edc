"""Bytes and files: the same on any machine, whole or not at all."""

import os
import re
import struct
import subprocess
import sys

import networkx as nx
import pytest

from pgm_rnn.drawing import draw
from pgm_rnn.errors import BadOption, OutputError

SCRIPT = """
import hashlib, sys
import networkx as nx
from pgm_rnn.drawing import draw
timed = nx.DiGraph([("y_1", "h_1"), ("h_1", "y_2")], title="t")
loose = nx.DiGraph([("mu", "obs"), ("tau", "obs")])
loose.nodes["obs"]["plates"] = ("data",)
loose.edges["mu", "obs"]["label"] = "W"
for g in (timed, loose):
    d = draw(g, "model", legend=True)
    for data in (d.source.encode(), d.svg(), d.png(), d.pdf()):
        print(hashlib.sha256(data).hexdigest())
"""


def run(script, **environment):
    """A fresh process's stdout; its stderr stays empty."""
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_bytes_do_not_depend_on_the_machine(tmp_path):
    # Fonts of the system or a user's font settings change the places of letters; the clock and the
    # time zone the PDF; the hash seed the order of edges.
    none = tmp_path / "none.conf"
    none.write_text("<fontconfig></fontconfig>")
    first = run(SCRIPT, PYTHONHASHSEED="1", TZ="UTC")
    second = run(
        SCRIPT, PYTHONHASHSEED="2", TZ="Asia/Kolkata", HOME=str(tmp_path), LANG="C",
        FONTCONFIG_FILE=str(none), FONTCONFIG_PATH=str(tmp_path),
        XDG_CACHE_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path),
    )  # fmt: skip
    assert len(first) == 8
    assert first == second


def test_the_environment_is_left_alone():
    # A font setting that outlives the picture would change other programs of the process.
    script = """
import os
import networkx as nx
os.environ["FONTCONFIG_FILE"] = "mine"
from pgm_rnn.drawing import draw
draw(nx.DiGraph([("a", "b")])).svg()
print(os.environ["FONTCONFIG_FILE"])
"""
    assert run(script) == ["mine"]


def test_importing_loads_neither_graphviz_nor_torch():
    # `pgm-rnn --help` would wait for them.
    script = """
import sys
import pgm_rnn.drawing, networkx as nx
pgm_rnn.drawing.draw(nx.DiGraph([("y_1", "y_2")]))
print([m for m in ("pygraphviz", "matplotlib", "torch", "pyro") if m in sys.modules])
"""
    assert run(script) == ["[]"]


def test_drawing_twice_gives_the_same_and_changes_no_graph():
    # Pyro's own renderer empties its input, so that a second picture lacks the plates.
    g = nx.DiGraph([("y_1", "y_2")])
    g.nodes["y_1"]["plates"] = ("batch",)
    before = nx.to_dict_of_dicts(g), dict(g.nodes(data=True))
    first, second = draw(g, "model"), draw(g, "model")
    assert first == second
    assert (first.svg(), first.pdf()) == (first.svg(), second.pdf())
    assert (nx.to_dict_of_dicts(g), dict(g.nodes(data=True))) == before


def test_pdf_offsets_hold_after_the_date_is_fixed():
    # A date of another length moves what follows it; readers then repair or refuse the file.
    from pgm_rnn.drawing.render import _undated

    for date in (b"D:20261201122039Z", b"D:20261201122039+05'30"):
        pdf = b"%%PDF\n1 0 obj\n<< /CreationDate (%b) >>\nendobj\n2 0 obj\nx\nendobj\n" % date
        second, table = pdf.index(b"2 0 obj"), len(pdf)
        pdf += b"xref\n0 3\n0000000000 65535 f \n0000000005 00000 n \n%010d 00000 n \n" % second
        out = _undated(pdf + b"trailer\nstartxref\n%d\n%%%%EOF\n" % table)
        assert b"D:20000101000000Z" in out
        entry = int(re.findall(rb"(\d{10}) 00000 n", out)[1])
        assert out[entry:].startswith(b"2 0 obj")
        assert out[int(re.search(rb"startxref\n(\d+)", out)[1]) :].startswith(b"xref")


def test_png_is_twice_the_size_and_never_too_large(see):
    # Cairo cannot write more than 32,767 pixels a side, and scales with a warning.
    def size(drawing):
        return struct.unpack(">II", drawing.png()[16:24])

    assert size(draw(nx.DiGraph([("y_1", "y_2")])))[0] == pytest.approx(2 * (72 + 44 + 16), abs=6)
    wide = size(draw(nx.DiGraph((f"y_{t}", f"y_{t + 1}") for t in range(1, 260))))
    assert 29_000 < wide[0] < 32_767


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".dot", ".SVG"])
def test_save_writes_the_format_of_the_suffix(tmp_path, suffix):
    # A PNG in a file called .svg.
    drawing = draw(nx.DiGraph([("y_1", "y_2")]))
    path = tmp_path / f"f{suffix}"
    drawing.save(str(path))
    whole = {".png": drawing.png, ".pdf": drawing.pdf}.get(suffix, drawing.svg)()
    assert path.read_bytes() == (drawing.source.encode() if suffix == ".dot" else whole)
    assert os.listdir(tmp_path) == [path.name]
    assert drawing._repr_svg_() == drawing.svg().decode()
    shown = drawing._repr_mimebundle_()
    assert shown["image/svg+xml"] == drawing._repr_svg_()
    assert shown["text/plain"] == "A directed graph of 2 nodes and 1 edge: y_1 → y_2."


@pytest.mark.parametrize("name", ["f.gif", "f", ".svg", "f.svg.gz"])
def test_other_suffixes_are_refused_with_the_allowed_ones(tmp_path, name):
    # A file that no program opens.
    with pytest.raises(BadOption, match=r"\.svg, \.png, \.pdf, \.dot"):
        draw(nx.DiGraph()).save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_an_unwritable_path_is_one_clear_error(tmp_path, monkeypatch):
    # Half a file, a temporary left behind, or a bare OSError.
    drawing = draw(nx.DiGraph([("y_1", "y_2")]))
    with pytest.raises(OutputError, match=r"cannot write .*nowhere"):
        drawing.save(tmp_path / "nowhere" / "f.svg")
    (tmp_path / "f.svg").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        drawing.save(tmp_path / "f.svg")
    old = tmp_path / "g.svg"
    old.write_text("old")

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OutputError, match="No space left"):
        drawing.save(old)
    assert old.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["f.svg", "g.svg"]


def test_pictures_of_many_nodes_are_silent(capfd):
    # pygraphviz warns on stderr above 1000 nodes, although nothing is left to lay out.
    assert draw(nx.path_graph(1100, create_using=nx.DiGraph)).source
    g = nx.DiGraph((f"y_{t}", f"y_{t + 1}") for t in range(1100))
    assert len(draw(g).svg()) > 100_000
    assert capfd.readouterr().err == ""


def test_dot_says_how_to_render_it_and_holds_every_place():
    # DOT that another Graphviz would lay out anew.
    lines = draw(nx.DiGraph([("y_1", "y_2")])).source.splitlines()
    assert lines[0] == "// Render with: neato -n2 -Tsvg file.dot"
    things = [line for line in lines if re.match(r"n\d", line)]
    assert len(things) == 3
    assert all("pos=" in line for line in things)
    loose = draw(nx.DiGraph([("mu", "tau")])).source
    assert loose.startswith("// Render with: dot -Tsvg file.dot\n")
    assert "pos=" not in loose
