"""The command line: results, exit status, and a clear line for every mistake."""

import json
import textwrap

import pytest
from click.testing import CliRunner

from pgm_rnn.cli import main


def run(*args):
    return CliRunner().invoke(main, [*map(str, args)])


@pytest.fixture
def mine(tmp_path):
    """A file with a right program, wrong ones, and no program at all."""
    path = tmp_path / "mine.py"
    path.write_text(
        textwrap.dedent(
            """
            import pyro, pyro.distributions as dist, torch

            def model(tau=2, stop=0):
                h = torch.zeros(())
                for t in range(1, tau + 1):
                    y = pyro.sample(f"y_{t}", dist.Normal(h, 1.0))
                    h = pyro.deterministic(f"h_{t}", torch.tanh(h + y))
                    if t == stop:
                        raise RuntimeError("too far")

            def forgetful(tau=2):
                for t in range(1, tau + 1):
                    y = pyro.sample(f"y_{t}", dist.Normal(0.0, 1.0))
                    pyro.deterministic(f"h_{t}", torch.tanh(y))

            def twice():
                pyro.sample("a", dist.Normal(0.0, 1.0))
                pyro.sample("a", dist.Normal(0.0, 1.0))

            def empty():
                pass
            """
        )
    )
    return path


def test_figures_writes_and_compares(tmp_path):
    result = run("figures", "10.8", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "as in the book" in result.stdout
    made = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert made == {f"fig_10_8.{s}" for s in ("svg", "png", "pdf", "dot")} | {"model/fig_10_8.svg"}


def test_figures_as_json_keeps_progress_apart(tmp_path):
    result = run("figures", "10.7", "--out", tmp_path, "--json")
    (row,) = json.loads(result.stdout)
    assert row == {"figure": "10.7", "stem": "fig_10_7", "nodes": 5, "edges": 10, "differences": []}
    assert "[1/1] fig 10.7" in result.stderr


def test_draw_a_figure_and_an_unrolled_one(tmp_path):
    book, long = tmp_path / "book.svg", tmp_path / "long.svg"
    assert run("draw", "10.8", "--out", book).exit_code == 0
    result = run("draw", "10.8", "--arg", "tau=7", "--out", long)
    assert result.exit_code == 0
    assert "14 sites, 19 arrows" in result.stdout
    assert "stroke-dasharray" in book.read_text()
    assert "stroke-dasharray" not in long.read_text()


def test_draw_a_file(mine, tmp_path):
    result = run("draw", f"{mine}:model", "--arg", "tau=3", "--out", tmp_path / "m.svg", "--json")
    shown = json.loads(result.stdout)
    assert [e for e in shown["edges"] if e["from"] == "y_1"] == [
        {"from": "y_1", "to": "h_1", "via": ["value"], "label": None}
    ]
    assert (tmp_path / "m.svg").exists()


def test_check_a_file_against_a_figure(mine):
    assert run("check", f"{mine}:model", "--reference", "10.8").exit_code == 0
    result = run("check", f"{mine}:forgetful", "--reference", "10.8")
    assert result.exit_code == 1
    assert "missing h_1 -> h_2; missing h_1 -> y_2" in result.stdout


def test_check_as_json(mine):
    result = run("check", f"{mine}:forgetful", "--reference", "10.8", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["missing"] == [["h_1", "h_2"], ["h_1", "y_2"]]


def test_a_module_target(mine, monkeypatch):
    monkeypatch.chdir(mine.parent)
    assert run("check", "mine:model", "--reference", "10.8").exit_code == 0


MISTAKES = [
    (["check", "10.88"], "unknown figure '10.88'; did you mean '10.8'"),
    (["draw", "10.8", "--arg", "tau=0"], "tau = 0 should be an integer of at least 1"),
    (["draw", "10.8", "--arg", "k=two"], "k = 'two' should be an integer"),
    (["draw", "10.8", "--arg", "size=3"], "has no option 'size'; it takes tau, k"),
    (["draw", "10.8", "--arg", "tau"], "should be NAME=VALUE"),
    (["draw", "10.8", "--style", "fancy"], "'book', 'model'"),
    (["draw", "10.8", "--out", "fig.gif"], ".svg"),
    (["draw", "10.8", "--out", "no/such/folder/fig.svg"], "cannot write"),
    (["figures", "10.8", "--out", "mine.py"], "cannot make the folder"),
    (["draw", "nothing.py"], "no file 'nothing.py'"),
    (["draw", "no.such.module:model"], "no module 'no.such.module'"),
    (["draw", "mine.py:modle"], "mine.py has no function 'modle'; it has model, forgetful"),
    (["draw", "mine.py:empty"], "empty() ran to its end without a"),
    (["draw", "mine.py:twice"], "two sites are named 'a'"),
    (["check", "mine.py:model"], "has no reference of its own"),
    (["check", "mine.py:model", "--reference", "bad.json"], "bad.json: field figure: is missing"),
    (["check", "mine.py:model", "--reference", "10.99"], "unknown figure '10.99'"),
]


@pytest.mark.parametrize(
    ("args", "message"), MISTAKES, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_one_clear_line_and_exit_2(mine, monkeypatch, args, message):
    monkeypatch.chdir(mine.parent)
    (mine.parent / "bad.json").write_text("{}")
    before = sorted(p.name for p in mine.parent.iterdir())
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    after = sorted(p.name for p in mine.parent.iterdir() if p.name != "__pycache__")
    assert after == before


def test_a_program_that_raises_shows_its_own_traceback(mine):
    result = run("draw", f"{mine}:model", "--arg", "stop=2", "--arg", "tau=3")
    assert result.exit_code == 2
    assert 'raise RuntimeError("too far")' in result.stderr
    assert "RuntimeError: too far" in result.stderr
    assert "pgm_rnn/extraction" not in result.stderr
    last = result.stderr.strip().splitlines()[-1]
    assert last == (
        "pgm-rnn: the program raised RuntimeError; raised by model(stop=2, tau=3), after site 'h_2'"
    )


def test_a_file_that_does_not_load(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import torch\n1 / 0\n")
    result = run("draw", path)
    assert result.exit_code == 2
    assert "ZeroDivisionError" in result.stderr


def test_every_command_has_help():
    for name, command in main.commands.items():
        assert command.help, name
        assert run(name, "--help").exit_code == 0


def test_independence_lists_explains_and_measures():
    assert "y(t) ⊥ y(s) given h(t-1)" in run("independence", "10.8", "--arg", "tau=6").stdout
    asked = run("independence", "10.3", "--arg", "state=finite", "--arg", "tau=3", "--x", "y_1",
                "--y", "y_3", "--given", "x")  # fmt: skip
    assert asked.exit_code == 0
    assert "(ordinary d-separation would say dependent)" in asked.stdout
    assert "measured: independent, as implied" in asked.stdout
    real = run("independence", "10.3", "--x", "y_1", "--y", "y_2")
    assert "not measured: site 'x_1' is Normal" in real.stdout
    assert "no independence" in run("independence", "10.7").stdout


def test_independence_as_json():
    result = run("independence", "10.8", "--arg", "tau=3", "--arg", "state=finite", "--x", "y_1",
                 "--y", "y_3", "--given", "h_2", "--json")  # fmt: skip
    shown = json.loads(result.stdout)
    assert shown["separated"] is True
    assert shown["nats"] < 1e-12
    rows = json.loads(run("independence", "--contrast", "--json").stdout)
    assert {"figure", "statement", "d_separation", "separation", "nats", "note"} == set(rows[0])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["10.8", "--x", "y_1"], "needs both --x and --y"),
        ([], "name a TARGET"),
        (["10.8", "--x", "y_1", "--y", "y_99"], "unknown node 'y_99'; did you mean"),
    ],
)
def test_independence_mistakes(args, message):
    result = run("independence", *args)
    assert result.exit_code == 2
    assert message in result.stderr


def test_verify_agrees_and_disagrees(tmp_path):
    agrees = run("verify", "10.8", "--arg", "tau=3")
    assert agrees.exit_code == 0, agrees.output
    assert "7 arrows seen by both" in agrees.output
    file = tmp_path / "flat.py"
    file.write_text(
        "import pyro, torch, pyro.distributions as dist\n"
        "def model():\n"
        "    a = pyro.sample('a', dist.Normal(0., 1.))\n"
        "    pyro.sample('b', dist.Normal(torch.relu(-a.abs() - 1), 1.))\n"
    )
    differs = run("verify", str(file), "--json")
    assert differs.exit_code == 1
    assert json.loads(differs.stdout)["only_extracted"] == [["a", "b"]]
    drawn = run("draw", str(file), "--verify", "--out", str(tmp_path / "flat.svg"))
    assert drawn.exit_code == 0, drawn.output
    assert "disputed" in (tmp_path / "flat.svg").read_text()


def test_draw_takes_a_whole_sequence_apart(tmp_path):
    file = tmp_path / "leak.py"
    file.write_text(
        "import pyro, torch, pyro.distributions as dist\n"
        "net = torch.nn.GRU(1, 8, batch_first=True)\n"
        "data = torch.randn(2, 3)\n"
        "def forced(y=data):\n"
        "    loc = net(y.unsqueeze(-1))[0].sum(-1)\n"
        "    pyro.sample('y', dist.Normal(loc, 1.0).to_event(2), obs=y)\n"
    )
    out = tmp_path / "leak.svg"
    drawn = run("draw", f"{file}:forced", "--unroll", "y=-1", "--out", out)
    assert drawn.exit_code == 0, drawn.output
    assert "warning: " in drawn.stderr
    assert "y_3" in out.read_text()
    wrong = run("draw", f"{file}:forced", "--unroll", "y", "--out", out)
    assert wrong.exit_code == 2
    assert "SITE=DIM" in wrong.stderr


def test_fit_and_sample(tmp_path):
    data, folder = tmp_path / "names.txt", tmp_path / "run"
    data.write_text("anna\nbob\ncarla\nbobby\n" * 3)
    args = ("fit", "10.8", "--data", data, "--out", folder, "--steps", 20)
    fitted = run(*args, "--json")
    assert fitted.exit_code == 0, fitted.output
    record = json.loads(fitted.stdout)
    assert record["sequences"] == 12
    assert run(*args).stdout.startswith(f"{folder}: fig 10.8, 12 sequences")  # served
    first = run("sample", folder, "-n", 4, "--seed", 3)
    assert first.stdout == run("sample", folder, "-n", 4, "--seed", 3).stdout
    assert len(first.stdout.splitlines()) == 4
    begun = run("sample", folder, "--prefix", "bo", "--json")
    assert all(line.startswith("bo") for line in json.loads(begun.stdout)["samples"])
    bars = run("infill", folder, "b?b")
    assert bars.exit_code == 0, bars.output
    assert "step 2" in bars.stdout
    gaps = json.loads(run("infill", folder, "b?b?", "--json").stdout)["gaps"]
    assert [gap["step"] for gap in gaps] == [2, 4]
    assert all(sum(gap["probability"].values()) == pytest.approx(1) for gap in gaps)
    assert "'z'; the vocabulary is" in run("infill", folder, "z?").stderr
    table = run("fit", "10.7", "--data", data, "--out", tmp_path / "table")
    assert "contexts never occur" in table.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("fit", "10.8", "--data", "nowhere.txt"), "cannot read nowhere.txt"),
        (("fit", "10.8", "--data", "{data}", "--arg", "hiden=3"), "no option 'hiden'"),
        (("fit", "10.9", "--data", "{data}"), "pass x"),
        (("fit", "10.9999", "--data", "{data}"), "unknown figure"),
        (("sample", "nowhere"), "a run folder is made by pgm-rnn fit"),
    ],
)
def test_fit_and_sample_mistakes(tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text("ab\nba\n")
    result = run(
        *[a.format(data=tmp_path / "data.txt") for a in args],
    )
    assert result.exit_code == 2
    assert message in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["data.txt"]
