"""The text of a program so far: names, lines, constants and shapes, as idioms ask for them."""

import random
from collections.abc import Sequence

from .plan import Plan, Site, Source
from .tables import made


class Page:
    """The text so far, and the child that is being written; idioms ask it for names and lines."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.rng = random.Random(f"write {plan.seed} {plan.discrete}")
        self.top: dict[str, list[str]] = {}
        self.lines: list[str] = []
        self.idioms: list[tuple[str, str]] = []
        self.spellings: dict[str, list[tuple[str, str]]] = {}
        self.child: Site = plan.sites[0]
        self.shape: tuple[int, ...] = ()
        self.keys: list[str] = []
        self.pending: list[Source] = []
        # Whether an idiom writes into an argument that serves as memory alone.
        self.scratch = False
        self._count = 0

    def num(self) -> str:
        """A number that is neither 0 nor 1, as text."""
        return str(self.rng.choice((-1, 1)) * self.rng.randint(3, 17) / 10).replace("1.0", "1.1")

    def vector(self, n: int) -> str:
        """A constant vector of n different numbers, as text."""
        numbers = self.rng.sample([x / 10 for x in range(-19, 20, 2)], n)
        return f"torch.tensor({numbers})"

    def const(self) -> str:
        """A constant of the child's shape."""
        if not self.shape:
            return f"torch.tensor({self.num()})"
        return f"torch.full({self.shape_text}, {self.num()})"

    def new(self, prefix: str) -> str:
        """A fresh name."""
        self._count += 1
        return f"{prefix}_n{self._count}"  # no site and no argument is called so

    def line(self, text: str) -> None:
        """One more line of the child's block."""
        self.lines.append(text)

    def let(self, text: str, prefix: str = "t") -> str:
        """A fresh name for an expression."""
        name = self.new(prefix)
        self.line(f"{name} = {text}")
        return name

    def mix(self, s: Sequence[str], d: Sequence[str]) -> tuple[str, list[int]]:
        """Sources and decoys in random order, joined by commas; the places of the sources."""
        order = self.rng.sample(range(len(s) + len(d)), len(s) + len(d))
        items = [*s, *d]
        return ", ".join(items[i] for i in order), [order.index(i) for i in range(len(s))]

    def spread(self, text: str) -> str:
        """A single number spread over the child's shape."""
        return f"({text}).expand({self.shape_text})" if self.shape else text

    def note(self, idiom: str) -> None:
        """Remember that this child uses an idiom."""
        self.idioms.append((self.child.node, idiom))

    def top_lines(self, name: str, *lines: str) -> str:
        """A definition before the model, written once."""
        self.top.setdefault(name, ["", *lines, ""])
        return name

    def top_function(self, name: str, arguments: str, body: str) -> str:
        """A one-line function before the model."""
        return self.top_lines(name, f"def {name}{arguments}:", f"    {body}")

    def module(self, cls: str) -> str:
        """The module that the child shall use: a registered one, else a global one."""
        for source in self.pending:
            if source.node == cls:
                self.note("registered_module")
                return source.code
        name = f"free_{cls.lower()}"
        self.top.setdefault(name, [f"{name} = {made(cls)}"])
        return name

    @property
    def shape_text(self) -> str:
        """The child's shape as text."""
        return repr(self.shape)

    @property
    def size(self) -> int:
        """How many elements the child's shape has."""
        n = 1
        for length in self.shape:
            n *= length
        return n

    def rows(self, n: int) -> str:
        """The shape of n rows of the child's shape, without brackets."""
        return ", ".join(map(str, (n, *self.shape)))

    def rows_last(self, n: int) -> str:
        """The child's shape with a last dimension of n, without brackets."""
        return ", ".join(map(str, (*self.shape, n)))

    def batch(self, plates: Sequence[str]) -> tuple[int, ...]:
        """The shape of a batch in these plates; sequential ones have no dimension."""
        lengths = {p.dim: p.length for p in map(self.plan.plates.get, plates) if p and p.dim}
        return tuple(lengths.get(dim, 1) for dim in range(min(lengths, default=0), 0))

    def indexed(self, code: str, plates: Sequence[str]) -> str:
        """An argument over a subsampling plate, at the chosen indices."""
        chosen = [name for name in plates if self.plan.plates[name].subsample]
        return f"{code}[index_{chosen[0]}]" if chosen else code
