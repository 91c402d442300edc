"""The notebook runs from top to bottom, and the documentation builds without a warning."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def load(stem):
    spec = importlib.util.spec_from_file_location(stem, DOCS / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notebook_is_the_walk_through():
    nbformat = pytest.importorskip("nbformat")
    made = load("make_notebook").notebook()
    kept = nbformat.read(DOCS / "walkthrough.ipynb", as_version=4)
    assert [(c.cell_type, c.source) for c in kept.cells] == [
        (c.cell_type, c.source) for c in made.cells
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_runs(tmp_path):
    """A newcomer's two minutes."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(DOCS / "walkthrough.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = str(notebook.cells)
    assert "image/svg+xml" in shown
    assert "are independent given h(2)" in shown
    assert (tmp_path / "mine.html").exists()


def test_the_site_builds(tmp_path):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    if not (ROOT / "mkdocs.yml").exists():
        pytest.skip("the checkout's mkdocs.yml is not here")
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet",
         "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    reference = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    assert "conditional mutual" in reference or "D-separation" in reference


def test_the_reference_is_what_the_package_has_now():
    made = load("extract_api").text()
    assert (DOCS / "api.md").read_text(encoding="utf-8") == made
