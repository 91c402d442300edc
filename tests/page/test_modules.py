"""The page's JavaScript against the library, in node."""

import json
import os
import random
import subprocess
from importlib import resources
from itertools import combinations

import networkx as nx

import pgm_rnn
from pgm_rnn.graph import sites
from pgm_rnn.page.figures import table
from pgm_rnn.page.views import adjacency
from pgm_rnn.separation.closure import closure, given_only
from pgm_rnn.separation.numbered import numbered
from pgm_rnn.separation.reach import apart
from pgm_rnn.transform import marginalise

from .conftest import HERE, NODE, needs_node


def random_graph(generator, n, functions):
    g = nx.DiGraph()
    names = [f"v{i}" for i in range(n)]
    g.add_nodes_from(names)
    for a, b in combinations(names, 2):
        if generator.random() < 0.35:
            g.add_edge(a, b)
    for name in names:
        if functions and generator.random() < 0.4:
            g.nodes[name]["kind"] = "deterministic"
        elif not g.in_degree(name) and generator.random() < 0.1:
            g.nodes[name]["kind"] = "parameter"
    return g


def answers(g):
    """A digit a query: 1 separated, 2 plainly separated, 3 both; pairs, then conditioning sets."""
    n = numbered(g)
    size, found = len(n.names), []
    for a in range(size):
        for b in range(a + 1, size):
            for mask in range(2**size):
                if mask >> a & 1 or mask >> b & 1:
                    continue
                given = [v for v in range(size) if mask >> v & 1]
                mine = apart(n, [a], [b], closure(n, given)[0])
                found.append(str(mine + 2 * apart(n, [a], [b], given_only(n, given))))
    return "".join(found)


def cases():
    generator = random.Random(0)
    small = []
    for i in range(20):
        small.append((f"random {i}", random_graph(generator, 4 + i % 5, i % 4 > 0)))
    for name, tau in (
        ("10.3", 2),
        ("10.7", 5),
        ("10.8", 4),
        ("10.9", 3),
        ("10.10", 2),
        ("text", 4),
    ):
        small.append(
            (f"fig {name}", sites(pgm_rnn.extract(pgm_rnn.figure(name, tau=tau, k=2).model)))
        )
    tied = small[-4][1].copy()
    for node in tied:
        tied.nodes[node]["kind"] = "stochastic"
    small.append(("bidirected", marginalise(tied, ["h_2"])))
    large = []
    for _ in range(200):
        g = random_graph(generator, generator.randint(10, 30), True)
        a, b, *rest = generator.sample(list(g), len(g))
        given = rest[: generator.randint(0, len(rest))]
        verdict = pgm_rnn.separated(g, a, b, given)
        at = {name: v for v, name in enumerate(g)}
        large.append(
            {"graph": adjacency(g), "a": at[a], "b": at[b], "given": [at[z] for z in given],
             "separated": bool(verdict), "determined": [at[v] for v in verdict.determined]}
        )  # fmt: skip
    f = pgm_rnn.figure("10.10", tau=3, k=2, state="finite").model
    law, listed = pgm_rnn.joint(f), table(f)
    queries = [("y_1", "y_3", ("x_1", "x_2", "x_3")), ("x_1", "y_2", ()), ("h_1", "y_2", ("h_2",))]
    numbers = [
        {"table": listed, "x": [x], "y": [y], "z": list(z),
         "nats": law.mutual_information(x, y, z)}
        for x, y, z in queries
    ]  # fmt: skip
    told = [{"name": n, "graph": adjacency(g), "answers": answers(g)} for n, g in small]
    assert len(told) >= 25
    return {"small": told, "large": large, "numbers": numbers}


@needs_node
def test_javascript_says_what_python_says(tmp_path):
    """Would catch a ball that runs through a determined node."""
    (tmp_path / "cases.json").write_text(json.dumps(cases()))
    modules = tmp_path / "js"
    modules.mkdir()
    (modules / "package.json").write_text('{"type": "module"}')
    for file in resources.files("pgm_rnn.page").joinpath("js").iterdir():
        (modules / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    found = subprocess.run(
        [NODE, "--test", str(HERE / "separation.test.mjs")],
        capture_output=True, text=True,
        env={**os.environ, "CASES": str(tmp_path / "cases.json"), "MODULES": str(modules)},
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
    assert "# fail 0" in found.stdout or "fail 0" in found.stdout
