"""Draws a random plan: which sites, arrows, plates, arguments and handlers a program shall have."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from .plan import Data, Plan, Plate, Site
from .surround import (
    data_source,
    draw_count,
    draw_data,
    draw_gate,
    draw_handler,
    draw_inputs,
    draw_params,
    draw_plates,
    draw_readers,
    pick,
    place_arguments,
)  # fmt: skip
from .tables import INTEGERS, LENGTH, ODD_NAMES, REAL, SCALARS, VECTORS


def draw(seed: int, discrete: bool = False) -> Plan:
    """The plan of this seed; a discrete one has few sites, all of them finite."""
    rng = random.Random(f"plan {seed} {discrete}")
    if discrete:
        sites = draw_sites(rng, rng.randint(2, 5), {}, "function", discrete=True)
        return Plan(seed, True, "function", {}, tuple(draw_parents(rng, sites, {}, discrete=True)))
    wrapper = pick(rng, {"function": 7, "module": 1.5, "pyro": 1.5})
    count = rng.choices(range(2, 10), [1, 1, 2, 4, 5, 5, 4, 3])[0]
    plates = draw_plates(rng)
    sites = draw_sites(rng, count, plates, wrapper)
    params, weights = draw_params(rng, wrapper)
    sites, data = draw_data(rng, sites, plates)
    inputs, data = place_arguments(rng, draw_inputs(rng, plates), data, sites)
    wanted = draw_readers(rng, sites, [*inputs, *params], data, plates)
    sites = draw_parents(rng, sites, wanted, data)
    gate = draw_gate(rng, sites, plates)
    sites, counted = draw_count(rng, sites, gate, data)
    return Plan(
        seed=seed,
        discrete=False,
        wrapper=wrapper,
        plates=plates,
        sites=tuple(sites),
        inputs=(*inputs, *(data_source(one) for one in data)),
        params=tuple(params),
        data=tuple(data),
        gate=gate,
        counted=counted,
        handler=None if gate else draw_handler(rng, wrapper, sites, params),
        store=pick(rng, {"": 5, "buffer": 2, "list": 1, "dict": 1}) or None,
        weights=weights,
    )


def draw_sites(
    rng: random.Random,
    count: int,
    plates: dict[str, Plate],
    wrapper: str,
    discrete: bool = False,
) -> list[Site]:
    """The sites in order, with family, kind and plates, as yet without parents."""
    sites: list[Site] = []
    choices = [c for n in range(len(plates) + 1) for c in combinations(plates, n)]
    sequential = next((p for p in plates.values() if p.dim is None), None)
    start = rng.randint(0, max(0, count - 2 * (sequential.size if sequential else 0)))
    for i in range(count):
        name = f"{rng.choice('abhsuvz')}_{i}"
        if rng.random() < 0.04 and not discrete:
            name = f"{ODD_NAMES[i % len(ODD_NAMES)]}{i}"
        kind = pick(rng, {"stochastic": 14, "deterministic": 6, "factor": 0 if discrete else 0.8})
        inside = rng.choice(choices)
        if sequential:
            inside = tuple(name for name in inside if name != sequential.name)
            if start <= i < start + 2 * sequential.size:
                inside = (sequential.name, *inside)
        vector = not discrete and rng.random() < 0.15
        if kind == "stochastic" and discrete:
            family = rng.choice(("bernoulli", "categorical"))
        elif kind == "stochastic":
            family = pick(rng, VECTORS if vector else SCALARS)
        elif kind == "factor":
            family, vector = "factor", False
        else:
            family = "delta" if rng.random() < 0.25 else "deterministic"
        if wrapper == "pyro" and kind == "stochastic" and not inside and rng.random() < 0.4:
            # The attribute's name is the site's.
            family, vector, name = "pyro_sample", False, f"z_{i}"
            if rng.random() < 0.4:
                # A layer's weight, named after the layer.
                family, name = "pyro_layer", f"layer_{i}.weight"
        sites.append(
            Site(name, name, "site", f"v{i}", inside, LENGTH if vector else 0,
                 family in INTEGERS, family, kind)
        )  # fmt: skip
    return sites


def draw_parents(
    rng: random.Random,
    sites: list[Site],
    wanted: dict[str, list[str]],
    data: Sequence[Data] = (),
    discrete: bool = False,
) -> list[Site]:
    """Arrows into every site from earlier sites, beside the `wanted` ones from elsewhere."""
    done = []
    for i, site in enumerate(sites):
        if site.family == "pyro_layer":
            done.append(site)
            continue
        if site.family == "pyro_sample":
            # Its prior is written in the constructor, where only other such sites are in reach.
            usable = [s for s in sites[:i] if s.family == "pyro_sample"]
            parents = [rng.choice(usable).key] if usable and rng.random() < 0.6 else []
            done.append(replace(site, parents=tuple(parents)))
            continue
        usable = [s for s in sites[:i] if s.kind != "factor"]
        number = min(len(usable), rng.choices(range(5), [1, 4, 5, 3, 1])[0])
        # Near sites are likelier parents, as in a time series.
        near = sorted(usable, key=lambda s: rng.random() * (1 + i - sites.index(s)))
        chosen = near[:number]
        for one in data:
            # Often all observed steps so far, or the one before: teacher forcing.
            past = [s for s in usable if s.key in one.columns]
            if past and rng.random() < 0.5:
                run = past if rng.random() < 0.5 else past[-1:]
                chosen = list(dict.fromkeys([*run[:4], *chosen[:2]]))
        parents = [s.key for s in chosen]
        roles = {} if discrete else _draw_roles(rng, sites, site, chosen, data)
        parents += wanted.get(site.key, [])
        rng.shuffle(parents)
        done.append(replace(site, parents=tuple(parents), **roles))
    return done


def _draw_roles(
    rng: random.Random,
    sites: list[Site],
    site: Site,
    parents: list[Site],
    data: Sequence[Data],
) -> dict:
    """Which parents reach this site by `obs=` or by deciding on its existence, if any."""
    roles: dict[str, object] = {}
    simple = [p.key for p in parents if not p.plates and not p.event]
    leaf = site is sites[-1] or site.kind == "factor"
    if leaf and simple and not site.plates and rng.random() < 0.3:
        roles["exists"] = (rng.choice(simple),)
    if site.kind != "stochastic" or site.observed:
        return roles
    # Whether two sites may be observed from one element of the data is nowhere said.
    shared = {key for one in data for key in one.columns}
    free = [p.key for p in parents if p.key not in {*roles.get("exists", ()), *shared}]
    if site.family in REAL and free and rng.random() < 0.12:
        return roles | {"latent_obs": (rng.choice(free),), "observed": True}
    return roles | {"observed": rng.random() < 0.08}
