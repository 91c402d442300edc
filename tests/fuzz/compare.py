"""Compares the graph that `extract` finds with the one that the program was written for."""

import networkx as nx
import torch

import pgm_rnn

from .program import Program, load

SITES = ("stochastic", "deterministic", "factor")


def extract(program: Program) -> nx.DiGraph:
    """The program's graph as the extractor under test sees it."""
    run = load(program)
    torch.manual_seed(program.seed)
    return pgm_rnn.extract(run.model, *run.args, **run.kwargs)


def found(g: nx.DiGraph) -> dict[str, set]:
    """All facts of a graph as sets, under the names of a program's fields."""
    kinds = {node: data.get("kind", "stochastic") for node, data in g.nodes(data=True)}
    sites = {node for node, kind in kinds.items() if kind in SITES}
    plates = {(plate, n) for n in sites for plate in g.nodes[n].get("plates", ())}
    return {
        "edges": {(a, b) for a, b in g.edges if kinds[a] in SITES},
        "inputs": {(a, b) for a, b in g.edges if kinds[a] == "input"},
        "params": {(a, b) for a, b in g.edges if kinds[a] == "parameter"},
        "plates": plates,
        "kinds": {(node, kinds[node]) for node in sites},
        "observed": {(node, g.nodes[node]["observed"]) for node in sites},
    }


def wanted(program: Program) -> dict[str, set]:
    """The same facts of the program."""
    return {
        "edges": set(program.edges),
        "inputs": set(program.inputs),
        "params": set(program.params),
        "plates": {(plate, name) for plate, names in program.plates.items() for name in names},
        "kinds": set(program.kinds.items()),
        "observed": {(name, name in program.observed) for name in program.kinds},
    }


def differences(program: Program, g: nx.DiGraph) -> list[str]:
    """One line for every kind of fact in which the two differ; none if they agree."""
    here, there = wanted(program), found(g)
    lines = []
    for fact, right in here.items():
        missing, extra = sorted(right - there[fact]), sorted(there[fact] - right)
        if missing or extra:
            lines.append(f"{fact}: missing {missing}, extra {extra}")
    return lines


def failure(program: Program, lines: list[str]) -> str:
    """Everything that is needed to see why a program fails."""
    children = {name for line in lines for name in program.kinds if repr(name) in line}
    # An exception names no child, so that every idiom is a suspect.
    used = [f"{c}: {idiom}" for c, idiom in program.idioms if c in children or not children]
    text = [f"seed {program.seed}", *lines, "idioms: " + ", ".join(used), program.source]
    return "\n".join(text)


def check(program: Program) -> str:
    """Nothing if the extractor is exact on this program, else the whole failure."""
    try:
        lines = differences(program, extract(program))
    except Exception as error:
        lines = [f"raised: {type(error).__name__}: {error}"]
    return failure(program, lines) if lines else ""
