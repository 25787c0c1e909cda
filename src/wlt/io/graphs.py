"""`as_graphs`: any collection of graphs as `Graphs`, with what the nodes carry."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.graphs import Graphs, NodeKind
from wlt.io.attributes import dense_codes, frozen, node_codes
from wlt.io.objects import as_graph
from wlt.wording import level_of_caller


class UnusedAttributesWarning(UserWarning):
    """Graphs have node attributes, and nobody said whether they are meant to be used."""


def as_graphs(
    graphs: Any, targets: ArrayLike | None = None, *, node_labels: ArrayLike = "auto", empty: bool = True
) -> Graphs:
    """Graphs of any kind as one `Graphs`, checked once for everything that takes it.

    graphs: `Graphs` (returned as they are, if nothing else is asked for), a disjoint union, one graph, or a list of
    anything `as_graph` takes; a PyG dataset is such a list. targets: what is to be predicted, one for every graph.

    node_labels: "auto" takes what the graphs bring along, PyG's `x` or what a loader found, and degrees where there is
    nothing; "degrees"; the name of a node attribute of networkx, igraph or PyG graphs; or an integer for every node of
    all graphs, one after the other. Attributes that are rows of numbers, or numbers that are not whole, are features;
    all other values are labels. empty: may there be graphs without nodes?

    >>> as_graphs([(3, [(0, 1), (1, 2)]), "Bw"])
    Graphs(graphs: 2 graphs, 6 nodes, 5 edges; nodes: degrees)
    """
    source = node_labels if isinstance(node_labels, str) else "degrees"
    if isinstance(graphs, (Graphs, Graph)):
        result = _carried(graphs, source)
    else:
        pieces = as_list(graphs)
        if pieces and all(isinstance(piece, Graphs) for piece in pieces):
            result = _joined([_carried(piece, source) for piece in pieces])
        else:
            result = _from_elsewhere(pieces, source)
    if len(result) == 0:
        raise ValueError("no graphs")
    sizes = result.union.graph_sizes
    if not empty and (sizes == 0).any():
        raise ValueError(f"graph {int(np.argmin(sizes))} has no nodes; leave it out")
    if not isinstance(node_labels, str):
        values, codes = dense_codes(node_labels, result.union.num_nodes)
        result = Graphs(result.union, codes, values, "labels", result.targets, result.names, result.name)
    return result if targets is None else result.with_targets(targets)


def as_list(graphs: Any) -> list[Any]:
    """One graph of any kind, or several, as a list."""
    if _is_one_graph(graphs):
        return [graphs]
    # a dataset of torch is no Iterable, but can be asked for its items
    if not isinstance(graphs, Iterable) and not hasattr(graphs, "__getitem__"):
        raise TypeError(f"graphs are needed, a list of them or one, not {type(graphs).__name__}")
    return list(graphs)


def _is_one_graph(graphs: Any) -> bool:
    if isinstance(graphs, tuple):
        return len(graphs) == 2 and isinstance(graphs[0], (int, np.integer))
    if isinstance(graphs, np.ndarray):
        return graphs.ndim == 2
    # networkx, igraph and PyG graphs know whether they are directed; sparse matrices convert to CSR
    return isinstance(graphs, (str, bytes)) or hasattr(graphs, "is_directed") or hasattr(graphs, "tocsr")


def _carried(graphs: Graphs | Graph, source: str) -> Graphs:
    """What our own types know of their nodes. `Graphs` may have been made by the attribute that is asked for."""
    attribute = graphs.attribute if isinstance(graphs, Graphs) else ""
    if source not in ("auto", "degrees", attribute):
        kind = type(graphs).__name__
        raise ValueError(f"node_labels={source!r}: this wlt.{kind} has no such attribute; use 'auto' or 'degrees'")
    if isinstance(graphs, Graphs):
        return graphs.without_labels() if source == "degrees" else graphs
    return Graphs.by_degree(graphs)


def _joined(pieces: list[Graphs]) -> Graphs:
    """One disjoint union of all pieces."""
    union = Graph.union([piece.union for piece in pieces])
    kinds = {piece.kind for piece in pieces}
    if len(kinds) > 1:
        raise ValueError(f"graphs with node {' and '.join(sorted(kinds))} together; one kind is needed")
    columns = [piece.targets for piece in pieces if piece.targets is not None]
    targets = np.concatenate(columns) if len(columns) == len(pieces) else None
    if kinds == {"degrees"}:
        return Graphs.by_degree(union, targets=targets)
    first = pieces[0]
    if all(piece.values is first.values for piece in pieces):  # they were taken from one collection
        codes = np.concatenate([piece.codes for piece in pieces])
        return Graphs(union, codes, first.values, first.kind, targets, attribute=first.attribute)
    number: dict[Any, int] = {}
    parts = []
    for piece in pieces:
        renumbered = [number.setdefault(value, len(number)) for value in map(frozen, _listed(piece.values))]
        parts.append(np.array(renumbered, np.int32)[piece.codes])
    return Graphs(union, np.concatenate(parts), list(number), first.kind, targets, attribute=first.attribute)


def _listed(values: Sequence[Any] | NDArray[Any]) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _from_elsewhere(pieces: list[Any], source: str) -> Graphs:
    """Graphs of other libraries."""
    graphs = []
    for i, piece in enumerate(pieces):
        try:
            graphs.append(as_graph(piece))
        except (ValueError, TypeError) as error:
            raise type(error)(f"graph {i}: {error}") from None
    union = Graph.union(graphs)
    if source not in ("auto", "degrees"):
        codes, table = node_codes(pieces, source)
        joined = np.concatenate(codes) if codes else np.zeros(0, np.int32)
        return Graphs(union, joined, list(table), _kind_of(list(table)), attribute=source)
    if source == "auto":
        featured = [i for i, piece in enumerate(pieces) if _features(piece) is not None]
        if featured and len(featured) < len(pieces):
            without = next(i for i in range(len(pieces)) if _features(pieces[i]) is None)
            raise ValueError(f"graph {featured[0]} has node features x and graph {without} has none")
        if featured:
            return _by_features(union, pieces)
        _warn_of_unused_attributes(pieces)
    return Graphs.by_degree(union)


def _features(piece: Any) -> Any:
    """PyG's x, [nodes, features], if there is one."""
    return getattr(piece, "x", None) if hasattr(piece, "edge_index") else None


