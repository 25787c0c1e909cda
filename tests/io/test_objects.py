"""as_graph: round trips against networkx, igraph, scipy and PyG; bad input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import torch
from hypothesis import given, settings
from sources import MILLION, random_graph, simple_graphs, to_pyg
from torch_geometric import data as pyg

from wlt.graph import Graph
from wlt.io import as_graph

OTHER_FORMS = {
    "wlt": lambda g: g,
    "networkx": Graph.to_networkx,
    "networkx multigraph": lambda g: nx.MultiGraph(g.to_networkx()),
    "networkx named": lambda g: nx.relabel_nodes(g.to_networkx(), lambda v: f"node {v}"),
    "igraph": Graph.to_igraph,
    "pyg": to_pyg,
    "pyg batch": lambda g: pyg.Batch.from_data_list([to_pyg(g)]),
    "pair": lambda g: (g.num_nodes, g.edges()),
    "pair of lists": lambda g: (g.num_nodes, g.edges().tolist()),
    "csr_array": Graph.to_scipy,
    "csr_matrix": lambda g: scipy.sparse.csr_matrix(g.to_scipy()),
    "coo_array": lambda g: g.to_scipy().tocoo(),
    "lil_array": lambda g: g.to_scipy().tolil(),
    "dia_array": lambda g: g.to_scipy().todia(),
    "bool csc": lambda g: g.to_scipy().astype(bool).tocsc(),
    "dense": lambda g: g.to_scipy().toarray(),
    "dense uint8": lambda g: g.to_scipy().toarray().astype(np.uint8),
    "dense float16": lambda g: g.to_scipy().toarray().astype(np.float16),
    "dense bool": lambda g: g.to_scipy().toarray().astype(bool),
    "weighted": lambda g: 0.25 * g.to_scipy().toarray(),
    "graph6": lambda g: nx.to_graph6_bytes(g.to_networkx()).decode(),
    "graph6 bare bytes": lambda g: nx.to_graph6_bytes(g.to_networkx(), header=False).strip(),
    "sparse6": lambda g: nx.to_sparse6_bytes(g.to_networkx()).decode(),
    "sparse6 bare bytes": lambda g: nx.to_sparse6_bytes(g.to_networkx(), header=False).strip(),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
@settings(max_examples=15)
@given(graph=simple_graphs())
def test_round_trip(form: str, graph: Graph) -> None:
    again = as_graph(OTHER_FORMS[form](graph))
    assert again.same_edges(graph)
    assert again.num_graphs == 1
    assert (again.removed_loops, again.removed_repeats) == (0, 0)


@pytest.mark.parametrize("form", OTHER_FORMS)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_round_trip_of_the_smallest(form: str, n: int) -> None:
    graph = Graph.from_edges(n, [])
    assert as_graph(OTHER_FORMS[form](graph)).same_edges(graph)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param((MILLION, []), id="pair"),
        pytest.param(igraph.Graph(MILLION), id="igraph"),
        pytest.param(scipy.sparse.csr_array((MILLION, MILLION)), id="csr"),
        pytest.param(scipy.sparse.coo_matrix((MILLION, MILLION)), id="coo"),
        pytest.param(pyg.Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=MILLION), id="pyg"),
        pytest.param(nx.empty_graph(MILLION), id="networkx"),
        pytest.param(":~~??BsH?", id="sparse6"),  # 10^6 = 3 * 64^3 + 52 * 64^2 + 9 * 64
    ],
)
def test_a_million_isolated_nodes(source: Any) -> None:
    assert repr(as_graph(source)) == f"Graph(nodes={MILLION}, edges=0)"


def test_a_wlt_graph_is_returned_as_it_is() -> None:
    graph = random_graph(5, 0.5)
    assert as_graph(graph) is graph


def test_networkx_nodes_are_numbered_in_their_order() -> None:
    graph = nx.Graph()
    graph.add_nodes_from("zxy")
    graph.add_edge("z", "y")
    assert as_graph(graph).edges().tolist() == [[0, 2]]


LOOPS_AND_REPEATS = [(0, 0), (0, 1), (0, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(nx.MultiGraph(LOOPS_AND_REPEATS), id="networkx"),
        pytest.param(igraph.Graph(LOOPS_AND_REPEATS), id="igraph"),
        pytest.param((3, LOOPS_AND_REPEATS), id="pair"),
    ],
)
def test_the_simple_graph_leaves_out_loops_and_repeats_and_counts_them(source: Any) -> None:
    graph = as_graph(source, simple=True)
    assert graph.ignored == ("2 loops", "1 repeated edge")
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert (graph.removed_loops, graph.removed_repeats) == (2, 1)


def test_repeated_entries_of_small_integers_do_not_wrap_around() -> None:
    both = np.array([0, 1] * 256), np.array([1, 0] * 256)
    for kind in (np.uint8, np.int8):
        matrix = scipy.sparse.coo_array((np.ones(512, kind), both), shape=(2, 2))
        assert as_graph(matrix).num_edges == 1


def test_masked_entries_are_no_edges() -> None:
    ones = np.ones((2, 2), int)
    assert as_graph(np.ma.masked_array(ones, mask=[[True, False], [False, True]])).removed_loops == 0
    assert as_graph(np.ma.masked_array(ones, mask=True)).num_edges == 0


def test_matrix_details() -> None:
    matrix = np.array([[3, 2, 0], [2, 0, 1], [0, 1, 0]])
    graph = as_graph(matrix, simple=True)
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert graph.removed_loops == 1
    stored_zero = scipy.sparse.csr_array(matrix)
    stored_zero.data[stored_zero.data == 2] = 0
    assert as_graph(stored_zero).edges().tolist() == [[1, 2]]
    assert stored_zero.nnz == 5, "the caller's matrix was changed"
    in_two_parts = scipy.sparse.coo_array(([1, 1, 2], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert as_graph(in_two_parts).removed_repeats == 0


def test_pyg_batch_is_a_disjoint_union() -> None:
    parts = [random_graph(n, 0.5) for n in (3, 1, 4)]
    union = as_graph(pyg.Batch.from_data_list([to_pyg(part) for part in parts]))
    assert union.starts.tolist() == [0, 3, 4, 8]
    assert union.same_edges(Graph.union(parts))


def test_pyg_data_with_repeats_loops_and_features() -> None:
    both = torch.tensor([[0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 1, 2]])
    data = pyg.Data(edge_index=both, x=torch.zeros(4, 7))
    doubled = Graph.from_edges(4, [(0, 1), (0, 1), (1, 1), (2, 2)], multigraph=True)
    assert as_graph(data).same_edges(doubled)
    graph = as_graph(data, simple=True)
    assert (graph.num_nodes, graph.edges().tolist()) == (4, [[0, 1]])
    assert (graph.removed_loops, graph.removed_repeats) == (2, 2)


def test_pyg_numpy_and_edge_index_tensor() -> None:
    from torch_geometric import EdgeIndex

    for edge_index in (np.array([[0, 1], [1, 0]]), EdgeIndex([[0, 1], [1, 0]])):
        assert as_graph(pyg.Data(edge_index=edge_index, num_nodes=3)).edges().tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        pytest.param(
            pyg.Data(edge_index=torch.tensor([[0, 3], [3, 0]]), num_nodes=3),
            ValueError,
            "node 3",
            id="pyg out of range",
        ),
        pytest.param(pyg.Data(x=torch.zeros(3, 1)), ValueError, "without edge_index", id="pyg without edges"),
        pytest.param(
            pyg.Data(edge_index=torch.zeros(3, 4, dtype=torch.long), num_nodes=3),
            ValueError,
            r"\(3, 4\)",
            id="pyg shape",
        ),
        pytest.param(pyg.HeteroData(), TypeError, "HeteroData; accepted are", id="pyg hetero"),
        pytest.param(np.zeros((2, 3)), ValueError, r"square; this has shape \(2, 3\)", id="not square"),
        pytest.param(np.zeros(4), ValueError, r"square; this has shape \(4,\)", id="vector"),
        pytest.param(scipy.sparse.csr_array((2, 3)), ValueError, "square", id="sparse not square"),
        pytest.param(scipy.sparse.coo_array([1, 0]), ValueError, "square", id="sparse vector"),
        pytest.param(np.array([[0, np.nan], [np.nan, 0]]), ValueError, r"\(0, 1\) is nan", id="NaN"),
        pytest.param(np.array([[np.nan]]), ValueError, r"\(0, 0\) is nan", id="NaN on the diagonal"),
        pytest.param(np.array([[0, np.inf], [np.inf, 0]]), ValueError, r"\(0, 1\) is inf", id="infinity"),
        pytest.param(np.array([[0, -1], [-1, 0]]), ValueError, r"negative counts: entry \(0, 1\) is -1", id="negative"),
        pytest.param(-scipy.sparse.eye_array(2).tocsr(), ValueError, "negative counts", id="sparse negative"),
        pytest.param(np.zeros((2, 2), complex), TypeError, "real numbers, not .* complex128", id="complex"),
        pytest.param(np.zeros((2, 2), object), TypeError, "real numbers", id="objects"),
        pytest.param(np.array([["a"]]), TypeError, "real numbers", id="letters"),
        pytest.param(scipy.sparse.coo_array((2**31, 2**31)), ValueError, "at most 2147483647", id="too large"),
        pytest.param((3, [(0, 3)]), ValueError, "node 3", id="pair out of range"),
        pytest.param((0, 1), TypeError, "list of pairs", id="one edge as a pair"),
        pytest.param(((0, 1), (1, 2)), TypeError, "number of nodes must be", id="edges without n"),
        pytest.param((1, 2, 3), TypeError, "list of pairs", id="triple of numbers"),
        pytest.param((1, 2, 3, 4), TypeError, "tuple; accepted are", id="four numbers"),
        pytest.param((2, [(0, 1)], ["a", "b"]), ValueError, "has 2 labels for 1 edges", id="too many labels"),
        pytest.param(
            (2, [(0, 1), (1, 0)], ["a", "b"]), ValueError, r"has the label 'a' and \(1, 0\) has 'b'", id="two"
        ),
        pytest.param((3, [(0, 1), (1, 2)], ["a", 1]), TypeError, "the label 1, and another edge has 'a'", id="mixed"),
        pytest.param((3, [(0, 1), (1, 2)], [1.0, np.nan]), ValueError, r"edge \(1, 2\): .* is NaN", id="NaN label"),
        pytest.param((3, [(0, 1), (1, 2)], [1, None]), ValueError, r"edge \(1, 2\): no attribute", id="None label"),
        pytest.param((3, [(0, 1), (1, 2)], [1, {}]), TypeError, "unhashable", id="unhashable label"),
        pytest.param(
            pyg.Data(edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.ones(3), num_nodes=2),
            ValueError,
            "'edge_attr' has 3 labels for 2 edges",
            id="pyg labels",
        ),
        pytest.param([(0, 1), (1, 2)], TypeError, "list; accepted are", id="list of edges"),
        pytest.param(None, TypeError, "NoneType; accepted are a wlt.Graph, a networkx", id="None"),
        pytest.param(7, TypeError, "int; accepted are", id="number"),
        pytest.param(Path("a.g6"), TypeError, "use wlt.read_graph", id="path"),
        pytest.param(
            "graphs/petersen.g6", ValueError, "illegal character '/' at position 6.*wlt.read_graph", id="file"
        ),
        pytest.param(nx.path_graph(3).edges, TypeError, "EdgeView; accepted are", id="edge view"),
    ],
)
def test_bad_source(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        as_graph(source)
    assert "\n" not in str(caught.value)


def test_pyg_without_its_number_of_nodes_is_no_graph() -> None:
    with pytest.raises(ValueError, match="without edge_index or num_nodes"):
        as_graph(pyg.Data())


def test_converting_text_imports_no_library() -> None:
    code = (
        "import sys; from wlt.io import as_graph; as_graph('Bw'); as_graph((3, [(0, 1)]))\n"
        "print([name for name in ('torch', 'torch_geometric', 'networkx', 'igraph', 'scipy.sparse', 'matplotlib')"
        " if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
