"""Separation written from its definition, for small graphs, and a check of certificates.

Nothing here is shared with the code under test: the closure is swept until nothing changes,
and all paths are tried one by one.
"""

import networkx as nx

FIXED = ("input", "parameter")


def kind(g, node):
    return g.nodes[node].get("kind", "stochastic")


def spouses(g, node):
    return {w for pair in g.graph.get("bidirected", ()) if node in pair for w in pair - {node}}


def known(g, given, determinism=True):
    found = {*given, *(n for n in g if kind(g, n) in FIXED)}
    while determinism:
        more = {
            n
            for n in g
            if n not in found
            and kind(g, n) == "deterministic"
            and not spouses(g, n)
            and found.issuperset(g.predecessors(n))
        }
        if not more:
            break
        found |= more
    return found


def canonical(g):
    """The graph with a random common parent in place of each bidirected edge."""
    out = nx.DiGraph(g.edges)
    out.add_nodes_from(g)
    for pair in g.graph.get("bidirected", ()):
        out.add_edges_from((pair, end) for end in pair)
    return out


def separated(g, x, y, given, determinism=True):
    """No active path from an unknown node of x to an unknown one of y, and none in both."""
    k = known(g, given, determinism)
    h = canonical(g)
    x, y = set(x) - k, set(y) - k
    if x & y:
        return False
    opened = k.union(*(nx.ancestors(h, n) for n in k))
    skeleton = h.to_undirected()

    def active(path):
        for a, b, c in zip(path, path[1:], path[2:], strict=False):
            collider = h.has_edge(a, b) and h.has_edge(c, b)
            if (b not in opened) if collider else (b in k):
                return False
        return True

    return not any(
        active(path) for a in x for b in y for path in nx.all_simple_paths(skeleton, a, b)
    )


def check(g, verdict):
    """Assert that the verdict's evidence proves what it says."""
    k = {*verdict.given, *(n for n in g if kind(g, n) in FIXED)}
    for node in verdict.determined:
        assert kind(g, node) == "deterministic"
        assert not spouses(g, node)
        assert node not in k
        assert k.issuperset(g.predecessors(node)), node
        k.add(node)
    assert k == known(g, verdict.given)
    (check_separated if verdict else check_trail)(g, verdict, k)


def check_separated(g, verdict, k):
    assert verdict.trail == verdict.arrows == ()
    for node, reason in verdict.why:
        check_reason(g, verdict, k, node, reason)
    x, y = set(verdict.x) - k, set(verdict.y) - k
    if not x or not y:
        assert {node for node, _ in verdict.why} == set(verdict.y if x else verdict.x)
        return
    # A factorisation of the ancestors' law in which no factor sees both sides.
    h = canonical(g)
    among = {*verdict.x, *verdict.y, *k}
    among |= set().union(*(nx.ancestors(h, n) for n in among))
    sides = {n: n in verdict.side for n in among if n in g and n not in k}
    assert all(sides[n] for n in x)
    assert not any(sides[n] for n in y)
    factors = nx.utils.UnionFind(sides)
    for node in among:
        family = [n for n in (node, *h.predecessors(node)) if n not in k]
        factors.union(*family)
    for part in factors.to_sets():
        assert len({sides[n] for n in part if n in sides}) <= 1, part


def check_reason(g, verdict, k, node, reason):
    parents = set(g.predecessors(node))
    if reason == "given":
        assert node in verdict.given
    elif reason == "fixed":
        assert kind(g, node) in FIXED
    elif reason == "constant":
        assert node in verdict.determined
        assert not parents
    elif reason == "closed collider":
        assert len(parents) + len(spouses(g, node)) > 1
        assert not k & ({node} | nx.descendants(g, node))
    else:
        assert node in verdict.determined
        assert reason.startswith("determined by ")
        assert set(reason.removeprefix("determined by ").split(", ")) == parents <= k


def check_trail(g, verdict, k):
    assert verdict.why == ()
    nodes, roles = zip(*verdict.trail, strict=True)
    assert nodes[0] in set(verdict.x) - k
    assert nodes[-1] in set(verdict.y) - k
    assert len(set(nodes)) == len(nodes)
    if len(nodes) == 1:
        assert roles == ("shared",)
        return
    assert (roles[0], roles[-1]) == ("start", "end")
    assert len(verdict.arrows) == len(nodes) - 1
    for a, b, arrow in zip(nodes, nodes[1:], verdict.arrows, strict=False):
        there = {"->": g.has_edge(a, b), "<-": g.has_edge(b, a), "<->": b in spouses(g, a)}
        assert there[arrow], (a, arrow, b)
    inner = zip(nodes[1:-1], roles[1:-1], verdict.arrows, verdict.arrows[1:], strict=False)
    for node, role, before, after in inner:
        if before[-1] == ">" and after[0] == "<":
            opener = role.removeprefix("collider opened by ")
            assert opener != role
            assert opener in verdict.given or kind(g, opener) in FIXED
            assert opener == node or nx.has_path(g, node, opener)
        else:
            assert role == ("fork" if (before, after) == ("<-", "->") else "chain")
            assert node not in k
