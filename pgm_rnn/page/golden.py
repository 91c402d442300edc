"""Verdicts and numbers of the library, which the page computes again."""

from typing import Any

import networkx as nx
import torch

from pgm_rnn.catalog import figure
from pgm_rnn.contrast import STATEMENTS
from pgm_rnn.extraction import extract
from pgm_rnn.fitting import log_prob
from pgm_rnn.graph import sites
from pgm_rnn.missing import infill
from pgm_rnn.numbers import Joint, joint
from pgm_rnn.page.figures import ASKED, SEEDS
from pgm_rnn.separation import separated
from pgm_rnn.sequences import Program


def verdicts() -> list[dict[str, Any]]:
    """Every statement of the section on a figure of the page, and some more, with its nats."""
    found = []
    for name, entry, tau, *_ in ASKED:
        f = figure(name, entry=entry, tau=tau, k=3, state="finite", seed=SEEDS.get(name, 0))
        g, law = sites(extract(f.model)), joint(f.model)
        queries = [
            (s.x, s.y, s.given)
            for s in STATEMENTS
            if s.figure == name and s.entry == entry and not s.random_start
        ]
        queries += [("y_1", "y_2", ()), ("y_1", "y_3", ("y_2",))]
        for x, y, given in queries:
            if {x, y, *given} <= set(g):
                found.append(verdict(g, law, name, x, y, given))
    return found


def verdict(
    g: nx.DiGraph, law: Joint | None, name: str, x: str, y: str, given: tuple[str, ...]
) -> dict[str, Any]:
    """One query and its answer."""
    answer = separated(g, x, y, given)
    nats = None if law is None else law.mutual_information(x, y, given)
    return {
        "figure": name, "a": x, "b": y, "given": list(given), "separated": bool(answer),
        "plain": answer.plain, "nats": nats,
    }  # fmt: skip


def log_probs(net: Program, rows: list[list[int]]) -> list[dict[str, Any]]:
    """log P(y) of fig 10.8's trained net."""
    values = log_prob(net, torch.tensor(rows)).tolist()
    return [{"y": y, "value": value} for y, value in zip(rows, values, strict=True)]


def infills(net: Program, rows: list[list[int]]) -> list[dict[str, Any]]:
    """Exact posteriors of gaps."""
    found = []
    for y in rows:
        answer = infill(net, torch.tensor([y]), samples=0)
        found.append(
            {"y": y, "evidence": answer.log_evidence.item(),
             "marginals": answer.marginals[0].tolist()}
        )  # fmt: skip
    return found


def contexts(nets: dict[str, Program], x: list[float]) -> list[dict[str, Any]]:
    """P(y(t) | x) of fig 10.9, by summing over all sequences."""
    from itertools import product

    found = []
    for entry, net in nets.items():
        y = torch.tensor(list(product(range(net.k), repeat=net.tau)))
        wide = torch.tensor([x], dtype=torch.float64).expand(len(y), -1)
        with torch.no_grad():
            p = log_prob(net, y, wide).exp()
        each = [[p[y[:, t] == s].sum().item() for s in range(net.k)] for t in range(net.tau)]
        found.append({"entry": entry, "x": x, "p": each})
    return found
