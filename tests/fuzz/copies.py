"""Teacher forcing: other names under which a later site reads the data of earlier ones.

A copy is made at the program's start, before any of its sites has run. An element of it is
its site nevertheless, once that site has run.
"""

from .plan import Data, Source
from .spelling import column
from .write import Writer


class CopyingWriter(Writer):
    """A writer that also reads arguments from which sites are observed."""

    body: list[str]

    def copies(self, data: Data) -> None:
        """Enter all ways to read the column of an earlier site."""
        subsampled = any(self.plan.plates[name].subsample for name in data.plates)
        if not data.owned or subsampled:
            return
        copies = {} if data.layout == "list" else self._copied(data)
        if data.layout != "list" and None not in data.columns and not data.event:
            self._states(data)
        n = len(data.columns)
        for i, key in enumerate(data.columns):
            if key is None:
                continue
            told = self.spellings.setdefault(key, [])
            if data.layout == "list":
                told += [(f"{data.code}[{i}]", "tf_list")] * 3
                continue
            # A column that stands last loses its dimension from the right.
            dim, end = (-1, ".squeeze(-1)") if data.time_last else (0, "[0]")
            told += [(column(data, i), "tf_index")] * 3
            told.append((f"{column(data, f'{i}:{i + 1}')}{end}", "tf_slice"))
            told.append((f"{data.code}.unbind({dim})[{i}]", "tf_unbind"))
            for idiom, (name, shift) in copies.items():
                if i + shift < n:
                    told += [(column(data, i + shift, name), idiom)] * 3

    def _copied(self, data: Data) -> dict[str, tuple[str, int]]:
        """Some copies of the data, each with its name and by how many steps it is shifted."""
        code, dim = data.code, -1 if data.time_last else 0
        most = ":, :-1" if data.time_last else ":-1"
        later = ":, 1:" if data.time_last else "1:"
        pad = "(1, 0)" if data.time_last or not (data.plates or data.event) else "(0, 0, 1, 0)"
        forms = {
            "tf_shift": (f"torch.cat([{self._pad(data)}, {code}[{most}]], {dim})", 1),
            "tf_clone": (f"{code}.clone()", 0),
            "tf_roll": (f"torch.roll({code}, 1, {dim})", 1),
            "tf_pad": (f"F.pad({code}, {pad})", 1),
            "tf_buffer": (f"torch.zeros_like({code})", 1),
            "tf_scale": (f"({code} - 0.3) * 2.0", 0),
            "tf_transpose": (
                f"{code}.T.contiguous().T"
                if data.plates or data.event
                else f"{code}[None].T[:, 0]",
                0,
            ),
        }
        if data.integer:
            del forms["tf_scale"]
        chosen = {}
        for idiom in self.rng.sample(sorted(forms), self.rng.choice((0, 1, 2, 3))):
            text, shift = forms[idiom]
            name = f"{idiom}_{self.plan.data.index(data)}"
            self.body.append(f"{name} = {text}")
            if idiom == "tf_buffer":
                self.body.append(f"{name}[{later}] = {code}[{most}]")
            chosen[idiom] = name, shift
        return chosen

    def _pad(self, data: Data, value: int = 0) -> str:
        """One step of constants, to stand before the first one."""
        rest = (*self.batch(data.plates), *([data.event] if data.event else []))
        shape = (*rest, 1) if data.time_last else (1, *rest)
        kind = ", dtype=torch.long" if data.integer else ""
        return f"torch.full({shape}, {value}{kind})" if value else f"torch.zeros({shape}{kind})"

    def _states(self, data: Data) -> None:
        """A whole-sequence net over the shifted data; its n-th state has seen n steps."""
        if self.rng.random() < 0.3:
            return
        at = self.plan.data.index(data)
        name = f"states_net_{at}"
        first = ", batch_first=True" if data.time_last else ""
        cls = self.rng.choice(("GRU", "LSTM", "RNN"))
        width = 2 if data.integer else 1
        self.top_lines(name, f"{name} = torch.nn.{cls}({width}, 2{first})")
        dim = -1 if data.time_last else 0
        shifted = f"torch.cat([{self._pad(data, 3)}, {data.code}], {dim})"
        if data.integer:
            table = self.top_lines(f"tokens_{at}", f"tokens_{at} = torch.nn.Embedding(4, 2)")
            steps = f"{table}({shifted})"
        else:
            steps = f"{shifted}.unsqueeze(-1)"
        self.body.append(f"states_{at} = {name}({steps})[0]")

    def data_groups(self, rest: list[Source]) -> list[str]:
        """All columns up to one, or two neighbours, read at once."""
        parts = []
        for data in self.plan.data:
            plain = data.owned and not data.event and data.layout != "list"
            if not plain or self.shape != self.batch(data.plates) or self.rng.random() < 0.15:
                continue
            if any(self.plan.plates[name].subsample for name in data.plates):
                continue
            keys = {source.key for source in rest}
            prefix: list[str] = []
            for key in data.columns:
                if key not in keys:
                    break
                prefix.append(key)
            if prefix:
                idiom, text = self._prefix(data, len(prefix))
                taken = prefix
            else:
                pairs = [
                    i
                    for i in range(len(data.columns) - 1)
                    if {data.columns[i], data.columns[i + 1]} <= keys
                ]
                if not pairs or data.integer or data.plates:
                    continue
                i = self.rng.choice(pairs)
                taken = list(data.columns[i : i + 2])
                idiom, text = self._window(data, i)
            self.note(idiom)
            parts.append(text)
            rest[:] = [source for source in rest if source.key not in taken]
        return parts

    def _prefix(self, data: Data, n: int) -> tuple[str, str]:
        """The first n columns at once."""
        code, last = data.code, data.time_last
        steps = column(data, f":{n}")
        dim = -1 if last else 0
        weights = self.vector(n)
        forms = {
            "tf_prefix_sum": f"{steps}.sum({dim})",
            "tf_prefix_matmul": f"({steps} @ {weights})" if last else f"({weights} @ {steps})",
            "tf_cumsum": column(data, n - 1, f"{code}.cumsum({dim})"),
        }
        if data.integer:
            forms["tf_prefix_matmul"] = forms["tf_prefix_matmul"].replace(steps, f"{steps}.float()")
        if not data.integer and not data.plates:
            forms["tf_prefix_gru"] = f"prefix_net({steps}.reshape(-1, 1, 1))[1].sum()"
        states = f"states_{self.plan.data.index(data)}"
        if any(line.startswith(f"{states} = ") for line in self.body):
            at = f":, {n}, 0" if last else f"{n}, :, 0" if data.plates else f"{n}, 0"
            name = "tf_token_states" if data.integer else "tf_sequence_states"
            forms[name] = f"{states}[{at}]"
        idiom = self.rng.choices(list(forms), [4 if "states" in f else 1 for f in forms])[0]
        if idiom == "tf_prefix_gru":
            self.top_lines("prefix_net", "prefix_net = torch.nn.GRU(1, 2)")
        return idiom, forms[idiom]

    def _window(self, data: Data, i: int) -> tuple[str, str]:
        """Two neighbouring columns at once."""
        forms = {
            "tf_window": f"(data_windows[{i}] @ {self.vector(2)})",
            "tf_lags": f"({data.code}[[{i}, {i + 1}]] @ {self.vector(2)})",
            "tf_difference": f"({data.code}[1:] - {data.code}[:-1])[{i}]",
        }
        idiom = self.rng.choice(sorted(forms))
        return idiom, forms[idiom].replace("data_windows", f"{data.code}.unfold(0, 2, 1)")
