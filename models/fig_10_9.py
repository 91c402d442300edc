"""Fig 10.9: one fixed vector x as context (Deep Learning, section 10.2.4).

    x -> h(t),   y(t) -> h(t) -> o(t) -> y(t+1),   h(t-1) -> h(t)

    y(t)   ~ softmax(o(t-1))                            eq 10.11
    h(t)   = tanh(b + W h(t-1) + U y(t) + R x)          eqs 10.8 and 10.9, and R
    o(t)   = c + V h(t)                                 eq 10.10

The figure's own index convention, that of fig 10.8: h(t) has read y(1..t) and emits y(t+1). The
book names three ways in for x, the option `entry`:

    "input"      at every step from 1 on: R x is an input-dependent bias. y(1) does not know x.
    "initial"    as the first state, h(0) = tanh(b + R x), and nowhere else
    "both"       as the first state and at every step

Shapes: y [batch, tau], x [batch, x] of numbers ([batch] of symbols where h is finite), h(t)
[batch, hidden], o(t) [batch, o], U [y, hidden], R [x, hidden], W [hidden, hidden], V [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.9"
TITLE = "fig 10.9"
INPUTS = "vector"
ENTRIES = ("input", "initial", "both")


def parameters(size):
    """One set of parameters for every step: their number does not grow with tau."""
    return {
        "U": (size.y, size.h),
        "R": (size.x, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    h = net.start()
    o = net.c + h @ net.V
    with pyro.plate("batch", batch):
        x = pyro.sample("x", net.context(), obs=x)
        if net.entry != "input":
            h = pyro.deterministic("h_0", first_state(net, h, x), event_dim=1)
            o = pyro.deterministic("o_0", net.c + h @ net.V, event_dim=1)
        for t in range(1, net.tau + 1):
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t, x), event_dim=1)
            o = pyro.deterministic(f"o_{t}", net.c + h @ net.V, event_dim=1)
            steps.append(y_t)
    return sequence(steps)


def first_state(net, h, x):
    """h(0) as a function of x."""
    return net.next_state(h, x) if net.finite else net.f(net.b + x @ net.R)


def update(net, h, y_t, x):
    """f: eqs 10.8 and 10.9 with R x, or a random function with three values."""
    enters = net.entry != "initial"
    if net.finite:
        return net.next_state(h, y_t, x) if enters else net.next_state(h, y_t)
    a = net.b + h @ net.W + net.encode(y_t) @ net.U
    return net.f(a + x @ net.R if enters else a)
