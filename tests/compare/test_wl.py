"""Algorithm 1 against plain Python, networkx's atlas, igraph and BREC."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rounds import wl_rounds
from strategies import (
    as_partition,
    atlas,
    brec,
    colored_graphs,
    equivalent_pairs,
    graphs,
    pairs_with_equal_degrees,
    relabeled_graphs,
    rook_graph,
    shrikhande_graph,
    shuffled,
    two_triangles,
)
from wlt import Graph, Verdict, as_graph, wl_test


def rejects(g: Any, h: Any, colors: Any = None) -> bool:
    return wl_test(g, h, node_labels=colors).verdict is Verdict.NON_ISOMORPHIC


def test_the_atlas_has_26_equivalent_pairs() -> None:
    assert len(atlas()) == 1252
    assert Counter(g.num_nodes for g, _ in equivalent_pairs()) == {6: 4, 7: 22}
    assert not any(g.to_igraph().isomorphic(h.to_igraph()) for g, h in equivalent_pairs())


def test_pairs_of_the_atlas() -> None:
    """Pairs with different degrees are told apart after one round; of the others exactly the 26 pass."""
    passed = [pair for pair in pairs_with_equal_degrees() if not rejects(*pair)]
    assert len(pairs_with_equal_degrees()) > 1000
    assert {tuple(map(id, pair)) for pair in passed} == {tuple(map(id, pair)) for pair in equivalent_pairs()}


@given(relabeled_graphs())
def test_isomorphic_graphs_are_never_rejected(case: tuple[Graph, Graph, list[int], list[int], list[int]]) -> None:
    g, h, colors_g, colors_h, permutation = case
    result = wl_test(g, h, node_labels=(colors_g, colors_h))
    assert result.verdict is Verdict.POSSIBLY_ISOMORPHIC
    assert result.colors[0].tolist() == result.colors[1][permutation].tolist()


@given(graphs(5), graphs(5))
def test_rejected_graphs_are_not_isomorphic(g: Graph, h: Graph) -> None:
    if rejects(g, h):
        assert not g.to_igraph().isomorphic(h.to_igraph())


@st.composite
def similar_graphs(draw: st.DrawFn) -> tuple[Graph, Graph, list[int], list[int]]:
    """A coloured graph and a copy in which one edge has moved and two colours are exchanged, so that they may differ
    in any round."""
    graph, colors = draw(colored_graphs(12))
    n = graph.num_nodes
    mine = colors or [0] * n
    theirs = list(mine)
    edges = graph.edges().tolist()
    if n > 1:
        u, v = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        if draw(st.booleans()):
            theirs[u], theirs[v] = theirs[v], theirs[u]
        if edges and draw(st.booleans()):
            edges[draw(st.integers(0, len(edges) - 1))] = [u, v]
    return graph, Graph.from_edges(n, edges), mine, theirs


@given(similar_graphs())
def test_rounds_and_colours_are_those_of_the_first_round_that_tells(
    case: tuple[Graph, Graph, list[int], list[int]],
) -> None:
    g, h, colors_g, colors_h = case
    history = wl_rounds(Graph.union([g, h]), colors_g + colors_h)
    differs = [sorted(colors[: g.num_nodes]) != sorted(colors[g.num_nodes :]) for colors in history]
    result = wl_test(g, h, node_labels=(colors_g, colors_h))
    assert (result.verdict is Verdict.NON_ISOMORPHIC) == any(differs)
    assert result.rounds == (differs.index(True) if any(differs) else len(history) - 1)
    assert as_partition(np.concatenate(result.colors)) == as_partition(history[result.rounds])


@pytest.mark.parametrize(
    ("g", "h", "verdict", "rounds"),
    [
        pytest.param(nx.cycle_graph(6), two_triangles(), "possibly isomorphic", 0, id="C6-vs-2C3"),
        pytest.param(shrikhande_graph(), rook_graph(), "possibly isomorphic", 0, id="Shrikhande-vs-rook"),
        pytest.param(nx.cycle_graph(6), nx.path_graph(6), "non-isomorphic", 1, id="C6-vs-P6"),
        pytest.param(nx.star_graph(3), nx.path_graph(4), "non-isomorphic", 1, id="K1,3-vs-P4"),
        pytest.param(nx.path_graph(100), nx.path_graph(100), "possibly isomorphic", 49, id="P100"),
        pytest.param(nx.complete_graph(4), nx.complete_graph(5), "non-isomorphic", 0, id="K4-vs-K5"),
        pytest.param(nx.empty_graph(0), nx.empty_graph(0), "possibly isomorphic", 0, id="empty"),
        pytest.param(nx.empty_graph(0), nx.empty_graph(1), "non-isomorphic", 0, id="empty-vs-one-node"),
        pytest.param(nx.empty_graph(1), nx.empty_graph(1), "possibly isomorphic", 0, id="one-node"),
        pytest.param("?", "@", "non-isomorphic", 0, id="graph6"),
    ],
)
def test_named_pairs(g: Any, h: Any, verdict: str, rounds: int) -> None:
    result = wl_test(g, h)
    assert str(result.verdict) == result.verdict.value == verdict
    assert result.rounds == rounds


@pytest.mark.parametrize(
    ("marked_g", "marked_h", "rejected"),
    [
        pytest.param([1, 0, 0], [0, 0, 1], False, id="a-leaf-and-the-other"),
        pytest.param([1, 0, 0], [0, 1, 0], True, id="a-leaf-and-the-centre"),
        pytest.param([1, 0, 0], [1, 0, 1], True, id="one-leaf-and-two"),
        pytest.param([1, 0, 0], [0, 1, 1], True, id="colours-mean-the-same-in-both"),
    ],
)
def test_colours_of_a_star(marked_g: list[int], marked_h: list[int], rejected: bool) -> None:
    star = nx.path_graph(3)
    assert rejects(star, star, (marked_g, marked_h)) is rejected


def test_brec_passes(data_dir: Path) -> None:
    pairs = brec(data_dir)
    assert len(pairs) == 400
    assert not any(rejects(g, h) for g, h in pairs)


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(nx.gnm_random_graph(2000, 5000, seed=1), id="erdos-renyi"),
        pytest.param(nx.random_labeled_tree(2000, seed=2), id="tree"),
        pytest.param(nx.path_graph(1001), id="path"),
        pytest.param(nx.grid_2d_graph(30, 40), id="grid"),
        pytest.param(nx.random_regular_graph(4, 500, seed=3), id="regular"),
    ],
)
def test_large_relabelled_graphs_pass_and_one_edge_more_is_seen(graph: Any) -> None:
    g = as_graph(graph)
    assert not rejects(g, shuffled(g, 1))
    missing = next((0, v) for v in range(1, g.num_nodes) if not g.has_edge(0, v))
    more = Graph.from_edges(g.num_nodes, [*g.edges().tolist(), missing])
    assert rejects(g, shuffled(more, 2))


def test_a_million_isolated_nodes() -> None:
    nodes = Graph.from_edges(10**6, [])
    assert not rejects(nodes, nodes)
    assert rejects(nodes, Graph.from_edges(10**6, [(5, 6)]))


@pytest.mark.parametrize(
    ("g", "h", "colors", "error", "message"),
    [
        pytest.param("A_", "A_", ([0, 0], [0]), ValueError, "2 nodes of the second graph", id="colours-too-few"),
        pytest.param("A_", "A_", [[0, 0]], ValueError, "must be a pair", id="colours-of-one-graph"),
        pytest.param("A_", "A_", [0, 0], ValueError, "must be a pair", id="colours-without-graphs"),
        pytest.param("A_", "A_", 3, ValueError, "must be a pair", id="one-colour"),
        pytest.param(Graph.union([]), "?", None, ValueError, "union of 0 graphs", id="union-of-none"),
        pytest.param("A_", "A_", ([0, 0], [0, float("nan")]), ValueError, "finite", id="colours-nan"),
        pytest.param("A_", "A_", (["a", 1], ["a", 1]), TypeError, "not both", id="text-and-number"),
        pytest.param("A_", Graph.union([Graph.from_edges(1, [])] * 2), None, ValueError, "disjoint union", id="union"),
        pytest.param("A_", "D", None, ValueError, "truncated", id="truncated-graph6"),
        pytest.param("A_", (2, [(0, 2)]), None, ValueError, "node 2", id="node-out-of-range"),
        pytest.param("A_", (-1, []), None, ValueError, "-1", id="negative-count"),
        pytest.param("A_", 3, None, TypeError, "cannot make a graph of int", id="no-graph"),
    ],
)
def test_bad_input(g: Any, h: Any, colors: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wl_test(g, h, node_labels=colors)


def test_a_result_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"Verdict.NON_ISOMORPHIC` .* or `bool\(wlt.isomorphism\(g, h\)\)`"):
        bool(wl_test("A_", "A_"))
