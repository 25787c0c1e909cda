"""Graphs for the tests of the isomorphism tests: hypothesis strategies, named graphs, the atlas and BREC."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from wlt import Graph, as_graph, closure
from wlt.io import read_graphs


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 9) -> Graph:
    """Dense, sparse, tree-like and regular graphs: a union of up to three of them, relabelled."""
    parts: list[nx.Graph[int]] = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, max(1, max_nodes // draw(st.integers(1, 3)))))
        kind = draw(st.sampled_from(["random", "tree", "cycle", "circulant"]))
        if kind == "random" or n == 0:
            chosen = draw(st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
            part = nx.empty_graph(n)
            part.add_edges_from(pair for pair, taken in zip(combinations(range(n), 2), chosen, strict=True) if taken)
        elif kind == "tree":
            part = nx.empty_graph(n)
            part.add_edges_from((draw(st.integers(0, v - 1)), v) for v in range(1, n))
        elif kind == "cycle":
            part = nx.cycle_graph(n)
        else:
            part = nx.circulant_graph(n, draw(st.lists(st.integers(1, max(1, n - 1)), max_size=2)))
        parts.append(part)
    graph = as_graph(nx.disjoint_union_all(parts), simple=True)
    return graph.relabel(draw(st.permutations(range(graph.num_nodes))))


@st.composite
def colored_graphs(draw: st.DrawFn, max_nodes: int = 9) -> tuple[Graph, list[int] | None]:
    """A graph with node colours, any integers, or without."""
    graph = draw(graphs(max_nodes))
    n = graph.num_nodes
    values = st.sampled_from([0, 1, -7, 10**12])
    return graph, draw(st.none() | st.lists(values, min_size=n, max_size=n))


@st.composite
def relabeled_graphs(draw: st.DrawFn, max_nodes: int = 9) -> tuple[Graph, Graph, list[int], list[int], list[int]]:
    """(g, h, colours of g, colours of h, p): h is g with node v called p[v], and the colours go along."""
    graph, colors = draw(colored_graphs(max_nodes))
    permutation = draw(st.permutations(range(graph.num_nodes)))
    given = [0] * graph.num_nodes if colors is None else colors
    moved = list(given)
    for v, image in enumerate(permutation):
        moved[image] = given[v]
    return graph, graph.relabel(permutation), given, moved, permutation


def shuffled(graph: Graph, seed: int) -> Graph:
    """A relabelled copy."""
    return graph.relabel(np.random.default_rng(seed).permutation(graph.num_nodes))


def as_partition(colors: object) -> set[frozenset[int]]:
    """Colours without their numbers."""
    cells: dict[int, set[int]] = {}
    for node, color in enumerate(np.asarray(colors).tolist()):
        cells.setdefault(color, set()).add(node)
    return {frozenset(cell) for cell in cells.values()}


def rook_graph() -> nx.Graph[int]:
    """The 4 x 4 rook's graph, strongly regular with the parameters of the Shrikhande graph."""
    return nx.convert_node_labels_to_integers(nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4)))


def shrikhande_graph() -> nx.Graph[int]:
    """The Cayley graph of Z4 x Z4 with the connection set ±(1, 0), ±(0, 1), ±(1, 1)."""
    steps = [(1, 0), (0, 1), (1, 1)]
    nodes = [(i, j) for i in range(4) for j in range(4)]
    edges = [((i, j), ((i + a) % 4, (j + b) % 4)) for i, j in nodes for a, b in steps]
    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return nx.convert_node_labels_to_integers(graph)


def two_triangles() -> nx.Graph[int]:
    return nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


@cache
def atlas() -> list[Graph]:
    """The 1252 graphs of networkx's atlas that have nodes: up to seven, no two isomorphic."""
    return [as_graph(graph) for graph in nx.graph_atlas_g()[1:]]


@cache
def equivalent_pairs() -> list[tuple[Graph, Graph]]:
    """The pairs of atlas graphs that WL cannot tell apart, found by the colours of one big union."""
    union = Graph.union(atlas())
    colors = closure(union)
    classes: dict[tuple[int, ...], list[Graph]] = {}
    for i, graph in enumerate(atlas()):
        own = colors[union.starts[i] : union.starts[i + 1]]
        classes.setdefault(tuple(sorted(own.tolist())), []).append(graph)
    return [pair for alike in classes.values() for pair in combinations(alike, 2)]


@cache
def pairs_with_equal_degrees() -> list[tuple[Graph, Graph]]:
    """Pairs of different atlas graphs with the same degree sequence: all non-isomorphic."""
    alike: dict[tuple[int, ...], list[Graph]] = {}
    for graph in atlas():
        alike.setdefault(tuple(sorted(graph.degrees.tolist())), []).append(graph)
    return [pair for group in alike.values() for pair in combinations(group, 2)]


def brec(data_dir: Path, part: str = "*") -> list[tuple[Graph, Graph]]:
    """The pairs of the BREC benchmark, or of one part of it."""
    pairs = []
    for file in sorted((data_dir / "expressiveness" / "brec").glob(f"{part}.g6")):
        graphs = read_graphs(file)
        pairs += list(zip(graphs[::2], graphs[1::2], strict=True))
    return pairs


def maps_edges_onto_edges(g: Graph, h: Graph, mapping: object) -> bool:
    """Is the mapping of node numbers an isomorphism? Decided with networkx alone."""
    images = np.asarray(mapping).tolist()
    left, right = (nx.empty_graph(graph.num_nodes) for graph in (g, h))
    left.add_edges_from(g.edges().tolist())
    right.add_edges_from(h.edges().tolist())
    renamed = nx.relabel_nodes(left, dict(enumerate(images)), copy=True)
    return sorted(images) == list(range(h.num_nodes)) and nx.utils.graphs_equal(renamed, right)
