"""What the tests of extraction ask of a graph."""

import pgm_rnn
from pgm_rnn.graph import kind


def edges(model, *args, **kwargs):
    """The arrows among the sites of a program."""
    return set(pgm_rnn.sites(pgm_rnn.extract(model, *args, **kwargs)).edges)


def into(g, what):
    """The arrows from nodes of a kind ("input", "parameter")."""
    return {(a, b) for a, b in g.edges if kind(g, a) == what}


def plates(g):
    """Plate name -> its members."""
    found = {}
    for node, names in g.nodes(data="plates"):
        for name in names:
            found.setdefault(name, set()).add(node)
    return found
