"""Fig 10.2: a recurrence without outputs, unfolded in time (Deep Learning, section 10.1).

    x(t) -> h(t),   h(t-1) -> h(t)

    h(t)   = f(h(t-1), x(t)) = tanh(b + W h(t-1) + U x(t))      eqs 10.5, 10.8 and 10.9

The state is a summary of x(1..t), lossy as a rule. `pgm_rnn.fold` gives the other panel, one step
and a square on the arrow that waits for a step.

Shapes: x(t) [batch, x] of numbers ([batch] of symbols where h is finite), h(t) [batch, hidden],
U [x, hidden], W [hidden, hidden]. Returns the last state.
"""

import pyro

from pgm_rnn.sequences import given

FIGURE = "10.2"
TITLE = "fig 10.2"
INPUTS = "sequence"


def parameters(size):
    """One set of parameters for every step."""
    return {"U": (size.x, size.h), "W": (size.h, size.h), "b": (size.h,)}


def model(net, y=None, x=None, *, batch=1):
    """The story, step by step; there is no y."""
    h = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            x_t = pyro.sample(f"x_{t}", net.context(), obs=given(x, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, x_t), event_dim=1)
    return h


def update(net, h, x_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    return net.next_state(h, x_t) if net.finite else net.f(net.b + h @ net.W + x_t @ net.U)
