"""Fig 10.3: a sequence x as context, without feedback (Deep Learning, eq 10.35).

    x(t) -> h(t) -> o(t) -> y(t),   h(t-1) -> h(t)

    h(t)   = tanh(b + W h(t-1) + U x(t))        eqs 10.8 and 10.9
    o(t)   = c + V h(t)                         eq 10.10
    y(t)   ~ softmax(o(t))                      eq 10.11

No y is read back, so P(y(1..tau) | x(1..tau)) = prod over t of P(y(t) | x(1..t)): eq 10.35. It
holds because h is a function of x; ordinary d-separation does not give it. The book draws the
loss L(t) between o(t) and the target y(t); as a model, o(t) points at y(t).

Shapes: y [batch, tau], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) [batch, hidden], o(t) [batch, o], U [x, hidden], W [hidden, hidden], V [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.3"
TITLE = "fig 10.3"
INPUTS = "sequence"


def parameters(size):
    """One set of parameters for every step: their number does not grow with tau."""
    return {
        "U": (size.x, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    h = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, x_t), event_dim=1)
            o = pyro.deterministic(f"o_{t}", net.c + h @ net.V, event_dim=1)
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(y_t)
    return sequence(steps)


def update(net, h, x_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    if net.finite:
        return net.next_state(h, x_t)
    a = net.b + h @ net.W + x_t @ net.U
    return net.f(a)
