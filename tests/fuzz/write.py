"""Writes the source text of a program for a plan, with an idiom drawn for every arrow."""

from collections.abc import Sequence

from . import (  # noqa: F401
    idioms_algebra,
    idioms_choice,
    idioms_compiled,
    idioms_memory,
    idioms_module,
    idioms_none,
    idioms_numbers,
    idioms_python,
    idioms_records,
    idioms_recurrent,
    idioms_sequence,
    idioms_tensor,
    idioms_views,
)
from .page import Page
from .plan import Site, Source
from .registry import DISTRACTORS, VALUES, Idiom
from .spelling import fit, integer, spell


class Writer(Page):
    """A page that also chooses idioms for the arrows into a child."""

    def begin(self, site: Site, keys: Sequence[str]) -> None:
        """Start the block of a site whose distribution has these parents."""
        self.child, self.keys = site, list(keys)
        self.shape = self.batch(site.plates)

    def slots(self, n: int) -> list[str]:
        """n parameters, among which the child's parents are dealt out."""
        dealt: list[list[str]] = [[] for _ in range(n)]
        for key in self.keys:
            dealt[0 if self.rng.random() < 0.6 else self.rng.randrange(n)].append(key)
        self.rng.shuffle(dealt)
        return [self.term(keys) for keys in dealt]

    def term(self, keys: Sequence[str]) -> str:
        """An expression of the child's shape to which exactly these sources contribute."""
        sources = [self.plan.source(key) for key in keys]
        modules = [source for source in sources if source.sort == "module"]
        rest = [source for source in sources if source.sort != "module"]
        self.rng.shuffle(rest)
        parts = []
        for module in modules:
            # One at a time, since two of them may be of one class.
            self.pending = [module]
            parts.append(self._with_module(module, rest))
        self.pending = []
        parts += self.data_groups(rest)
        while rest:
            idiom = self._choose(rest)
            parts.append(self._apply(idiom, rest))
        for _ in range(self.rng.choices((0, 1, 2), (7, 2, 1) if parts else (9, 2, 0))[0]):
            parts += self._distract(keys)
        return self._sum(parts)

    def data_groups(self, rest: list[Source]) -> list[str]:
        """Idioms for several columns of a data argument at once; see writing of data."""
        return []

    def _with_module(self, module: Source, rest: list[Source]) -> str:
        """A term to which the module's parameters contribute, and some of the sources."""
        able = [i for i in VALUES.values() if i.module == module.node and self._fits(i, rest)]
        if able:
            return self._apply(self._draw(able), rest)
        # Without fitting sources it acts on a constant.
        able = [i for i in VALUES.values() if i.module == module.node and i.sources[0] == 1]
        idiom = self.rng.choice([i for i in able if not i.decoys[0]])
        self.note(idiom.name)
        constant = "torch.tensor(1)" if idiom.raw == "int" else self.const()
        return idiom.write(self, [constant], [])

    def _choose(self, rest: list[Source]) -> Idiom:
        """A random idiom that fits the first of the sources left."""
        able = [i for i in VALUES.values() if self._fits(i, rest)]
        integers = [idiom for idiom in able if idiom.raw == "int"]
        if integers and self.rng.random() < 0.4:
            # Most sources are no integers, so those that are shall be used as such.
            return self.rng.choice(integers)
        return self._draw(able)

    def _draw(self, able: list[Idiom]) -> Idiom:
        return self.rng.choices(able, [self._weight(idiom) for idiom in able])[0]

    def _weight(self, idiom: Idiom) -> float:
        """Idioms that seldom fit come more often where they do."""
        seldom = max(1, idiom.sources[0]) + 3 * bool(idiom.raw)
        return idiom.weight * (3 * seldom if idiom.sources[0] > 1 else seldom)

    def _fits(self, idiom: Idiom, rest: list[Source]) -> bool:
        """Whether the idiom can take some of these sources for the present child."""
        if len(rest) < idiom.sources[0] or (idiom.flat and self.shape):
            return False
        if self.plan.discrete and not idiom.discrete:
            return False
        return not idiom.raw or any(self._is_raw(idiom.raw, source) for source in rest)

    def _is_raw(self, raw: str, source: Source) -> bool:
        """Whether the source is a single number, and an integer one if that is asked for."""
        single = not self.batch(source.plates) and not source.event
        return single and source.sort != "param" and (raw == "scalar" or source.integer)

    def _apply(self, idiom: Idiom, rest: list[Source]) -> str:
        """Write the idiom for some of the sources, which are taken out of `rest`."""
        self.note(idiom.name)
        number = self.rng.randint(idiom.sources[0], min(idiom.sources[1], len(rest)))
        taken = []
        if idiom.raw:
            first = next(source for source in rest if self._is_raw(idiom.raw, source))
            rest.remove(first)
            taken.append(self._raw(idiom.raw, first))
        while len(taken) < number:
            taken.append(fit(self, rest.pop(0)))
        return idiom.write(self, taken, self._decoys(self.rng.randint(*idiom.decoys)))

    def _raw(self, raw: str, source: Source) -> str:
        """A single number as it is, or as a small integer."""
        text = spell(self, source)
        return integer(self, source, text) if raw == "int" else text

    def _decoys(self, number: int) -> list[str]:
        """Tensors of the child's shape from other sources, or constants where there are none."""
        others = self.others()
        self.rng.shuffle(others)
        found = [fit(self, source) for source in others[:number]]
        return found + [self.const() for _ in range(number - len(found))]

    def others(self) -> list[Source]:
        """Sources in reach that are no parents of the child."""
        now = self.plan.position(self.child.key)
        parents = {key for key, child in self.plan.arrows() if child == self.child.node}
        parents |= set(self.child.parents)
        inputs = [s for s in self.plan.inputs if s.key not in [d.key for d in self.plan.data]]
        params = [s for s in self.plan.params if s.sort == "param"]
        sites = [site for site in self.plan.sites[:now] if site.kind != "factor"]
        return [s for s in (*sites, *sites, *inputs, *params) if s.key not in parents]

    def _distract(self, keys: Sequence[str]) -> list[str]:
        """A distractor with decoys in reach, if there are any."""
        if not self.others():
            return []
        idiom = self._draw(list(DISTRACTORS.values()))
        self.note(idiom.name)
        text = idiom.write(self, [], self._decoys(self.rng.randint(*idiom.decoys)))
        return [text] if text else []

    def _sum(self, parts: list[str]) -> str:
        """All parts added up, in one of several ways."""
        if not parts:
            return self.const()
        self.rng.shuffle(parts)
        joined = " + ".join(f"({part})" for part in parts)
        if len(parts) > 1 and self.rng.random() < 0.3:
            joined = f"sum([{', '.join(parts)}])"
        # Numbers alone would make no tensor.
        return f"({self.let(joined)} + {self.const()})"
