"""Fits reach the truth, survive a kill, and refuse what is not theirs."""

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import torch

import pgm_rnn
from pgm_rnn import BadOption, CheckpointError, DataError, OutputError, files
from pgm_rnn.fitting import checkpoint
from pgm_rnn.fitting.read import read
from pgm_rnn.runs import load

from .cases import TAU, K, context, everything, make


def data(n=60, seed=0):
    return torch.randint(K, (n, TAU), generator=torch.Generator().manual_seed(seed))


def values(net):
    return torch.cat([p.detach().flatten() for p in net.parameters()])


def test_the_table_is_counting():
    """Would catch a count in the row of another context."""
    y = torch.tensor([[0, 1, 2, 0], [0, 1, 2, 2], [0, 2, 2, 2], [1, 1, 1, 1]])
    net = make("10.7")
    found = pgm_rnn.fit(net, y)
    p = pgm_rnn.log_prob(net, everything()).detach().exp()
    want = torch.zeros(K**TAU, dtype=torch.float64)
    want[[15, 17, 26, 40]] = 0.25
    assert torch.allclose(p, want, atol=1e-12)  # the maximum likelihood of a full table
    assert found.loss == pytest.approx(np.log(4) / 4)
    assert found.unseen == (9 - 3) + (27 - 3) + (3 - 2)
    smooth = make("10.7")
    pgm_rnn.fit(smooth, y, smoothing=1.0)
    first = pgm_rnn.log_prob(smooth, y, per_step=True).detach().exp()[0]
    assert torch.allclose(first, torch.tensor([4 / 7, 3 / 6, 3 / 5, 2 / 5]).double())


def test_weights_are_repetitions():
    y = data(5)
    heavy, often = make("10.7"), make("10.7")
    w = torch.tensor([1, 2, 3, 1, 2])
    a = pgm_rnn.fit(heavy, y, weights=w, smoothing=0.5)
    b = pgm_rnn.fit(often, y.repeat_interleave(w, 0), smoothing=0.5)
    assert values(heavy).equal(values(often))
    assert a.loss == pytest.approx(b.loss)


def test_an_rnn_finds_a_chain():
    """Excess over the entropy of the data below 0.01 nats a sequence."""
    chain = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]).double()
    y = everything()
    p = torch.full((len(y),), 1 / K).double()
    for t in range(1, TAU):
        p = p * chain[y[:, t - 1], y[:, t]]
    entropy = -(p * p.log()).sum().item()
    net = make("10.8")
    found = pgm_rnn.fit(net, y, weights=p, steps=300, lr=0.05)
    assert entropy - 1e-9 <= found.loss * TAU < entropy + 0.01


def test_feedback_is_what_10_10_has_and_10_3_lacks():
    """y repeats one fair coin: without feedback log 2 a step remains, with it one log 2."""
    y = torch.tensor([[0] * TAU, [1] * TAU])
    losses = {}
    for name in ("10.3", "10.10"):
        net = make(name, k=2, x_dim=1)
        found = pgm_rnn.fit(net, y, torch.zeros(2, TAU, 1), steps=200, lr=0.1)
        losses[name] = found.loss * TAU
    assert losses["10.3"] == pytest.approx(TAU * np.log(2), abs=1e-3)
    assert losses["10.10"] == pytest.approx(np.log(2), abs=0.02)


def test_early_stop_keeps_the_best():
    net = make("10.8")
    found = pgm_rnn.fit(net, data(40), steps=400, lr=0.1, validation=0.5, patience=2, every=10)
    assert found.steps < 400
    assert found.validation == pytest.approx(min(held for _, _, held in found.history))
    assert found.best == min(found.history, key=lambda h: h[2])[0]


SETTING = {"steps": 60, "batch_size": 16, "validation": 0.2, "every": 7}


def test_taken_up_after_a_break(tmp_path):
    """Broken off at random steps: the same parameters as undisturbed."""
    whole = make("10.10")
    x = context(whole, 60)
    want = pgm_rnn.fit(whole, data(), x, **SETTING)
    rng = random.Random(0)
    net = make("10.10")
    for _ in range(6):
        stop = rng.randint(1, 30)

        def interrupt(step, steps, loss, calls=[0], stop=stop):  # noqa: B006
            calls[0] += 1
            if calls[0] == stop:
                raise KeyboardInterrupt

        net = make("10.10")
        before = values(net)
        try:
            pgm_rnn.fit(net, data(), x, out=tmp_path, progress=interrupt, **SETTING)
            break
        except KeyboardInterrupt:
            assert values(net).equal(before)
    net = make("10.10")
    got = pgm_rnn.fit(net, data(), x, out=tmp_path, **SETTING)
    assert values(net).equal(values(whole))
    assert got.history == want.history
    again = make("10.10")
    assert pgm_rnn.fit(again, data(), x, out=tmp_path, **SETTING) == got  # served from the folder
    run = load(tmp_path)
    assert values(run.model).equal(values(whole))
    assert run.done


KILLED = """
import sys, torch, pgm_rnn
net = pgm_rnn.figure("10.8", tau=4, k=3, hidden=5).model
y = torch.randint(3, (60, 4), generator=torch.Generator().manual_seed(0))
print("ready", flush=True)
pgm_rnn.fit(net, y, steps=400, batch_size=16, every=2, out=sys.argv[1])
"""


