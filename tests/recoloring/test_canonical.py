"""Canonical choice: the same node up to automorphism, however the nodes are numbered."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from strategies import relabeled_graphs, rook_graph, shrikhande_graph
from wlt import Graph, as_graph, closure
from wlt.recoloring import kernels as recoloring_kernels
from wlt.recoloring.choice import ROUNDS, TRIAL_BUDGET, CanonicalChoice


def largest_cells(graph: Graph, names: np.ndarray) -> np.ndarray:
    """The nodes of the largest classes of the stable partition; none where it is discrete."""
    cells = closure(graph, node_labels=names.astype(np.int64))
    sizes = np.bincount(cells)[cells]
    return np.flatnonzero((sizes == sizes.max()) & (sizes > 1)).astype(np.int32)


def choice(graph: Graph, names: np.ndarray | None = None, choose: CanonicalChoice | None = None) -> int:
    """The one node chosen in a single graph."""
    names = np.zeros(graph.num_nodes, np.uint64) if names is None else names
    candidates = largest_cells(graph, names)
    (node,) = (choose or CanonicalChoice())(graph, names, np.array([0, len(candidates)]), candidates).tolist()
    return int(node)


def marked(graph: Graph, names: list[int], node: int) -> nx.Graph[int]:
    plain = graph.to_networkx()
    nx.set_node_attributes(plain, {v: (name, v == node) for v, name in enumerate(names)}, "color")
    return plain


def same_up_to_automorphism(g: Graph, g_names: list[int], v: int, h: Graph, h_names: list[int], u: int) -> bool:
    """Decided by networkx: is there an isomorphism that maps v to u and keeps the names?"""
    match = nx.algorithms.isomorphism.categorical_node_match("color", None)
    return bool(nx.is_isomorphic(marked(g, g_names, v), marked(h, h_names, u), node_match=match))


@given(relabeled_graphs())
def test_relabelled_copies_choose_the_same_node(
    drawn: tuple[Graph, Graph, list[int], list[int], list[int]],
) -> None:
    g, h, g_colors, h_colors, _ = drawn
    g_names, h_names = (np.array(colors, np.int64).astype(np.uint64) for colors in (g_colors, h_colors))
    if g.num_nodes == 0 or not len(largest_cells(g, g_names)):
        return
    v, u = choice(g, g_names), choice(h, h_names)
    assert v in largest_cells(g, g_names)
    assert same_up_to_automorphism(g, g_colors, v, h, h_colors, u)


def most_refining(graph: Graph) -> tuple[set[int], bool]:
    """The nodes that the invariant keeps, and whether they are known to be equivalent."""
    names = np.zeros(graph.num_nodes, np.uint64)
    candidates = largest_cells(graph, names)
    bounds = np.array([0, len(candidates)])
    arrays = (graph.adjacency, graph.arc_words, graph.starts, names, bounds, candidates, np.array([0]))
    _, kept, equivalent = recoloring_kernels.most_refining(*arrays, ROUNDS, TRIAL_BUDGET)
    return set(kept.tolist()), bool(equivalent[0])


def orbits(graph: Graph) -> list[set[int]]:
    """By networkx: nodes are in one orbit iff the graphs with either marked are isomorphic."""
    names = [0] * graph.num_nodes
    classes: list[set[int]] = []
    for v in range(graph.num_nodes):
        for orbit in classes:
            if same_up_to_automorphism(graph, names, min(orbit), graph, names, v):
                orbit.add(v)
                break
        else:
            classes.append({v})
    return classes


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(nx.path_graph(6), id="P6"),
        pytest.param(nx.cycle_graph(7), id="C7"),
        pytest.param(nx.frucht_graph(), id="Frucht"),
        pytest.param(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)), id="C3+C4"),
    ],
)
def test_where_the_nodes_that_remain_are_equivalent_they_are_one_orbit(graph: nx.Graph[int]) -> None:
    kept, equivalent = most_refining(as_graph(graph))
    assert equivalent
    assert any(kept <= orbit for orbit in orbits(as_graph(graph)))


def test_where_one_orbit_remains_but_colour_refinement_cannot_prove_it() -> None:
    petersen = as_graph(nx.petersen_graph())
    kept, equivalent = most_refining(petersen)
    assert [kept] == orbits(petersen)
    assert not equivalent  # so the canonical order decides, as if they were different


def two_srgs() -> Graph:
    """Shrikhande's graph and the rook's beside each other: one more marked node refines both alike."""
    return as_graph(nx.disjoint_union(shrikhande_graph(), rook_graph()))


def test_where_they_are_not_it_is_known_and_the_canonical_order_decides() -> None:
    graph = two_srgs()
    kept, equivalent = most_refining(graph)
    assert kept == set(range(32))  # two orbits: the invariant cannot tell them apart
    assert not equivalent
    # Around a node of the rook's graph there are two triangles, around one of Shrikhande's a hexagon.
    sides = set()
    for seed in range(12):
        copy = graph.relabel(np.random.default_rng(seed).permutation(32))
        around = copy.to_networkx().subgraph(copy.neighbors_of(choice(copy)).tolist())
        sides.add(nx.number_connected_components(around))
    assert len(sides) == 1


def test_beyond_the_budget_the_canonical_order_decides_alone() -> None:
    graph = as_graph(nx.disjoint_union(nx.petersen_graph(), nx.circular_ladder_graph(5)))
    names = [0] * 20
    for seed in range(5):
        copy = graph.relabel(np.random.default_rng(seed).permutation(20))
        v, u = (choice(each, choose=CanonicalChoice(trial_budget=0)) for each in (graph, copy))
        assert same_up_to_automorphism(graph, names, v, copy, names, u)


def test_what_is_remembered_is_of_the_graph_and_its_names() -> None:
    choose = CanonicalChoice()
    path = as_graph(nx.path_graph(4))
    moved = path.relabel([2, 0, 3, 1])
    asked = [(path, [0, 0, 0, 0]), (moved, [0, 0, 0, 0]), (path, [1, 0, 0, 1]), (path, [0, 0, 0, 0])]
    for graph, names in asked:
        array = np.array(names, np.uint64)
        assert choice(graph, array, choose) == choice(graph, array)


def test_graphs_of_a_union_are_decided_one_by_one() -> None:
    parts = [as_graph(graph) for graph in (nx.path_graph(5), nx.star_graph(3), nx.path_graph(5))]
    union = Graph.union(parts)
    names = np.zeros(union.num_nodes, np.uint64)
    own = [largest_cells(part, np.zeros(part.num_nodes, np.uint64)) for part in parts]
    bounds = np.cumsum([0, *map(len, own)])
    nodes = np.concatenate([cell + start for cell, start in zip(own, union.starts[:-1], strict=True)]).astype(np.int32)
    chosen = CanonicalChoice()(union, names, bounds, nodes)
    assert chosen.tolist() == [int(start) + choice(part) for start, part in zip(union.starts, parts, strict=False)]
