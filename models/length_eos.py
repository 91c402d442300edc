"""When to stop, first answer: a symbol that ends the sequence (Deep Learning, section 10.2.3).

    y(t) -> h(t) -> y(t+1),   h(t-1) -> h(t),   y(s) ..> all that comes later

    o(t)   = c + V h(t-1)                       k + 1 numbers, the last one for the end
    y(t)   ~ softmax(o(t))                      the symbol k ends the sequence
    h(t)   = tanh(b + W h(t-1) + U y(t))        eqs 10.8 and 10.9

This is `fig_10_8` with one more symbol. Whether step t exists at all hangs on y(1..t-1): the
dotted control arrows, which make the graph over y complete again. Symbols only: a real-valued
y has no value left over that could mean the end. An empty sequence is possible.

Shapes: y [1, up to tau] of symbols 0..k-1, -1 where it has ended; one sequence a run, since each
ends on its own. h(t) [1, hidden], U [y, hidden], W [hidden, hidden], V [hidden, k + 1].
"""

import pyro
import pyro.distributions as dist

from pgm_rnn.sequences import ended, sequence

FIGURE = "eos"
TITLE = "the end symbol"
LENGTH = "eos"
OUTPUTS = ("categorical",)
REASON = (
    "the end is one more symbol, and other outputs have no value left over for it; "
    'figure("halt") ends any output'
)


def parameters(size):
    """One set of parameters for every step; V and c have a column for the end."""
    return {
        "U": (size.y, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o + 1),
        "b": (size.h,),
        "c": (size.o + 1,),
    }


def model(net, y=None, *, batch=1):
    """The generative story of one sequence; returns y, [1, length]."""
    steps = []
    h = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):  # after tau symbols it ends in any case
            o = net.c + h @ net.V
            y_t = pyro.sample(f"y_{t}", dist.Categorical(logits=o), obs=ended(y, t, end=net.k))
            if y_t == net.k:
                break
            steps.append(y_t)
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t), event_dim=1)
    return sequence(steps, batch)


def update(net, h, y_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    if net.finite:
        return net.next_state(h, y_t)
    return net.f(net.b + h @ net.W + net.encode(y_t) @ net.U)
