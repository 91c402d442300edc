"""The 24 shared programs with known edges, parameters, inputs and plates."""

import runpy
from pathlib import Path

import pytest
from helpers import into, plates

import pgm_rnn

FOLDER = Path(__file__).parents[3] / "shared" / "cases" / "extraction"


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("case_*.py")) or [None], ids=lambda p: p and p.stem
)
def test_case(path):
    if path is None:
        pytest.skip("no shared cases beside this checkout")
    case = runpy.run_path(str(path))
    graphs = [
        pgm_rnn.extract(case["model"], *args, **case.get("kwargs", {}))
        for args in case.get("ARGS_LIST", [case["args"]])
    ]
    g = pgm_rnn.merge(*graphs)
    assert set(pgm_rnn.sites(g).edges) == case["EXPECTED"]
    if "PARAM_EXPECTED" in case:
        assert into(g, "parameter") == case["PARAM_EXPECTED"]
    if "INPUT_EXPECTED" in case:
        assert into(g, "input") == case["INPUT_EXPECTED"]
    if "PLATES_EXPECTED" in case:
        assert plates(g) == case["PLATES_EXPECTED"]
