"""`as_graph`: other libraries' graphs as ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterator
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.graph import MAX_NODES, Graph
from wlt.io.graph6 import from_graph6
from wlt.io.listing import Listing
from wlt.io.values import as_array

ACCEPTED = (
    "a wlt.Graph, a networkx or igraph graph, a PyG Data or Batch, a scipy sparse matrix or a square numpy array, "
    "a pair (n, edges) or a triple (n, edges, edge_labels), or graph6, sparse6 or digraph6 text"
)


def as_graph(source: Any, *, edge_labels: Hashable = "auto", simple: bool = False) -> Graph:
    """The graph that another library's object, a pair (n, edges) or graph6 text describes.

    Accepted are: a Graph (returned as it is); networkx graphs, whose nodes are numbered in the order of iteration;
    igraph graphs; PyG Data (a Batch gives the disjoint union of its graphs); scipy sparse matrices and square numpy
    arrays, in which every nonzero entry is an edge; `(n, edges)` and `(n, edges, edge_labels)`; graph6, sparse6 and
    digraph6 text. Directions, parallel edges and loops are kept. In PyG's edge_index and in matrices (u, v) and (v, u)
    are one undirected edge if they carry the same; all other edges are directed. A pair (n, edges) is a simple graph:
    loops and repeated edges are left out, and the graph's `ignored` says so.

    edge_labels: the edge attribute of networkx, igraph and PyG graphs that labels the edges, or "weight" for the
    entries of a matrix. "auto" takes what can mean nothing else, PyG's edge_attr and the labels of a triple; the names
    of all other attributes are in the graph's `ignored`. None: no labels; all names are there.
    simple: the simple undirected graph below, without labels; loops and repeated edges are left out and counted.

    >>> as_graph("Bw")  # graph6: the triangle
    Graph(nodes=3, edges=3)
    >>> as_graph((4, [(0, 1), (2, 3)]))
    Graph(nodes=4, edges=2)
    >>> as_graph(np.array([[0, 7], [7, 0]])).ignored
    ('the weights of the matrix',)
    >>> as_graph(np.array([[0, 7], [7, 0]]), edge_labels="weight")
    Graph(nodes=2, edges=1, edge labels=1)
    """
    if isinstance(source, Graph):
        if simple:
            return source.without_labels()
        if edge_labels not in ("auto", None):
            raise ValueError(f"edge_labels={edge_labels!r}: a wlt.Graph has no such attribute; use 'auto' or None")
        return source if edge_labels == "auto" else source.without_edge_labels()
    return listing_of(source, edge_labels).graph(edge_labels, simple)


def listing_of(source: Any, edge_labels: Hashable) -> Listing:
    """What `as_graph` takes, but for our own graphs, as a Listing."""
    if isinstance(source, Listing):
        return source
    if isinstance(source, (str, bytes)):
        try:
            return from_graph6(source)
        except ValueError as error:
            raise ValueError(f"{error}; text is taken for graph6 (for SMILES: wlt.data.molecules)") from None
    if isinstance(source, tuple) and len(source) == 2:
        return Listing(*source, "loose")
    if isinstance(source, tuple) and len(source) == 3:
        return Listing(*source[:2], "loose", {"edge_labels": source[2]}, "edge_labels")
    if comes_from(source, "networkx", "Graph"):
        return _from_networkx(source)
    if isinstance(source, np.ndarray) or comes_from(source, "scipy.sparse", "spmatrix", "sparray"):
        return _from_matrix(source, negative=edge_labels == "weight")
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


def no_table(source: Any, what: str) -> None:
    """TypeError for a DataFrame of pandas: going through it would give the names of its columns."""
    if hasattr(source, "columns") and hasattr(source, "iloc"):
        columns = ", ".join(map(repr, list(source.columns)[:5]))
        raise TypeError(f"a table, not {what}; write table[COLUMN] for the column with the {what}, one of {columns}")


def _from_networkx(source: Any) -> Listing:
    """From the rows of the adjacency, which are dictionaries: views of edges would make an object of every edge."""
    nodes = list(source)
    rows = [row for _, row in source.adjacency()]
    if source.is_multigraph():  # a row has a dictionary of parallel edges for every neighbour
        ends: Iterator[Any] = (u for row in rows for u, edges in row.items() for _ in edges)
        sizes = [sum(map(len, row.values())) for row in rows]
        carried = [data for row in rows for edges in row.values() for data in edges.values()]
    else:
        ends, sizes = chain.from_iterable(rows), list(map(len, rows))
        carried = list(chain.from_iterable(row.values() for row in rows))
    numbered = nodes == list(range(len(nodes)))
    if not numbered:
        ends = map({node: i for i, node in enumerate(nodes)}.__getitem__, ends)
    edges = np.empty((len(carried), 2), np.int64)
    edges[:, 0] = np.repeat(np.arange(len(rows)), sizes)
    edges[:, 1] = np.fromiter(ends, np.int64, len(carried))
    attributes = dict.fromkeys(chain.from_iterable(filter(None, carried)))  # most often there are none
    if not source.is_directed():  # then an edge stands in two rows
        once = edges[:, 0] <= edges[:, 1]
        edges = edges[once]
        carried = list(compress(carried, once)) if attributes else []
    return Listing(
        len(nodes),
        edges,
        "directed" if source.is_directed() else "undirected",
        {name: [of.get(name) for of in carried] for name in attributes},
        names=() if numbered else nodes,
    )


def _from_igraph(source: Any) -> Listing:
    names = source.vs["name"] if "name" in source.vs.attributes() else []
    return Listing(
        source.vcount(),
        np.array(source.get_edgelist(), np.int64).reshape(-1, 2),
        "directed" if source.is_directed() else "undirected",
        {name: source.es[name] for name in source.es.attributes()},
        names=names if len(set(names)) == len(names) else (),  # a name of two nodes names neither
    )


def _from_pyg(source: Any) -> Listing:
    if source.edge_index is None or source.num_nodes is None:
        raise ValueError("a PyG Data without edge_index or num_nodes describes no graph")
    edge_index = as_array(source.edge_index)
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise ValueError(f"edge_index has shape {edge_index.shape}; [2, edges] is needed")
    starts = as_array(source.ptr) if "ptr" in source else None  # of a Batch
    return pyg_listing(source, int(source.num_nodes), edge_index, starts)


def pyg_listing(source: Any, num_nodes: int, edge_index: NDArray[Any], starts: NDArray[Any] | None) -> Listing:
    """The edges of a PyG Data, counted from 0 through all of its graphs, with what it has besides about edges."""
    columns = {}
    for name in edge_attributes(source):
        value = source[name]
        if np.size(value) and (name == "edge_attr" or len(value) == edge_index.shape[1]):
            columns[name] = value if isinstance(value, (list, tuple)) else as_array(value)
    automatic = "edge_attr" if "edge_attr" in columns else None
    return Listing(num_nodes, edge_index.T, "both ways", columns, automatic, starts=starts)


def edge_attributes(source: Any) -> list[str]:
    """The names of what a PyG Data has about edges, by PyG's convention; `knowledge` is no such name."""
    names = sorted(name for name in source.keys() if any(word.startswith("edge") for word in name.split("_")))  # noqa: SIM118
    return [name for name in names if name != "edge_index" and source[name] is not None]


def _from_matrix(source: Any, negative: bool) -> Listing:
    """A scipy or numpy matrix. negative: may entries be negative? Where they only say that there is an edge, they are a
    mistake: a Laplacian matrix has such."""
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
    if not negative and (entries.data < 0).any():
        place = entry(int(np.flatnonzero(entries.data < 0)[0]))
        raise ValueError(f"a matrix with negative counts: {place}; edge_labels='weight' makes labels of them")
    return Listing(
        source.shape[0],
        np.stack([entries.row, entries.col], axis=1),
        "both ways",
        {"weight": entries.data},
        unused="the weights of the matrix" if (entries.data != 1).any() else "",
    )
