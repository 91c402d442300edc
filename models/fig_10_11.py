"""Fig 10.11: two states, one forward and one backward in time (Deep Learning, section 10.3).

    x(t) -> h(t),   h(t-1) -> h(t),   x(t) -> g(t),   g(t+1) -> g(t),   h(t), g(t) -> o(t) -> y(t)

    h(t)   = tanh(b + W h(t-1) + U x(t))            reads x(1..t)
    g(t)   = tanh(d + Z g(t+1) + S x(t))            reads x(t..tau)
    o(t)   = c + V h(t) + Q g(t)
    y(t)   ~ softmax(o(t))

Of the two assumptions in eq 10.35 it drops one: y(t) may depend on x that is to come. The y stay
independent of each other given all of x. The book gives no letters on its arrows.

Shapes: y [batch, tau], x [batch, tau, x] of numbers ([batch, tau] of symbols where h is finite),
h(t) and g(t) [batch, hidden], U and S [x, hidden], W and Z [hidden, hidden], V and Q [hidden, o].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.11"
TITLE = "fig 10.11"
INPUTS = "sequence"


def parameters(size):
    """A set of parameters for each direction."""
    return {
        "U": (size.x, size.h),
        "W": (size.h, size.h),
        "S": (size.x, size.h),
        "Z": (size.h, size.h),
        "V": (size.h, size.o),
        "Q": (size.h, size.o),
        "b": (size.h,),
        "d": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story; returns y, [batch, tau]."""
    times = range(1, net.tau + 1)
    h, g, states, outputs = net.start(), net.start(), {}, []
    with pyro.plate("batch", batch):
        xs = {t: pyro.sample(f"x_{t}", net.context(), obs=given(x, t)) for t in times}
        for t in times:
            h = forward(net, h, xs[t])
            states[t] = h = pyro.deterministic(f"h_{t}", h, event_dim=1)
        for t in reversed(times):
            g = pyro.deterministic(f"g_{t}", backward(net, g, xs[t]), event_dim=1)
            o = net.c + states[t] @ net.V + g @ net.Q
            o = pyro.deterministic(f"o_{t}", o, event_dim=1)
            outputs.insert(0, pyro.sample(f"y_{t}", net.output(o), obs=given(y, t)))
    return sequence(outputs)


def forward(net, h, x_t):
    """The state that reads x(1..t), or a random function with three values."""
    return net.next_state(h, x_t) if net.finite else net.f(net.b + h @ net.W + x_t @ net.U)


def backward(net, g, x_t):
    """The state that reads x(t..tau)."""
    return net.next_state(g, x_t) if net.finite else net.f(net.d + g @ net.Z + x_t @ net.S)
