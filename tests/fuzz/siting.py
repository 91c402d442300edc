"""Writes one site: its statement, the contexts around it, and where its value is kept."""

from .families import FAMILIES, vector
from .observing import ObservingWriter
from .plan import Site
from .spelling import fit, spell

# An attribute hides the method; or nothing is left to mask.
NO_MASK = ("mask_false", "masked_mixture")


class SiteWriter(ObservingWriter):
    """A writer of whole sites."""

    init: list[str]
    stored: int

    def site(self, site: Site) -> list[str]:
        """The lines of one site."""
        special = {*site.exists, *site.latent_obs}
        self.begin(site, [key for key in site.parents if key not in special])
        self.lines = []
        if site.family == "pyro_sample":
            return self._pyro_sample(site)
        if site.family == "pyro_layer":
            return self._pyro_layer(site)
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

    def _pyro_layer(self, site: Site) -> list[str]:
        """A site that is the weight of a layer, and that its calls read."""
        self.note("site_pyro_layer")
        layer = site.node.removesuffix(".weight")
        prior = f"dist.Normal({self.num()}, 1.0).expand([1, 1]).to_event(2)"
        self.init.append(f"self.{layer} = PyroModule[torch.nn.Linear](1, 1, bias=False)")
        self.init.append(f"self.{layer}.weight = PyroSample({prior})")
        self.spellings[site.key] = [(f"self.{layer}(torch.tensor([0.7]))[0]", "layer_call")] * 3
        return [f"{site.code} = self.{layer}.weight[0, 0]", *self._keep(site)]

    def _sample(self, site: Site, contexts: list[str]) -> list[str]:
        """A sample statement, perhaps observed, masked, conditioned or intervened upon."""
        handler = self.plan.handler
        acted = handler is not None and site.node in handler.sites
        masked = None
        # Enumeration does not see what a mask hangs on.
        usual = not acted and not self.plan.discrete and site.family not in NO_MASK
        if self.keys and usual and self.rng.random() < 0.12:
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
        if acted and handler.name == "obs_mask":
            return [f"{site.code} = pyro.sample({site.node!r}, {text}{self._halved(site)})"]
        if acted and handler.inside:
            contexts.append(f"with poutine.{handler.name}(data={self.handler_data()}):")
        observed = self._observed(site)
        return [f"{site.code} = pyro.sample({site.node!r}, {text}{observed})"]

    def _halved(self, site: Site) -> str:
        """Observed in every other place of its plates."""
        self.note("obs_mask")
        mask = f"(torch.arange({self.size}) % 2 == 0).reshape({self.shape_text})"
        return f", obs={self.constant(site)}, obs_mask={mask}"

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
            if self.rng.random() < 0.4:
                text = self.let(f"torch.stack([{text} + 0.1, {text}])", "rows") + "[0]"
            else:
                text = self.let(f"{text} + 0.1", "whole")
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
        if parent.family == "pyro_layer":  # a view of the weight: it would stand for the new site
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


def indent(lines: list[str]) -> list[str]:
    """The lines one level deeper."""
    return [f"    {line}" if line else "" for line in lines]
