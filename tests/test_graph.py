"""wlt.graph against oracles in plain Python, networkx, igraph and scipy."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wlt.graph import MAX_NODES, Graph

Edges = list[tuple[int, int]]


@st.composite
def edge_lists(draw: st.DrawFn, max_nodes: int = 9) -> tuple[int, Edges]:
    """n and edges on 0 .. n-1, with loops, repeats and both directions."""
    n = draw(st.integers(0, max_nodes))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=25)) if n else []


graphs = edge_lists().map(lambda pair: Graph.from_edges(*pair))
unions = st.lists(graphs, max_size=5).map(Graph.union)


def rows(graph: Graph) -> list[list[int]]:
    return [graph.neighbors_of(v).tolist() for v in range(graph.num_nodes)]


@given(edge_lists())
def test_from_edges_equals_sets_of_neighbours(pair: tuple[int, Edges]) -> None:
    n, edges = pair
    graph = Graph.from_edges(n, edges)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for u, v in edges:
        if u != v:
            neighbours[u].add(v)
            neighbours[v].add(u)
    proper = [edge for edge in edges if edge[0] != edge[1]]
    assert rows(graph) == [sorted(row) for row in neighbours]
    assert (graph.num_nodes, graph.num_edges) == (n, sum(map(len, neighbours)) // 2)
    assert graph.removed_loops == len(edges) - len(proper)
    assert graph.removed_repeats == len(proper) - len(set(proper))
    assert graph.starts.tolist() == [0, n]
    assert graph.offsets.dtype == graph.starts.dtype == np.int64
    assert graph.neighbors.dtype == np.int32


@given(edge_lists(), st.randoms(use_true_random=False))
def test_order_and_direction_of_the_edges_do_not_matter(pair: tuple[int, Edges], random: Any) -> None:
    n, edges = pair
    turned = [edge if random.random() < 0.5 else edge[::-1] for edge in edges]
    random.shuffle(turned)
    assert Graph.from_edges(n, turned).same_edges(Graph.from_edges(n, edges))
    assert Graph.from_edges(n, [*edges, *turned]).same_edges(Graph.from_edges(n, edges))


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(list, id="list"),
        pytest.param(tuple, id="tuple"),
        pytest.param(set, id="set"),
        pytest.param(iter, id="iterator"),
        pytest.param(dict.fromkeys, id="keys"),
        *[pytest.param(lambda e, t=t: np.array(e, t), id=t) for t in ("int8", "uint8", "int32", "uint64", "float64")],
        pytest.param(lambda e: np.array(e, order="F"), id="fortran"),
        pytest.param(lambda e: np.array(e)[:, ::-1], id="reversed view"),
    ],
)
def test_forms_of_edges(form: Callable[[Edges], Any]) -> None:
    edges = [(0, 1), (1, 2), (3, 1)]
    assert rows(Graph.from_edges(5, form(edges))) == [[1], [0, 2, 3], [1], [1], []]


@pytest.mark.parametrize(
    "edges",
    [[], (), np.zeros((0, 2)), np.zeros((2, 0), int), iter([])],
    ids=["list", "tuple", "pairs", "two rows", "iterator"],
)
@pytest.mark.parametrize("n", [0, 1, 5, np.int64(5)])
def test_no_edges(n: int, edges: Any) -> None:
    graph = Graph.from_edges(n, edges)
    assert (graph.num_nodes, graph.num_edges, graph.num_graphs) == (n, 0, 1)
    assert graph.edges().shape == (0, 2)
    assert graph.edge_index().shape == (2, 0)


def test_a_million_isolated_nodes() -> None:
    graph = Graph.from_edges(10**6, [])
    assert graph.num_nodes == 10**6
    assert graph.degrees.max() == 0
    assert Graph.union([graph, graph])[1].same_edges(graph)
    assert graph.relabel(np.arange(10**6)[::-1]).same_edges(graph)


@pytest.mark.parametrize(
    ("n", "edges", "error", "message"),
    [
        pytest.param(3, [(0, 1), (1, 3)], ValueError, r"edge 1, \(1, 3\): node 3 .* 0 \.\. 2", id="node out of range"),
        pytest.param(3, [(0, -1)], ValueError, r"edge 0, \(0, -1\): node -1", id="negative node"),
        pytest.param(0, [(0, 0)], ValueError, "graph without nodes", id="an edge and no node"),
        pytest.param(-1, [], ValueError, "between 0 and .*, not -1", id="negative n"),
        pytest.param(MAX_NODES + 1, [], ValueError, "between 0 and", id="n too large"),
        pytest.param(2.0, [], TypeError, "must be an integer, not 2.0", id="float n"),
        pytest.param(True, [], TypeError, "must be an integer", id="bool n"),
        pytest.param("3", [], TypeError, "must be an integer", id="text n"),
        pytest.param(3, [(0, 1, 2)], ValueError, r"shape \(1, 3\)", id="triples"),
        pytest.param(3, [0, 1], ValueError, r"shape \(2,\)", id="flat"),
        pytest.param(3, [(0, 1), (2,)], TypeError, "list of pairs", id="ragged"),
        pytest.param(3, 7, TypeError, "list of pairs", id="a number"),
        pytest.param(3, None, TypeError, "list of pairs", id="None"),
        pytest.param(3, [("a", "b")], TypeError, "whole numbers", id="names"),
        pytest.param(3, "01", ValueError, "list of pairs", id="text"),
        pytest.param(3, [(0, 0.5)], ValueError, "whole numbers", id="half"),
        pytest.param(3, [(0, np.nan)], ValueError, "whole numbers", id="NaN"),
        pytest.param(3, [(0, np.inf)], ValueError, "whole numbers", id="infinity"),
        pytest.param(3, [(0, -1e300)], ValueError, "beyond the largest", id="huge negative float"),
        pytest.param(3, np.array([[0, 2**64 - 1]], np.uint64), ValueError, "beyond the largest", id="uint64"),
        pytest.param(3, [(0, 2**70)], TypeError, "whole numbers", id="beyond 64 bits"),
        pytest.param(3, [(False, True)], TypeError, "whole numbers", id="bool"),
        pytest.param(3, [(0, 1j)], TypeError, "whole numbers", id="complex"),
    ],
)
def test_bad_edges(n: Any, edges: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(n, edges)


@pytest.mark.parametrize(
    ("starts", "error", "message"),
    [
        pytest.param([0, 2], ValueError, "from 0 to the number of nodes, 4", id="too short"),
        pytest.param([1, 4], ValueError, "from 0", id="not from 0"),
        pytest.param([0, 3, 2, 4], ValueError, "from 0", id="falling"),
        pytest.param([[0, 4]], ValueError, "from 0", id="two dimensions"),
        pytest.param([], ValueError, "from 0", id="empty"),
        pytest.param([0, 1.5, 4], TypeError, "starts must be integers", id="half"),
        pytest.param([0, 1, 4], ValueError, r"edge \(0, 1\) joins two graphs", id="an edge between graphs"),
    ],
)
def test_bad_starts(starts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(4, [(2, 3), (0, 1)], starts)


@given(st.lists(graphs, max_size=5))
def test_union_then_getitem_gives_the_parts(parts: list[Graph]) -> None:
    union = Graph.union(parts)
    assert len(union) == union.num_graphs == len(parts)
    assert union.graph_sizes.tolist() == [part.num_nodes for part in parts]
    assert union.graph_of.tolist() == [i for i, part in enumerate(parts) for _ in range(part.num_nodes)]
    assert union.removed_loops == sum(part.removed_loops for part in parts)
    assert union.removed_repeats == sum(part.removed_repeats for part in parts)
    assert len(list(union)) == len(parts)
    for i, part in enumerate(parts):
        assert rows(union[i]) == rows(part)
        assert rows(union[i - len(parts)]) == rows(part)
    again = Graph.from_edges(union.num_nodes, union.edges(), union.starts)
    assert again.same_edges(union)
    assert again.starts.tolist() == union.starts.tolist()


@given(st.lists(st.lists(graphs, max_size=3), max_size=3))
def test_union_of_unions_is_flat(groups: list[list[Graph]]) -> None:
    nested = Graph.union([Graph.union(group) for group in groups])
    flat = Graph.union([graph for group in groups for graph in group])
    assert nested.same_edges(flat)
    assert nested.starts.tolist() == flat.starts.tolist()


@given(unions, st.data())
def test_take_and_nodes_of_pick_graphs(union: Graph, data: st.DataObject) -> None:
    which = data.draw(st.lists(st.integers(0, len(union) - 1), max_size=7)) if len(union) else []
    taken = union.take(which)
    expected = Graph.union([union[i] for i in which])
    assert taken.same_edges(expected)
    assert taken.starts.tolist() == expected.starts.tolist()
    nodes = union.nodes_of(which)
    assert nodes.tolist() == [v for i in which for v in range(union.starts[i], union.starts[i + 1])]
    assert taken.degrees.tolist() == union.degrees[nodes].tolist()


@pytest.mark.parametrize("pick", [Graph.take, Graph.nodes_of], ids=["take", "nodes_of"])
@pytest.mark.parametrize(
    ("which", "error"),
    [
        pytest.param([2], IndexError, id="beyond"),
        pytest.param([-1], IndexError, id="negative"),
        pytest.param([True, False], TypeError, id="mask"),
        pytest.param([0.5], TypeError, id="half"),
    ],
)
def test_bad_graph_indices(pick: Callable[[Graph, Any], Any], which: Any, error: type[Exception]) -> None:
    union = Graph.union([Graph.from_edges(2, [(0, 1)])] * 2)
    with pytest.raises(error, match="graph ind"):
        pick(union, which)


@pytest.mark.parametrize("index", [2, -3])
def test_getitem_beyond_the_union(index: int) -> None:
    with pytest.raises(IndexError, match="of a union of 2"):
        Graph.union([Graph.from_edges(2, [(0, 1)])] * 2)[index]


@given(graphs, st.randoms(use_true_random=False))
def test_relabel_renames_every_edge(graph: Graph, random: Any) -> None:
    permutation = list(range(graph.num_nodes))
    random.shuffle(permutation)
    renamed = graph.relabel(permutation)
    assert {frozenset((permutation[u], permutation[v])) for u, v in graph.edges().tolist()} == {
        frozenset(edge) for edge in renamed.edges().tolist()
    }
    assert renamed.num_edges == graph.num_edges
    assert renamed.relabel(np.argsort(permutation)).same_edges(graph)


@given(unions, st.randoms(use_true_random=False))
def test_relabel_of_a_union_relabels_each_graph(union: Graph, random: Any) -> None:
    parts = []
    for start, size in zip(union.starts, union.graph_sizes, strict=False):
        inside = list(range(size))
        random.shuffle(inside)
        parts.append(start + np.array(inside, np.int64))
    permutation = np.concatenate([np.zeros(0, np.int64), *parts])
    renamed = union.relabel(permutation)
    assert renamed.starts.tolist() == union.starts.tolist()
    for before, after, part, start in zip(union, renamed, parts, union.starts, strict=False):
        assert after.same_edges(before.relabel(part - start))


@pytest.mark.parametrize(
    ("permutation", "error", "message"),
    [
        pytest.param([0, 1, 2], ValueError, r"permutation of 0 \.\. 3", id="too short"),
        pytest.param([0, 0, 2, 3], ValueError, "permutation of", id="twice"),
        pytest.param([0, 1, 2, 4], ValueError, "permutation of", id="beyond"),
        pytest.param([0, 1, 2, 3.5], TypeError, "integers", id="half"),
        pytest.param([2, 3, 0, 1], ValueError, "from one graph of the disjoint union to another", id="swapped graphs"),
    ],
)
def test_bad_permutation(permutation: Any, error: type[Exception], message: str) -> None:
    union = Graph.union([Graph.from_edges(2, [(0, 1)])] * 2)
    with pytest.raises(error, match=message):
        union.relabel(permutation)


@given(graphs)
def test_views_of_the_edges_agree(graph: Graph) -> None:
    n, edges = graph.num_nodes, graph.edges().tolist()
    assert all(u < v for u, v in edges)
    assert edges == sorted(edges)
    for u in range(n):
        for v in range(n):
            assert graph.has_edge(u, v) == (sorted((u, v)) in edges)
    both = {tuple(pair) for pair in graph.edge_index().T.tolist()}
    assert both == {(u, v) for u, v in edges} | {(v, u) for u, v in edges}
    assert graph.degrees.tolist() == [len(row) for row in rows(graph)]


@pytest.mark.parametrize("node", [-1, 2])
def test_neighbours_of_no_node(node: int) -> None:
    graph = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(IndexError, match=f"node {node} of a graph with 2 nodes"):
        graph.neighbors_of(node)
    with pytest.raises(IndexError, match=f"node {node} "):
        graph.has_edge(node, 0)


@given(graphs)
def test_other_libraries_get_the_same_graph(graph: Graph) -> None:
    n, edges = graph.num_nodes, graph.edges().tolist()
    from_networkx = graph.to_networkx()
    assert list(from_networkx) == list(range(n))
    assert sorted(sorted(edge) for edge in from_networkx.edges) == edges
    from_igraph = graph.to_igraph()
    assert (from_igraph.vcount(), sorted(map(sorted, from_igraph.get_edgelist()))) == (n, edges)
    matrix = graph.to_scipy().toarray()
    assert matrix.shape == (n, n)
    assert np.argwhere(np.triu(matrix) == 1).tolist() == edges
    assert (matrix == matrix.T).all()
    assert matrix.sum() == 2 * len(edges)


def test_same_edges_sees_one_edge_of_difference() -> None:
    path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    assert not path.same_edges(Graph.from_edges(4, [(0, 1), (1, 2), (1, 3)]))
    assert not path.same_edges(Graph.from_edges(5, [(0, 1), (1, 2), (2, 3)]))


SQUARE = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(SQUARE, id="from_edges"),
        pytest.param(Graph.from_edges(4, [(0, 1), (1, 0)]), id="both directions"),
        pytest.param(Graph.from_edges(4, [], np.array([0, 2, 4])), id="starts"),
        pytest.param(Graph.union([SQUARE, SQUARE]), id="union"),
        pytest.param(Graph.union([]), id="empty union"),
        pytest.param(Graph.union([SQUARE, SQUARE]).take([1]), id="take"),
        pytest.param(SQUARE.relabel([3, 1, 0, 2]), id="relabel"),
        pytest.param(pickle.loads(pickle.dumps(SQUARE)), id="pickle"),
        pytest.param(copy.deepcopy(SQUARE), id="deepcopy"),
    ],
)
def test_arrays_cannot_be_written(graph: Graph) -> None:
    for name in ("offsets", "neighbors", "starts"):
        array = getattr(graph, name)
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.removed_loops = 1  # type: ignore[misc]


def test_the_callers_arrays_stay_writable_and_apart() -> None:
    edges, starts, permutation = np.array([[0, 1], [2, 3]]), np.array([0, 2, 4]), np.array([1, 0, 2, 3])
    graph = Graph.from_edges(4, edges, starts)
    renamed = graph.relabel(permutation)
    edges[:], starts[:], permutation[:] = 0, 0, 0
    assert graph.starts.tolist() == renamed.starts.tolist() == [0, 2, 4]
    assert rows(graph) == rows(renamed) == [[1], [0], [3], [2]]


def test_pickle_keeps_everything() -> None:
    graph = Graph.from_edges(4, [(0, 1), (0, 1), (2, 2), (2, 3)], [0, 2, 4])
    again = pickle.loads(pickle.dumps(graph))
    assert again.same_edges(graph)
    assert (again.starts.tolist(), again.removed_loops, again.removed_repeats) == ([0, 2, 4], 1, 1)
    assert repr(again) == repr(graph) == "Graph(graphs=2, nodes=4, edges=2)"


def test_only_graphs_can_be_united() -> None:
    with pytest.raises(TypeError, match=r"not of str; use wlt\.as_graph"):
        Graph.union([Graph.from_edges(1, []), "Bw"])  # type: ignore[list-item]
