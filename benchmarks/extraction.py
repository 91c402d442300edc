"""How fast a graph is extracted: against a bare trace, and against Pyro's own inspection.

Run it with `python benchmarks/extraction.py`. Every ratio is the smallest of alternating runs in
one process. Pyro's `get_model_relations` does not see teacher forcing or Python values at all;
it is timed for what it does.
"""

import gc
import tracemalloc

import pyro
import pyro.distributions as dist
import torch
from pyro import poutine
from pyro.infer.inspect import get_model_relations
from timing import alternate

import pgm_rnn


def complete(tau):
    """Every y points at every later one, through one stack and one matrix product a step."""
    weights = torch.randn(tau, generator=torch.Generator().manual_seed(0)) / tau

    def model():
        ys = [pyro.sample("y_0", dist.Normal(0.0, 1.0))]
        for t in range(1, tau):
            mean = torch.stack(ys) @ weights[:t]
            ys.append(pyro.sample(f"y_{t}", dist.Normal(mean, 1.0)))

    return model


def plain_rnn(tau, hidden=8):
    """A real-valued RNN without plates or modules; given data are read back from their tensor."""
    random = torch.Generator().manual_seed(0)
    W, U, V = (
        torch.randn(*s, generator=random) * 0.3 for s in ([hidden, hidden], [hidden], [hidden])
    )

    def model(data=None):
        h, last = torch.zeros(hidden), torch.zeros(())
        for t in range(tau):
            h = pyro.deterministic(f"h_{t}", torch.tanh(h @ W + last * U), event_dim=1)
            seen = None if data is None else data[t]
            y = pyro.sample(f"y_{t}", dist.Normal(h @ V, 1.0), obs=seen)
            last = y if data is None else data[t]

    return model


def plated(groups, size):
    """A hierarchy in plates."""

    def model(data):
        m = pyro.sample("m", dist.Normal(0.0, 1.0))
        with pyro.plate("groups", groups, dim=-2):
            g = pyro.sample("g", dist.Normal(m, 1.0))
            with pyro.plate("members", size, dim=-1):
                pyro.sample("y", dist.Normal(g, 1.0), obs=data)

    return model, torch.randn(groups, size)


def decided(tau):
    """A Python integer taken from every site."""
    table = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))

    def model():
        y = pyro.sample("y_0", dist.Categorical(torch.ones(3)))
        for t in range(1, tau):
            y = pyro.sample(f"y_{t}", dist.Categorical(logits=table[int(y)]))

    return model


def row(name, model, *args, peer=True, runs=15):
    functions = {
        "trace": lambda: poutine.trace(model).get_trace(*args),
        "extract": lambda: pgm_rnn.extract(model, *args),
    }
    if peer:
        functions["pyro"] = lambda: get_model_relations(model, args, include_deterministic=True)
    best = alternate(functions, runs)
    g = pgm_rnn.extract(model, *args)
    edges = pgm_rnn.sites(g).number_of_edges()
    against = f"{best['pyro'] / best['extract']:8.1f}" if peer else "       -"
    print(
        f"{name:42s} {edges:7d} {best['extract'] / best['trace']:8.2f} {against} "
        f"{1e6 * best['extract'] / max(edges, 1):9.1f}",
        flush=True,
    )


def memory(times):
    """Traced bytes after many extractions, against those after the first ones."""
    f = pgm_rnn.figure("10.8", tau=3)
    for _ in range(100):
        pgm_rnn.extract(f.model)
    gc.collect()
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    for _ in range(times):
        pgm_rnn.extract(f.model)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    print(f"memory after {times} extractions: {grown / times:+.1f} bytes each")


def main():
    torch.set_num_threads(1)
    print(f"{'program':42s} {'arrows':>7s} {'/ trace':>8s} {'pyro /':>8s} {'us/arrow':>9s}")
    row("plain RNN, tau 200, sampling", plain_rnn(200))
    row("plain RNN, tau 200, teacher-forced", plain_rnn(200), torch.randn(200))
    for tau in (50, 200, 400):
        f = pgm_rnn.figure("10.8", tau=tau)
        y = torch.randint(3, (4, tau))
        row(f"fig 10.8, tau {tau}, sampling", f.model, runs=15 if tau < 400 else 5)
        row(f"fig 10.8, tau {tau}, teacher-forced", f.model, y, runs=15 if tau < 400 else 5)
    row("fig 10.8, tau 1000, sampling", pgm_rnn.figure("10.8", tau=1000).model, peer=False, runs=3)
    row("complete graph, tau 150", complete(150))
    row("complete graph, tau 200 (19,900 arrows)", complete(200), runs=5)
    row("complete graph, tau 400 (79,800 arrows)", complete(400), peer=False, runs=3)
    model, data = plated(20, 50)
    row("two plates", model, data)
    row("int(y) at each of 200 steps", decided(200), runs=3)
    memory(10_000)


if __name__ == "__main__":
    main()
