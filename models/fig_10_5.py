"""Fig 10.5: one output at the end of a sequence (Deep Learning, section 10.2).

    x(t) -> h(t),   h(t-1) -> h(t),   h(tau) -> o(tau) -> y(tau)

    h(t)     = tanh(b + W h(t-1) + U x(t))      eqs 10.8 and 10.9
    y(tau)   ~ softmax(c + V h(tau))            eqs 10.10 and 10.11

It sums a sequence up: one y for all of x.

Shapes: y [batch, 1], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) [batch, hidden], U [x, hidden], W [hidden, hidden], V [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.5"
TITLE = "fig 10.5"
INPUTS = "sequence"


def parameters(size):
    """One set of parameters for every step."""
    return {
        "U": (size.x, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story; returns y, [batch, 1]."""
    h = net.start()
    tau = net.tau
    with pyro.plate("batch", batch):
        for t in range(1, tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, x_t), event_dim=1)
        o = pyro.deterministic(f"o_{tau}", net.c + h @ net.V, event_dim=1)
        last = pyro.sample(f"y_{tau}", net.output(o), obs=given(y, 1))
    return sequence([last])


def update(net, h, x_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    return net.next_state(h, x_t) if net.finite else net.f(net.b + h @ net.W + x_t @ net.U)
