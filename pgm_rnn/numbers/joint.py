"""The exact joint distribution of a small discrete program, and its entropies in nats."""

from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from pgm_rnn.errors import BadOption, UnknownNode
from pgm_rnn.graph import add_node, resolve
from pgm_rnn.numbers.enumerate import Table, enumerate_runs

Names = str | Iterable[str]


class Joint:
    """Every combination of values with its probability; sites are asked for by name or family."""

    def __init__(self, table: Table):
        self._table = table
        self.log_evidence = torch.logsumexp(table.log_weight, 0).item()  # 0 without factors
        self._p = (table.log_weight - self.log_evidence).exp()
        self._names = nx.DiGraph()
        for name in table.codes:
            add_node(self._names, name)

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of the joint, deterministic ones included."""
        return tuple(self._table.codes)

    @property
    def size(self) -> int:
        """How many combinations of values there are."""
        return len(self._p)

    def probability(self, values: dict[str, Any]) -> float:
        """P(site = value for all given sites): a sum over the other sites.

        Raises UnknownNode for a site that is not there.
        """
        chosen = torch.ones_like(self._p, dtype=torch.bool)
        for name, value in values.items():
            if name not in self._table.codes:
                raise UnknownNode(name, self._table.codes)
            known = self._table.values[name]
            if not known.numel():
                raise BadOption(f"{name!r} has several elements in its plate; use a batch of one")
            wanted = torch.as_tensor(value, dtype=torch.float64).reshape(1, -1)
            near = torch.isclose(known.reshape(len(known), -1).double(), wanted, atol=1e-8).all(-1)
            chosen &= near[self._table.codes[name]]
        return self._p[chosen].sum().item()

    def table(self, *names: str) -> tuple[Tensor, Tensor]:
        """The values of single-element sites and their probability, [rows, sites] and [rows].

        One row a combination that occurs. Raises UnknownNode, BadOption.
        """
        for name in names:
            if name not in self._table.codes:
                raise UnknownNode(name, self._table.codes)
            values = self._table.values[name]
            if not values.numel() or values[0].numel() != 1:
                raise BadOption(f"{name!r} is not one number; a table has a column a number")
        count, group = self._groups(frozenset(names))
        p = torch.zeros(count, dtype=torch.float64).index_add_(0, group, self._p)
        first = torch.zeros(count, dtype=torch.long)
        first[group] = torch.arange(self.size)
        columns = [
            self._table.values[n].reshape(-1)[self._table.codes[n][first]].double() for n in names
        ]
        return torch.stack(columns, -1)[p > 0], p[p > 0]

    def coded(self) -> tuple[dict[str, list[int]], list[float]]:
        """Every combination that occurs: each site's value as a number, and the probability."""
        here = self._p > 0
        codes = {name: code[here].tolist() for name, code in self._table.codes.items()}
        return codes, self._p[here].tolist()

    def entropy(self, x: Names, given: Names = ()) -> float:
        """H(X | Z) = - sum p(x, z) log p(x | z), in nats."""
        xs, zs = self._resolve(x, "x"), self._resolve(given)
        p_xz, z_of = self._marginal(xs | zs, zs)
        p_z, _ = self._marginal(zs, zs)
        terms = p_xz * (p_xz.log() - p_z[z_of].log())
        return -terms[p_xz > 0].sum().item() + 0.0

    def mutual_information(self, x: Names, y: Names, given: Names = ()) -> float:
        """I(X; Y | Z) = sum p(x,y,z) log(p(x,y,z) p(z) / (p(x,z) p(y,z))), nats, at least 0."""
        xs, ys, zs = self._resolve(x, "x"), self._resolve(y, "y"), self._resolve(given)
        p, xz_of = self._marginal(xs | ys | zs, xs | zs)
        _, yz_of = self._marginal(xs | ys | zs, ys | zs)
        _, z_of = self._marginal(xs | ys | zs, zs)
        of_xz, of_yz, of_z = (self._marginal(names, names)[0] for names in (xs | zs, ys | zs, zs))
        ratio = p.log() + of_z[z_of].log() - of_xz[xz_of].log() - of_yz[yz_of].log()
        return max((p * ratio)[p > 0].sum().item(), 0.0)

    def _resolve(self, names: Names, what: str = "") -> frozenset[str]:
        found = resolve(self._names, names)
        if what and not found:
            raise BadOption(f"{what} is empty; name at least one site")
        return found

    def _marginal(self, names: frozenset[str], coarser: frozenset[str]) -> tuple[Tensor, Tensor]:
        """p over the distinct values of `names`, and to which of `coarser`'s each belongs."""
        fine, which = self._groups(names)
        p = torch.zeros(fine, dtype=torch.float64).index_add_(0, which, self._p)
        _, coarse = self._groups(coarser)
        belongs = torch.zeros(fine, dtype=torch.long)
        belongs[which] = coarse
        return p, belongs

    def _groups(self, names: frozenset[str]) -> tuple[int, Tensor]:
        """How many distinct values `names` have together, and each combination's one."""
        group = torch.zeros(self.size, dtype=torch.long)
        count = 1
        for name in sorted(names):
            code = self._table.codes[name]
            group = group * (int(code.max()) + 1) + code
            values, group = torch.unique(group, return_inverse=True)
            count = len(values)
        return count, group


def joint(model: Callable, *args: Any, **kwargs: Any) -> Joint:
    """The exact joint of all sites of a small discrete program.

    p(sites) = prod over random sites of p(site | its parents), by running the program for every
    combination of values. Observed sites take all their values too; x stands under its base
    distribution. Deterministic sites are coded by distinct value (to nine decimals). A factor
    weights the runs, and the weights are normalised.

    Raises ProgramError for a continuous site, TooLarge (entries, bytes, limit) for more than
    about four million combinations.

    >>> import pgm_rnn
    >>> p = joint(pgm_rnn.figure("10.7", tau=2, k=2).model)
    >>> round(sum(p.probability({"y_1": a, "y_2": b}) for a in (0, 1) for b in (0, 1)), 12)
    1.0
    """
    return Joint(enumerate_runs(model, args, kwargs))
