"""The smallest compact graphs on which Tinhofer's algorithm fails when it recolours several nodes at once.

    python examples/several_nodes_at_once.py [--figure FILE.svg]

Tries every choice on every graph with up to seven nodes (networkx's atlas), as docs/theory.md tells: for each compact
graph, each number of nodes, and each partition that a run can come to, all sets of nodes of g beside all sets of nodes
of a copy. Then it measures, on families of compact graphs, how often a run accepts a copy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np

import wlt
from wlt import Graph
from wlt.refine.partition import Partition

HALF = 0
Together = int  # nodes recoloured together; HALF: half of the class


def smallest_class(colors: list[int]) -> list[int]:
    """The nodes of the smallest class of two nodes or more; of several, the one with the smallest colour."""
    classes = [[v for v, other in enumerate(colors) if other == color] for color in sorted(set(colors))]
    return min((nodes for nodes in classes if len(nodes) > 1), key=len, default=[])


def sets_of(nodes: list[int], together: Together) -> Iterator[tuple[int, ...]]:
    size = together or max(1, len(nodes) // 2)
    return combinations(nodes, min(size, len(nodes) - 1))


def closure(graph: Graph, colors: list[int], chosen: tuple[int, ...]) -> list[int]:
    """The stable colours after these nodes have got a new one."""
    marked = [2 * color + (v in chosen) for v, color in enumerate(colors)]
    return [int(color) for color in wlt.closure(graph, node_labels=marked)]


def alike(graph: Graph, colors: list[int], left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Does no closure tell the graph with one set recoloured from its copy with the other?"""
    n = graph.num_nodes
    marked = [2 * color + (v in chosen) for chosen in (left, right) for v, color in enumerate(colors)]
    return Partition(Graph.union([graph, graph]), marked).refine(border=n)


def witness(graph: Graph, together: Together) -> tuple[list[int], tuple[int, ...], tuple[int, ...]] | None:
    """Colours that a run can come to, and two sets of nodes, one of g and one of a copy, that are told apart."""
    colors = [int(color) for color in wlt.closure(graph)]
    known: set[tuple[int, ...]] = set()
    waiting = [colors]
    while waiting:
        colors = waiting.pop()
        if tuple(colors) in known or not (nodes := smallest_class(colors)):
            continue
        known.add(tuple(colors))
        sets = list(sets_of(nodes, together))
        for left, right in combinations(sets, 2):
            if not alike(graph, colors, left, right):
                return colors, left, right
        waiting += [closure(graph, colors, chosen) for chosen in sets]
    return None


def exhaustive() -> dict[Together, list[Graph]]:
    """Prints how many compact graphs of each size fail; answers with the smallest of them."""
    compact: dict[int, list[Graph]] = {}
    for drawn in nx.graph_atlas_g()[1:]:
        graph = wlt.as_graph(drawn)
        if wlt.graph_class(graph).compact:
            compact.setdefault(graph.num_nodes, []).append(graph)
    smallest: dict[Together, list[Graph]] = {}
    print("| nodes | compact graphs | fail with 2 nodes | with 3 | with half of the class |")
    print("|---:|---:|---:|---:|---:|")
    for nodes, graphs in compact.items():
        row = []
        for together in (2, 3, HALF):
            failing = [graph for graph in graphs if witness(graph, together)]
            row.append(len(failing))
            if failing:
                smallest.setdefault(together, failing)
        print(f"| {nodes} | {len(graphs)} | {' | '.join(map(str, row))} |", flush=True)
    return smallest


FAMILIES: dict[str, Callable[[], nx.Graph]] = {
    "complete graph of 12": lambda: nx.complete_graph(12),
    "star of 13": lambda: nx.star_graph(12),
    "binary tree of 31": lambda: nx.balanced_tree(2, 4),
    "random tree of 40": lambda: nx.random_labeled_tree(40, seed=1),
    "4 edges": lambda: nx.disjoint_union_all([nx.path_graph(2)] * 4),
    "cycle of 5": lambda: nx.cycle_graph(5),
    "cycle of 8": lambda: nx.cycle_graph(8),
    "cycle of 12": lambda: nx.cycle_graph(12),
    "4 paths of 3": lambda: nx.disjoint_union_all([nx.path_graph(3)] * 4),
    "4 triangles": lambda: nx.disjoint_union_all([nx.complete_graph(3)] * 4),
}


def rates() -> None:
    """Prints how often a run accepts a copy, with and without the rule that repairs it."""
    print("| compact graph | 2 nodes | 3 | half | guided, each of them |")
    print("|---|---:|---:|---:|---:|")
    for name, make in FAMILIES.items():
        graph = wlt.as_graph(make())
        copy = graph.relabel(np.random.default_rng(0).permutation(graph.num_nodes))
        shares = [
            [
                wlt.tinhofer_test(graph, copy, recolor=recolor, guided=guided, trials=2000, seed=0).share_accepted
                for recolor in (2, 3, "half")
            ]
            for guided in (False, True)
        ]
        told = " | ".join(f"{100 * share:.0f} %" for share in shares[0])
        print(f"| {name} | {told} | {100 * min(shares[1]):.0f} % |", flush=True)


def draw(smallest: dict[Together, list[Graph]], path: Path) -> None:
    """The smallest graphs that fail, each beside its copy, with the sets that are told apart marked, in one picture."""
    square = [(0, 0), (80, 0), (80, 80), (0, 80)]
    graphs: list[Graph] = []
    colors: list[int] = []
    positions: list[tuple[float, float]] = []
    for graph in [each for each in smallest[2] for _ in range(2)]:
        found = witness(graph, 2)
        assert found is not None
        chosen = found[1 + len(graphs) % 2]
        positions += [(180 * len(graphs) + x, y) for x, y in square]
        colors += [int(v in chosen) for v in range(graph.num_nodes)]
        graphs.append(graph)
    path.write_text(wlt.draw(Graph.union(graphs), colors, positions=positions).svg)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", type=Path, help="draw the smallest graphs that fail into this SVG file")
    arguments = parser.parse_args()
    smallest = exhaustive()
    for together, graphs in smallest.items():
        what = f"{together} nodes" if together else "half of the class"
        edges = "; ".join(str([tuple(edge) for edge in graph.edges().tolist()]) for graph in graphs)
        print(f"smallest that fail with {what}: {graphs[0].num_nodes} nodes, edges {edges}")
    rates()
    if arguments.figure:
        draw(smallest, arguments.figure)


if __name__ == "__main__":
    main()