def _by_features(union: Graph, pieces: list[Any]) -> Graphs:
    matrices = [np.asarray(_features(piece).detach().cpu()) for piece in pieces]
    matrices = [matrix.reshape(len(matrix), -1) for matrix in matrices]
    widths = {matrix.shape[1] for matrix in matrices}
    if len(widths) > 1:
        raise ValueError(f"graphs with {' and '.join(map(str, sorted(widths)))} node features together")
    rows = np.concatenate(matrices)
    if len(rows) != union.num_nodes:
        raise ValueError(f"{len(rows)} rows of node features x for {union.num_nodes} nodes")
    if not np.isfinite(rows).all():
        node = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise ValueError(f"{node_place(union, node)}: a feature that is not a finite number")
    return Graphs.by_rows(union, rows, "features")


def _warn_of_unused_attributes(pieces: list[Any]) -> None:
    for piece in pieces[:1]:
        names: list[Any] = []
        if hasattr(piece, "vs"):
            names = [name for name in piece.vs.attributes() if name != "name"]
        elif hasattr(piece, "nodes") and hasattr(piece, "is_multigraph"):
            names = list(next(iter(piece.nodes.values()), {}))
        if names:
            listed = ", ".join(map(repr, names))
            advice = f"node_labels={names[0]!r} would use one, node_labels='degrees' says that this is meant"
            sentence = f"the graphs' node attributes ({listed}) are not used; {advice}"
            warnings.warn(sentence, UnusedAttributesWarning, stacklevel=level_of_caller())


def _kind_of(values: Sequence[Any]) -> NodeKind:
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    numbers = all(isinstance(x, Real) and not isinstance(x, bool) for row in rows for x in row)
    if not numbers or len({len(row) for row in rows}) != 1:
        return "labels"
    in_rows = isinstance(values[0], tuple)
    return "labels" if not in_rows and all(float(x).is_integer() for (x,) in rows) else "features"


def node_place(union: Graph, node: int) -> str:
    """A node of a union as messages call it: its graph, and its number there."""
    graph = int(np.searchsorted(union.starts, node, side="right")) - 1
    return f"graph {graph}, node {node - int(union.starts[graph])}"
