"""Fig 10.6: teacher forcing, at train and at test time (Deep Learning, section 10.2.1).

    train   x(t) -> h(t) -> o(t) -> y(t),   y(t-1) -> h(t)
    test    x(t) -> h(t) -> o(t),           o(t-1) -> h(t)

    h(t)   = tanh(b + U x(t) + W y(t-1))        at test time o(t-1) in the place of y(t-1)
    o(t)   = c + V h(t)                         eq 10.10
    y(t)   ~ softmax(o(t))                      eq 10.11

One program, two panels: the option `entry` is "input" at train time, where the true y is the next
input, and "test", where the net's own output is. No h reads the last h, so that the steps can be
trained at once. W reads y's width at train time and o's at test time: for symbols they agree.

Shapes: y [batch, tau], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) [batch, hidden], o(t) [batch, o], U [x, hidden], W [y, hidden], V [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.6"
TITLE = "fig 10.6"
INPUTS = "sequence"
ENTRIES = ("input", "test")


def parameters(size):
    """One set of parameters for every step."""
    return {
        "U": (size.x, size.h),
        "W": (size.y, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story; returns y, at test time the outputs o, [batch, tau (, o)]."""
    steps = []
    last = None  # y(t-1), or o(t-1) at test time
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, x_t, last), event_dim=1)
            o = pyro.deterministic(f"o_{t}", net.c + h @ net.V, event_dim=1)
            if net.entry == "test":
                last = o
            else:
                last = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(last)
    return sequence(steps)


def update(net, x_t, last):
    """f of x(t) and what was fed back, or a random function of x(t) and the best symbol."""
    fed_back = net.entry == "test"
    if net.finite:
        read = () if last is None else (last.argmax(-1) if fed_back else last,)
        return net.next_state(net.start(), x_t, *read)
    a = net.b + x_t @ net.U
    if last is not None:
        a = a + (last if fed_back else net.encode(last)) @ net.W
    return net.f(a)
