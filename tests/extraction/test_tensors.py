"""Which element of a tensor comes from where: views, stacks, indexing, writes."""

import pyro
import pyro.distributions as dist
import pytest
import torch
from helpers import edges


def program(reads):
    """Sites a, b, i, then y from `reads(a, b, i)`; a and b are numbers, i is 0, 1 or 2."""

    def model():
        a = pyro.sample("a", dist.Normal(0.0, 1.0))
        b = pyro.sample("b", dist.Normal(0.0, 1.0))
        i = pyro.sample("i", dist.Categorical(torch.ones(3)))
        pyro.sample("y", dist.Normal(reads(a, b, i), 1.0))

    return model


def parents(reads):
    return {parent for parent, child in edges(program(reads)) if child == "y"}


def buffer_after(write):
    """A buffer of 3 zeros after `write(x, a, b, i)`."""

    def reads(a, b, i):
        x = torch.zeros(3)
        x = write(x, a, b, i)
        return x

    return reads


def setitem(x, a, b, i):
    x[1] = a
    return x


def view_before_write(x, a, b, i):
    view = x[1:]
    x[1] = a
    return view[0]


def data_alias(x, a, b, i):
    x.data[1] = a
    return x[1]


def overwritten(x, a, b, i):
    x[1] = a
    x[1] = b
    return x[1]


def random_place(x, a, b, i):
    x[i] = a
    return x[0]


def boolean_place(x, a, b, i):
    x[torch.arange(3) == i] = a
    return x[0]


def added_in_place(x, a, b, i):
    x[1:] += a
    return x[2]


def scattered(x, a, b, i):
    return x.scatter(0, torch.tensor([1, 2]), torch.stack([a, b]))[2]


def scattered_in_place(x, a, b, i):
    x.scatter_(0, torch.tensor([1, 2]), torch.stack([a, b]))
    return x[1]


def out_argument(x, a, b, i):
    torch.add(a, 1.0, out=x[1])
    return x[1]


def copied(x, a, b, i):
    x.copy_(torch.stack([a, b, a]))
    return x[1]


def masked(x, a, b, i):
    x[:2] = a
    return x.masked_fill(torch.tensor([True, False, False]), 1.0)[1]


