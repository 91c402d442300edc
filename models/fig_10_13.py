"""Fig 10.13: three ways to make a recurrent net deep (Deep Learning, section 10.5).

    stacked  x(t) -> h(t) -> z(t) -> y(t),   h(t-1) -> h(t),   z(t-1) -> z(t)
    mlp      x(t) -> h(t) -> y(t),           h(t-1) -> m(t) -> h(t)
    skip     as mlp, and h(t-1) -> h(t)

    h(t)   = tanh(b + W h(t-1) + U x(t))            stacked: two states, one above the other
    z(t)   = tanh(d + Z z(t-1) + S h(t))
    m(t)   = tanh(d + Z h(t-1))                     mlp: a layer more from state to state
    h(t)   = tanh(b + S m(t) + U x(t) (+ W h(t-1)))

Written from the text's description. More depth means longer ways from step to step; the arrow that
skips the layer shortens them again. The option `entry` chooses: "input" (stacked), "mlp", "skip".

Shapes: y [batch, tau], x [batch, tau, x] of numbers, states [batch, hidden].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.13"
TITLE = "fig 10.13"
INPUTS = "sequence"
ENTRIES = ("input", "mlp", "skip")
STATES = ("real",)


def parameters(size):
    """One set of parameters for every step."""
    return {
        "U": (size.x, size.h),
        "W": (size.h, size.h),
        "S": (size.h, size.h),
        "Z": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "d": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story; returns y, [batch, tau]."""
    steps = []
    h = z = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            if net.entry == "input":
                h = net.f(net.b + h @ net.W + x_t @ net.U)
                h = pyro.deterministic(f"h_{t}", h, event_dim=1)
                z = net.f(net.d + z @ net.Z + h @ net.S)
                top = z = pyro.deterministic(f"z_{t}", z, event_dim=1)
            else:
                m = pyro.deterministic(f"m_{t}", net.f(net.d + h @ net.Z), event_dim=1)
                a = net.b + m @ net.S + x_t @ net.U
                if net.entry == "skip":
                    a = a + h @ net.W
                top = h = pyro.deterministic(f"h_{t}", net.f(a), event_dim=1)
            o = net.c + top @ net.V
            steps.append(pyro.sample(f"y_{t}", net.output(o), obs=given(y, t)))
    return sequence(steps)
