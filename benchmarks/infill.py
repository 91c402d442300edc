"""Exact gaps against Pyro's `compute_marginals`, and the case where branches meet again.

(k 5, m 3), (k 10, m 4), (k 10, m 6); fig 10.8, tau 12, hidden 16, gaps at the first steps;
alternating in one run, the least of each. The peak is that of the process so far, in MB: each
case runs in a process of its own. python benchmarks/infill.py
"""

import multiprocessing
import resource
import sys

import pyro
import torch
from pyro.infer import TraceEnum_ELBO
from timing import alternate

import pgm_rnn

TAU, HIDDEN = 12, 16


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def case(k: int, m: int) -> tuple[torch.nn.Module, torch.Tensor]:
    net = pgm_rnn.figure("10.8", tau=TAU, k=k, hidden=HIDDEN).model
    y = torch.randint(k, (1, TAU), generator=torch.Generator().manual_seed(0))
    y[0, 1 : 1 + m] = -1
    return net, y


def by_pyro(net: torch.nn.Module, y: torch.Tensor) -> list[torch.Tensor]:
    """The explicit program with its gaps enumerated in parallel."""

    def story(y: torch.Tensor) -> None:
        h = net.start()
        for t in range(1, TAU + 1):
            law = pyro.distributions.Categorical(logits=net.c + h @ net.V)
            if int(y[0, t - 1]) < 0:
                y_t = pyro.sample(f"y_{t}", law, infer={"enumerate": "parallel"})
            else:
                y_t = pyro.sample(f"y_{t}", law, obs=y[0, t - 1])
            h = net.f(net.b + h @ net.W + net.encode(y_t) @ net.U)

    elbo = TraceEnum_ELBO(max_plate_nesting=0)
    with torch.no_grad():
        found = elbo.compute_marginals(story, lambda y: None, y)
    return [law.probs.flatten() for law in found.values()]


def compare(k: int, m: int) -> None:
    torch.set_num_threads(1)
    net, y = case(k, m)
    ways = {
        "infill": lambda: pgm_rnn.infill(net, y, samples=0),
        "compute_marginals": lambda: by_pyro(net, y),
    }
    runs = 20 if k**m < 1e5 else 3
    times = alternate(ways, runs)
    mine, theirs = pgm_rnn.infill(net, y, samples=0).marginals[0], torch.stack(by_pyro(net, y))
    far = (mine - theirs).abs().max().item()
    print(
        f"k {k:2}, m {m}: {k**m:9,} fillings, compute_marginals over infill "
        f"{times['compute_marginals'] / times['infill']:5.2f} (differ by {far:.0e})",
        flush=True,
    )


def memory(k: int, m: int, who: str) -> None:
    torch.set_num_threads(1)
    net, y = case(k, m)
    before = peak()
    pgm_rnn.infill(net, y, samples=0) if who == "infill" else by_pyro(net, y)
    print(f"        peak of {who}: {peak() - before:,.0f} MB above {before:,.0f}", flush=True)


def merged() -> None:
    torch.set_num_threads(1)
    for m in (3, 7, 14):
        net = pgm_rnn.figure("10.8", tau=20, k=4, state="finite").model
        y = torch.randint(4, (1, 20), generator=torch.Generator().manual_seed(0))
        y[0, 2 : 2 + m] = -1
        found = pgm_rnn.infill(net, y, samples=0)
        print(f"finite h, k 4, {m:2} gaps ({4**m:,} fillings): {found.cell_steps} cell steps")


def alone(function, *arguments) -> None:
    process = multiprocessing.get_context("spawn").Process(target=function, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(process.exitcode)


if __name__ == "__main__":
    for k, m in ((5, 3), (10, 4), (10, 6)):
        alone(compare, k, m)
        for who in ("infill", "compute_marginals"):
            alone(memory, k, m, who)
    merged()
