"""From what a run recorded to a graph."""

import networkx as nx
from torch import Tensor

from pgm_rnn.extraction.atoms import Atoms, Source
from pgm_rnn.extraction.recorder import Site
from pgm_rnn.graph import add_node


def build(
    sites: dict[str, Site],
    atoms: Atoms,
    arguments: dict[str, Tensor],
    parameters: dict[str, Tensor],
    control: list[tuple[int, str]],
    partial: bool,
) -> nx.DiGraph:
    """The graph of one run: nodes in the order in which the program met them.

    `control` holds (sources, site) where the arrow comes from a Python value.
    """
    order = {name: i for i, name in enumerate(sites)}
    edges: dict[tuple[Source, str], dict] = {}
    for site in sites.values():
        for source in atoms.members(site.parents):
            _add(edges, source, site.name, order, arguments)
        for source in atoms.members(site.observation):
            if source.kind in ("site", "parameter") and source.name != site.name:
                _add(edges, source, site.name, order, arguments)
    for sources, child in control:
        for source in atoms.members(sources):
            _add(edges, source, child, order, arguments, via="control")

    g = nx.DiGraph(partial=partial)
    used = {source for source, _ in edges}
    names: dict[Source, str] = {Source("site", name): name for name in sites}
    taken = set(sites)
    for path, tensor in arguments.items():
        source = Source("input", path)
        if source in used:
            names[source] = _free(path, "input", taken)
            add_node(g, names[source], "input", shape=tuple(tensor.shape))
    for name, tensor in parameters.items():
        source = Source("parameter", name)
        if source in used:
            names[source] = _free(name, "parameter", taken)
            add_node(g, names[source], "parameter", shape=tuple(tensor.shape))
    for site in sites.values():
        add_node(
            g,
            site.name,
            site.kind,
            observed=site.observed,
            distribution=site.distribution,
            plates=site.plates,
            shape=tuple(site.value.shape),
        )
    for (source, child), found in edges.items():
        labels = found["labels"]
        label = next(iter(labels)) if len(labels) == 1 else None
        g.add_edge(names[source], child, via=frozenset(found["via"]), label=label)
    return g


def _add(
    edges: dict,
    source: Source,
    child: str,
    order: dict[str, int],
    arguments: dict[str, Tensor],
    via: str = "value",
) -> None:
    """Add one arrow; data elements are their site once it has run, else their argument."""
    if source.kind == "site":
        if order.get(source.name, len(order)) >= order[child]:
            return
        node = Source("site", source.name)
    elif source.kind == "data":
        if order.get(source.name, len(order)) < order[child]:
            node, via = Source("site", source.name), "data" if via == "value" else via
        else:
            node = Source("input", source.path)
    else:
        node = Source(source.kind, source.name)
    found = edges.setdefault((node, child), {"via": set(), "labels": set()})
    found["via"].add(via)
    if via != "control":
        found["labels"].add(source.met)


def _free(name: str, kind: str, taken: set[str]) -> str:
    """The name of a node that is not a site: told apart where a site bears it already."""
    free = name if name not in taken else f"{kind} {name}"
    taken.add(free)
    return free
