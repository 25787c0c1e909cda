"""The exact answer against igraph and networkx, above all where WL and Tinhofer's algorithm leave it open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import (
    brec,
    colored_graphs,
    equivalent_pairs,
    graphs,
    maps_edges_onto_edges,
    relabeled_graphs,
    rook_graph,
    shrikhande_graph,
    shuffled,
    two_triangles,
)
from wlt import Graph, Verdict, as_graph, isomorphism, tinhofer_test, wl_test
from wlt.compare.pair import as_pair


def isomorphic(g: Any, h: Any, colors: Any = None) -> bool:
    """The verdict, with its certificate checked by networkx."""
    result = isomorphism(g, h, node_labels=colors)
    assert bool(result) == (result.verdict is Verdict.ISOMORPHIC) == (result.mapping is not None)
    assert result or result.verdict is Verdict.NON_ISOMORPHIC
    if result.mapping is not None:
        assert maps_edges_onto_edges(as_graph(g), as_graph(h), result.mapping)
        if colors is not None:
            assert [colors[1][image] for image in result.mapping] == list(colors[0])
    return bool(result)


def isomorphic_by_networkx(g: Graph, h: Graph, colors: tuple[list[int], list[int]]) -> bool:
    left, right = g.to_networkx(), h.to_networkx()
    nx.set_node_attributes(left, dict(enumerate(colors[0])), "color")
    nx.set_node_attributes(right, dict(enumerate(colors[1])), "color")
    same_color = nx.algorithms.isomorphism.categorical_node_match("color", None)
    return bool(nx.is_isomorphic(left, right, node_match=same_color))


@given(graphs(4), graphs(4))
def test_any_two_graphs(g: Graph, h: Graph) -> None:
    assert isomorphic(g, h) == g.to_igraph().isomorphic(h.to_igraph())


@given(colored_graphs(5), st.data())
def test_any_two_coloured_graphs(case: tuple[Graph, list[int] | None], data: st.DataObject) -> None:
    """The second is the first with some edge turned and its colours permuted: near enough to be isomorphic often."""
    g, colors = case
    n = g.num_nodes
    edges = g.edges().tolist()
    if edges:
        edges[0] = [data.draw(st.integers(0, n - 1)), edges[0][1]]
    h = Graph.from_edges(n, edges)
    colors_g = colors or [0] * n
    colors_h = list(data.draw(st.permutations(colors_g)))
    assert isomorphic(g, h, (colors_g, colors_h)) == isomorphic_by_networkx(g, h, (colors_g, colors_h))


@given(relabeled_graphs())
def test_relabelled_graphs(case: tuple[Graph, Graph, list[int], list[int], list[int]]) -> None:
    g, h, colors_g, colors_h, _ = case
    assert isomorphic(g, h)
    assert isomorphic(g, h, (colors_g, colors_h))


@given(relabeled_graphs(7), st.data())
def test_the_certificate_is_checked_as_networkx_would(
    case: tuple[Graph, Graph, list[int], list[int], list[int]], data: st.DataObject
) -> None:
    """Any permutation, the right one with two images exchanged, and the right one."""
    g, h, colors_g, colors_h, right = case
    pair = as_pair(g, h, (colors_g, colors_h))
    almost = list(right)
    if len(right) > 1:
        u, v = data.draw(st.integers(0, len(right) - 1)), data.draw(st.integers(0, len(right) - 1))
        almost[u], almost[v] = almost[v], almost[u]
    for mapping in (right, almost, data.draw(st.permutations(right))):
        keeps_colors = [colors_h[image] for image in mapping] == colors_g
        expected = keeps_colors and maps_edges_onto_edges(g, h, mapping)
        assert pair.is_isomorphism(np.array(mapping, np.int64)) == expected
    assert not pair.is_isomorphism(np.zeros(len(right) + 1, np.int64))


def test_pairs_of_the_atlas_that_wl_passes() -> None:
    assert not any(isomorphic(g, h) for g, h in equivalent_pairs())


@pytest.mark.parametrize("part", ["str", "cfi", "4vtx"])
def test_what_tinhofer_misses_is_found(data_dir: Path, part: str) -> None:
    """Relabelled copies of one graph: igraph must find what the run inside `isomorphism` (seed 0) has rejected."""
    missed = 0
    for i, (g, h) in enumerate(brec(data_dir, part)[::4]):
        copy = shuffled(g, i)
        missed += tinhofer_test(g, copy, seed=0).mapping is None
        assert isomorphic(g, copy)
        assert not isomorphic(g, h)
    assert missed > 0


@pytest.mark.parametrize("seed", range(4))
def test_colours_where_igraph_decides(seed: int) -> None:
    """A marked node of the Shrikhande graph, at different places; it is vertex-transitive, and two marks are not."""
    g = as_graph(shrikhande_graph())
    h = shuffled(g, seed)
    one = [1] + [0] * 15
    assert isomorphic(g, h, (one, one))
    neighbour, stranger = int(h.neighbors_of(0)[0]), next(v for v in range(1, 16) if not h.has_edge(0, v))
    two = [2 if v == g.neighbors_of(0)[0] else color for v, color in enumerate(one)]
    near = [2 if v == neighbour else color for v, color in enumerate(one)]
    far = [2 if v == stranger else color for v, color in enumerate(one)]
    assert isomorphic(g, h, (two, near))
    assert not isomorphic(g, h, (two, far))


@pytest.mark.parametrize(
    ("g", "h", "expected"),
    [
        pytest.param(nx.cycle_graph(6), two_triangles(), False, id="C6-vs-2C3"),
        pytest.param(shrikhande_graph(), rook_graph(), False, id="Shrikhande-vs-rook"),
        pytest.param(nx.petersen_graph(), nx.complement(nx.line_graph(nx.complete_graph(5))), True, id="Petersen"),
        pytest.param(nx.heawood_graph(), nx.LCF_graph(14, [-5, 5], 7), True, id="Heawood"),
        pytest.param(nx.complete_graph(4), nx.complete_graph(5), False, id="K4-vs-K5"),
        pytest.param("?", (0, []), True, id="empty"),
        pytest.param("@", (1, []), True, id="one-node"),
        pytest.param("?", "@", False, id="empty-vs-one-node"),
    ],
)
def test_named_pairs(g: Any, h: Any, expected: bool) -> None:
    assert isomorphic(g, h) is expected
    assert str(isomorphism(g, h).verdict) == ("isomorphic" if expected else "non-isomorphic")


def test_edges_that_can_be_read_once() -> None:
    hexagon = [(i, (i + 1) % 6) for i in range(6)]
    triangles = list(two_triangles().edges)
    assert isomorphism((6, iter(hexagon)), (6, iter(hexagon)))
    assert not isomorphism((6, iter(hexagon)), (6, iter(triangles)))


def test_colours_by_the_name_of_an_attribute() -> None:
    left, right = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(left, dict(enumerate("OCO")), "atom")
    nx.set_node_attributes(right, dict(enumerate("COO")), "atom")
    assert isomorphism(left, right)
    assert not isomorphism(left, right, node_labels="atom")
    assert isomorphism(left, left.copy(), node_labels="atom")
    with pytest.raises(ValueError, match="graph 0: no node has an attribute 'charge'"):
        isomorphism(left, right, node_labels="charge")


def test_signed_and_unsigned_colours_are_compared_as_integers() -> None:
    large = np.array([2**60]), np.array([2**60 + 1], np.uint64)
    assert not isomorphism("@", "@", node_labels=large)
    assert isomorphism("@", "@", node_labels=(large[0], np.array([2**60], np.uint64)))


@pytest.mark.parametrize(
    ("h", "colors", "error", "message"),
    [
        pytest.param("A", None, ValueError, "truncated", id="truncated-graph6"),
        pytest.param([1, 2], None, TypeError, "cannot make a graph of list", id="no-graph"),
        pytest.param("A_", ([0, 0], [1]), ValueError, "second graph", id="colours-too-few"),
    ],
)
def test_bad_input(h: Any, colors: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        isomorphism("A_", h, node_labels=colors)


@pytest.mark.parametrize(
    ("g", "h"),
    [
        pytest.param(nx.cycle_graph(6), two_triangles(), id="rejected-by-exact-search"),
        pytest.param(nx.cycle_graph(6), nx.path_graph(6), id="rejected-by-WL"),
        pytest.param(nx.path_graph(5), nx.path_graph(6), id="different-size"),
        pytest.param(nx.petersen_graph(), nx.petersen_graph(), id="accepted-by-Tinhofer"),
        pytest.param(shrikhande_graph(), shrikhande_graph(), id="accepted-by-some-runs"),
    ],
)
@pytest.mark.parametrize("seed", [0, 3])
def test_what_the_tests_said_on_the_way(g: Any, h: Any, seed: int) -> None:
    result = isomorphism(g, h, seed=seed, trials=5)
    wl, tinhofer = wl_test(g, h), tinhofer_test(g, h, seed=seed, trials=5)
    assert (result.wl.verdict, result.wl.rounds) == (wl.verdict, wl.rounds)
    assert all(map(np.array_equal, result.wl.colors, wl.colors))
    said, expected = result.tinhofer, tinhofer
    assert (said.verdict, said.steps, said.accepted) == (expected.verdict, expected.steps, expected.accepted)
    assert np.array_equal(said.mapping, expected.mapping)
