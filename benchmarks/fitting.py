"""One gradient step and a batch of samples, against plain PyTorch and site-by-site SVI.

Batch 64, k 16, hidden 64, tau 50 and 200; float32, one thread; alternating in one run, the
median of each. python benchmarks/fitting.py
"""

import statistics
import time
from collections.abc import Callable

import pyro
import torch
from pyro.infer import SVI, Trace_ELBO
from torch import nn
from torch.nn import functional as F

import pgm_rnn
from pgm_rnn.fitting.fit import fit
from pgm_rnn.sequences import SequenceDistribution

BATCH, K, HIDDEN = 64, 16, 64


class Raw(nn.Module):
    """What one would write without any of this: nn.RNN and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(K, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, K)

    def loss(self, y: torch.Tensor) -> torch.Tensor:
        read = F.pad(F.one_hot(y[:, :-1], K).float(), (0, 0, 1, 0))
        o = self.out(self.rnn(read)[0])
        return F.cross_entropy(o.reshape(-1, K), y.reshape(-1))

    @torch.no_grad()
    def sample(self, n: int, tau: int) -> torch.Tensor:
        h, y = torch.zeros(n, HIDDEN), torch.zeros(n, tau, dtype=torch.long)
        read = torch.zeros(n, K)
        for t in range(tau):
            a = F.linear(read, self.rnn.weight_ih_l0, self.rnn.bias_ih_l0)
            h = torch.tanh(a + F.linear(h, self.rnn.weight_hh_l0, self.rnn.bias_hh_l0))
            y[:, t] = torch.multinomial(torch.softmax(self.out(h), -1), 1).squeeze(-1)
            read = F.one_hot(y[:, t], K).float()
        return y


def stepper(parameters: list, loss: Callable) -> Callable:
    optimiser = torch.optim.Adam(parameters, lr=1e-3)

    def step() -> None:
        value = loss()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()

    return step


def alternate(ways: dict[str, Callable], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for i in range(rounds + 2):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if i >= 2:
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(t) for name, t in times.items()}


def main() -> None:
    torch.set_num_threads(1)
    print("one gradient step, in units of raw nn.RNN + cross_entropy")
    for tau in (50, 200):
        pyro.clear_param_store()
        y = torch.randint(K, (BATCH, tau))
        raw = Raw()
        net = pgm_rnn.figure("text", tau=tau, k=K, hidden=HIDDEN).model.float()
        by_site = pgm_rnn.figure("text", tau=tau, k=K, hidden=HIDDEN).model.float()

        def program(y: torch.Tensor, net: nn.Module = by_site) -> None:
            pyro.module("net", net)
            net(y)

        law = SequenceDistribution(net, batch=BATCH, validate_args=False)
        optim = pyro.optim.Adam({"lr": 1e-3})
        svi = SVI(program, lambda y: None, optim, Trace_ELBO())
        found = alternate(
            {
                "raw": stepper(list(raw.parameters()), lambda raw=raw, y=y: raw.loss(y)),
                "sequence site": stepper(
                    list(net.parameters()), lambda law=law, y=y: -law.log_prob(y).mean()
                ),
                "fit, a step": lambda net=net, y=y: fit(net, y, steps=20, every=20),
                "SVI, a site a step": lambda svi=svi, y=y: svi.step(y),
            },
            30 if tau == 50 else 15,
        )
        found["fit, a step"] /= 20
        ratios = {name: t / found["raw"] for name, t in found.items()}
        print(f"  tau {tau:3}: " + ", ".join(f"{n} {r:.2f}" for n, r in ratios.items()), end="; ")
        print(f"SVI over sequence site {found['SVI, a site a step'] / found['sequence site']:.1f}")
    print("a batch of 64 samples, in units of a raw torch loop")
    for tau in (50, 200):
        raw = Raw()
        for name in ("text", "10.8"):
            net = pgm_rnn.figure(name, tau=tau, k=K, hidden=HIDDEN).model.float()
            found = alternate(
                {
                    "raw": lambda raw=raw, tau=tau: raw.sample(BATCH, tau),
                    "sample": lambda net=net: pgm_rnn.sample(net, BATCH),
                },
                15,
            )
            print(f"  tau {tau:3}, {name:4}: {found['sample'] / found['raw']:.2f}")


if __name__ == "__main__":
    main()
