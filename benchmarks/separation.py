"""Separation beside networkx, on recurrent nets and on a layered graph; ratios and times."""

from pathlib import Path

import networkx as nx
from timing import alternate

import pgm_rnn
from pgm_rnn import reference
from pgm_rnn.separation import separated, separations

FIGURES = Path(pgm_rnn.__file__).parent.parent / "figures" / "reference"


def recurrent(tau):
    return reference.load(FIGURES / "text_rnn.json").graph(tau)


def layered(layers, width=2):
    """Every node of a layer points at every node of the next."""
    g = nx.DiGraph()
    for i in range(layers - 1):
        g.add_edges_from(((i, a), (i + 1, b)) for a in range(width) for b in range(width))
    return nx.relabel_nodes(g, lambda node: f"{'lr'[node[1]]}{node[0]}")


def row(name, seconds, base):
    print(f"{name:58s} {1e3 * seconds:10.2f} ms {seconds / base:9.4f}")


def main():
    net, long, layers = recurrent(300), recurrent(50_000), layered(20)
    smaller = layered(8)
    query = "networkx, one query, 600 nodes"
    functions = {
        query: lambda: nx.is_d_separator(net, {"y_1"}, {"y_300"}, {"h_150"}),
        "len(separations), 600 nodes, 179,101 pairs": lambda: len(separations(net, "h_150")),
        "separated, 600 nodes": lambda: separated(net, "y_1", "y_300", "h_150"),
    }
    best = alternate(functions)
    base = best[query]
    print(f"{'':58s} {'smallest':>13s} {'ratio':>9s}")
    for name, seconds in best.items():
        row(name, seconds, base)
    slow = "networkx, one query, 8 layers of 2 (doubles per layer)"
    functions = {
        slow: lambda: nx.is_d_separator(smaller, {"l0"}, {"r7"}, {"l4"}),
        "separated, 20 layers of 2": lambda: separated(layers, "l0", "r19", ["l9", "r9"]),
        "len(separations), 20 layers of 2": lambda: len(separations(layers, ["l9", "r9"])),
    }
    for name, seconds in alternate(functions).items():
        row(name, seconds, base)
    functions = {
        "separated, connected, 100,000 nodes": lambda: separated(long, "y_1", "y_50000", "y_9"),
        "separated, separated, 100,000 nodes": lambda: separated(long, "y_1", "y_50000", "h_9"),
    }
    for name, seconds in alternate(functions, runs=3).items():
        row(name, seconds, base)


if __name__ == "__main__":
    main()
