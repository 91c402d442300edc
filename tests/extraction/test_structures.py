"""The structures that Pyro asserts of its own dependency analysis, restated as small programs.

Parents are compared after the deterministic sites are substituted.
"""

import pyro
import pyro.distributions as dist
import pytest
import torch
from pyro.distributions.testing.fakes import NonreparameterizedNormal

import pgm_rnn


def normal(name, loc=0.0, scale=1.0, obs=None):
    return pyro.sample(name, dist.Normal(loc, scale), obs=obs)


def chain_with_detach():
    a = normal("a")
    b = pyro.sample("b", NonreparameterizedNormal(a, torch.tensor(1.0)))
    c = normal("c", b)
    d = normal("d", a, c.exp())
    e, f = normal("e"), normal("f")
    pyro.sample("g", dist.Bernoulli(logits=e + f), obs=torch.tensor(0.0))
    with pyro.plate("p", 3):
        h = normal("h", c, d.detach().exp())  # Pyro's own tool loses d here
        pyro.deterministic("i", h + 1)
        j = pyro.sample("j", dist.Delta(h + 1), obs=h + 1)
        normal("k", a, j.exp(), obs=torch.zeros(3))


def two_sites():
    normal("b", normal("a"), obs=torch.tensor(0.0))


def location_and_scale():
    a, b = normal("a"), pyro.sample("b", dist.LogNormal(0.0, 1.0))
    normal("d", normal("c", a, b), obs=torch.tensor(0.0))


def plate_summed():
    with pyro.plate("p", 5):
        a = normal("a")
    normal("b", a.sum(), obs=torch.tensor(0.0))


def factors():
    a = normal("a")
    pyro.factor("b", torch.tensor(0.0))
    pyro.factor("c", a)


def vectors():
    a = normal("a")
    b = pyro.sample("b", dist.Normal(a[..., None], torch.ones(3)).to_event(1))
    c = pyro.sample("c", dist.MultivariateNormal(torch.zeros(3) + a[..., None], torch.eye(3)))
    with pyro.plate("i", 2):
        d = pyro.sample("d", dist.Dirichlet((b + c).exp()))
        pyro.sample("e", dist.Categorical(logits=d), obs=torch.tensor([0, 0]))


def coupled_by_a_sum():
    with pyro.plate("p", 2):
        x, y = normal("x"), normal("y")
    normal("z", x.sum(), y.sum().exp(), obs=torch.tensor(0.0))


def coupled_along_each_plate():
    rows, columns = pyro.plate("i", 3, dim=-2), pyro.plate("j", 2, dim=-1)
    with rows, columns:
        x = normal("x")
    with rows:
        normal("y", x.sum(-1, True), obs=torch.zeros(3, 1))
    with columns:
        normal("z", x.sum(-2, True), obs=torch.zeros(1, 2))


def collider_of_two_plates():
    rows, columns = pyro.plate("i", 3, dim=-2), pyro.plate("j", 2, dim=-1)
    with rows:
        x = normal("x")
    with columns:
        y = normal("y")
    with rows, columns:
        normal("z", x, y.exp(), obs=torch.zeros(3, 2))


def shared_and_local():
    w = normal("w")
    with pyro.plate("p", 2):
        normal("z", w + normal("x") + normal("y"), obs=torch.zeros(2))


def nested_collider():
    i, j, k = pyro.plate("i", 2, dim=-1), pyro.plate("j", 3, dim=-2), pyro.plate("k", 3, dim=-2)
    with i:
        with j:
            a = normal("a")
        with k:
            b = normal("b")
        c = normal("c", a.sum(0) + b.sum([0, 1]))
    normal("d", c.sum(), obs=torch.tensor(0.0))


PARENTS = {
    chain_with_detach: {"b": "a", "c": "b", "d": "ac", "g": "ef", "h": "cd", "k": "ah"},
    two_sites: {"b": "a"},
    location_and_scale: {"c": "ab", "d": "c"},
    plate_summed: {"b": "a"},
    factors: {"c": "a"},
    vectors: {"b": "a", "c": "a", "d": "bc", "e": "d"},
    coupled_by_a_sum: {"z": "xy"},
    coupled_along_each_plate: {"y": "x", "z": "x"},
    collider_of_two_plates: {"z": "xy"},
    shared_and_local: {"z": "wxy"},
    nested_collider: {"c": "ab", "d": "c"},
}


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("model", PARENTS, ids=lambda m: m.__name__)
def test_parents(model, grad):
    with torch.set_grad_enabled(grad):
        g = pgm_rnn.substitute(pgm_rnn.extract(model))
    found = {n: "".join(sorted(g.predecessors(n))) for n in g if g.in_degree(n)}
    assert found == PARENTS[model]
