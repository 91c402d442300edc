"""Run a Pyro program and read its graphical model off the run."""

import warnings
from collections.abc import Callable
from typing import Any

import networkx as nx
from torch import Tensor

from pgm_rnn.errors import NoSites
from pgm_rnn.extraction.arguments import named_tensors, plain_data
from pgm_rnn.extraction.atoms import Atoms
from pgm_rnn.extraction.build import build
from pgm_rnn.extraction.decisions import Findings, decisions
from pgm_rnn.extraction.escapes import escapes
from pgm_rnn.extraction.isolation import isolated
from pgm_rnn.extraction.owners import Owners, find_owners
from pgm_rnn.extraction.program import Program, describe
from pgm_rnn.extraction.run import Run


def extract(model: Callable, *args: Any, **kwargs: Any) -> nx.DiGraph:
    """The graphical model of a Pyro program, read off the running program.

    There is an edge p -> c when the distribution of c (its value, if c is deterministic) uses
    the value of p with no other named site in between. The program runs once, and once more if
    it is given tensors: the first run finds which site is observed from which of their elements.
    All `args` and `kwargs` go to the program.

    Returns a `networkx.DiGraph` with the attributes that `pgm_rnn.graph` describes; nodes are
    sites, inputs and parameters in the order in which the program met them.
    Raises NoSites, DuplicateSite; what the program itself raises passes through, with a note.
    Random states, the parameter store, arguments and buffers are left as they were.

    >>> import pyro, pyro.distributions as dist
    >>> def model():
    ...     z = pyro.sample("z", dist.Normal(0., 1.))
    ...     pyro.sample("y", dist.Normal(2 * z, 1.))
    >>> extract(model).edges
    OutEdgeView([('z', 'y')])
    """
    arguments = named_tensors(model, args, kwargs)
    with isolated(model, list(arguments.values())) as surroundings:
        call = Program(model, args, kwargs, surroundings)
        owners = find_owners(call, arguments) if arguments else None
        g = graph_of(call, arguments, owners)
    _warn_of_plain_data(plain_data(model, args, kwargs), g, owners)
    return g


def _warn_of_plain_data(names: list[str], g: nx.DiGraph, owners: Owners | None) -> None:
    """Numbers out of a list or an array carry no sources: say so where a site is observed."""
    known = set(owners.sites) if owners else set()
    unknown = [n for n, observed in g.nodes(data="observed") if observed is True and n not in known]
    if names and unknown:
        warnings.warn(
            f"{unknown[0]!r} is observed from data that no tensor argument holds, and "
            f"{names[0]!r} holds numbers in a list or NumPy array: arrows through them are not "
            f"seen. Pass torch.as_tensor({names[0]}) instead",
            UserWarning,
            stacklevel=3,
        )


def graph_of(call: Program, arguments: dict[str, Tensor], owners: Owners | None) -> nx.DiGraph:
    """Second run: follow every value and build the graph; more runs where Python values matter."""
    atoms = Atoms()
    run = Run(call, atoms, arguments, owners)
    run.go()
    sites = run.recorder.sites
    if not sites:
        raise no_sites(call)
    findings = decisions(run) if run.listener.taken else Findings()
    if run.listener.escaped:
        findings = findings.joined(escapes(run))
    g = build(sites, atoms, arguments, run.parameters, findings.arrows, findings.partial)
    for name, constraint in run.recorder.constraints.items():
        if name in g and g.nodes[name]["kind"] == "parameter":
            g.nodes[name]["constraint"] = str(constraint)
    return g


def no_sites(call: Program) -> NoSites:
    """The error of a program that has nothing to show."""
    return NoSites(
        f"{describe(call.model, call.args, call.kwargs)} ran to its end without a "
        "pyro.sample, pyro.deterministic or pyro.factor; is it the right function?"
    )
