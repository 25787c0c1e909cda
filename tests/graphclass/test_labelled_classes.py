"""wlt.graph_class of graphs whose edges carry labels, directions, parallel edges and loops, against the definitions."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
import scipy.optimize
from hypothesis import example, given, settings
from numpy.typing import NDArray

from labelled import Drawn, automorphisms_by_trying, drawn_graphs, stable_by_hand
from strategies import as_partition
from wlt import graph_class

ARC = Drawn(2, ((0, 1),), (0,), True)
DIRECTED_TRIANGLE = Drawn(3, ((0, 1), (1, 2), (2, 0)), (0, 0, 0), True)
TWO_DIRECTED_TRIANGLES = Drawn(6, ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)), (0,) * 6, True)
ALTERNATING_SQUARE = Drawn(4, ((0, 1), (1, 2), (2, 3), (3, 0)), (0, 1, 0, 1), False)
PALEY_TOURNAMENT = Drawn(7, tuple((v, (v + step) % 7) for step in (1, 2, 4) for v in range(7)), (0,) * 21, True)
TRIANGLE_BESIDE_SQUARE = Drawn(7, ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)), (0,) * 7, True)


def orbits(permutations: list[tuple[int, ...]], nodes: int) -> set[frozenset[int]]:
    return {frozenset(images[v] for images in permutations) for v in range(nodes)}


def recolored(nodes: int, fixed: tuple[int, ...]) -> list[int]:
    return [1 + fixed.index(v) if v in fixed else 0 for v in range(nodes)]


def is_tinhofer(drawn: Drawn, automorphisms: list[tuple[int, ...]]) -> bool:
    """Whatever nodes are recoloured, the stable classes are the orbits of the automorphisms that fix them."""
    pending: list[tuple[int, ...]] = [()]
    while pending:
        fixed = pending.pop()
        cells = as_partition(stable_by_hand(drawn, recolored(drawn.nodes, fixed)))
        if cells != orbits([images for images in automorphisms if all(images[v] == v for v in fixed)], drawn.nodes):
            return False
        pending += [(*fixed, min(cell)) for cell in cells if len(cell) > 1]
    return True


def matrices(drawn: Drawn) -> list[NDArray[np.float64]]:
    """For every multiset of labels and directions between two nodes, who is joined to whom by just that; and for every
    multiset of labels of loops the diagonal matrix of the nodes that have it."""
    between: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for (u, v), label in zip(drawn.edges, drawn.labels, strict=True):
        between[u, v].append(("out" if drawn.directed and u != v else "both", label))
        if u != v:
            between[v, u].append(("in" if drawn.directed else "both", label))
    kinds = sorted({(u == v, *sorted(tokens)) for (u, v), tokens in between.items()})
    found = np.zeros((len(kinds), drawn.nodes, drawn.nodes))
    for (u, v), tokens in between.items():
        found[kinds.index((u == v, *sorted(tokens))), u, v] = 1
    return list(found)


def is_compact(drawn: Drawn, automorphisms: list[tuple[int, ...]], objectives: int) -> bool:
    """Is no linear function larger on a doubly stochastic X with X A = A X for all these matrices than on the
    automorphisms? By random functions, so that True is what was seen."""
    n = drawn.nodes
    one, ones = np.eye(n), np.ones((1, n))
    commute = [np.kron(one, a.T) - np.kron(a, one) for a in matrices(drawn)]  # of X, row by row
    equations = np.concatenate([*commute, np.kron(one, ones), np.kron(ones, one)])
    values = np.concatenate([np.zeros(len(commute) * n * n), np.ones(2 * n)])
    random = np.random.default_rng(0)
    rows = np.arange(n)
    for _ in range(objectives):
        cost = random.normal(size=(n, n))
        found = scipy.optimize.linprog(-cost.reshape(-1), A_eq=equations, b_eq=values)
        assert found.status == 0
        if -found.fun > max(cost[rows, list(images)].sum() for images in automorphisms) + 1e-7:
            return False
    return True


@settings(max_examples=300)
@given(drawn_graphs(max_nodes=6))
@example(ARC)
@example(TWO_DIRECTED_TRIANGLES)
@example(ALTERNATING_SQUARE)
def test_refinable_and_tinhofer_by_trying_all_permutations(drawn: Drawn) -> None:
    result = graph_class(drawn.graph())
    automorphisms = automorphisms_by_trying(drawn)
    cells = as_partition(stable_by_hand(drawn))
    assert result.discrete == (len(cells) == drawn.nodes)
    assert result.refinable == (cells == orbits(automorphisms, drawn.nodes))
    assert result.tinhofer == is_tinhofer(drawn, automorphisms)


@settings(max_examples=150)
@given(drawn_graphs(max_nodes=5))
@example(ARC)
@example(DIRECTED_TRIANGLE)
@example(ALTERNATING_SQUARE)
@example(TWO_DIRECTED_TRIANGLES)
@example(PALEY_TOURNAMENT)
def test_compact_by_the_definition(drawn: Drawn) -> None:
    answer = graph_class(drawn.graph()).compact
    assert answer is not None
    assert is_compact(drawn, automorphisms_by_trying(drawn), 3 if answer else 100) is answer


def test_labelled_petersen_graph_is_not_compact_and_a_directed_cycle_is() -> None:
    petersen = nx.petersen_graph()
    nx.set_edge_attributes(petersen, "x", "bond")
    plain, labelled = graph_class(petersen, edge_labels=None), graph_class(petersen, edge_labels="bond")
    assert (labelled.compact, labelled.tinhofer, labelled.refinable) == (False, True, True)
    assert (plain.compact, plain.tinhofer, plain.refinable) == (False, True, True)
    cycle = graph_class(nx.cycle_graph(30, nx.DiGraph))
    assert (cycle.compact, cycle.tinhofer, cycle.refinable) == (True, True, True)


def test_different_directed_cycles_are_not_refinable() -> None:
    result = graph_class(TRIANGLE_BESIDE_SQUARE.graph())
    assert (result.discrete, result.compact, result.tinhofer, result.refinable) == (False, False, False, False)


@pytest.mark.parametrize("drawn", [ARC, ALTERNATING_SQUARE])
def test_amenable_is_left_open_with_its_reason(drawn: Drawn) -> None:
    result = graph_class(drawn.graph())
    assert result.amenable is None
    assert result.reasons["amenable"] == (
        "the theorem about amenable graphs does not cover labels and directions of edges"
    )
