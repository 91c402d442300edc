"""Records, resuming, grids and the command line."""

import json

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import pgm_rnn
from pgm_rnn import BadOption, CheckpointError
from pgm_rnn.cli import main
from pgm_rnn.errors import UnknownName
from pgm_rnn.experiments import find, names, registry, run, sweep

QUICK = {"sequences": 20}


def test_a_record_holds_everything(tmp_path):
    record = pgm_rnn.experiments.run("gaussian-loss", seeds=2, out=tmp_path, **QUICK)
    folder = tmp_path / "gaussian-loss-sequences=20"
    assert json.loads((folder / "result.json").read_text()) == record
    assert record["seeds"] == [0, 1]
    assert record["settings"]["sequences"] == 20
    assert record["versions"]["torch"]
    row = record["rows"][0]
    assert row["theory"]["source"] != row["measured"]["source"]
    assert len(row["measured"]["values"]) == 2
    assert row["difference"] == pytest.approx(row["measured"]["value"] - row["theory"]["value"])
    svg = (folder / "plot.svg").read_text()
    assert "nats per sequence" in svg
    assert "2 seeds" in svg
    assert (folder / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_record_makes_the_same_picture(tmp_path):
    record = run("gaussian-loss", **QUICK)
    from pgm_rnn.experiments import plots

    pictures = []
    for i in range(2):
        (tmp_path / str(i)).mkdir()
        paths = plots.save(record, find("gaussian-loss").plot, tmp_path / str(i))
        pictures.append(paths[0].read_bytes())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("name", [n for n in names() if n != "caption"])
def test_a_plot_takes_and_returns_axes(name, kept):
    ax = Figure().subplots()
    assert find(name).plot(kept(name), ax) is ax
    assert ax.get_ylabel()


@pytest.fixture(scope="module")
def kept():
    """A record of each experiment, from as little as will run."""
    tiny = {
        "independence-gap": {"tau": 2, "steps": 2}, "look-ahead": {"tau": 2, "steps": 2},
        "sample-efficiency": {"tau": 3, "N": [30], "lengths": [2], "steps": 2},
        "long-range": {"steps": 2}, "optimisation-price": {"longest": 3, "steps": 2},
        "stationarity": {"tenths": "1199", "steps": 2, "steps_net": 2, "sequences": 300,
                         "crop_tenths": "11999", "window": 3},
        "lengths": {"law": [0.5, 0.5], "steps": 2},
        "context": {"tau": 4, "steps": 2, "sequences": 300, "held_out": 300},
    }  # fmt: skip
    return lambda name: run(name, **tiny.get(name, find(name).small))


def counting(monkeypatch, stop_at=None):
    """Count the seeds that are measured; break off in seed `stop_at`."""
    seen = []
    experiment = find("gaussian-loss")
    real = experiment.measure

    def measure(settings, seed, tick):
        if seed == stop_at:
            raise KeyboardInterrupt
        seen.append(seed)
        return real(settings, seed, tick)

    from dataclasses import replace

    changed = replace(experiment, measure=measure)
    monkeypatch.setattr("pgm_rnn.experiments.runner.find", lambda name: changed)
    return seen


def test_a_run_resumes_at_the_last_finished_seed(tmp_path, monkeypatch):
    """Would catch a result that is written at the end only."""
    counting(monkeypatch, stop_at=2)
    with pytest.raises(KeyboardInterrupt):
        run("gaussian-loss", 4, out=tmp_path)
    seen = counting(monkeypatch)
    record = run("gaussian-loss", 4, out=tmp_path)
    assert seen == [2, 3]
    assert record["seeds"] == [0, 1, 2, 3]
    seen = counting(monkeypatch)
    assert run("gaussian-loss", 4, out=tmp_path)["rows"] == record["rows"]
    assert seen == []
    run("gaussian-loss", 2, out=tmp_path)
    held = json.loads((tmp_path / "gaussian-loss" / "result.json").read_text())
    assert held["seeds"] == [0, 1, 2, 3]  # fewer seeds lose none
    assert "4 seeds" in (tmp_path / "gaussian-loss" / "plot.svg").read_text()
    assert run("gaussian-loss", None, out=tmp_path)["seeds"] == [0, 1, 2, 3]
    assert seen == []
    run("gaussian-loss", 1, out=tmp_path, fresh=True)
    assert seen == [0]


def test_other_settings_have_a_folder_of_their_own(tmp_path):
    run("gaussian-loss", out=tmp_path)
    run("gaussian-loss", out=tmp_path, tau=3)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gaussian-loss", "gaussian-loss-tau=3"]


def test_what_is_wrong_is_said(tmp_path):
    with pytest.raises(UnknownName, match="unknown experiment 'long-rang'; did you mean 'long-ra"):
        run("long-rang")
    with pytest.raises(BadOption, match="has no setting 'ta'; it has tau"):
        run("gaussian-loss", ta=3)
    with pytest.raises(BadOption, match="tau = '3' should be int"):
        run("gaussian-loss", tau="3")
    with pytest.raises(BadOption, match="seeds = 0"):
        run("gaussian-loss", 0)
    (tmp_path / "gaussian-loss").mkdir()
    (tmp_path / "gaussian-loss" / "result.json").write_text("{")
    with pytest.raises(CheckpointError, match="damaged"):
        run("gaussian-loss", out=tmp_path)
    for runs in ('"ab"', "[{}]", '[{"rows": []}]'):
        text = json.dumps(run("gaussian-loss")).replace('"runs": [', f'"runs": {runs}, "old": [')
        (tmp_path / "gaussian-loss" / "result.json").write_text(text)
        with pytest.raises(CheckpointError, match="damaged"):
            run("gaussian-loss", out=tmp_path)
    assert registry.names() == names()


@pytest.mark.parametrize(
    ("name", "settings"),
    [("cost", {"k": []}), ("cost", {"longest": 0}), ("cost", {"k": ["a"]}),
     ("independence-gap", {"noise": 2.0}), ("belief-state", {"tau": 2}),
     ("stationarity", {"tenths": "abc"}), ("lengths", {"law": [0.5, 0.0, 0.5]}),
     ("sample-efficiency", {"repeats": 1}), ("infill", {"error": 0.0})],
)  # fmt: skip
def test_settings_that_cannot_run_are_said(name, settings, tmp_path):
    """Would catch a record without numbers, whose verdict is true."""
    with pytest.raises(pgm_rnn.PgmError):
        run(name, out=tmp_path, **settings)
    assert list(tmp_path.rglob("result.json")) == []


def test_a_run_leaves_torchs_generator_alone():
    import torch

    torch.manual_seed(1)
    wanted = torch.rand(1)
    torch.manual_seed(1)
    run("gaussian-loss", **QUICK)
    assert torch.rand(1) == wanted


def test_a_grid_goes_on_after_a_cell_that_failed(tmp_path):
    told = []
    cells = sweep("gaussian-loss", {"tau": [2, 0, 3]}, jobs=2, out=tmp_path, progress=told.append)
    assert [c.settings["tau"] for c in cells] == [2, 0, 3]
    assert cells[0].record["verdict"]
    assert "tau = 0" in cells[1].error
    assert cells[2].record["settings"]["tau"] == 3
    assert told == cells
    for axes in ({"tau": 3}, {"tau": "34"}, {"tau": []}):
        with pytest.raises(BadOption, match="should be a list"):
            sweep("gaussian-loss", axes)
    with pytest.raises(UnknownName):
        sweep("gausian-loss", {"tau": [2]})


def test_a_grid_leaves_the_threads_alone():
    import torch

    torch.set_num_threads(2)
    sweep("gaussian-loss", {"tau": [2]})
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


def test_a_grid_on_a_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask

    quiet = {
        "distributed.worker.memory.terminate": False,
        "distributed.logging.distributed": "error",
    }
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
    ):
        address = cluster.scheduler_address
        cells = sweep("gaussian-loss", {"tau": [2, 0, 3]}, scheduler=address, out=tmp_path)
    assert [c.error is None for c in cells] == [True, False, True]


