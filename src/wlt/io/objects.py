"""`as_graph`: other libraries' graphs as ours."""

from __future__ import annotations

import os
import sys
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.graph import MAX_NODES, Graph
from wlt.io.graph6 import from_graph6

ACCEPTED = (
    "a wlt.Graph, a networkx or igraph graph, a PyG Data or Batch, a scipy sparse matrix or a square numpy array, "
    "a pair (n, edges), or graph6 or sparse6 text"
)


def as_graph(source: Any) -> Graph:
    """The undirected simple graph that another library's object, a pair (n, edges) or graph6 text describes.

    Accepted are: a Graph (returned as it is); networkx graphs, whose nodes are numbered in the order of iteration;
    igraph graphs; PyG Data (a Batch gives the disjoint union of its graphs); scipy sparse matrices and square numpy
    arrays, in which every nonzero entry is an edge; `(n, edges)`; graph6 and sparse6 text. Directed graphs, directed
    edge_index tensors and asymmetric matrices are refused: the caller knows what to do with the directions.

    >>> as_graph("Bw")  # graph6: the triangle
    Graph(nodes=3, edges=3)
    >>> as_graph((4, [(0, 1), (2, 3)]))
    Graph(nodes=4, edges=2)
    >>> as_graph(np.array([[0, 1], [0, 0]]))
    Traceback (most recent call last):
    ValueError: a directed matrix: entry (0, 1) is 1 and entry (1, 0) is 0; use A + A.T if directions do not matter
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (str, bytes)):
        return from_graph6(source)
    if isinstance(source, tuple) and len(source) == 2:
        return Graph.from_edges(*source)
    if isinstance(source, np.ndarray) or comes_from(source, "scipy.sparse", "spmatrix", "sparray"):
        return from_matrix(source)
    if comes_from(source, "networkx", "Graph"):
        return _from_networkx(source)
    if comes_from(source, "igraph", "Graph"):
        return _from_igraph(source)
    if comes_from(source, "torch_geometric.data", "Data"):
        return _from_pyg(source)
    hint = "; to read a file use wlt.read_graph" if isinstance(source, os.PathLike) else ""
    raise TypeError(f"cannot make a graph of {type(source).__name__}; accepted are {ACCEPTED}{hint}")


def comes_from(source: object, module: str, *names: str) -> bool:
    """isinstance without an import."""
    loaded = sys.modules.get(module)
    return isinstance(source, tuple(getattr(loaded, name) for name in names if hasattr(loaded, name)))


def _from_networkx(source: Any) -> Graph:
    if source.is_directed():
        raise ValueError("a directed networkx graph; use graph.to_undirected() if directions do not matter")
    number = {node: i for i, node in enumerate(source)}
    ends = (number[node] for node in chain.from_iterable(source.edges()))
    return Graph.from_edges(len(number), np.fromiter(ends, np.int64).reshape(-1, 2))


def _from_igraph(source: Any) -> Graph:
    if source.is_directed():
        raise ValueError("a directed igraph graph; use graph.as_undirected() if directions do not matter")
    return Graph.from_edges(source.vcount(), np.array(source.get_edgelist(), np.int64).reshape(-1, 2))


def _from_pyg(source: Any) -> Graph:
    if source.edge_index is None or source.num_nodes is None:
        raise ValueError("a PyG Data without edge_index or num_nodes describes no graph")
    edge_index = as_array(source.edge_index)
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise ValueError(f"edge_index has shape {edge_index.shape}; [2, edges] is needed")
    starts = as_array(source.ptr) if "ptr" in source else None  # of a Batch
    graph = Graph.from_edges(int(source.num_nodes), edge_index.T, starts)
    if edge_index.shape[1] - graph.removed_loops - graph.removed_repeats != 2 * graph.num_edges:
        arcs = set(map(tuple, edge_index.T.tolist()))
        u, v = next((u, v) for u, v in edge_index.T.tolist() if (v, u) not in arcs)
        raise ValueError(
            f"a directed edge_index: it has the edge ({u}, {v}) and not ({v}, {u}); "
            "use torch_geometric.utils.to_undirected if directions do not matter"
        )
    return graph


def as_array(values: Any) -> NDArray[Any]:
    """A tensor, wherever it is, or anything else numpy can take."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def from_matrix(source: Any) -> Graph:
    """The graph of a symmetric scipy or numpy matrix."""
    if source.ndim != 2 or source.shape[0] != source.shape[1]:
        raise ValueError(f"an adjacency matrix must be square; this has shape {source.shape}")
    if source.dtype.kind not in "biuf":
        raise TypeError(f"an adjacency matrix must have real numbers, not entries of type {source.dtype}")
    if source.shape[0] > MAX_NODES:
        raise ValueError(f"a matrix of {source.shape[0]} nodes; at most {MAX_NODES} are possible")
    import scipy.sparse

    # scipy knows no half precision, and sums of repeated entries must not wrap around
    wide = np.float64 if source.dtype.kind == "f" else np.int64 if source.dtype.itemsize < 8 else source.dtype
    filled = source.filled(0) if isinstance(source, np.ma.MaskedArray) else source
    matrix = scipy.sparse.csr_array(filled.astype(wide))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    entries = matrix.tocoo()

    def entry(which: int) -> str:
        return f"entry ({entries.row[which]}, {entries.col[which]}) is {entries.data[which]}"

    if not np.isfinite(entries.data).all():
        raise ValueError(f"a matrix with missing numbers: {entry(int(np.flatnonzero(~np.isfinite(entries.data))[0]))}")
    if (entries.data < 0).any():
        raise ValueError(f"a matrix with negative counts: {entry(int(np.flatnonzero(entries.data < 0)[0]))}")
    one_way = (matrix != matrix.T).tocoo()
    if one_way.nnz:
        i, j = int(one_way.row[0]), int(one_way.col[0])
        raise ValueError(
            f"a directed matrix: entry ({i}, {j}) is {matrix[i, j]} and entry ({j}, {i}) is {matrix[j, i]}; "
            "use A + A.T if directions do not matter"
        )
    return Graph.from_edges(source.shape[0], np.stack([entries.row, entries.col], axis=1))
