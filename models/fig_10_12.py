"""Fig 10.12: an encoder and a decoder (Deep Learning, section 10.4).

    x(t) -> e(t),   e(t-1) -> e(t),   e(n_x) -> C
    C -> d(t),   d(t-1) -> d(t),   y(t-1) -> d(t),   d(t), C -> y(t)

    e(t)   = tanh(a + S e(t-1) + U x(t))            the encoder reads all of x
    C      = e(n_x)                                 the context: what is kept of x
    d(0)   = C                                      the context is the decoder's first state ...
    d(t)   = tanh(b + W d(t-1) + R y(t-1) + P C)    ... and an input at every step
    y(t)   ~ softmax(c + V d(t) + Q C)

x and y have lengths of their own: that lifts the last restriction of fig 10.10. Here y has tau
steps and x has tau - 2 (one at least). The book leaves out the arrow from the last x to the last
encoder state, a slip: the program has it, and so has the reference.

Shapes: y [batch, tau], x [batch, n_x, x] of numbers ([batch, n_x] of symbols where the state is
finite), e(t), d(t) and C [batch, hidden].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.12"
TITLE = "fig 10.12"
INPUTS = "sequence"


def x_steps(tau):
    """The length of x beside a y of length tau."""
    return max(1, tau - 2)


def parameters(size):
    """A set of parameters for the encoder, one for the decoder."""
    return {
        "U": (size.x, size.h),
        "S": (size.h, size.h),
        "a": (size.h,),
        "W": (size.h, size.h),
        "R": (size.y, size.h),
        "P": (size.h, size.h),
        "b": (size.h,),
        "V": (size.h, size.o),
        "Q": (size.h, size.o),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story: read all of x, then tell y, [batch, tau]."""
    steps = []
    e = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, x_steps(net.tau) + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            e = pyro.deterministic(f"e_{t}", encode(net, e, x_t), event_dim=1)
        C = pyro.deterministic("C", 1.0 * e, event_dim=1)
        d, y_t = C, None
        for t in range(1, net.tau + 1):
            d = pyro.deterministic(f"d_{t}", decode(net, d, y_t, C), event_dim=1)
            o = net.c + d @ net.V + C @ net.Q
            y_t = pyro.sample(f"y_{t}", net.output(o), obs=given(y, t))
            steps.append(y_t)
    return sequence(steps)


def encode(net, e, x_t):
    """The encoder's next state, or a random function with three values."""
    return net.next_state(e, x_t) if net.finite else net.f(net.a + e @ net.S + x_t @ net.U)


def decode(net, d, y_t, C):
    """The decoder's next state, or a random function with three values."""
    if net.finite:
        read = C.argmax(-1) % net.k
        return net.next_state(d, read) if y_t is None else net.next_state(d, read, y_t)
    a = net.b + d @ net.W + C @ net.P
    return net.f(a if y_t is None else a + net.encode(y_t) @ net.R)
