"""Draws what surrounds the sites of a plan: plates, parameters, data, arguments and handlers."""

import random
from dataclasses import replace

from .plan import Data, Handler, Plate, Site, Source
from .tables import LENGTH, MODULES, REAL, REAL_VECTORS, SCALARS, TOKENS


def pick(rng: random.Random, weights: dict[str, float]) -> str:
    """One key, drawn with the weights."""
    return rng.choices(list(weights), list(weights.values()))[0]


def draw_plates(rng: random.Random) -> dict[str, Plate]:
    """No plate in every other program; else up to three that nest or cross, or a sequential one."""
    style = pick(rng, {"none": 10, "one": 4, "pair": 4, "three": 1, "sequential": 2,
                       "both": 1, "subsample": 2})  # fmt: skip
    plates = {
        "none": [],
        "one": [Plate("N", 4, -1)],
        "pair": [Plate("A", 3, -2), Plate("B", 2, -1)],
        "three": [Plate("A", 3, -3), Plate("B", 2, -2), Plate("C", 4, -1)],
        "sequential": [Plate("steps", rng.randint(2, 3), None)],
        "both": [Plate("steps", 2, None), Plate("N", 4, -1)],
        "subsample": [Plate("N", 6, -1, subsample=4)],
    }[style]
    return {plate.name: plate for plate in plates}


def draw_params(
    rng: random.Random, wrapper: str
) -> tuple[list[Source], dict[str, tuple[str, ...]]]:
    """Parameters and registered modules, and the node names of their weights."""
    params, weights = [], {}
    for i in range(rng.choices((0, 1, 2), [5, 4, 2])[0]):
        if rng.random() < 0.5:
            name = f"theta_{i}"
            code = name if wrapper == "function" or rng.random() < 0.3 else f"self.{name}"
            source = Source(f"param:{name}", name, "param", code, event=rng.choice((0, 0, LENGTH)))
            weights[source.key] = (name,)
        else:
            # In a PyroModule only these classes read their weights as attributes.
            classes = list(MODULES) if wrapper != "pyro" else ["Linear", "GRUCell", "RNNCell"]
            sort, name = rng.choice(classes), f"net_{i}"
            code = name if wrapper == "function" else f"self.{name}"
            source = Source(f"module:{name}", sort, "module", code)
            mark = "$$$" if wrapper == "function" else "."
            weights[source.key] = tuple(f"{name}{mark}{weight}" for weight in MODULES[sort])
        params.append(source)
    return params, weights


def draw_data(
    rng: random.Random, sites: list[Site], plates: dict[str, Plate]
) -> tuple[list[Site], list[Data]]:
    """Some sites observed from the columns of an argument or two, and these arguments."""
    found: list[Data] = []
    for name in ("data", "other"):
        if rng.random() < (0.25 if not found else 0.7):
            break
        sites, more = _draw_one(rng, sites, plates, name)
        found += more
    return sites, found


def _draw_one(
    rng: random.Random, sites: list[Site], plates: dict[str, Plate], name: str
) -> tuple[list[Site], list[Data]]:
    """An argument of this name, for some of the sites that are not observed yet."""
    integer = rng.random() < 0.4
    vectors = not integer and rng.random() < 0.25
    families = TOKENS if integer else REAL_VECTORS if vectors else REAL
    groups: dict[tuple[str, ...], list[Site]] = {}
    for site in sites:
        if site.kind == "stochastic" and site.family in families and not site.observed:
            groups.setdefault(vectorised(plates, site.plates), []).append(site)
    # Data have one dimension beside the time: a batch or a vector's elements.
    groups = {
        inside: group
        for inside, group in groups.items()
        if not inside or (not vectors and len(inside) == 1 and plates[inside[0]].dim == -1)
    }
    if not groups:
        return sites, []
    inside, group = max(groups.items(), key=lambda item: len(item[1]))
    if len(group) > 3 and rng.random() < 0.3:
        # What is left over may be observed from another argument.
        group = sorted(rng.sample(group, len(group) - 2), key=sites.index)
    layout = "last" if not inside else rng.choice(("last", "first"))
    if vectors or rng.random() < 0.08:
        layout = "first" if vectors else "list"
    if any(plates[name].subsample for name in inside):
        layout = "last"
        group = group[:1]
        columns: list[str | None] = [group[0].key]
    elif layout == "list":
        columns = [site.key for site in group]
    else:
        free: list[str | None] = [None] * rng.choice((0, 0, 1))
        columns = free + [site.key for site in group] + [None] * rng.choice((0, 0, 1))
    owned = bool(integer or inside or vectors or layout != "last" or rng.random() < 0.85)
    if not owned:
        columns = [site.key for site in group] + [None]  # the n-th site is column n+1 less column n
    event = LENGTH if vectors else 0
    data = Data(name, name, tuple(columns), inside, integer, owned, layout, event)
    keys = {site.key for site in group}
    return [replace(s, observed=True) if s.key in keys else s for s in sites], [data]


def draw_inputs(rng: random.Random, plates: dict[str, Plate]) -> list[Source]:
    """Tensor arguments that are not data: numbers, vectors, batches and integers."""
    inputs = []
    batches = [(name,) for name, plate in plates.items() if plate.dim is not None]
    for i in range(rng.choices((0, 1, 2), [5, 4, 2])[0]):
        event, inside, integer = 0, (), rng.random() < 0.2
        if not integer and rng.random() < 0.3:
            event = LENGTH
        if batches and rng.random() < 0.4:
            inside = rng.choice(batches)
        name = f"x_{i}"
        inputs.append(Source(f"input:{name}", name, "input", name, inside, event, integer))
    return inputs


