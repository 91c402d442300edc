"""Python values taken from tensors: `if z > 0`, `int(z)`, `range(int(k))`, `z.numpy()`.

Once a value has left tensor land nothing can be followed. So the program is run again with
every site clamped to the value it had, the answer is changed, and whatever moves (a site's
distribution, its value, its existence) hangs on the sources of that answer.

    bool: flipped;  int: one towards zero, 0, one up;  float: shifted, negated, 0

An exception says nothing of the sites that it kept from being reached. Many values are told
apart by binary codes: for each binary digit of their numbers, the values with that digit are
changed together, then those without it, about 2 log2(n) runs; only what remains ambiguous is
tested one by one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pgm_rnn.extraction.clamped import ClampedRun, same
from pgm_rnn.extraction.run import Run
from pgm_rnn.extraction.values import Change, Key, Taken, alternatives, changer

BUDGET = 1000  # reruns at the most; what is not tested by then makes the graph partial
SMALL = 4000  # values times sites up to which every value is tested alone: changes can cancel out


@dataclass
class Outcome:
    """What one run with changed answers showed."""

    moved: set[str]  # sites whose distribution, value or existence differs
    seen: set[str]  # sites of which the run says anything
    raised: bool
    restructured: bool  # other sites, or other parents


@dataclass
class Findings:
    """Which sites hang on which values, and whether that is the whole story."""

    arrows: list[tuple[int, str]] = field(default_factory=list)  # (sources, child)
    partial: bool = False

    def joined(self, other: "Findings") -> "Findings":
        """Both, side by side."""
        return Findings(self.arrows + other.arrows, self.partial or other.partial)


def decide(
    taken: list[Taken], sites: list[str], rerun: Callable[[dict[Key, Change]], Outcome]
) -> Findings:
    """Find the sites that hang on each value; `rerun` runs the program with changed answers."""
    found = Findings()
    taken = [t for t in taken if alternatives(t.answer)]
    runs = 0

    def test(group: Iterable[Taken]) -> tuple[set[str], set[str], bool]:
        """(moved, seen) under all alternatives of a group; did any run end without exception?"""
        nonlocal runs
        group = list(group)
        moved: set[str] = set()
        seen: set[str] = set()
        clean = False
        for number in range(max(len(alternatives(t.answer)) for t in group)):
            outcome = rerun({t.key: changer(number) for t in group})
            runs += 1
            moved |= outcome.moved
            seen |= outcome.seen
            clean = clean or not outcome.raised
            found.partial = found.partial or outcome.restructured
        return moved, seen, clean

    def alone(t: Taken) -> None:
        if runs >= BUDGET:
            found.partial = True
            return
        moved, _, clean = test([t])
        found.partial = found.partial or not clean
        found.arrows.extend((t.sources, s) for s in sites[t.position :] if s in moved)

    if len(taken) * len(sites) <= SMALL:
        for t in taken:
            alone(t)
        return found

    digits = range((len(taken) - 1).bit_length())
    answers = {}
    for digit in digits:
        for bit in (0, 1):
            group = [t for i, t in enumerate(taken) if i >> digit & 1 == bit]
            answers[digit, bit] = test(group) if group else (set(), set(sites), True)
    unsure: dict[int, Taken] = {}
    for position, site in enumerate(sites):
        able = [i for i, t in enumerate(taken) if t.position <= position]
        blind = any(site not in seen for _, seen, _ in answers.values())
        for digit in digits:
            able = (
                [i for i in able if site in answers[digit, i >> digit & 1][0]]
                if not blind
                else able
            )
        if len(able) == 1 and not blind:
            found.arrows.append((taken[able[0]].sources, site))
        else:
            unsure.update((i, taken[i]) for i in able)
    if not all(clean for _, _, clean in answers.values()):
        unsure.update(enumerate(taken))
    for t in unsure.values():
        alone(t)
    return found


def decisions(run: Run) -> Findings:
    """Which sites hang on the Python values that the program took."""

    sites = run.recorder.sites
    values = {name: site.value.detach() for name, site in sites.items()}
    base = ClampedRun(run, values, {})
    base.go()
    if base.raised:
        return Findings(partial=True)
    known = base.recorder.signatures

    def rerun(changes: dict[Key, Change]) -> Outcome:
        again = ClampedRun(run, values, changes)
        again.go()
        there = again.recorder.signatures
        moved = {n for n in there if n in known and not same(known[n], there[n])}
        seen = set(there)
        if not again.raised:
            moved |= known.keys() - there.keys()
            seen |= known.keys()
        others = not again.raised and there.keys() != known.keys()
        rewired = any(again.parents(n) != base.parents(n) for n in there if n in known)
        return Outcome(moved, seen, again.raised, others or rewired)

    # the first run may know more of a value's sources: the lines that they passed, say
    known_sources = {t.key: t.sources for t in run.listener.taken}
    taken = [replace(t, sources=known_sources.get(t.key, t.sources)) for t in base.listener.taken]
    return decide(taken, list(sites), rerun)
