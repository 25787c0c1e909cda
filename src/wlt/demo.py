"""What `make demo` shows: one function for each part; it prints its table and a line that says what to see there."""

from __future__ import annotations

from typing import Any

import numpy as np

import wlt
from wlt.cli import print_table


def main() -> None:
    classic_pairs()
    famous_graphs()


def classic_pairs() -> None:
    """The tests beside the truth, on pairs that show what each of them can and cannot do."""
    import networkx as nx

    two_triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    early, late = wlt.as_graph((6, [*path, (1, 5)])), wlt.as_graph((6, [*path, (2, 5)]))
    petersen, shrikhande = wlt.as_graph(nx.petersen_graph()), wlt.as_graph(_shrikhande())
    pairs: list[tuple[str, Any, Any]] = [
        ("two trees, equal degrees", early, late),
        ("a tree and a copy", early, _relabeled(early, 1)),
        ("C6 and two triangles", nx.cycle_graph(6), two_triangles),
        ("Shrikhande and 4x4 rook", shrikhande, _rook()),
        ("Petersen and a copy", petersen, _relabeled(petersen, 1)),
        ("Shrikhande and a copy", shrikhande, _relabeled(shrikhande, 1)),
    ]
    rows = []
    for name, g, h in pairs:
        tinhofer = wlt.tinhofer_test(g, h, seed=0, trials=100)
        share = f"{tinhofer.accepted} of {tinhofer.trials}"
        rows.append((name, wlt.wl_test(g, h).verdict, share, wlt.isomorphism(g, h).verdict))
    print_table("Classic pairs", ("", "WL", "Tinhofer", "exact"), rows)
    print(
        "Tinhofer: runs that accepted. WL is certain when it says non-isomorphic, Tinhofer's algorithm when it "
        "accepts; about the Shrikhande graph both can be wrong.\n"
    )


def famous_graphs() -> None:
    """Which classes named graphs are in: how far the tests can be trusted with them."""
    import networkx as nx

    named = {
        "path on 7 nodes": nx.path_graph(7),
        "cycle on 6 nodes": nx.cycle_graph(6),
        "Petersen": nx.petersen_graph(),
        "Heawood": nx.heawood_graph(),
        "Frucht": nx.frucht_graph(),
        "Shrikhande": _shrikhande(),
    }
    words = {True: "yes", False: "no", None: "undecided"}
    classes = ("amenable", "compact", "tinhofer", "refinable")
    rows = []
    for name, graph in named.items():
        found = wlt.graph_class(graph)
        colors = len(set(wlt.closure(wlt.as_graph(graph)).tolist()))
        rows.append((name, len(graph), colors, *(words[getattr(found, each)] for each in classes)))
    print_table("Famous graphs", ("", "nodes", "stable colours", *classes), rows)
    print(
        "Amenable: WL is right whatever the graph is compared with. Compact or Tinhofer: Tinhofer's algorithm is. "
        "Refinable: stable colours are the orbits of the automorphisms."
    )


def _relabeled(graph: wlt.Graph, seed: int) -> wlt.Graph:
    return graph.relabel(np.random.default_rng(seed).permutation(graph.num_nodes))


def _shrikhande() -> Any:
    """The Cayley graph of Z4 x Z4 with the steps ±(1, 0), ±(0, 1), ±(1, 1)."""
    import networkx as nx

    steps = [(1, 0), (0, 1), (1, 1)]
    edges = [((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps]
    return nx.Graph(edges)


def _rook() -> Any:
    import networkx as nx

    return nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4))


if __name__ == "__main__":
    main()
