"""The lesson's data: graphs, listed joints, weights, experiments, questions, golden numbers."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pgm_rnn.catalog import figure
from pgm_rnn.drawing import draw
from pgm_rnn.experiments import find, names, run
from pgm_rnn.extraction import extract
from pgm_rnn.gallery import book_drawing
from pgm_rnn.graph import sites
from pgm_rnn.page import golden, nets, quiz
from pgm_rnn.page.build import page
from pgm_rnn.page.figures import figures
from pgm_rnn.page.static import inline
from pgm_rnn.page.views import view
from pgm_rnn.transform import marginalise, substitute

HIDDEN = 16
TAUS = (2, 3, 4, 5, 6)
SHOWN = ("10.3", "10.9", "10.10")  # drawn as the book draws them, beside their text
SEQUENCES = [[0, 1, 2, 0, 1], [2, 2, 0, 1], [1]]
GAPS = [[0, 1, -1, 2, 0, 1, -1, 2], [-1, 1, 2], [0, -1, -1, -1, 1]]


def lesson(
    results: str | Path | None = None,
    *,
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
) -> str:
    """The lesson as HTML: everything in it is computed here, from the figures' programs.

    Experiments come from `results` (a folder of `pgm-rnn experiment run all`), or are run and kept
    there; `quick` runs them in their reduced settings. `progress(stage)` is called at each stage.
    Raises WrongKey where an explanation of the quiz contradicts the library.
    """

    def tell(stage: str) -> None:
        if progress is not None:
            progress(stage)

    tell("graphs")
    asked = figures()
    tell("nets")
    gap_net, contexts = nets.gaps(), nets.contexts()
    length_nets, laws = nets.lengths()
    tell("answers")
    data = {
        "figures": asked,
        "views": _views(),
        "lengths": {"nets": length_nets, "laws": laws},
        "context": {"nets": {entry: nets.weights(net) for entry, net in contexts.items()}},
        "missing": {"net": nets.weights(gap_net), "symbols": nets.SYMBOLS},
        "experiments": _experiments(results, quick, tell),
        "quiz": quiz.checked(),
        "golden": {
            "verdicts": golden.verdicts(),
            "logProbs": golden.log_probs(gap_net, SEQUENCES[:1])
            + golden.log_probs(gap_net, SEQUENCES[1:2]) + golden.log_probs(gap_net, SEQUENCES[2:]),
            "infills": golden.infills(gap_net, GAPS),
            "contexts": golden.contexts(contexts, [0.7, -1.2]),
        },
    }  # fmt: skip
    tell("the page")
    stills = {name: inline(draw(book_drawing(name)).svg(), f"fig-{name}") for name in SHOWN}
    stills["10.7"] = inline(draw(book_drawing("10.7")).svg(), "fig-10.7")
    stills["10.8"] = inline(draw(book_drawing("10.8")).svg(), "fig-10.8")
    for name in ("eos", "halt", "tau"):
        stills[name] = inline(draw(book_drawing(name)).svg(), f"fig-{name}")
    return page("lesson.html.j2", data, stills=stills)


def _views() -> dict[str, Any]:
    """Part 1: four pictures of one law, at several lengths."""
    found: dict[str, Any] = {"complete": {}, "hidden": {}, "substituted": {}, "random": {}}
    for tau in TAUS:
        hidden = sites(extract(figure("10.8", tau=tau).model))
        table = sites(extract(figure("10.7", tau=tau, k=2).model))
        free = hidden.copy()
        states = [node for node in free if node.startswith("h")]
        for node in states:
            free.nodes[node]["kind"] = "stochastic"
        found["hidden"][str(tau)] = view(hidden, ["h", "y"], f"Fig 10.8 at tau = {tau}")
        found["complete"][str(tau)] = view(table, ["y"], f"Fig 10.7 at tau = {tau}")
        found["substituted"][str(tau)] = view(
            substitute(hidden), ["y"], f"Fig 10.8 with h substituted, tau = {tau}"
        )
        found["random"][str(tau)] = view(
            marginalise(free, states), ["y"], f"A random h, removed, tau = {tau}"
        )
    largest = dict.fromkeys(found, TAUS[-1])
    return {"views": found, "largest": largest, "hidden": HIDDEN}


def _experiments(
    results: str | Path | None, quick: bool, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    found = []
    for name in names():
        experiment = find(name)
        if experiment.needs is not None and find_spec(experiment.needs) is None:
            continue
        tell(name)
        record = run(name, None, out=results, **(experiment.small if quick else {}))
        found.append(
            {
                "name": name,
                "claim": record["claim"],
                "about": record["about"],
                "seeds": len(record["seeds"]),
                "verdict": record["verdict"],
                "rows": [
                    {
                        "quantity": row["quantity"], "unit": row["unit"], "rule": row["rule"],
                        "theory": _short(row["theory"]["value"]),
                        "value": _short(row["measured"]["value"]),
                        "values": [_short(v) for v in row["measured"]["values"][:5]],
                    }
                    for row in record["rows"]
                ],
            }
        )  # fmt: skip
    return found


def _short(value: float) -> float:
    return float(f"{value:.6g}")
