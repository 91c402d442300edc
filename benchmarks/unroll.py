"""How the time of `unroll` grows with tau, against the bare program and one pass over the edges.

python benchmarks/unroll.py
"""

import time
import warnings

import pyro
import pyro.distributions as dist
import torch

import pgm_rnn

BATCH, HIDDEN = 8, 16


def programs(tau: int) -> dict:
    """Whole-sequence programs with shifted inputs."""
    rnn = torch.nn.LSTM(1, HIDDEN, batch_first=True)
    attention = torch.nn.MultiheadAttention(HIDDEN, 2, batch_first=True)
    mask = torch.triu(torch.full((tau, tau), -torch.inf), 1)

    def attend(x: torch.Tensor) -> torch.Tensor:
        h = x.expand(-1, -1, HIDDEN)
        return attention(h, h, h, attn_mask=mask, need_weights=False)[0]

    def model_of(net):
        def model(y):
            before = torch.cat([torch.zeros(len(y), 1), y[:, :-1]], 1).unsqueeze(-1)
            with pyro.plate("batch", len(y)):
                pyro.sample("y", dist.Normal(net(before).sum(-1), 1.0).to_event(1), obs=y)

        return model

    return {"nn.LSTM": model_of(lambda x: rnn(x)[0]), "causal attention": model_of(attend)}


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    print(f"{'program':18} {'tau':>5} {'edges':>8} {'unroll s':>9} {'trace s':>9} {'us/edge':>8}")
    for tau in (50, 200, 800):
        y = torch.randn(BATCH, tau)
        for name, model in programs(tau).items():
            best = {"unroll": 1e9, "trace": 1e9}
            for _ in range(3):
                start = time.perf_counter()
                g = pgm_rnn.unroll(model, time={"y": -1})(y)
                best["unroll"] = min(best["unroll"], time.perf_counter() - start)
                start = time.perf_counter()
                pyro.poutine.trace(model).get_trace(y)
                best["trace"] = min(best["trace"], time.perf_counter() - start)
            edges = pgm_rnn.sites(g).number_of_edges()
            each = 1e6 * best["unroll"] / edges
            print(
                f"{name:18} {tau:5} {edges:8} {best['unroll']:9.3f} "
                f"{best['trace']:9.4f} {each:8.1f}"
            )


if __name__ == "__main__":
    main()
