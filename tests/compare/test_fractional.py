"""wlt.fractional: X satisfies the paper's equations, and exists iff plain WL rounds cannot tell the graphs apart."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rounds import wl_rounds
from strategies import (
    equivalent_pairs,
    graphs,
    pairs_with_equal_degrees,
    relabeled_graphs,
    rook_graph,
    shrikhande_graph,
    two_triangles,
)
from wlt import Graph, as_graph, fractional_isomorphism
from wlt.compare.fractional import MAX_ENTRIES, MAX_VARIABLES

METHODS = [pytest.param("partition", id="partition"), pytest.param("lp", id="lp")]


def satisfies_the_program(X: Any, g: Graph, h: Graph) -> bool:
    """lp1, lp2 and lp3, with dense matrices."""
    A, B, dense = g.to_scipy().toarray(), h.to_scipy().toarray(), X.toarray()
    ones = np.ones(g.num_nodes)
    close = [np.allclose(dense @ A, B @ dense), np.allclose(dense @ ones, ones), np.allclose(dense.T @ ones, ones)]
    return all(close) and dense.min(initial=0) >= 0


def passes_plain_wl(g: Graph, h: Graph, colors: tuple[list[int], list[int]] | None = None) -> bool:
    union = Graph.union([g, h])
    final = wl_rounds(union, None if colors is None else [*colors[0], *colors[1]])[-1]
    return sorted(final[: g.num_nodes]) == sorted(final[g.num_nodes :])


def check_both_methods(g: Graph, h: Graph, colors: tuple[list[int], list[int]] | None = None) -> None:
    expected = passes_plain_wl(g, h, colors)
    for method in ("partition", "lp"):
        X = fractional_isomorphism(g, h, node_labels=colors, method=method)
        assert (X is not None) == expected
        if X is not None:
            assert X.shape == (h.num_nodes, g.num_nodes)
            assert satisfies_the_program(X, g, h)
            if colors is not None:
                assert all(colors[1][u] == colors[0][v] for u, v in np.argwhere(X.toarray() > 0))


@given(graphs(6), graphs(6))
def test_methods_agree_with_plain_wl(g: Graph, h: Graph) -> None:
    check_both_methods(g, h)


@given(st.sampled_from(pairs_with_equal_degrees()))
def test_methods_agree_on_graphs_with_equal_degrees(pair: tuple[Graph, Graph]) -> None:
    check_both_methods(*pair)


def test_methods_accept_the_equivalent_pairs_of_the_atlas() -> None:
    assert len(equivalent_pairs()) == 26
    for g, h in equivalent_pairs():
        check_both_methods(g, h)


@given(relabeled_graphs(7), st.booleans())
def test_methods_agree_on_colored_graphs(
    case: tuple[Graph, Graph, list[int], list[int], list[int]], exchange: bool
) -> None:
    g, h, colors_g, colors_h, _ = case
    if exchange and len(colors_h) > 1:  # the graphs are isomorphic, the colours no longer need fit
        colors_h = [*colors_h[1:], colors_h[0]]
    check_both_methods(g, h, (colors_g, colors_h))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("g", "h", "exists"),
    [
        pytest.param(nx.cycle_graph(6), two_triangles(), True, id="C6-vs-2C3"),
        pytest.param(shrikhande_graph(), rook_graph(), True, id="shrikhande-vs-rook"),
        pytest.param(nx.path_graph(4), nx.star_graph(3), False, id="P4-vs-K1,3"),
        pytest.param(nx.path_graph(4), nx.path_graph(5), False, id="different-size"),
        pytest.param(nx.empty_graph(0), nx.empty_graph(3), False, id="empty-vs-three"),
        pytest.param(nx.empty_graph(0), nx.empty_graph(0), True, id="empty"),
        pytest.param(nx.empty_graph(1), nx.empty_graph(1), True, id="one-node"),
        pytest.param(nx.empty_graph(4), nx.empty_graph(4), True, id="isolated"),
    ],
)
def test_named_pairs(g: Any, h: Any, exists: bool, method: Any) -> None:
    X = fractional_isomorphism(g, h, method=method)
    assert (X is not None) == exists
    assert X is None or satisfies_the_program(X, as_graph(g), as_graph(h))


def test_partition_gives_one_over_the_size_of_the_class() -> None:
    X = fractional_isomorphism(nx.path_graph(5), nx.path_graph(5)).toarray()
    half = 0.5
    assert X.tolist() == [
        [half, 0, 0, 0, half],
        [0, half, 0, half, 0],
        [0, 0, 1, 0, 0],
        [0, half, 0, half, 0],
        [half, 0, 0, 0, half],
    ]


def test_partition_takes_large_graphs() -> None:
    path = Graph.from_edges(20_001, [(i, i + 1) for i in range(20_000)])
    X = fractional_isomorphism(path, path)
    assert X.nnz == 40_001
    assert X.sum() == 20_001
    assert abs(X @ path.to_scipy() - path.to_scipy() @ X).max() == 0


def test_lp_says_where_colors_leave_no_pair() -> None:
    assert fractional_isomorphism((2, []), (2, []), node_labels=([1, 1], [2, 2]), method="lp") is None


@pytest.mark.parametrize(
    ("nodes", "method", "size", "limit"),
    [
        pytest.param(5_000, "partition", 5_000**2, MAX_ENTRIES, id="partition"),
        pytest.param(51, "lp", 51**2, MAX_VARIABLES, id="lp"),
    ],
)
def test_size_limits_name_the_size_and_the_limit(nodes: int, method: Any, size: int, limit: int) -> None:
    isolated = Graph.from_edges(nodes, [])
    with pytest.raises(ValueError, match=rf"{size} .*limit is {limit}"):
        fractional_isomorphism(isolated, isolated, method=method)


def test_unknown_method() -> None:
    with pytest.raises(ValueError, match="unknown method 'simplex'"):
        fractional_isomorphism((1, []), (1, []), method="simplex")  # type: ignore[arg-type]
