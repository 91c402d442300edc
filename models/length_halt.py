"""When to stop, second answer: a coin at every step (Deep Learning, section 10.2.3).

    y(t) -> h(t) -> y(t+1),   h(t-1) -> h(t),   h(t) -> halt(t) ..> all that comes later

    y(t)    ~ softmax(c + V h(t-1))             eqs 10.10 and 10.11, or another output family
    h(t)    = tanh(b + W h(t-1) + U y(t))       eqs 10.8 and 10.9
    halt(t) ~ Bernoulli(sigmoid(d + v h(t)))    1 ends the sequence after y(t)

More general than an end symbol: any output family has it. The coin is tossed after each y(t),
so that no sequence is empty; the dotted control arrows say that what comes later exists only if
the coin said so. After tau steps it ends in any case.

Shapes: y [1, up to tau], -1 (or NaN) where it has ended; one sequence a run, since each ends on
its own. h(t) [1, hidden], U [y, hidden], W [hidden, hidden], V [hidden, o], v [hidden], d [].
"""

import pyro
import pyro.distributions as dist

from pgm_rnn.sequences import ended, given, sequence

FIGURE = "halt"
TITLE = "the halting coin"
LENGTH = "halt"


def parameters(size):
    """One set of parameters for every step; v and d are the coin's own."""
    return {
        "U": (size.y, size.h),
        "W": (size.h, size.h),
        "V": (size.h, size.o),
        "b": (size.h,),
        "c": (size.o,),
        "v": (size.h,),
        "d": (),
    }


def model(net, y=None, *, batch=1):
    """The generative story of one sequence; returns y, [1, length]."""
    steps = []
    h = net.start()
    with pyro.plate("batch", batch):
        for t in range(1, net.tau + 1):
            y_t = pyro.sample(f"y_{t}", net.output(net.c + h @ net.V), obs=given(y, t))
            h = pyro.deterministic(f"h_{t}", update(net, h, y_t), event_dim=1)
            steps.append(y_t)
            if t == net.tau:  # it ends in any case
                break
            coin = dist.Bernoulli(logits=halting(net, h))
            if pyro.sample(f"halt_{t}", coin, obs=ended(y, t + 1)):
                break
    return sequence(steps, batch)


def update(net, h, y_t):
    """f: eqs 10.8 and 10.9, or a random function with three values."""
    if net.finite:
        return net.next_state(h, y_t)
    return net.f(net.b + h @ net.W + net.encode(y_t) @ net.U)


def halting(net, h):
    """The coin's logit."""
    return net.d + h @ net.v
