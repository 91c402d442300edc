"""Whole sequences in one site, as one node a step: what the vectorised call really does."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import networkx as nx
from torch import Tensor

from pgm_rnn.errors import BadOption, CrossingWarning, LeakWarning, PgmWarning, UnknownNode
from pgm_rnn.extraction.arguments import named_tensors, with_defaults
from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.build import build
from pgm_rnn.extraction.decisions import Findings, decisions
from pgm_rnn.extraction.extract import no_sites
from pgm_rnn.extraction.isolation import isolated
from pgm_rnn.extraction.leaks import in_order, settle
from pgm_rnn.extraction.numeric import Place, confirm
from pgm_rnn.extraction.owners import Owners, find_owners
from pgm_rnn.extraction.program import Program
from pgm_rnn.extraction.recorder import Site
from pgm_rnn.extraction.unrolled_run import UnrolledRun, splitter
from pgm_rnn.graph import family_time


def unroll(model: Callable, time: Mapping[str, int] | None = None) -> Callable[..., nx.DiGraph]:
    """The graph of a program that draws whole sequences at once, with one node a step.

    `time` maps a site to the dimension of its value along which time runs: a site "y" of shape
    [batch, tau] with time={"y": -1} becomes y_1 .. y_tau. The arrows are those of the elements:
    nn.RNN, nn.GRU, nn.LSTM, attention masks, convolutions and the like have exact rules; where
    an operation has none, every step is nudged in float64, and the arrows that moved something
    bear `numeric` True. `unroll(model, time)(*args, **kwargs)` runs the program as `extract` does.

    A step that reads its own or a later target is a leak: a warning names the steps, and
    `g.graph["leaks"]` holds the pairs (reader, read); the arrow comes from the argument instead.
    A step that reads other members of a plate (batch normalisation) bears `across` with the
    plates' names on the arrow, and a warning says so.

    Raises BadOption where a dimension is not one of the site's, where it is joint (no site of
    its own a step), or where a step's name is taken; UnknownNode for a site that is not there.

    >>> import torch, pyro, pyro.distributions as dist
    >>> net = torch.nn.RNN(1, 2, batch_first=True)
    >>> def model(y):
    ...     before = torch.cat([torch.zeros(len(y), 1), y[:, :-1]], 1)
    ...     loc = net(before.unsqueeze(-1))[0].sum(-1)
    ...     pyro.sample("y", dist.Normal(loc, 1.).to_event(2), obs=y)
    >>> unroll(model, time={"y": -1})(torch.randn(4, 3)).edges
    OutEdgeView([('y_1', 'y_2'), ('y_1', 'y_3'), ('y_2', 'y_3')])
    """
    chosen = dict(time or {})

    def run(*args: Any, **kwargs: Any) -> nx.DiGraph:
        kwargs = with_defaults(model, args, kwargs)
        arguments = named_tensors(model, args, kwargs)
        with isolated(model, list(arguments.values())) as surroundings:
            call = Program(model, args, kwargs, surroundings)
            return _unrolled(call, arguments, chosen)

    return run


def _unrolled(call: Program, arguments: dict[str, Tensor], time: dict[str, int]) -> nx.DiGraph:
    atoms = Atoms()
    owners = find_owners(call, arguments, splitter(time, {})) if arguments else None
    run = UnrolledRun(call, atoms, arguments, owners, time)
    run.go()
    if not run.recorder.sites:
        raise no_sites(call)
    for name in time:
        if name not in run.recorder.sites:
            raise UnknownNode(name, run.recorder.sites)
    findings = decisions(run) if run.listener.taken else Findings()
    places, sites = _taken_apart(run)
    sources = {name: list(atoms.members(site.parents)) for name, site in sites.items()}
    confirmed = confirm(call, run, owners, places, _doubtful(sources, places))
    leaks = settle(atoms, sites, places, sources, confirmed.still)
    control = [
        (_plain(atoms, bits), name)
        for bits, child in findings.arrows
        for name, (site, _) in places.items()
        if site == child
    ]
    g = build(in_order(atoms, sites, places), atoms, arguments, run.parameters, control,
              findings.partial)  # fmt: skip
    for pair in confirmed.numeric:
        if pair in g.edges:
            g.edges[pair]["numeric"] = True
    g.graph["leaks"] = frozenset(leaks)
    _warn_of_leaks(leaks)
    _warn_of_data_from_elsewhere(run, owners)
    _mark_crossing(call, arguments, run, g, places)
    return g


def _taken_apart(run: UnrolledRun) -> tuple[dict[str, Place], dict[str, Site]]:
    """Every step as a site of its own, and which step of which site it is."""
    places: dict[str, Place] = {}
    sites: dict[str, Site] = {}
    for name, site in run.recorder.sites.items():
        steps = run.taken_apart.get(name)
        if steps is None:
            places[name], sites[name] = (name, None), site
            continue
        along = [p for p, dim in run.dims[name].items() if dim == steps.axis]
        plates = tuple(p for p in site.plates if p not in along)
        for t in range(steps.count):
            step = f"{name}_{t + 1}"
            if step in run.recorder.sites:
                raise BadOption(f"{step!r} is a site already; step {t + 1} of {name!r} needs it")
            places[step] = (name, t)
            sites[step] = replace(
                site, name=step, plates=plates, value=site.value.select(steps.axis, t),
                parents=steps.parents[t], observation=steps.observation[t],
            )  # fmt: skip
    return places, sites


def _doubtful(sources: dict[str, list[Source]], places: dict[str, Place]) -> dict[Source, set[str]]:
    """Sources that reach a step only through an operation without a rule -> those steps."""
    found: dict[Source, set[str]] = {}
    for child, members in sources.items():
        exact = {(s.kind, s.name) for s in members if not s.coarse}
        for source in members:
            if source.coarse and (source.kind, source.name) not in exact and source.name in places:
                key = Source(source.kind, source.name, source.path)
                found.setdefault(key, set()).add(child)
    return found


def _plain(atoms: Atoms, bits: int) -> int:
    total = 0
    for source in list(atoms.members(bits)):
        total |= atoms.bit(source._replace(coarse=False))
    return total


def _warn_of_leaks(leaks: set[tuple[str, str]]) -> None:
    if not leaks:
        return
    reads: dict[str, list[str]] = {}
    for reader, read in sorted(leaks, key=lambda pair: tuple(map(family_time, pair))):
        reads.setdefault(reader, []).append(read)
    shown = [f"{reader} reads {_some(read)}" for reader, read in list(reads.items())[:5]]
    more = f", and {len(reads) - 5} more steps read ahead" if len(reads) > 5 else ""
    warnings.warn(
        f"a leak: {'; '.join(shown)}{more}. A step must not read its own or a later target: "
        "shift the inputs by one step, or mask the later ones",
        LeakWarning,
        stacklevel=4,
    )


def _warn_of_data_from_elsewhere(run: UnrolledRun, owners: Owners | None) -> None:
    known = owners.sites if owners else []
    for name, steps in run.taken_apart.items():
        step_names = {f"{name}_{t + 1}" for t in range(steps.count)} | {name}
        if run.recorder.sites[name].observed and not step_names & set(known):
            warnings.warn(
                f"{name!r} is observed from a tensor that is no argument of the model: which step "
                "reads which cannot be followed there. Pass the data as an argument",
                PgmWarning,
                stacklevel=4,
            )


def _some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} .. {names[-1]}"


def _mark_crossing(
    call: Program,
    arguments: dict[str, Tensor],
    run: UnrolledRun,
    g: nx.DiGraph,
    places: dict[str, Place],
) -> None:
    """Mark the arrows between different members of a plate, and warn of them."""
    plates = {plate for dims in run.dims.values() for plate in dims}
    crossed: dict[str, set[str]] = {}
    for plate in sorted(plates):
        members = {name: dims.get(plate) for name, dims in run.dims.items()}
        owners = find_owners(call, arguments, splitter(run.time, members)) if arguments else None
        again = UnrolledRun(call, Atoms(), arguments, owners, run.time, plate)
        again.go()
        for site, sources in again.crossing.items():
            steps = [step for step, place in places.items() if place[0] == site]
            for pair in [(a, b) for a in sources for b in steps if (a, b) in g.edges]:
                edge = g.edges[pair]
                edge["across"] = (*edge.get("across", ()), plate)
                crossed.setdefault(plate, set()).add(site)
    for plate, sites in crossed.items():
        warnings.warn(
            f"{' and '.join(map(repr, sorted(sites)))} read other members of plate {plate!r}: "
            "they are not independent of each other, as the plate says. Batch normalisation in "
            "training does this; use model.eval(), or another normalisation",
            CrossingWarning,
            stacklevel=4,
        )
