"""Writes what has to do with data: copies of it, columns at once, and the `obs=` of a site."""

from .plan import Data, Site, Source
from .spelling import column, fit
from .write import Writer


class ObservingWriter(Writer):
    """A writer that also reads arguments from which sites are observed."""

    body: list[str]

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
        copies = self.rng.sample(sorted(forms), self.rng.choice((0, 1, 2, 3)))
        for idiom in copies:
            text, _ = forms[idiom]
            self.body.append(f"{idiom}_copy = {text}")
        if not rows and not data.integer and None not in data.columns and self.rng.random() < 0.7:
            self.top_lines("states_net", "states_net = torch.nn.GRU(1, 2)")
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
                    told += [(column(data, place, f"{idiom}_copy"), idiom)] * 3

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
            if not plain or not prefix or self.rng.random() < 0.15:
                continue
            n = len(prefix)
            steps = f"{data.code}[:{n}]"
            forms = {
                "tf_prefix_sum": f"{steps}.sum()",
                "tf_prefix_matmul": f"({steps} @ {self.vector(n)})",
                "tf_cumsum": f"{data.code}.cumsum(0)[{n - 1}]",
                "tf_prefix_gru": f"prefix_net({steps}.reshape(-1, 1, 1))[1].sum()",
                "tf_sequence_gru": f"states[{n}, 0].sum()",
            }
            if not any(line.startswith("states = ") for line in self.body):
                del forms["tf_sequence_gru"]
            idiom = self.rng.choices(list(forms), (1, 1, 1, 1, 4)[: len(forms)])[0]
            if idiom == "tf_prefix_gru":
                self.top_lines("prefix_net", "prefix_net = torch.nn.GRU(1, 2)")
            text = forms[idiom]
            self.note(idiom)
            parts.append(text)
            rest[:] = [source for source in rest if source.key not in prefix]
        return parts

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
