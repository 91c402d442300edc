"""Puts a whole program together: data, parameters, sites in their contexts, handlers, arguments."""

from .plan import Data, Plan, Source
from .siting import SiteWriter, indent
from .spelling import spell
from .tables import made

HEADER = """import math

import numpy as np
import pyro
import pyro.distributions as dist
import torch
import torch.nn.functional as F
from pyro import poutine
from pyro.infer import config_enumerate
from pyro.infer.reparam import LocScaleReparam
from pyro.nn import PyroModule, PyroParam, PyroSample

torch.manual_seed({seed})"""


class Composer(SiteWriter):
    """A writer of whole programs."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.body: list[str] = []
        self.init: list[str] = []
        self.stored = 0
        self.turn = 0  # the line at which a loop over everything that follows begins
        self.counting: list[str] = []

    def program(self) -> str:
        """The whole text."""
        self.start()
        position = 0
        sites = self.plan.sites
        while position < len(sites):
            position += self.loop(position) or self.single(position)
        if self.plan.counted:
            self.body[self.turn :] = indent(indent(self.body[self.turn :]))
            self.body[self.turn : self.turn] = self.counting
        arguments, call = self.arguments()
        head = [HEADER.format(seed=self.plan.seed)]
        head += [line for lines in self.top.values() for line in lines]
        return "\n".join([*head, "", *self.model(arguments), *call, ""])

    # Before the first site.

    def start(self) -> None:
        """Plates, parameters, buffers and copies of the data, at the model's start."""
        vectorised = [plate for plate in self.plan.plates.values() if plate.dim is not None]
        for plate in vectorised:
            more = f", subsample_size={plate.subsample}" if plate.subsample else ""
            if len(vectorised) > 1 or self.rng.random() < 0.5:
                more += f", dim={plate.dim}"
            self.body.append(f'plate_{plate.name} = pyro.plate("{plate.name}", {plate.size}{more})')
            if plate.subsample:
                self.body.append(f"index_{plate.name} = plate_{plate.name}.indices")
        for source in self.plan.params:
            self.parameter(source)
        for data in self.plan.data:
            self.copies(data)
        if self.plan.store == "buffer":
            self.body += [f"store = torch.zeros({len(self.plan.sites)})", "late = store[1:]"]
        elif self.plan.store:
            self.body.append("store = []" if self.plan.store == "list" else "store = {}")

    def parameter(self, source: Source) -> None:
        """Register a parameter or a module where the kind of program does it."""
        name = source.code.removeprefix("self.")
        start = "torch.tensor([0.4, -0.3, 1.1])" if source.event else "torch.tensor(0.4)"
        if source.sort == "module":
            text = made(source.node)
            if self.plan.wrapper == "function":
                self.top[name] = [f"{name} = {text}"]
                self.body.append(f'pyro.module("{name}", {name})')
                return
            if self.plan.wrapper == "pyro":
                text = text.replace("torch.nn.", "PyroModule[torch.nn.").replace("(", "](", 1)
            self.init.append(f"self.{name} = {text}")
        elif source.code == name:
            constraint = ", constraint=dist.constraints.positive" if not source.event else ""
            constraint = self.rng.choice(("", constraint))
            self.body.append(f'{name} = pyro.param("{name}", {start}{constraint})')
        else:
            cls = "torch.nn.Parameter"
            if self.plan.wrapper == "pyro":
                cls = self.rng.choice((cls, "PyroParam"))
            self.init.append(f"self.{name} = {cls}({start})")

    # Between the sites.

    def loop(self, position: int) -> int:
        """Two sites a turn of a loop, if one begins here: their number, else 0."""
        rest = self.plan.sites[position:]
        plates = [self.plan.plates[name] for name in rest[0].plates]
        plate = next((plate for plate in plates if plate.dim is None), None)
        if plate:
            inside = [site for site in rest if plate.name in site.plates]
            turns, head = plate.size, f'pyro.plate("{plate.name}", {plate.size})'
        elif self.markov and len(rest) >= 4 and self.rng.random() < 0.1:
            # A markov loop changes nothing; a sequential plate cannot begin in one.
            self.idioms.append(("", "markov"))
            inside, turns, head = rest[:4], 2, "pyro.markov(range(2))"
        else:
            return 0
        self.body.append(f"for turn in {head}:")
        for turn in range(turns):
            block = [line for s in inside[2 * turn : 2 * turn + 2] for line in self.site(s)]
            self.body.append(f"    if turn == {turn}:")
            # Sites that the plan cut off leave a turn empty.
            self.body += indent(indent(block or ["pass"]))
        return len(inside)

    @property
    def markov(self) -> bool:
        """Whether a markov loop may be written: with neither an early end nor such a plate."""
        return not self.plan.gate and all(p.dim is not None for p in self.plan.plates.values())

    def single(self, position: int) -> int:
        """One site, and the end of the program before it if the plan has one."""
        gate = self.plan.gate
        if gate and gate[1] == position:
            text = self._gate_text(gate[0])
            if self.plan.counted:
                self.count(text)
            else:
                self.body += [f"if {text} > 1e6:", "    return None"]
        self.body += self.site(self.plan.sites[position])
        return 1

    def count(self, text: str) -> None:
        """Let all that follows be the first turn of a loop that runs as often as the value says."""
        self.turn = len(self.body)
        self.note("counted_loop")
        self.counting = self.rng.choice(
            (
                [f"for turn in range(int({text})):", "    if turn == 0:"],
                ["turn = 0", f"while turn < {text}:", "    turn += 1", "    if turn == 1:"],
                [f"for turn in range({text}.long().item()):", "    if turn == 0:"],
            )
        )

    def _gate_text(self, key: str) -> str:
        """The value that may end the program, read as the next site reads it."""
        self.begin(self.plan.sites[self.plan.gate[1]], [])
        self.note("early_exit")
        return spell(self, self.plan.source(key))

    # Around the sites.

    def model(self, arguments: str) -> list[str]:
        """The definition of `model`, as a function or a module, and its handler."""
        if self.plan.wrapper == "function":
            return [f"def model({arguments}):", *indent(self.body), "", *self.handled()]
        self.handled()  # to note a handler that acts inside
        base = "PyroModule" if self.plan.wrapper == "pyro" else "torch.nn.Module"
        return [
            f"class Net({base}):",
            *indent(["def __init__(self):", *indent(["super().__init__()", *self.init]), ""]),
            *indent([f"def forward({', '.join(filter(None, ['self', arguments]))}):"]),
            *indent(indent(self.body)),
            "",
            "model = Net()",
        ]  # fmt: skip

    def handled(self) -> list[str]:
        """The line that puts a handler around the model, if the plan has one."""
        handler = self.plan.handler
        if handler is None:
            return []
        self.idioms.append(("", f"handler_{handler.name}{'_inside' if handler.inside else ''}"))
        if handler.inside or handler.name == "obs_mask":
            return []
        if handler.name == "equalize":
            return [f"model = poutine.equalize(model, {list(handler.sites)})"]
        if handler.name == "lift":
            prior = ", ".join(f"{name!r}: {self.lifted_prior(name)}" for name in handler.sites)
            return [f"model = poutine.lift(model, prior={{{prior}}})"]
        if handler.name in ("condition", "do"):
            return [f"model = poutine.{handler.name}(model, data={self.handler_data()})"]
        if handler.name.startswith("reparam"):
            centered = 0.0 if handler.name == "reparam" else 0.5
            config = f"{{{handler.sites[0]!r}: LocScaleReparam(centered={centered})}}"
            return [f"model = poutine.reparam(model, config={config})"]
        return {
            "scale": ["model = poutine.scale(model, scale=2.0)"],
            "mask_false": ["model = poutine.mask(model, mask=False)"],
            "enumerate": ["model = config_enumerate(model)"],
        }[handler.name]

    def lifted_prior(self, name: str) -> str:
        """A positive prior of a parameter's shape."""
        event = self.plan.source(f"param:{name}").event
        return "dist.LogNormal(0.0, 0.5)" + (f".expand([{event}]).to_event(1)" if event else "")

    def handler_data(self) -> str:
        """The values that `condition` or `do` give."""
        site = self.plan.source(self.plan.handler.sites[0])
        return f"{{{site.node!r}: {self.constant(site)}}}"

    def arguments(self) -> tuple[str, list[str]]:
        """The parameters of the model, and the lines that define `args` and `kwargs`."""
        data = [(one.path, self._data_value(one)) for one in self.plan.data]
        keys = {one.key for one in self.plan.data}
        plain = [(s.node, self._input_value(s)) for s in self.plan.inputs if s.key not in keys]
        tree: dict = {}
        for path, text in [*plain, *data]:
            *outer, last = path.split(".")
            place = tree
            for part in outer:
                place = place.setdefault(part, {})
            place[last] = text
        if self.scratch:
            tree["scratch"] = "torch.zeros(4)"
        names = self.rng.sample(sorted(tree), len(tree))
        cut = self.rng.randint(0, len(names)) if self.rng.random() < 0.4 else len(names)
        star = ["*"] if cut < len(names) and self.rng.random() < 0.5 else []
        positional = [render(tree[name]) + "," for name in names[:cut]]
        keywords = [f"{name!r}: {render(tree[name])}," for name in names[cut:]]
        call = [f"args = ({' '.join(positional)})", f"kwargs = {{{' '.join(keywords)}}}"]
        return ", ".join([*names[:cut], *star, *names[cut:]]), call

    def _input_value(self, source: Source) -> str:
        """A random tensor for an input."""
        sizes = tuple(self.plan.plates[name].size for name in source.plates)
        shape = (*self._full(source.plates, sizes), *([source.event] if source.event else []))
        return f"torch.randint(0, 4, {shape})" if source.integer else f"torch.randn({shape})"

    def _full(self, plates: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of an argument over these plates, whole where they are subsampled."""
        subsampled = any(self.plan.plates[name].subsample for name in plates)
        return sizes if subsampled else self.batch(plates)

    def _data_value(self, data: Data) -> str:
        """A random tensor for observed sites, one column each."""
        sizes = tuple(self.plan.plates[name].size for name in data.plates)
        shape = self._full(data.plates, sizes)
        shape = (*shape, *([data.event] if data.event else []))
        if data.layout == "list":
            one = f"torch.randint(0, 3, {shape})" if data.integer else f"torch.randn({shape})"
            return f"[{', '.join([one] * len(data.columns))}]"
        if not any(self.plan.plates[name].subsample for name in data.plates):
            n = len(data.columns)
            shape = (n, *shape) if data.layout == "first" else (*shape, n)
        return f"torch.randint(0, 3, {shape})" if data.integer else f"torch.randn({shape})"


def render(tree) -> str:
    """Nested arguments as text; a level whose keys are numbers is a list."""
    if isinstance(tree, str):
        return tree
    if all(key.isdigit() for key in tree):
        return "[" + ", ".join(render(tree[key]) for key in sorted(tree, key=int)) + "]"
    return "{" + ", ".join(f"{key!r}: {render(value)}" for key, value in tree.items()) + "}"