def draw_readers(
    rng: random.Random,
    sites: list[Site],
    others: list[Source],
    data: list[Data],
    plates: dict[str, Plate],
) -> dict[str, list[str]]:
    """The children of every input, parameter and module, as extra parents of each site."""
    wanted: dict[str, list[str]] = {site.key: [] for site in sites}
    able = [site for site in sites if not site.family.startswith("pyro_")]
    readers = {other.key: able for other in others}
    for one in data:
        if any(plates[name].subsample for name in one.plates) or one.layout == "list":
            continue
        last = max(i for i, site in enumerate(sites) if site.key in one.columns)
        # Without a free column only elements that are not yet their site's are inputs.
        early = able if None in one.columns or not one.owned else sites[: last + 1]
        if rng.random() < (0.7 if early is able else 0.15):
            readers[one.key] = [site for site in early if site in able]
    for key, able_here in readers.items():
        for site in rng.sample(able_here, min(len(able_here), rng.choice((1, 1, 2, 3)))):
            wanted[site.key].append(key)
    return wanted


def draw_gate(rng: random.Random, sites: list[Site], plates: dict) -> tuple[str, int] | None:
    """A site that may end the program early, and the place of the first site it decides on."""
    if rng.random() > 0.12 or any(plate.dim is None for plate in plates.values()):
        return None
    able = [
        (site.key, rng.randint(i + 1, len(sites) - 1))
        for i, site in enumerate(sites[:-1])
        if not site.plates and not site.event and site.kind != "factor"
    ]
    return rng.choice(able) if able else None


def draw_count(
    rng: random.Random, sites: list[Site], gate: tuple[str, int] | None, data: list[Data]
) -> tuple[list[Site], bool]:
    """Whether the gate rather says how often a loop runs; it then is an observed 1."""
    site = next((s for s in sites if gate and s.key == gate[0]), None)
    taken = {key for one in data for key in one.columns}
    usual = site is not None and site.key not in taken and not site.latent_obs and not site.exists
    if not usual or not site.integer or site.kind != "stochastic" or rng.random() < 0.2:
        return sites, False
    return [replace(s, observed=True) if s is site else s for s in sites], True


def draw_handler(
    rng: random.Random, wrapper: str, sites: list[Site], params: list[Source]
) -> Handler | None:
    """An effect handler around a model that is a function, in every other program."""
    if rng.random() > 0.5:
        return None
    latent = [s for s in sites if s.kind == "stochastic" and not s.observed and not s.exists]
    halved = [s for s in latent if s.plates and s.family in REAL]
    if halved and rng.random() < 0.3:
        # In a sequential plate alone there is nothing to halve.
        halved = [s for s in halved if s.plates != ("steps",)]
        return Handler("obs_mask", (rng.choice(halved).node,)) if halved else None
    if wrapper != "function":
        return None
    name = pick(rng, {"condition": 3, "do": 3, "reparam": 3, "reparam_half": 3, "scale": 1,
                      "mask_false": 1, "enumerate": 1, "lift": 3, "equalize": 3})  # fmt: skip
    if name in ("scale", "mask_false", "enumerate"):
        return Handler(name)
    if name == "lift":
        able = [p.node for p in params if p.sort == "param"]
        return Handler(name, tuple(rng.sample(able, rng.randint(1, len(able))))) if able else None
    if name == "equalize":
        pairs = [
            (a.node, b.node)
            for i, a in enumerate(latent)
            for b in latent[i + 1 :]
            if (a.family, a.plates) == (b.family, b.plates) and a.node.isidentifier()
            if b.node.isidentifier() and not a.event
        ]
        return Handler(name, rng.choice(pairs)) if pairs else None
    if name.startswith("reparam"):
        latent = [s for s in latent if s.family == "normal"]
    else:
        latent = [s for s in latent if s.family in SCALARS]
    if not latent:
        return None
    inside = name in ("condition", "do") and rng.random() < 0.4
    return Handler(name, (rng.choice(latent).node,), inside)


def data_source(data: Data) -> Source:
    """A data argument, where a column of it is read as an input."""
    return Source(data.key, data.path, "input", data.code, data.plates, data.event, data.integer)


def vectorised(plates: dict[str, Plate], names: tuple[str, ...]) -> tuple[str, ...]:
    """The plates among `names` that have a dimension."""
    return tuple(name for name in names if plates[name].dim is not None)


def place_arguments(
    rng: random.Random, inputs: list[Source], data: list[Data], sites: list[Site]
) -> tuple[list[Source], list[Data]]:
    """Some arguments put into a list or dict, or named like a site."""
    style = rng.choice(("dict", "list", "deep"))
    inside = 0

    def place(name: str) -> tuple[str, str]:
        nonlocal inside
        if rng.random() < 0.65:
            names = [s.node for s in sites if s.node.isidentifier() and s.family[:5] != "pyro_"]
            # The second of two nodes of one name is told apart by its sort.
            free = [n for n in names if n not in taken]
            name = rng.choice(free) if free and rng.random() < 0.15 else name
            taken.add(name)
            return name, name
        inside += 1
        if style == "dict":
            return f"batch.{name}", f'batch["{name}"]'
        if style == "list":
            return f"batch.{inside - 1}", f"batch[{inside - 1}]"
        return f"batch.part.{inside - 1}", f'batch["part"][{inside - 1}]'

    taken: set[str] = set()
    moved_inputs, moved_data = [], []
    for source in inputs:
        path, code = place(source.node)
        moved_inputs.append(replace(source, node=path, code=code))
    for one in data:
        path, code = place(one.path)
        moved_data.append(replace(one, path=path, code=code))
    return moved_inputs, moved_data
