"""The README's Python runs, from top to bottom, as a newcomer would paste it."""

import re
import warnings
from pathlib import Path

import pgm_rnn

README = Path(__file__).parent.parent / "README.md"


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) > 5
    names: dict = {}
    for block in blocks:
        file = re.match(r"# (\w+\.py)\n", block)
        if file:
            Path(file.group(1)).write_text(block)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pgm_rnn.LeakWarning)  # the README shows one
            exec(block, names)
