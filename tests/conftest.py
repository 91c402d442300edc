"""What every test starts from: an empty parameter store and a fixed seed."""

from pathlib import Path

import pytest
from jaxtyping import install_import_hook

SHAPED = (
    "fitting.table", "missing.exact", "missing.gibbs", "missing.merging", "missing.particles",
    "missing.posterior", "sequences.merge", "sequences.outputs", "sequences.teacher",
    "sequences.variable",
)  # fmt: skip
# the shapes in these rooms' signatures are checked at every call of every test
install_import_hook([f"pgm_rnn.{room}" for room in SHAPED], "beartype.beartype")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """The nets are small: on a busy machine a second thread costs more than it brings."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def clean_slate():
    import pyro

    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    yield
    pyro.clear_param_store()


@pytest.fixture(scope="session")
def shared():
    """The folder of cases that the design was tried on; the project stands without it."""
    if not SHARED.is_dir():
        pytest.skip("no shared cases beside this checkout")
    return SHARED
