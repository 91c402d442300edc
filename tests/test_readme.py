"""The Python of the README and of the documentation runs, as a newcomer would paste it."""

import re
import sys
import warnings
from pathlib import Path

import pytest

import pgm_rnn

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict = {}
    for block in blocks:
        file = re.match(r"# (\w+\.py)\n", block)
        if file:
            Path(file.group(1)).write_text(block)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pgm_rnn.LeakWarning)  # the README shows one
            exec(block, names)
    for name in set(sys.modules) - before:  # the next page has a model.py of its own
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_the_reference_names_every_public_name():
    """docs/api.md is written by docs/extract_api.py."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    missing = [n for n in pgm_rnn.__all__ if not re.search(rf"^::: \S+\.{n}$", text, re.MULTILINE)]
    assert missing == []
