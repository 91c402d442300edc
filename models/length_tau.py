"""When to stop, third answer: draw the length first (Deep Learning, section 10.2.3).

    tau -> h(t) for every t,   y(t) -> h(t) -> y(t+1),   h(t-1) -> h(t)

    tau    ~ softmax(length)                                its own table, P(tau)
    h(0)   = tanh(b + R tau)                                all of tau is left
    y(t)   ~ softmax(c + V h(t-1))                          eqs 10.10 and 10.11
    h(t)   = tanh(b + W h(t-1) + U y(t) + R (tau - t))      eqs 10.8 and 10.9, and R

The net is told at every step how many are left, as a share of the largest length, so that it does
not end abruptly: P(y(1..tau), tau) = P(tau) P(y(1..tau) | tau). Finite lengths 1..largest only.

Shapes: y [1, up to the largest tau], -1 (or NaN) where it has ended; one sequence a run, since
each has its own length. h(t) [1, hidden], U [y, hidden], R [1, hidden], W [hidden, hidden],
V [hidden, o], length [largest tau].
"""

import pyro
import pyro.distributions as dist

from pgm_rnn.sequences import given, length, sequence

FIGURE = "tau"
TITLE = "the length first"
LENGTH = "tau"
STATES = ("real",)


def parameters(size):
    """One set of parameters for every step, and the table of lengths."""
    return {
        "U": (size.y, size.h),
        "R": (1, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
        "length": (size.tau,),
    }


def model(net, y=None, *, batch=1):
    """The generative story of one sequence; returns y, [1, length]."""
    steps = []
    with pyro.plate("batch", batch):
        tau = 1 + pyro.sample("tau", dist.Categorical(logits=net.length), obs=length(y, net.tau))
        h = pyro.deterministic("h_0", first_state(net, tau), event_dim=1)
        for t in range(1, int(tau) + 1):
            o = net.c + h @ net.V
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t, tau - t), event_dim=1)
            steps.append(y_t)
    return sequence(steps, batch)


def first_state(net, left):
    """h(0), which knows that all steps are left."""
    return net.f(net.b + share(net, left) @ net.R)


def update(net, h, y_t, left):
    """f: eqs 10.8 and 10.9 with R (tau - t)."""
    return net.f(net.b + h @ net.W + net.encode(y_t) @ net.U + share(net, left) @ net.R)


def share(net, left):
    """How many steps are left, as a share of the largest length, [..., 1]."""
    return (left.to(net.dtype) / net.tau).unsqueeze(-1)
