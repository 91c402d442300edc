"""The running text's own recurrent net (Deep Learning, section 10.2.3).

    y(t-1) -> h(t) -> y(t),   h(t-1) -> h(t)

    h(t)   = tanh(b + W h(t-1) + U y(t-1))      eqs 10.8 and 10.9, y in the place of x
    o(t)   = c + V h(t)                         eq 10.10
    y(t)   ~ softmax(o(t))                      eq 10.11 and the factors of eq 10.31

The input at step t is the output of step t-1: h(t) has read y(1..t-1). Nothing is read before
y(1), so h(1) is a constant. Fig 10.8 draws the same law with h one step earlier; edge by edge
the two graphs differ.

Shapes: y [batch, tau] of symbols 0..k-1 (or numbers), h(t) [batch, hidden], U [y, hidden],
W [hidden, hidden], V [hidden, o], b [hidden], c [o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "text"
TITLE = "the text's RNN"


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
    y_t = None
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t), event_dim=1)
            o = net.c + h @ net.V
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(y_t)
    return sequence(steps)


def update(net, h, y_t):
    """f: eqs 10.8 and 10.9, or a random function with three values; no y enters the first state."""
    if net.finite:
        return h if y_t is None else net.next_state(h, y_t)
    a = net.b + h @ net.W
    return net.f(a if y_t is None else a + net.encode(y_t) @ net.U)
