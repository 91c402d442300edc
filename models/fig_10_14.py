"""Fig 10.14: a recursive net, a tree in the place of a chain (Deep Learning, section 10.6).

    x(i) -> h[i],   h[a:m], h[m+1:b] -> h[a:b],   h[1:tau] -> o -> y

    h[i]     = tanh(b + V x(i))                     a leaf
    h[a:b]   = tanh(d + U h[left half] + W h[right half])
    y        ~ softmax(c + Q h[1:tau])

Written from the text's description: one set of weights at every fork, and a way of about log2(tau)
steps between a leaf and the root, where a chain has tau. The tree here is balanced: the left half
has the odd leaf.

Shapes: y [batch, 1], x [batch, tau, x] of numbers, states [batch, hidden].
"""

import pyro

from pgm_rnn.sequences import given, sequence

FIGURE = "10.14"
TITLE = "fig 10.14"
INPUTS = "sequence"
STATES = ("real",)


def parameters(size):
    """One set of parameters for every fork."""
    return {
        "V": (size.x, size.h),
        "U": (size.h, size.h),
        "W": (size.h, size.h),
        "Q": (size.h, size.o),
        "b": (size.h,),
        "d": (size.h,),
        "c": (size.o,),
    }


def model(net, y=None, x=None, *, batch=1):
    """The generative story, from the leaves to the root; returns y, [batch, 1]."""
    with pyro.plate("batch", batch):
        leaves = [
            pyro.sample(f"x_{t}", net.context(), obs=given(x, t)) for t in range(1, net.tau + 1)
        ]
        o = pyro.deterministic("o", net.c + tree(net, leaves, 1, net.tau) @ net.Q, event_dim=1)
        root = pyro.sample("y", net.output(o), obs=given(y, 1))
    return sequence([root])


def tree(net, leaves, first, last):
    """The state of leaves first..last."""
    if first == last:
        h = net.f(net.b + leaves[first - 1] @ net.V)
        return pyro.deterministic(f"h[{first}]", h, event_dim=1)
    middle = (first + last) // 2
    left, right = tree(net, leaves, first, middle), tree(net, leaves, middle + 1, last)
    h = net.f(net.d + left @ net.U + right @ net.W)
    return pyro.deterministic(f"h[{first}:{last}]", h, event_dim=1)
