"""Writes the `obs=` of a site: data, a latent or a constant."""

from .copies import CopyingWriter
from .plan import Site
from .spelling import column, fit


class ObservingWriter(CopyingWriter):
    """A writer that also knows from what a site is observed."""

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
        vectors = {"multinomial": "[2.0, 2.0, 1.0]", "one_hot": "[0.0, 1.0, 0.0]"}
        if site.family in vectors:
            return f"torch.tensor({vectors[site.family]}).expand({shape})"
        return f"torch.full({shape}, {number})" if shape else f"torch.tensor({number})"
