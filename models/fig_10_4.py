"""Fig 10.4: the output fed back, no arrow from state to state (Deep Learning, section 10.2).

    x(t) -> h(t) -> o(t) -> y(t),   o(t-1) -> h(t)

    h(t)   = tanh(b + W o(t-1) + U x(t))        W is output -> hidden here
    o(t)   = c + V h(t)                         eq 10.10
    y(t)   ~ softmax(o(t))                      eq 10.11

What is fed back is o, a function of x(1..t-1), not the sampled y. So eq 10.35 still holds: given
x, the y are independent.

Shapes: y [batch, tau], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) [batch, hidden], o(t) [batch, o], U [x, hidden], W [o, hidden], V [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.4"
TITLE = "fig 10.4"
INPUTS = "sequence"


def parameters(size):
    """One set of parameters for every step: their number does not grow with tau."""
    return {
        "U": (size.x, size.h),
        "W": (size.o, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    o = None
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, o, x_t), event_dim=1)
            o = pyro.deterministic(f"o_{t}", net.c + h @ net.V, event_dim=1)
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(y_t)
    return sequence(steps)


def update(net, o, x_t):
    """f of x(t) and the last output, or a random function of x(t) and the output's best symbol."""
    if net.finite:
        h = net.start()
        return net.next_state(h, x_t) if o is None else net.next_state(h, x_t, o.argmax(-1))
    a = net.b + x_t @ net.U
    if o is not None:
        a = a + o @ net.W
    return net.f(a)
