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
    arrows: dict[str, dict[Source, _Edge]] = {name: {} for name in sites}
    for site in sites.values():
        into, position = arrows[site.name], order[site.name]
        for source in atoms.members(site.parents):
            _add(into, source, position, order)
        for source in atoms.members(site.observation):
            if source.kind in ("site", "parameter") and source.name != site.name:
                _add(into, source, position, order)
    for sources, child in control:
        for source in atoms.members(sources):
            _add(arrows[child], source, order[child], order, control=True)

    g = nx.DiGraph(partial=partial)
    used = {source for into in arrows.values() for source in into}
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
    for child, into in arrows.items():
        g.add_edges_from(
            (names[source], child, {"via": _VIA[edge.via], "label": edge.label})
            for source, edge in into.items()
        )
    return g


_VALUE, _DATA, _CONTROL = 1, 2, 4
_WORDS = ((_VALUE, "value"), (_DATA, "data"), (_CONTROL, "control"))
_VIA = [frozenset(word for bit, word in _WORDS if mask & bit) for mask in range(8)]


class _Edge:
    """An arrow while it is being put together; paths that disagree leave it without label."""

    __slots__ = ("label", "via")

    def __init__(self, via: int, label: str | None):
        self.via, self.label = via, label


def _add(
    into: dict[Source, _Edge],
    source: Source,
    position: int,
    order: dict[str, int],
    control: bool = False,
) -> None:
    """Add one arrow; data elements are their site once it has run, else their argument."""
    kind, name, path, met, final = source[:5]
    via, node = _VALUE, source
    if kind == "site":
        if order.get(name, position) >= position:
            return
        if final:
            node = Source("site", name)
    elif kind == "data":
        if order.get(name, position) < position:
            node, via = Source("site", name), _DATA
        else:
            node = Source("input", path)
    elif final:
        node = Source(kind, name)
    if control:
        via, met = _CONTROL, None
    edge = into.get(node)
    if edge is None:
        into[node] = _Edge(via, met)
        return
    if not control:
        edge.label = met if edge.via == _CONTROL or edge.label == met else None
    edge.via |= via


def _free(name: str, kind: str, taken: set[str]) -> str:
    """The name of a node that is not a site: told apart where a site bears it already."""
    free = name if name not in taken else f"{kind} {name}"
    taken.add(free)
    return free