def test_killed_at_random_moments(tmp_path):
    """kill -9 again and again: the checkpoint is always whole, and the end is the same."""
    script = tmp_path / "killed.py"
    script.write_text(textwrap.dedent(KILLED))
    rng, out = random.Random(1), tmp_path / "run"
    for _ in range(int(os.environ.get("PGM_RNN_KILLS", "4"))):
        child = subprocess.Popen([sys.executable, script, out], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(rng.uniform(0, 0.5))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        if (out / checkpoint.NAME).exists():
            load(out)
    net, whole = (pgm_rnn.figure("10.8", tau=4, k=3, hidden=5).model for _ in range(2))
    options = {"steps": 400, "batch_size": 16, "every": 2}
    pgm_rnn.fit(net, data(), out=out, **options)
    pgm_rnn.fit(whole, data(), **options)
    assert values(net).equal(values(whole))


def test_another_program_or_data_is_refused(tmp_path):
    net = make("10.8")
    pgm_rnn.fit(net, data(), steps=3, out=tmp_path)
    before = (tmp_path / checkpoint.NAME).read_bytes()
    with pytest.raises(
        CheckpointError, match=r"another program: figure = '10.8' there, 'text' here"
    ):
        pgm_rnn.fit(make("text"), data(), steps=3, out=tmp_path)
    with pytest.raises(CheckpointError, match="another fit: data"):
        pgm_rnn.fit(make("10.8"), data(seed=1), steps=3, out=tmp_path)
    assert (tmp_path / checkpoint.NAME).read_bytes() == before


def test_a_damaged_checkpoint_is_said(tmp_path):
    pgm_rnn.fit(make("10.8"), data(), steps=3, out=tmp_path)
    path = tmp_path / checkpoint.NAME
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(CheckpointError, match="damaged"):
            load(tmp_path)
    path.write_bytes(b"not a checkpoint at all")
    with pytest.raises(CheckpointError, match="damaged"):
        pgm_rnn.fit(make("10.8"), data(), steps=3, out=tmp_path)
    with pytest.raises(CheckpointError, match="no file"):
        load(tmp_path / "nowhere")


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    pgm_rnn.fit(make("10.8"), data(), steps=3, out=tmp_path)
    before = (tmp_path / checkpoint.NAME).read_bytes()

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        checkpoint.save(tmp_path / checkpoint.NAME, {"net": {}})
    assert (tmp_path / checkpoint.NAME).read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [checkpoint.NAME]


def test_bad_settings_leave_everything_as_it_was(tmp_path):
    net = make("10.8")
    before = values(net)
    for options, error in [
        ({"schedule": "linear"}, BadOption),
        ({"validation": 1.5}, BadOption),
        ({"steps": -1}, BadOption),
        ({"validation": 0.001}, DataError),
        ({"weights": torch.zeros(60)}, DataError),
        ({"lengths": torch.zeros(60).long()}, DataError),
        ({"lr": 1e308, "steps": 5, "clip": None, "schedule": "constant"}, DataError),
    ]:
        with pytest.raises(error):
            pgm_rnn.fit(net, data(), out=tmp_path / "run", **options)
        assert values(net).equal(before), options
    assert not (tmp_path / "run").exists()


def test_files(tmp_path):
    text = tmp_path / "names.txt"
    text.write_text("ab\nbca\n")
    found = read(text)
    assert found.symbols == "abc"
    assert found.y.tolist() == [[0, 1, -1], [1, 2, 0]]
    assert found.lengths.tolist() == [2, 3]
    np.save(tmp_path / "y.npy", np.array([[0, 1, -1], [2, 0, 1]]))
    assert read(tmp_path / "y.npy").lengths.tolist() == [2, 3]
    np.savez(tmp_path / "d.npz", y=np.zeros((2, 3)), x=np.zeros((2, 3, 1)))
    assert read(tmp_path / "d.npz").x.shape == (2, 3, 1)
    for name, content, message in [
        ("empty.txt", b"", "is empty"),
        ("gap.txt", b"ab\n\nc\n", "line 2 is empty"),
        ("cut.npz", (tmp_path / "d.npz").read_bytes()[:40], "cannot read"),
        ("bytes.txt", b"\xff\xfe\x00", "cannot read"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=message):
            read(tmp_path / name)
    with pytest.raises(DataError, match="line 1, character 2 is 'b'"):
        read(text, symbols="ac")
    np.save(tmp_path / "hole.npy", np.array([[0, -1, 1]]))
    with pytest.raises(DataError, match="before its end"):
        read(tmp_path / "hole.npy")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -1}, "lr = -1 should be a number above 0"),
        ({"lr": "fast"}, "lr = 'fast'"),
        ({"batch_size": 0}, "batch_size = 0"),
        ({"clip": -1.0}, "clip = -1.0"),
        ({"patience": 0, "validation": 0.2}, "patience = 0"),
        ({"patience": 2}, "patience needs sequences that are held out"),
        ({"smoothing": -1}, "smoothing = -1 should be a number of at least 0"),
        ({"seed": "x"}, "seed = 'x'"),
        ({"validation": "x"}, "validation = 'x'"),
        ({"weights": ["a"] * 60}, "weights should be a tensor of numbers"),
        ({"lengths": ["a"] * 60}, "lengths should be a tensor of numbers"),
    ],
)
def test_every_wrong_setting_is_named(options, message):
    with pytest.raises(pgm_rnn.PgmError) as caught:
        pgm_rnn.fit(make("10.8"), data(), **options)
    assert message in str(caught.value)


def test_a_table_never_overwrites_another_run(tmp_path):
    """Would lose a finished fit if only gradient fits looked into the folder."""
    pgm_rnn.fit(make("10.8"), data(), steps=3, out=tmp_path)
    before = (tmp_path / checkpoint.NAME).read_bytes()
    with pytest.raises(CheckpointError, match="another program"):
        pgm_rnn.fit(make("10.7"), data(), out=tmp_path)
    assert (tmp_path / checkpoint.NAME).read_bytes() == before
