"""Fig 10.8: a state h between past and future (Deep Learning, section 10.2.3).

    y(t) -> h(t) -> y(t+1),   h(t-1) -> h(t)

    o(t)   = c + V h(t-1)                       eq 10.10, one step earlier
    y(t)   ~ softmax(o(t))                      eq 10.11 and the factors of eq 10.31
    h(t)   = tanh(b + W h(t-1) + U y(t))        eqs 10.8 and 10.9

The figure's own index convention: h(t) has read y(1..t) and emits y(t+1). So y(1) is a root and
h(tau) has no child. The running text shifts h by one step; that program is `text_rnn`.

Shapes: y [batch, tau] of symbols 0..k-1 (or numbers), h(t) [batch, hidden], U [y, hidden],
W [hidden, hidden], V [hidden, o], b [hidden], c [o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.8"
TITLE = "fig 10.8"


def parameters(size):
    """One set of parameters for every step: their number does not grow with tau."""
    return {
        "U": (size.y, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, *, batch=1):
    """The generative story, step by step; returns y, [batch, tau]."""
    steps = []
    h = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            o = net.c + h @ net.V
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t), event_dim=1)
            steps.append(y_t)
    return sequence(steps)


def update(net, h, y_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    if net.finite:
        return net.next_state(h, y_t)
    return net.f(net.b + h @ net.W + net.encode(y_t) @ net.U)
