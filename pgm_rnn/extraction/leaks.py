"""Steps in time: which reading of data comes from an earlier step, and which is a leak."""

from collections.abc import Mapping

import networkx as nx

from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.numeric import Pair, Place
from pgm_rnn.extraction.recorder import Site


def settle(
    atoms: Atoms,
    sites: dict[str, Site],
    places: Mapping[str, Place],
    sources: dict[str, list[Source]],
    still: frozenset[Pair],
) -> set[Pair]:
    """Give every step, in place, the sources that it has in time; return the leaks.

    What a program reads from data before the site that is observed from it has run is, step by
    step, either an earlier target (teacher forcing in one call) or a leak: the step reads, itself
    or through steps that it is made of, its own or a later target. A leak is a pair (reader,
    read); what is read then comes from the argument. `still` holds arrows that are none.
    """
    program = {name: i for i, name in enumerate(dict.fromkeys(s for s, _ in places.values()))}
    now: dict[str, list[Source]] = {}
    ahead: dict[str, list[Source]] = {}
    flow = nx.DiGraph()
    flow.add_nodes_from(sites)
    for child, members in sources.items():
        place = program[places[child][0]]
        kept, later = [], []
        for source in members:
            if source.coarse and (source.name, child) in still:
                continue
            known = source.name in places and source.kind in ("site", "data")
            if source.kind == "data" and program[places[source.name][0]] >= place:
                later.append(source)
            else:
                kept.append(source)
                if known:
                    flow.add_edge(source.name, child)
        now[child], ahead[child] = kept, later

    leaks: set[Pair] = set()
    for child, later in ahead.items():
        reached: dict[str, list[int]] = {}
        for step in {child, *nx.descendants(flow, child)} if later else ():
            site, t = places[step]
            if t is not None:
                reached.setdefault(site, []).append(t)
        for source in later:
            site, t = places[source.name]
            behind = [u for u in reached.get(site, ()) if t is not None and u <= t]
            leaks.update((f"{site}_{u + 1}", source.name) for u in behind)
            in_time = t is not None and places[child][1] is not None and not behind
            now[child].append(source if in_time else source._replace(kind="input",
                              name=source.path, path=""))  # fmt: skip

    for name, members in now.items():
        step = sites[name]
        step.parents = _bits(atoms, members)
        # being observed from data is no arrow
        seen = [s for s in atoms.members(step.observation) if s.kind in ("site", "parameter")]
        step.observation = _bits(atoms, seen)
    return leaks


def _bits(atoms: Atoms, members: list[Source]) -> int:
    total = 0
    for source in members:
        total |= atoms.bit(source._replace(coarse=False) if source.coarse else source)
    return total


def in_order(atoms: Atoms, sites: dict[str, Site], places: Mapping[str, Place]) -> dict[str, Site]:
    """The steps in an order in time that every arrow follows: t by t where the arrows let it."""
    flow = nx.DiGraph()
    flow.add_nodes_from(sites)
    for child, site in sites.items():
        flow.add_edges_from(
            (source.name, child)
            for source in atoms.members(site.parents | site.observation)
            if source.kind in ("site", "data") and source.name in sites and source.name != child
        )
    program = {name: i for i, name in enumerate(sites)}
    key = {name: (places[name][1] or 0, i) for name, i in program.items()}
    return {n: sites[n] for n in nx.lexicographical_topological_sort(flow, key.__getitem__)}
