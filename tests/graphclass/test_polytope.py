"""The polytope of fractional automorphisms: its extreme points, and its edges at the identity."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx
import pytest

from strategies import atlas
from wlt import Graph, as_graph, closure
from wlt.graphclass.polytope import (
    automorphism_equations,
    edges_at_identity,
    edges_at_identity_are_integral,
    fractional_extreme_point,
    merged,
)


def automorphism_polytope(name: str) -> tuple[Graph, Any]:
    named = {
        "K4": nx.complete_graph(4),
        "C7": nx.cycle_graph(7),
        "cube": nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
        "C3+C4": nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)),
        "C3+C6": nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(6)),
        "petersen": nx.petersen_graph(),
        "rook-3x3": nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_bipartite_graph(3, 3))),
        "heawood": nx.heawood_graph(),
        "asymmetric": nx.frucht_graph(),
    }
    graph = as_graph(named[name])
    return graph, closure(graph)


@pytest.mark.parametrize("name", ["K4", "C7", "cube"])
def test_integral_polytopes(name: str) -> None:
    graph, cells = automorphism_polytope(name)
    assert edges_at_identity_are_integral(graph, cells) is True
    assert fractional_extreme_point(graph, cells, 10) is None


@pytest.mark.parametrize("name", ["C3+C4", "C3+C6", "petersen", "rook-3x3", "heawood", "asymmetric"])
def test_fractional_extreme_points(name: str) -> None:
    """X is doubly stochastic, so its entries sum to n, exactly; it has more than n of them iff it is fractional."""
    graph, cells = automorphism_polytope(name)
    point = fractional_extreme_point(graph, cells, 10)
    assert point is not None
    assert min(point) > 0
    assert sum(point, Fraction(0)) == graph.num_nodes
    assert len(point) > graph.num_nodes


@pytest.mark.parametrize("name", ["C3+C4", "C3+C6"])
def test_an_edge_at_the_identity_tells_that_cells_are_no_orbits(name: str) -> None:
    graph, cells = automorphism_polytope(name)
    assert edges_at_identity_are_integral(graph, cells) is False


def test_edges_at_the_identity_of_the_doubly_stochastic_matrices_are_the_cycles() -> None:
    """Without edges and colours, S(A) is Birkhoff's polytope; the neighbours of the identity are the single cycles."""
    graph = Graph.from_edges(5, [])
    rays = edges_at_identity(automorphism_equations(graph, closure(graph)))
    assert rays is not None
    assert len({ray.tobytes() for ray in rays}) == len(rays) == 10 + 2 * 10 + 6 * 5 + 24


def test_extreme_points_and_edges_agree_on_the_atlas() -> None:
    """Two ways to the same answer: graphs of up to five nodes are compact, two unequal cycles are not."""
    both = [
        (edges_at_identity_are_integral(graph, cells), fractional_extreme_point(graph, cells, 3) is not None)
        for graph, cells in ((graph, closure(graph)) for graph in atlas() if graph.num_nodes <= 5)
    ]
    assert both == [(True, False)] * len(both)
    for p, q in combinations(range(3, 6), 2):
        graph = as_graph(nx.disjoint_union(nx.cycle_graph(p), nx.cycle_graph(q)))
        cells = closure(graph)
        assert edges_at_identity_are_integral(graph, cells) is False
        assert fractional_extreme_point(graph, cells, 10) is not None


@pytest.mark.parametrize("graph", [nx.grid_2d_graph(3, 4), nx.cycle_graph(6), nx.hypercube_graph(3), nx.star_graph(3)])
def test_merged_equations_have_the_same_edges_at_the_identity(graph: Any) -> None:
    plain = automorphism_equations(as_graph(graph), closure(graph))
    fewer = merged(plain)
    assert len(fewer.rows) <= len(plain.rows)
    rays, merged_rays = edges_at_identity(plain), edges_at_identity(fewer)
    assert rays is not None
    assert merged_rays is not None
    pairs = list(zip(plain.rows.tolist(), plain.columns.tolist(), strict=True))
    kept = [pairs.index(pair) for pair in zip(fewer.rows.tolist(), fewer.columns.tolist(), strict=True)]
    assert sorted(rays[:, kept].tolist()) == sorted(merged_rays.tolist())


@pytest.mark.parametrize("sides", [(20, 20), (20, 21), (9, 30)])
def test_grids_are_compact(sides: tuple[int, int]) -> None:
    """3040 entries of X may be positive for the square one, and 192 of them differ."""
    graph = as_graph(nx.grid_2d_graph(*sides))
    assert edges_at_identity_are_integral(graph, closure(graph)) is True
