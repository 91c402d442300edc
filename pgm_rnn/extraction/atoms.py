"""Sets of sources, packed into Python integers.

Whatever a tensor's value can come from (a site, an argument, a parameter) is a *source* and
has a bit of its own; the origin of a tensor is the integer whose bits are its sources.

An edge of the book bears the letter of the first parameter that the parent's value meets on
its way to the child. So a source that meets a parameter changes its bit: bit "h_1" becomes
bit "h_1, met W", and keeps that from then on.
"""

from collections.abc import Iterator
from typing import NamedTuple


class Source(NamedTuple):
    """One source of values, and the first parameter that it has met."""

    kind: str  # "site", "input", "parameter", or "data": elements that a site is observed from
    name: str  # site, argument path or parameter
    path: str = ""  # of a "data" source: the argument that holds the elements
    met: str | None = None  # the first parameter met, None also where it met two at once
    final: bool = False  # has it met any?
    coarse: bool = False  # has it passed an operation that no rule takes apart?
    member: str = ""  # which members of a plate, where those are told apart


class Atoms:
    """The sources of one run, numbered, and sets of them."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.fresh = 0  # bits of the sources that have met no parameter
        self.parameters = 0  # bits of the parameters
        self._bit: dict[Source, int] = {}
        self._met: dict[tuple[int, int], int] = {}
        self.sets: list[int] = [0]  # interned sets; number 0 is the empty one
        self._number: dict[int, int] = {0: 0}

    def bit(self, source: Source) -> int:
        """The bit of a source, a new one at its first call."""
        bit = self._bit.get(source)
        if bit is None:
            bit = self._bit[source] = 1 << len(self.sources)
            self.sources.append(source)
            if source.kind == "parameter":
                self.parameters |= bit
            elif not source.final:
                self.fresh |= bit
        return bit

    def members(self, bits: int) -> Iterator[Source]:
        """The sources in a set."""
        digits = bin(bits)[:1:-1]  # lowest first, without the leading "0b"
        i = digits.find("1")
        while i >= 0:
            yield self.sources[i]
            i = digits.find("1", i + 1)

    def number(self, bits: int) -> int:
        """The number of an interned set, for maps of element origins."""
        number = self._number.get(bits)
        if number is None:
            number = self._number[bits] = len(self.sets)
            self.sets.append(bits)
        return number

    def join(self, parts: list[int]) -> int:
        """The union of arguments' origins; fresh sources meet the others' parameters."""
        total = 0
        for part in parts:
            total |= part
        if total & self.parameters and total & self.fresh:
            return self.meet([(part, None) for part in parts])
        return total

    def meet(self, parts: list[tuple[int, int | None]]) -> int:
        """The union of origins, each with the parameters it meets (None: those of all others)."""
        total = 0
        for i, (part, partner) in enumerate(parts):
            fresh = part & self.fresh
            if fresh:
                if partner is None:
                    partner = 0
                    for j, (other, _) in enumerate(parts):
                        if j != i:
                            partner |= other
                parameters = partner & self.parameters
                if parameters:
                    part = part & ~fresh | self._meeting(fresh, parameters)
            total |= part
        return total

    def _meeting(self, fresh: int, parameters: int) -> int:
        key = (fresh, parameters)
        met = self._met.get(key)
        if met is None:
            one = parameters & (parameters - 1) == 0
            name = self.sources[parameters.bit_length() - 1].name if one else None
            met = 0
            for source in list(self.members(fresh)):
                met |= self.bit(source._replace(met=name, final=True))
            self._met[key] = met
        return met
