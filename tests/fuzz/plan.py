"""The graph that a random program shall have, fixed before a line of it is written.

A `Plan` names the sites in the order in which they run, the arrows into each of them, and
everything that decides what the program may look like: plates, arguments, parameters, data.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Plate:
    """One plate; a vectorised one has a dimension, a sequential one has none."""

    name: str
    size: int
    dim: int | None
    subsample: int | None = None

    @property
    def length(self) -> int:
        """How many elements a batch in this plate has."""
        return self.subsample or self.size


@dataclass(frozen=True)
class Source:
    """Something that an arrow may start from: a site, an input, a parameter or a module.

    `key` is unique in its plan, `node` is the name of its node, `code` the Python text that
    reads it. `integer` says that its values are small integers from 0 upwards.
    """

    key: str
    node: str
    sort: str
    code: str
    plates: tuple[str, ...] = ()
    event: int = 0
    integer: bool = False


@dataclass(frozen=True)
class Site(Source):
    """One named site with the keys of its parents, first written ones first.

    `latent_obs` holds the parents that reach it through `obs=`, `exists` those that decide
    whether it exists; both also are among `parents`.
    """

    family: str = "normal"
    kind: str = "stochastic"
    parents: tuple[str, ...] = ()
    observed: bool = False
    latent_obs: tuple[str, ...] = ()
    exists: tuple[str, ...] = ()


@dataclass(frozen=True)
class Data:
    """An argument from which sites are observed, one column a site; None is a free column.

    `owned` is False where every observed value mixes two columns, which then own none. The time
    is the "first" or the "last" dimension, or the argument is a "list" of tensors.
    """

    path: str
    code: str
    columns: tuple[str | None, ...]
    plates: tuple[str, ...] = ()
    integer: bool = False
    owned: bool = True
    layout: str = "last"
    event: int = 0

    @property
    def key(self) -> str:
        """The key under which a child reads this argument as an input."""
        return f"input:{self.path}"

    @property
    def time_last(self) -> bool:
        """Whether another dimension stands before the time."""
        return self.layout == "last" and bool(self.plates)


@dataclass(frozen=True)
class Handler:
    """An effect handler around the model, and the sites on which it acts."""

    name: str
    sites: tuple[str, ...] = ()
    inside: bool = False


@dataclass(frozen=True)
class Plan:
    """All that is true of a program, and nothing of how it will be written."""

    seed: int
    discrete: bool
    wrapper: str
    plates: dict[str, Plate]
    sites: tuple[Site, ...]
    inputs: tuple[Source, ...] = ()
    params: tuple[Source, ...] = ()
    data: tuple[Data, ...] = ()
    gate: tuple[str, int] | None = None
    counted: bool = False
    handler: Handler | None = None
    store: str | None = None
    weights: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def source(self, key: str) -> Source:
        """The site, input or parameter with this key."""
        return self.table[key]

    @property
    def table(self) -> dict[str, Source]:
        """Every source of the plan by its key."""
        return {s.key: s for s in (*self.sites, *self.inputs, *self.params)}

    def position(self, key: str) -> int:
        """At which place the site runs."""
        return next(i for i, s in enumerate(self.sites) if s.key == key)

    def arrows(self) -> set[tuple[str, str]]:
        """Every (source key, site name), handlers and gates taken into account."""
        found = {(parent, site.node) for site in self.sites for parent in site.parents}
        if self.gate:
            gate, position = self.gate
            found |= {(gate, site.node) for site in self.sites[position:]}
        name = self.handler.name if self.handler else None
        acted = self.handler.sites if self.handler else ()
        if name == "do":
            found = {(p, c) for p, c in found if c not in acted}
        if name == "equalize":
            # The second one is the first one's value, whatever its distribution was.
            first, second = acted
            found = {(p, c) for p, c in found if c != second} | {(first, second)}
        if name == "obs_mask":
            (whole,) = acted
            found = {(p, part) for p, c in found for part in (halves(c) if c == whole else (c,))}
            found |= {(half, whole) for half in halves(whole)}
        if name == "reparam_half":
            # The decentered noise keeps a part of its location and scale.
            found |= {(p, decentered(c)) for p, c in found if c in acted}
        if name in ("reparam", "reparam_half"):
            found |= {(decentered(c), c) for c in acted}
        return found

    @property
    def edges(self) -> frozenset[tuple[str, str]]:
        """Every (parent, child) among sites."""
        table = self.table
        return frozenset(
            (table[p].node if p in table else p, c)
            for p, c in self.arrows()
            if self._sort(p) == "site"
        )

    @property
    def input_edges(self) -> frozenset[tuple[str, str]]:
        """Every (argument path, child)."""
        table, names = self.table, set(self.kinds)
        pairs = {(table[p].node, c) for p, c in self.arrows() if self._sort(p) == "input"}
        # An argument that bears a site's name is called after its sort.
        return frozenset((f"input {p}" if p in names else p, c) for p, c in pairs)

    @property
    def param_edges(self) -> frozenset[tuple[str, str]]:
        """Every (parameter name, child); a module stands for all its weights."""
        found = set()
        for parent, child in self.arrows():
            if self._sort(parent) in ("param", "module"):
                found |= {(weight, child) for weight in self.weights[parent]}
        return frozenset(found)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every site."""
        kinds = {site.node: site.kind for site in self.sites}
        if self.handler and self.handler.name.startswith("reparam"):
            for name in self.handler.sites:
                kinds[name], kinds[decentered(name)] = "deterministic", "stochastic"
        if self.handler and self.handler.name == "equalize":
            kinds[self.handler.sites[1]] = "deterministic"
        if self.handler and self.handler.name == "obs_mask":
            (whole,) = self.handler.sites
            kinds |= {whole: "deterministic"} | dict.fromkeys(halves(whole), "stochastic")
        if self.handler and self.handler.name == "lift":
            kinds |= dict.fromkeys(self.handler.sites, "stochastic")
        return kinds

    @property
    def observed(self) -> frozenset[str]:
        """The sites with a given value."""
        found = {site.node for site in self.sites if site.observed}
        if self.handler and self.handler.name == "condition":
            found |= set(self.handler.sites)
        if self.handler and self.handler.name == "obs_mask":
            found.add(halves(self.handler.sites[0])[0])
        return frozenset(found)

    @property
    def members(self) -> dict[str, frozenset[str]]:
        """The sites in every plate that has any."""
        found: dict[str, set[str]] = {}
        for site in self.sites:
            for plate in site.plates:
                added = {decentered(site.node), *halves(site.node)} & set(self.kinds)
                found.setdefault(plate, set()).update({site.node}, added)
        return {plate: frozenset(names) for plate, names in found.items()}

    def _sort(self, key: str) -> str:
        """Which sort of source this key is; what a handler adds or lifts is a site."""
        if key not in self.table or self.lifted(self.table[key].node):
            return "site"
        return self.table[key].sort

    def lifted(self, name: str) -> bool:
        """Whether a handler makes this parameter a site."""
        return bool(self.handler and self.handler.name == "lift" and name in self.handler.sites)


def decentered(name: str) -> str:
    """The name of the noise that LocScaleReparam draws for a site."""
    return f"{name}_decentered"


def halves(name: str) -> tuple[str, str]:
    """The names of the observed and the latent part of a site with an `obs_mask`."""
    return f"{name}_observed", f"{name}_unobserved"