def invoke(*arguments):
    return CliRunner().invoke(main, ["experiment", *arguments])


def test_on_the_command_line(tmp_path):
    listed = invoke("list")
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in names())
    out = ["--out", str(tmp_path)]
    found = invoke("run", "gaussian-loss", "--seeds", "2", "--set", "tau=3", *out)
    assert found.exit_code == 0, found.output
    assert "the claim holds" in found.stdout
    damaged = invoke("run", "gaussian-loss", "--set", "mutate=True", *out)
    assert damaged.exit_code == 1
    assert "FAILS" in damaged.stdout
    grid = invoke("run", "gaussian-loss", "--sweep", "tau=2,0", "--jobs", "2", "--json", *out)
    assert grid.exit_code == 1
    assert [r["cell"] for r in json.loads(grid.stdout)] == [{"tau": 2}, {"tau": 0}]
    assert "tau = 0: failed" in grid.stderr
    wrong = invoke("run", "lenghts", *out)
    assert wrong.exit_code == 2
    assert "did you mean 'lengths'" in wrong.stderr
    assert invoke("run", "lengths", "--sweep", "k").exit_code == 2
    none = invoke("run", "all", "--set", "nonsense=1", *out)
    assert none.exit_code == 2
    assert "no experiment ran" in none.stderr
    lists = invoke("run", "cost", "--set", "longest=3", "--sweep", "k=[2],[2,3]", "--json", *out)
    assert [r["settings"]["k"] for r in json.loads(lists.stdout)] == [[2], [2, 3]]
    wrong = invoke("run", "cost", "--set", "longest", *out)
    assert "--set 'longest' should be NAME=VALUE" in wrong.stderr
