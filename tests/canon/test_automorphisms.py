"""Automorphism groups, against known orders, BLISS and brute force."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from labelled import Drawn, drawn_graphs
from strategies import as_partition, atlas, colored_graphs, rook_graph, shrikhande_graph, shuffled
from wlt import Graph, TooHard, as_graph, automorphisms, closure, orbits


@pytest.mark.parametrize(
    ("graph", "order"),
    [
        pytest.param(nx.petersen_graph(), 120, id="Petersen"),
        pytest.param(nx.hoffman_singleton_graph(), 252000, id="Hoffman-Singleton"),
        pytest.param(nx.hypercube_graph(7), 645120, id="Q7"),
        pytest.param(shrikhande_graph(), 192, id="Shrikhande"),
        pytest.param(rook_graph(), 1152, id="rook"),
        pytest.param(nx.paley_graph(13).to_undirected(), 78, id="Paley-13"),
        pytest.param(nx.frucht_graph(), 1, id="Frucht"),
        pytest.param(nx.complete_graph(60), math.factorial(60), id="K60"),
        pytest.param(nx.empty_graph(30), math.factorial(30), id="30-nodes"),
        pytest.param(nx.star_graph(25), math.factorial(25), id="star"),
        pytest.param(nx.balanced_tree(2, 7), 2 ** (2**7 - 1), id="binary-tree"),
        pytest.param(nx.balanced_tree(3, 4), 6 ** (1 + 3 + 9 + 27), id="ternary-tree"),
        pytest.param(nx.cycle_graph(301), 602, id="C301"),
        pytest.param(nx.cycle_graph(6, create_using=nx.DiGraph), 6, id="directed-C6"),
        pytest.param(
            nx.disjoint_union_all([nx.cycle_graph(6)] * 20 + [nx.cycle_graph(5)] * 3),
            12**20 * math.factorial(20) * 10**3 * 6,
            id="many-cycles",
        ),
    ],
)
def test_orders(graph: Any, order: int) -> None:
    assert automorphisms(graph).order == order


def test_atlas_like_bliss() -> None:
    for graph in atlas():
        assert automorphisms(graph).order == graph.to_igraph().count_automorphisms()


def rooted(tree: Any, node: int, parent: int | None) -> tuple[str, int]:
    """What a rooted tree is, and its automorphisms: the product, over nodes, of how children that are alike permute."""
    below = sorted(rooted(tree, child, node) for child in tree[node] if child != parent)
    order = math.prod(each for _, each in below)
    shapes = [shape for shape, _ in below]
    order *= math.prod(math.factorial(shapes.count(shape)) for shape in set(shapes))
    return f"({''.join(shapes)})", order


@pytest.mark.parametrize("seed", range(40))
def test_trees_by_formula(seed: int) -> None:
    tree = nx.random_labeled_tree(seed + 2, seed=seed)
    center = nx.center(tree)
    if len(center) == 1:
        order = rooted(tree, center[0], None)[1]
    else:
        halves = [rooted(tree, one, other) for one, other in (center, center[::-1])]
        order = halves[0][1] * halves[1][1] * (2 if halves[0][0] == halves[1][0] else 1)
    assert automorphisms(tree).order == order


def orbits_of(generators: Any, n: int) -> set[frozenset[int]]:
    """By networkx: nodes are joined to their images."""
    joined = nx.empty_graph(n)
    joined.add_edges_from((v, int(image)) for generator in generators for v, image in enumerate(generator))
    return {frozenset(component) for component in nx.connected_components(joined)}


@settings(max_examples=150)
@given(colored_graphs())
def test_orbits_and_generators_like_bliss(drawn: Any) -> None:
    graph, labels = drawn
    colors = [0] * graph.num_nodes if labels is None else np.unique(labels, return_inverse=True)[1].tolist()
    found = automorphisms(graph, node_labels="degrees" if labels is None else labels)
    bliss = graph.to_igraph()
    assert found.order == bliss.count_automorphisms(color=colors)
    expected = orbits_of(bliss.automorphism_group(color=colors), graph.num_nodes)
    assert as_partition(found.orbits) == expected
    assert orbits_of(found.generators, graph.num_nodes) == expected
    assert len(found.generators) < max(1, graph.num_nodes)


@pytest.mark.parametrize("join", [nx.cartesian_product, nx.tensor_product, nx.strong_product, nx.lexicographic_product])
def test_orbits_of_products_like_bliss(join: Any) -> None:
    """Several automorphisms join the nodes of an orbit, one behind the other."""
    rings = [nx.cycle_graph(n) for n in (3, 4, 5)]
    for ring in rings:
        for other in [*map(nx.path_graph, (1, 2, 3, 4)), *rings]:
            product = nx.convert_node_labels_to_integers(join(ring, other))
            for seed in range(3):
                graph = shuffled(as_graph(product), seed)
                bliss = graph.to_igraph()
                found = automorphisms(graph)
                assert found.order == bliss.count_automorphisms()
                assert as_partition(found.orbits) == orbits_of(bliss.automorphism_group(), graph.num_nodes)


def generated(generators: Any, n: int) -> set[tuple[int, ...]]:
    """All products."""
    found = {tuple(range(n))}
    new = list(found)
    while new:
        new = [
            product
            for each in new
            for generator in generators.tolist()
            if (product := tuple(generator[v] for v in each)) not in found and not found.add(product)  # type: ignore[func-returns-value]
        ]
    return found


@settings(max_examples=150)
@given(drawn_graphs(max_nodes=5))
def test_labelled_graphs_by_brute_force(drawn: Drawn) -> None:
    graph = drawn.graph()
    n = graph.num_nodes
    every = {each for each in permutations(range(n)) if graph.relabel(each).same_edges(graph)}
    found = automorphisms(graph)
    assert found.order == len(every)
    assert generated(found.generators, n) == every


def test_orbits_are_finer_than_the_closure() -> None:
    frucht = as_graph(nx.frucht_graph())
    assert len(set(orbits(frucht).tolist())) == 12
    assert len(set(closure(frucht).tolist())) == 1
    assert orbits(Graph.from_edges(0, [])).tolist() == []


def test_a_node_that_is_joined_to_its_orbit_by_way_of_others() -> None:
    prism = nx.cartesian_product(nx.cycle_graph(4), nx.path_graph(3))
    names = {node: i for i, node in enumerate(sorted(prism))}
    assert orbits(nx.relabel_nodes(prism, names)).tolist() == [0, 1, 0] * 4


def test_beyond_the_budget() -> None:
    with pytest.raises(TooHard, match="did not end within its budget of 1e\\+03"):
        automorphisms(nx.hoffman_singleton_graph(), budget=1000)
    with pytest.raises(ValueError, match="one graph is needed, not 2"):
        automorphisms([nx.path_graph(2), nx.path_graph(3)])


def test_the_result_says_what_was_not_looked_at() -> None:
    weighted = nx.path_graph(3)
    nx.set_edge_attributes(weighted, {(0, 1): 1.0, (1, 2): 2.0}, "weight")
    assert automorphisms(weighted).order == 2
    assert automorphisms(weighted).ignored == ("the edge attribute 'weight'",)
    assert automorphisms(weighted, edge_labels="weight").order == 1
