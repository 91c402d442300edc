"""Puts a whole program together: data, parameters, sites in their contexts, handlers, arguments."""

from .families import FAMILIES, positive, vector
from .plan import Data, Plan, Site, Source
from .spelling import column, fit, spell
from .write import Writer

HEADER = """import numpy as np
import pyro
import pyro.distributions as dist
import torch
import torch.nn.functional as F
from pyro import poutine
from pyro.infer import config_enumerate
from pyro.infer.reparam import LocScaleReparam
from pyro.nn import PyroModule, PyroParam, PyroSample

torch.manual_seed({seed})"""


def compose(plan: Plan) -> tuple[str, list[tuple[str, str]]]:
    """The program's text, and every (child, idiom) that it uses."""
    composer = Composer(plan)
    return composer.program(), composer.idioms


class Composer(Writer):
    """A writer that also knows what stands around the sites."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.body: list[str] = []
        self.init: list[str] = []
        self.stored = 0

    def program(self) -> str:
        """The whole text."""
        self.start()
        position = 0
        sites = self.plan.sites
        while position < len(sites):
            position += self.loop(position) or self.single(position)
        arguments, call = self.arguments()
        head = [HEADER.format(seed=self.plan.seed)]
        head += [line for lines in self.top.values() for line in lines]
        return "\n".join([*head, "", *self.model(arguments), *call, ""])

    # Before the first site.

    def start(self) -> None:
        """Plates, parameters, buffers and copies of the data, at the model's start."""
        for plate in self.plan.plates.values():
            if plate.dim is None:
                continue
            size = (
                f"{plate.size}, subsample_size={plate.subsample}" if plate.subsample else plate.size
            )
            self.body.append(
                f'plate_{plate.name} = pyro.plate("{plate.name}", {size}, dim={plate.dim})'
            )
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
            cls = f"torch.nn.{source.node}"
            sizes = "5, 2" if source.node == "Embedding" else "1, 2"
            if self.plan.wrapper == "function":
                self.top[name] = [f"{name} = {cls}({sizes})"]
                self.body.append(f'pyro.module("{name}", {name})')
                return
            cls = f"PyroModule[{cls}]" if self.plan.wrapper == "pyro" else cls
            self.init.append(f"self.{name} = {cls}({sizes})")
        elif source.code == name:
            constraint = ", constraint=dist.constraints.positive" if not source.event else ""
            constraint = self.rng.choice(("", constraint))
            self.body.append(f'{name} = pyro.param("{name}", {start}{constraint})')
        else:
            cls = "torch.nn.Parameter"
            if self.plan.wrapper == "pyro":
                cls = self.rng.choice((cls, "PyroParam"))
            self.init.append(f"self.{name} = {cls}({start})")

    def copies(self, data: Data) -> None:
        """Other names under which a later site may read the column of an earlier one."""
        n, code = len(data.columns), data.code
        kind = ", dtype=torch.long" if data.integer else ""
        rows = self.batch(data.plates)
        pad = f"torch.zeros({', '.join(map(str, (*rows, 1)))}{kind})"
        last = "[:, :-1]" if rows else "[:-1]"
        subsampled = any(self.plan.plates[name].subsample for name in data.plates)
        if not data.owned or subsampled:
            return
        forms = {
            "tf_shift": (f"torch.cat([{pad}, {code}{last}], -1)", 1),
            "tf_clone": (f"{code}.clone()", 0),
            "tf_roll": (f"torch.roll({code}, 1, -1)", 1),
            "tf_scale": (f"({code} - 0.3) * 2.0", 0),
            "tf_transpose": (f"{code}.T.contiguous().T" if rows else f"{code}[None].T[:, 0]", 0),
        }
        if data.integer:
            del forms["tf_scale"]
        copies = self.rng.sample(sorted(forms), self.rng.choice((0, 1, 1, 2)))
        for idiom in copies:
            text, _ = forms[idiom]
            self.body.append(f"{idiom}_copy = {text}")
        if not rows and not data.integer and None not in data.columns and self.rng.random() < 0.5:
            self.top["states_net"] = ["states_net = torch.nn.GRU(1, 2)"]
            shifted = f"torch.cat([{pad}, {code}])"
            self.body.append(f"states = states_net({shifted}.reshape(-1, 1, 1))[0]")
        for i, key in enumerate(data.columns):
            if key is None:
                continue
            told = self.spellings.setdefault(key, [])
            at = f"{i}:{i + 1}"
            told += [(column(data, i), "tf_index")] * 3
            told.append((f"{column(data, at)}.squeeze(-1)" if rows else f"{column(data, at)}[0]",
                         "tf_slice"))  # fmt: skip
            told.append((f"{code}.unbind(-1)[{i}]", "tf_unbind"))
            for idiom in copies:
                place = i + forms[idiom][1]
                if place < n:
                    told += [(column(data, place, f"{idiom}_copy"), idiom)] * 2

    def data_groups(self, rest: list[Source]) -> list[str]:
        """All columns up to one, read at once: summed, or through a recurrent net."""
        parts = []
        for data in self.plan.data:
            keys = {source.key for source in rest}
            prefix: list[str] = []
            for key in data.columns:
                if key not in keys:
                    break
                prefix.append(key)
            plain = data.owned and not data.integer and not data.plates and not self.shape
            if not plain or not prefix or self.rng.random() < 0.3:
                continue
            n = len(prefix)
            forms = [
                ("tf_prefix_sum", f"{data.code}[:{n}].sum()"),
                ("tf_prefix_matmul", f"({data.code}[:{n}] @ {self.vector(n)})"),
                ("tf_cumsum", f"{data.code}.cumsum(0)[{n - 1}]"),
                ("tf_prefix_gru",
                 f"{self.module('GRU', '1, 2')}({data.code}[:{n}].reshape(-1, 1, 1))[1].sum()"),
            ]  # fmt: skip
            if any(line.startswith("states = ") for line in self.body):
                forms += [("tf_sequence_gru", f"states[{n}, 0].sum()")] * 3
            idiom, text = self.rng.choice(forms)
            self.note(idiom)
            parts.append(text)
            rest[:] = [source for source in rest if source.key not in prefix]
        return parts

    # Sites.

    def loop(self, position: int) -> int:
        """Two sites a turn of a sequential plate, if the next site is in one; their number."""
        site = self.plan.sites[position]
        plate = next(
            (p for p in map(self.plan.plates.get, site.plates) if p and p.dim is None), None
        )
        if plate is None:
            return 0
        inside = [s for s in self.plan.sites[position:] if plate.name in s.plates]
        self.body.append(f'for turn in pyro.plate("{plate.name}", {plate.size}):')
        for turn in range(plate.size):
            block = [line for s in inside[2 * turn : 2 * turn + 2] for line in self.site(s)]
            self.body.append(f"    if turn == {turn}:")
            # Sites that the plan cut off leave a turn empty.
            self.body += indent(indent(block or ["pass"]))
        return len(inside)

    def single(self, position: int) -> int:
        """One site, and the end of the program before it if the plan has one."""
        gate = self.plan.gate
        if gate and gate[1] == position:
            text = self._gate_text(gate[0])
            self.body += [f"if {text} > 1e6:", "    return None"]
        self.body += self.site(self.plan.sites[position])
        return 1

    def _gate_text(self, key: str) -> str:
        """The value that may end the program, read as the next site reads it."""
        self.begin(self.plan.sites[self.plan.gate[1]], [])
        self.note("early_exit")
        return spell(self, self.plan.source(key))

    def site(self, site: Site) -> list[str]:
        """The lines of one site."""
        special = {*site.exists, *site.latent_obs}
        self.begin(site, [key for key in site.parents if key not in special])
        self.lines = []
        if site.family == "pyro_sample":
            return self._pyro_sample(site)
        contexts = [f"with plate_{p}:" for p in site.plates if self.plan.plates[p].dim is not None]
        self.note(f"site_{site.family}")
        if site.kind == "stochastic":
            statement = self._sample(site, contexts)
        elif site.kind == "factor":
            statement = [f"pyro.factor({site.node!r}, {self.term(self.keys)})"]
        else:
            statement = self._deterministic(site)
        if site.exists:
            text = spell(self, self.plan.source(site.exists[0]))
            self.note("existence")
            contexts.append(f"if {text} > -1e6:")
        for context in reversed(contexts):
            statement = [context, *indent(statement)]
        return [*self.lines, *statement, *self._keep(site)]

    def _pyro_sample(self, site: Site) -> list[str]:
        """A site that is an attribute of the module."""
        self.note("site_pyro_sample")
        prior = f"dist.Normal({self.num()}, 1.0)"
        if site.parents:
            parent = self.plan.source(site.parents[0])
            prior = f"lambda self: dist.Normal(0.5 * self.{parent.node}, 1.0)"
        self.init.append(f"self.{site.node} = PyroSample({prior})")
        self.spellings[site.key] = [(f"self.{site.node}", "attribute")]
        return [f"{site.code} = self.{site.node}", *self._keep(site)]

    def _sample(self, site: Site, contexts: list[str]) -> list[str]:
        """A sample statement, perhaps observed, masked, conditioned or intervened upon."""
        handler = self.plan.handler
        acted = handler is not None and site.node in handler.sites
        masked = None
        if self.keys and not acted and site.family != "mask_false" and self.rng.random() < 0.12:
            able = [k for k in self.keys if self.plan.source(k).sort != "module"]
            masked = self.rng.choice(able) if able else None
        if masked:
            self.keys.remove(masked)
            mask = self.let(f"{fit(self, self.plan.source(masked))} > 0.1", "mask")
        text = FAMILIES[site.family](self)
        if masked and self.rng.random() < 0.5:
            self.note("mask_method")
            text = f"({text}).mask({mask})"
        elif masked:
            self.note("mask_context")
            contexts.append(f"with poutine.mask(mask={mask}):")
        elif self.rng.random() < 0.05:
            self.note("scale_context")
            contexts.append("with poutine.scale(scale=0.5):")
        if acted and handler.inside:
            contexts.append(f"with poutine.{handler.name}(data={self.handler_data()}):")
        observed = self._observed(site)
        return [f"{site.code} = pyro.sample({site.node!r}, {text}{observed})"]

    def _observed(self, site: Site) -> str:
        """The `obs=` of a site, from the data, a latent or a constant."""
        for data in self.plan.data:
            if site.key not in data.columns:
                continue
            at = data.columns.index(site.key)
            if any(self.plan.plates[name].subsample for name in data.plates):
                return f", obs={self.indexed(data.code, data.plates)}"
            text = column(data, at)
            if not data.owned:
                self.note("obs_mixed")
                return f", obs={column(data, at + 1)} - {text}"
            if site.family == "poisson":
                text = f"{text}.float()"
                self.note("obs_cast")
            elif not data.integer and self.rng.random() < 0.25:
                text = self.rng.choice((f"{text} * 2.0", f"0.5 * {text} - 0.1", f"{text} / 3"))
                self.note("obs_rescaled")
            if self.rng.random() < 0.3:
                name = self.let(text, "seen")
                self.spellings[site.key].append((name, "old_name"))
                return f", obs={name}"
            return f", obs={text}"
        if site.latent_obs:
            self.note("obs_latent")
            value = self.let(
                f"0.8 * {fit(self, self.plan.source(site.latent_obs[0]))} - 0.2", "seen"
            )
            if self.rng.random() < 0.5:
                self.spellings[site.key] = [(value, "old_name")]
            return f", obs={value}"
        return f", obs={self.constant(site)}" if site.observed else ""

    def constant(self, site: Site) -> str:
        """A value in the site's support."""
        shape = (*self.batch(site.plates), *([site.event] if site.event else []))
        number = "1" if site.family in ("categorical", "ordered") else "1.0"
        if site.family in ("transformed", "beta", "dirichlet"):
            number = "1 / 3"
        if site.family == "multinomial":
            return f"torch.tensor([2.0, 2.0, 1.0]).expand({shape})"
        return f"torch.full({shape}, {number})" if shape else f"torch.tensor({number})"

    def _deterministic(self, site: Site) -> list[str]:
        """A deterministic site, or a Delta; its tensor may keep its old name."""
        text = self._whole(site)
        text = text or (vector(self, self.term(self.keys)) if site.event else self.term(self.keys))
        dims = 1 if site.event else 0
        if site.family == "delta":
            return [
                f"{site.code} = pyro.sample({site.node!r}, dist.Delta({text}, event_dim={dims}))"
            ]
        if self.rng.random() < 0.35 and not self.plan.discrete:
            # The tensor handed over stands for the site from then on; a sum is a fresh tensor.
            text = self.let(f"{text} + 0.1", "h")
            self.spellings[site.key] = [(text, "old_name")] * 2
        event_dim = f", event_dim={dims}" if site.plates or dims or self.rng.random() < 0.3 else ""
        return [f"{site.code} = pyro.deterministic({site.node!r}, {text}{event_dim})"]

    def _whole(self, site: Site) -> str:
        """The one parent's own tensor as the site's value, now and then."""
        if len(self.keys) != 1 or self.rng.random() > 0.25:
            return ""
        parent = self.plan.source(self.keys[0])
        alike = self.batch(parent.plates) == self.shape and parent.event == site.event
        if parent.sort != "site" or parent.integer or not alike:
            return ""
        self.note("same_tensor")
        return parent.code

    def _keep(self, site: Site) -> list[str]:
        """Put the value into the program's own store, from which later sites may read it."""
        plain = not self.batch(site.plates) and not site.event and site.kind != "factor"
        if not self.plan.store or not plain or site.exists:
            return []
        told = self.spellings.setdefault(site.key, [])
        if self.plan.store == "dict":
            told.append((f"store[{site.node!r}]", "store_dict"))
            return [f"store[{site.node!r}] = {site.code}"]
        if self.plan.store == "buffer" and site.integer:
            return []
        at = self.stored
        self.stored += 1
        if self.plan.store == "list":
            told.append((f"store[{at}]", "store_list"))
            if not site.integer:
                # A stack of several types has one type.
                told.append((f"torch.stack([*store])[{at}]", "store_stack"))
            return [f"store.append({site.code})"]
        told += [(f"store[{at}]", "store_buffer")] * 3
        if at:
            told.append((f"late[{at - 1}]", "store_view"))
        return [f"store[{at}] = {site.code}"]

    # Around the sites.

    def model(self, arguments: str) -> list[str]:
        """The definition of `model`, as a function or a module, and its handler."""
        if self.plan.wrapper == "function":
            return [f"def model({arguments}):", *indent(self.body), "", *self.handled()]
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
        if handler.inside:
            return []
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
        if not any(self.plan.plates[name].subsample for name in data.plates):
            shape = (*shape, len(data.columns))
        return f"torch.randint(0, 3, {shape})" if data.integer else f"torch.randn({shape})"


def indent(lines: list[str]) -> list[str]:
    """The lines one level deeper."""
    return [f"    {line}" for line in lines]


def render(tree) -> str:
    """Nested arguments as text; a level whose keys are numbers is a list."""
    if isinstance(tree, str):
        return tree
    if all(key.isdigit() for key in tree):
        return "[" + ", ".join(render(tree[key]) for key in sorted(tree, key=int)) + "]"
    return "{" + ", ".join(f"{key!r}: {render(value)}" for key, value in tree.items()) + "}"


__all__ = ["compose", "positive"]
