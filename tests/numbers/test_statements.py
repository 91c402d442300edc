"""What the graphs say and what the programs measure, statement by statement."""

from itertools import combinations

import pytest

import pgm_rnn
from pgm_rnn.contrast import STATEMENTS, contrast, reading

# (figure, entry): book.md's table. d: ordinary d-separation gives it; D: only with determinism;
# no: dependent.
TABLE = {
    ("y_2", "y_1", ""): {"10.7": "no", "10.8": "no", "10.9": "no", "10.3": "no", "10.4": "no",
                         "10.10": "no"},
    ("y_2", "y_1", "x_1 x_2"): {"10.9": "no", "10.3": "D", "10.4": "D", "10.10": "no"},
    ("y_3", "y_1", "x_1 x_2 x_3"): {"10.9": "no", "10.3": "D", "10.4": "D", "10.10": "no"},
    ("y_3", "y_1", "y_2"): {"10.7": "no", "10.8": "no", "10.9": "no", "10.3": "no", "10.4": "no",
                            "10.10": "no"},
    ("y_3", "y_1", "y_2 x_1 x_2 x_3"): {"10.9": "no", "10.3": "D", "10.4": "D", "10.10": "no"},
    ("y_3", "y_1", "h_2"): {"10.8": "d", "10.9": "d", "10.3": "d", "10.4": "d", "10.10": "d"},
    ("y_3", "y_1", "h_3"): {"10.8": "no", "10.9": "no", "10.3": "d", "10.4": "d", "10.10": "d"},
    ("y_2", "y_1", "h_1"): {"10.8": "d", "10.9": "d", "10.3": "d", "10.4": "D", "10.10": "no"},
    ("y_2", "x_3", "x_1 x_2"): {"10.3": "d", "10.4": "d", "10.10": "d"},
    ("y_1", "x_2", "x_1 y_2"): {"10.3": "D", "10.4": "D", "10.10": "no"},
    ("y_2", "x_3", "x_1 x_2 y_3"): {"10.3": "D", "10.4": "D", "10.10": "no"},
}  # fmt: skip
ROWS = [(s, f, want) for s, figures in TABLE.items() for f, want in figures.items()]


def program(name, tau, k=3, seed=0):
    return pgm_rnn.figure(
        name, entry="both" if name == "10.9" else "input", tau=tau, k=k, state="finite", seed=seed
    )


@pytest.fixture(scope="module")
def graphs():
    names = ("10.3", "10.4", "10.7", "10.8", "10.9", "10.10")
    return {(n, tau): pgm_rnn.sites(pgm_rnn.extract(program(n, tau).model)) for n in names
            for tau in (3, 4)}  # fmt: skip


@pytest.mark.parametrize("tau", [3, 4])
@pytest.mark.parametrize(("statement", "name", "want"), ROWS)
def test_the_books_table_on_extracted_graphs(graphs, statement, name, want, tau):
    x, y, given = statement
    zs = given.split()
    if name == "10.9":
        zs = sorted({"x" if z.startswith("x_") else z for z in zs})
    verdict = pgm_rnn.separated(graphs[name, tau], x, y, zs)
    found = "d" if verdict.plain else "D" if verdict else "no"
    assert found == want


def all_pairs(g):
    nodes = list(g)
    for x, y in combinations(nodes, 2):
        rest = [n for n in nodes if n not in (x, y)]
        for size in range(len(rest) + 1):
            for given in combinations(rest, size):
                yield x, y, given


@pytest.mark.parametrize(
    ("name", "seed", "counts"), [("text", 0, (1792, 1138, 720)), ("10.8", 0, (1792, 948, 720))]
)
def test_every_statement_of_an_extracted_graph_is_borne_out(name, seed, counts):
    # Separated: below 1e-12 nats in this program. Connected: above 1e-6 nats in it.
    f = program(name, tau=4, k=4, seed=seed)
    g, p = pgm_rnn.sites(pgm_rnn.extract(f.model)), pgm_rnn.joint(f.model)
    total = separated = plain = 0
    for x, y, given in all_pairs(g):
        verdict = pgm_rnn.separated(g, x, y, given)
        nats = p.mutual_information(x, y, given)
        assert nats < 1e-12 if verdict else nats > 1e-6, (str(verdict), nats)
        total, separated, plain = total + 1, separated + bool(verdict), plain + verdict.plain
    assert (total, separated, plain) == counts


def test_a_tanh_state_is_one_to_one_with_the_history():
    # The graph says dependent; a real-valued tanh state stores the whole history, so this
    # program has exactly 0. The wording never calls the theory wrong.
    f = pgm_rnn.figure("10.8", tau=3, k=3)
    g, p = pgm_rnn.extract(f.model), pgm_rnn.joint(f.model)
    assert not pgm_rnn.separated(g, "y_3", "y_1", "h_3")
    nats = p.mutual_information("y_3", "y_1", "h_3")
    assert nats < 1e-12
    assert reading(False, nats).startswith("independent in this particular model")


def test_the_contrast_table():
    answers = {a.statement: a for a in contrast()}
    assert set(answers) == set(STATEMENTS)
    for answer in answers.values():
        assert answer.separated == (answer.nats == 0.0), answer
    ten_three = answers[next(s for s in STATEMENTS if "eq 10.35: needs" in s.note)]
    assert (ten_three.plain, ten_three.separated) == (False, True)


def test_a_random_state_makes_bidirected_edges():
    f = pgm_rnn.figure("10.8", tau=4)
    g = pgm_rnn.sites(pgm_rnn.extract(f.model))
    for node in g:
        g.nodes[node]["kind"] = "stochastic"
    left = pgm_rnn.marginalise(g, "h")
    assert left.graph["bidirected"] == {
        frozenset(pair) for pair in combinations(["y_2", "y_3", "y_4"], 2)
    }
    assert set(left.edges) == {(f"y_{s}", f"y_{t}") for t in range(1, 5) for s in range(1, t)}
