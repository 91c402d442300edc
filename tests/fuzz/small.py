"""The smallest programs: one child, and one idiom for all arrows into it."""

import random

from .compose import Composer
from .plan import Plan, Plate, Site, Source
from .program import Program, of_plan
from .registry import DISTRACTORS, VALUES, Idiom


def small(idiom: str, seed: int) -> Program:
    """A program that uses this value idiom, or this distractor, once and little else."""
    rng = random.Random(f"small {idiom} {seed}")
    chosen = VALUES.get(idiom) or DISTRACTORS[idiom]
    plan = _plan(chosen, seed, rng)
    return of_plan(plan, SmallComposer(plan, chosen))


def _plan(idiom: Idiom, seed: int, rng: random.Random) -> Plan:
    """Enough sources and decoys for the idiom, and one child of them."""
    number = rng.randint(*idiom.sources)
    parents = [_site(i, "normal") for i in range(number)]
    if idiom.raw == "int":
        parents[0] = _site(0, "categorical")
    decoys = [_site(number + i, "normal") for i in range(idiom.decoys[1])]
    kind, family = rng.choice((("stochastic", "normal"), ("deterministic", "deterministic")))
    plate = Plate("N", 4, -1)
    inside = ("N",) if rng.random() < 0.3 and not idiom.flat else ()
    child = Site("child", "child", "site", "v9", inside, 0, False, family, kind,
                 tuple(parent.key for parent in parents))  # fmt: skip
    sites = (*rng.sample([*parents, *decoys], len(parents) + len(decoys)), child)
    return Plan(seed, False, "function", {"N": plate} if inside else {}, sites)


def _site(i: int, family: str) -> Site:
    """A site without parents."""
    return Site(f"z_{i}", f"z_{i}", "site", f"v{i}", integer=family == "categorical", family=family)


class SmallComposer(Composer):
    """A composer with one idiom, and without distractors beside it."""

    def __init__(self, plan: Plan, idiom: Idiom):
        super().__init__(plan)
        self.only = idiom

    def _choose(self, rest: list[Source]) -> Idiom:
        return self.only if self._fits(self.only, rest) else super()._choose(rest)

    def _distract(self, keys) -> list[str]:
        if self.only.name not in DISTRACTORS or self.child.key != "child":
            return []
        self.note(self.only.name)
        text = self.only.write(self, [], self._decoys(self.rng.randint(*self.only.decoys)))
        return [text] if text else []

    def slots(self, n: int) -> list[str]:
        """All parents in the first parameter, so that one idiom can take them all."""
        return [self.term(self.keys), *[self.const()] * (n - 1)]

    def term(self, keys) -> str:
        """A term with the distractor at least, for a child that has no parents."""
        if self.only.name in DISTRACTORS and self.child.key == "child":
            return self._sum(self._distract(keys))
        return super().term(keys)