CASES = {
    "stack, one element": (lambda a, b, i: torch.stack([a, b])[1], {"b"}),
    "stack, all": (lambda a, b, i: torch.stack([a, b]).sum(), {"a", "b"}),
    "cat and slice": (lambda a, b, i: torch.cat([a[None], b[None], a[None]])[1:2].sum(), {"b"}),
    "flip": (lambda a, b, i: torch.stack([a, b]).flip(0)[0], {"b"}),
    "roll": (lambda a, b, i: torch.stack([a, b]).roll(1)[0], {"b"}),
    "split": (lambda a, b, i: torch.stack([a, b]).split(1)[0].sum(), {"a"}),
    "unbind": (lambda a, b, i: torch.stack([a, b]).unbind()[1], {"b"}),
    "iterate": (lambda a, b, i: list(torch.stack([a, b]))[1], {"b"}),
    "reshape and transpose": (
        lambda a, b, i: torch.stack([a, b]).reshape(2, 1).t()[0, 1],
        {"b"},
    ),
    "expand": (lambda a, b, i: torch.stack([a, b])[:, None].expand(2, 3)[0, 2], {"a"}),
    "repeat": (lambda a, b, i: torch.stack([a, b]).repeat(2)[3], {"b"}),
    "cumsum, a prefix": (lambda a, b, i: torch.stack([a, b, a]).cumsum(0)[0], {"a"}),
    "cumsum, further": (lambda a, b, i: torch.stack([a, b, a]).cumsum(0)[1], {"a", "b"}),
    "sum along a dimension": (lambda a, b, i: torch.stack([a, b]).reshape(1, 2).sum(0)[1], {"b"}),
    "softmax joins": (lambda a, b, i: torch.stack([a, b]).softmax(0)[1], {"a", "b"}),
    "elementwise": (lambda a, b, i: (torch.stack([a, b]) * 2 + 1).exp()[1], {"b"}),
    "where": (
        lambda a, b, i: torch.where(torch.tensor([True, False]), a, torch.stack([b, b]))[1],
        {"a", "b"},
    ),
    "matmul, one row": (
        lambda a, b, i: (torch.stack([a, b]).reshape(2, 1) @ torch.ones(1, 2))[0, 1],
        {"a"},
    ),
    "linear, one row": (
        lambda a, b, i: torch.nn.functional.linear(torch.stack([a, b])[:, None], torch.ones(2, 1))[
            1, 0
        ],
        {"b"},
    ),
    "index by a random integer": (lambda a, b, i: torch.stack([a, b, a])[i], {"a", "b", "i"}),
    "constant table, random index": (lambda a, b, i: torch.arange(3.0)[i], {"i"}),
    "gather": (lambda a, b, i: torch.arange(3.0).gather(0, i[None])[0], {"i"}),
    "index_select": (lambda a, b, i: torch.stack([a, b]).index_select(0, torch.tensor([1])).sum(),
                     {"b"}),
    "embedding": (
        lambda a, b, i: torch.nn.functional.embedding(i, torch.ones(3, 2)).sum(),
        {"i"},
    ),
    "one_hot": (lambda a, b, i: torch.nn.functional.one_hot(i, 3).float()[0], {"i"}),
    "boolean index": (lambda a, b, i: torch.arange(3.0)[torch.arange(3) == i].sum(), {"i"}),
    "size from a value": (lambda a, b, i: torch.zeros(i + 1).sum(), {"i"}),
    "slice from a value": (lambda a, b, i: torch.arange(3.0)[: i + 1].sum(), {"i"}),
    "nonzero": (lambda a, b, i: torch.stack([a, b]).nonzero().sum() * 1.0, {"a", "b"}),
    "literal of tensors": (lambda a, b, i: torch.tensor([a, b])[1], {"b"}),
    "detach": (lambda a, b, i: a.detach() + 1, {"a"}),
    "broadcast_tensors": (lambda a, b, i: torch.broadcast_tensors(a, torch.stack([b, b]))[0].sum(),
                          {"a"}),
    "einsum": (lambda a, b, i: torch.einsum("i,i->", torch.stack([a, b]), torch.ones(2)),
               {"a", "b"}),
    "write": (buffer_after(lambda *z: setitem(*z)[1]), {"a"}),
    "write, another element": (buffer_after(lambda *z: setitem(*z)[0]), set()),
    "view taken before the write": (buffer_after(view_before_write), {"a"}),
    "write through .data": (buffer_after(data_alias), {"a"}),
    "overwritten": (buffer_after(overwritten), {"b"}),
    "write at a random place": (buffer_after(random_place), {"a", "i"}),
    "write under a random mask": (buffer_after(boolean_place), {"a", "i"}),
    "add in place to a slice": (buffer_after(added_in_place), {"a"}),
    "scatter": (buffer_after(scattered), {"b"}),
    "scatter in place": (buffer_after(scattered_in_place), {"a"}),
    "out=": (buffer_after(out_argument), {"a"}),
    "copy_": (buffer_after(copied), {"b"}),
    "masked_fill": (buffer_after(masked), {"a"}),
    # arrows from thin air: these carry no value
    "zeros_like": (lambda a, b, i: torch.zeros_like(a), set()),
    "new_zeros": (lambda a, b, i: a.new_zeros(()), set()),
    "full_like": (lambda a, b, i: torch.full_like(a, 2.0), set()),
    "full_like of a value": (lambda a, b, i: torch.full((), 1.0) * b, {"b"}),
    "times the number 0": (lambda a, b, i: a * 0 + b, {"b"}),
    "times a tensor that is 0": (lambda a, b, i: a * torch.zeros(()) + b, {"a", "b"}),
    "to the power of 0": (lambda a, b, i: a**0 + b, {"b"}),
    "shape": (lambda a, b, i: torch.zeros(a.shape) + float(a.dim()), set()),
    "dtype": (lambda a, b, i: b.to(a.dtype).type_as(a), {"b"}),
    "zero-size": (lambda a, b, i: torch.cat([torch.stack([a, b])[:0], b[None]]).sum(), {"b"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_parents(name):
    reads, expected = CASES[name]
    assert parents(reads) == expected
