"""What the package promises as a whole."""

import subprocess
import sys

import pytest

import pgm_rnn


def test_every_public_name_is_there():
    for name in pgm_rnn.__all__:
        assert getattr(pgm_rnn, name) is not None
    assert set(pgm_rnn.__all__) <= set(dir(pgm_rnn))
    with pytest.raises(AttributeError):
        _ = pgm_rnn.no_such_name


def test_every_public_name_has_a_docstring():
    for name in pgm_rnn.__all__:
        text = getattr(pgm_rnn, name).__doc__
        assert text, name
        assert text.strip().splitlines()[0].rstrip().endswith((".", "?")), name


@pytest.mark.parametrize("start", ["import pgm_rnn", "import pgm_rnn.graph, pgm_rnn.reference, "
                         "pgm_rnn.transform, pgm_rnn.separation, pgm_rnn.drawing"])  # fmt: skip
def test_importing_loads_no_torch(start):
    code = (
        f"{start}; import sys; print(sorted({{'torch', 'pyro', 'pygraphviz'}} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_help_loads_no_torch():
    code = (
        "import sys; sys.argv = ['pgm-rnn', '--help']\n"
        "import atexit; atexit.register(lambda: print('torch' in sys.modules))\n"
        "from pgm_rnn.cli import main; main()"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip().endswith("False")


def test_models_and_figures_come_with_the_package():
    from pgm_rnn import catalog

    assert set(catalog.names()) >= {"10.7", "10.8", "text"}
    assert catalog.reference("fig_10_8") is catalog.reference("10.8")
