"""Fig 10.10: a sequence x as context, with y fed back (Deep Learning, section 10.2.4).

    x(t) -> h(t) -> o(t) -> y(t),   h(t-1) -> h(t),   y(t-1) -> h(t)

    h(t)   = tanh(b + W h(t-1) + U x(t) + R y(t-1))     eqs 10.8 and 10.9, and R
    o(t)   = c + V h(t)                                 eq 10.10
    y(t)   ~ softmax(o(t))                              eq 10.11

This is `fig_10_3` and one term, R y(t-1), at every step but the first. It gives any law of the
form prod over t of P(y(t) | x(1..t), y(1..t-1)), eq 10.30; not any law of y given x: y(t) still
knows nothing of x(t+1..tau).

Shapes: y [batch, tau], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) [batch, hidden], o(t) [batch, o], U [x, hidden], R [y, hidden], W [hidden, hidden],
V [hidden, o]. x and y have the same length.
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.10"
TITLE = "fig 10.10"
INPUTS = "sequence"


def parameters(size):
    """One set of parameters for every step: their number does not grow with tau."""
    return {
        "U": (size.x, size.h),
        "R": (size.y, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    h = net.start()
    y_t = None
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, x_t, y_t), event_dim=1)
            o = pyro.deterministic(f"o_{t}", net.c + h @ net.V, event_dim=1)
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(y_t)
    return sequence(steps)


def update(net, h, x_t, y_t):
    """f: eqs 10.8 and 10.9 with feedback, or a random function with three values."""
    if net.finite:
        return net.next_state(h, x_t) if y_t is None else net.next_state(h, x_t, y_t)
    a = net.b + h @ net.W + x_t @ net.U
    if y_t is not None:  # the one difference to fig 10.3
        a = a + net.encode(y_t) @ net.R
    return net.f(a)
