"""Quotients with more symmetry than their graph: graphs that are not compact."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from wlt import as_graph, closure, graph_class
from wlt.graph import Graph
from wlt.graphclass.polytope import edges_at_identity_are_integral, fractional_extreme_point
from wlt.graphclass.quotients import cyclic_orbits, has_symmetry_of_its_own, random_automorphisms
from wlt.refine.bliss import TimeLimit, automorphisms

LIMIT = TimeLimit(None)


def torus(a: int, b: int) -> Any:
    return nx.cartesian_product(nx.cycle_graph(a), nx.cycle_graph(b))


def by_direction(graph: Any) -> Any:
    """Edges labelled by the coordinate in which their ends differ."""
    directions = {(u, v): next(i for i in range(len(u)) if u[i] != v[i]) for u, v in graph.edges}
    nx.set_edge_attributes(graph, directions, "direction")
    return graph


def has_symmetric_quotient(graph: Graph) -> bool:
    colors = closure(graph)
    generators = automorphisms(graph, colors)
    return len(generators) > 0 and any(
        has_symmetry_of_its_own(graph, colors, cells, LIMIT)
        for automorphism in random_automorphisms(generators, 20)
        for cells in cyclic_orbits(automorphism)
    )


@pytest.mark.parametrize("graph", [nx.hypercube_graph(7), torus(12, 12)], ids=["Q7", "torus-12x12"])
def test_large_families_are_not_compact(graph: Any) -> None:
    result = graph_class(graph, budget=100_000)
    assert result.compact is False
    assert "quotient" in result.reasons["compact"]


def test_the_antipodal_quotient_of_q4_has_symmetries_that_q4_has_not() -> None:
    """It is K4,4: of its 1152 automorphisms, Q4 has 384 / 2."""
    graph = as_graph(nx.hypercube_graph(4))
    antipodal = np.minimum(np.arange(16), 15 - np.arange(16))
    assert has_symmetry_of_its_own(graph, closure(graph), antipodal, LIMIT)
    assert not has_symmetry_of_its_own(graph, closure(graph), np.arange(16), LIMIT)


def test_compact_graphs_have_no_such_quotient() -> None:
    """Against exact enumeration of the polytope's edges, on circulant graphs and on products of small ones."""
    circulants = [nx.circulant_graph(n, jumps) for n in range(5, 13) for jumps in ([1], [1, 2], [1, 3], [2, 3])]
    products = [nx.cartesian_product(nx.path_graph(n), nx.cycle_graph(m)) for n in (2, 3) for m in (3, 4, 5)]
    named = [nx.hypercube_graph(3), nx.hypercube_graph(4), nx.petersen_graph(), torus(3, 3), torus(4, 4)]
    agreed = 0
    for each in [*circulants, *products, *named]:
        graph = as_graph(each)
        if has_symmetric_quotient(graph):
            integral = edges_at_identity_are_integral(graph, closure(graph))
            assert integral is False or fractional_extreme_point(graph, closure(graph), 20) is not None
            agreed += 1
    assert agreed > 0


def test_labels_of_edges_are_kept_apart() -> None:
    """The directions of a cube's edges leave it translations alone, which are transitive, and those of its quotients
    come from them."""
    cube = by_direction(nx.hypercube_graph(4))
    plain, labelled = as_graph(cube, edge_labels=None), as_graph(cube, edge_labels="direction")
    assert has_symmetric_quotient(plain)
    assert not has_symmetric_quotient(labelled)
    assert edges_at_identity_are_integral(labelled, closure(labelled)) is not False


@pytest.mark.parametrize(
    ("images", "numbers"),
    [([1, 2, 3, 4, 5, 0], [3, 2, 1]), ([1, 0, 3, 4, 2, 5], [5, 4, 3]), ([1, 2, 3, 4, 0, 5], [2])],
    ids=["six", "two-and-three", "five"],
)
def test_orbits_of_powers(images: list[int], numbers: list[int]) -> None:
    """One partition for each subgroup but the trivial one."""
    assert [len(set(cells.tolist())) for cells in cyclic_orbits(np.array(images))] == numbers
