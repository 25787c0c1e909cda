"""Listing: a graph as its source lists it. What each source is read as, and what `as_graph` makes its graph of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.arcs import both_ways
from wlt.graph import Graph, coded
from wlt.io.values import label
from wlt.wording import listed

Column = Sequence[Any] | NDArray[Any]
EdgeKind = Literal["undirected", "directed", "both ways", "loose"]


@dataclass(frozen=True, eq=False)
class Listing:
    """Nodes, edges, and columns of what edges carry.

    kind: "undirected" and "directed" list every edge once. "both ways": (u, v) and (v, u) with equal labels are one
    undirected edge, every other edge is directed; so do PyG and matrices. "loose": undirected edges in one direction or
    in both; loops and repeated edges are mistakes and left out, unless the edges have labels.
    """

    num_nodes: int
    edges: ArrayLike  # [edges, 2]
    kind: EdgeKind
    columns: Mapping[Any, Column] = field(default_factory=dict)
    """What edges carry, by name; None where an edge has nothing."""
    automatic: str | None = None
    """The column that edge_labels="auto" takes."""
    names: Sequence[Hashable] = ()
    """What the source calls its nodes."""
    starts: ArrayLike | None = None
    unused: str = "the edge attribute {!r}"
    """What `Graph.ignored` says of a column that is not used; "" if nobody misses it."""

    def graph(self, edge_labels: Hashable = "auto", simple: bool = False) -> Graph:
        """The graph, its edges labelled by a column; or the simple graph below, whatever edges carry."""
        plain = Graph.from_edges(self.num_nodes, self.edges, self.starts)
        names = () if list(self.names) == list(range(len(self.names))) else tuple(self.names)
        if simple:
            return replace(plain, names=names, ignored=())
        column = self._column(edge_labels)
        others = [] if edge_labels is None or not self.unused else [name for name in self.columns if name != column]
        unused = [self.unused.format(name) for name in others]
        changed = plain.removed_loops or plain.removed_repeats
        listed_twice = self.kind == "both ways" and 2 * plain.num_edges == len(np.asarray(self.edges))
        if column is None and (self.kind == "loose" or (not changed and (self.kind == "undirected" or listed_twice))):
            return replace(plain, names=names, ignored=(*unused, *plain.ignored))
        labels = None if column is None else self._labels(column)
        if self.kind == "loose":
            graph = Graph.from_edges(self.num_nodes, self.edges, self.starts, edge_labels=labels, ignored=unused)
            return replace(graph, names=names)
        pairs = np.asarray(self.edges, np.int64).reshape(-1, 2)
        directed: bool | NDArray[np.bool_] = self.kind == "directed"
        if self.kind == "both ways":
            codes = np.zeros(len(pairs), np.int64) if labels is None else _codes(labels, pairs)
            again, one_way = both_ways(pairs, codes)
            pairs, directed = pairs[~again], one_way[~again]
            labels = labels if labels is None else _rows(labels, np.flatnonzero(~again))
        graph = Graph.from_edges(
            self.num_nodes,
            pairs,
            self.starts,
            edge_labels=labels,
            directed=directed,
            multigraph=True,
            ignored=unused,
        )
        return replace(graph, names=names)

    def _column(self, edge_labels: Hashable) -> Hashable:
        """Which column is meant; None: none of them."""
        if edge_labels == "auto":
            return self.automatic
        if edge_labels is not None and edge_labels not in self.columns and len(np.asarray(self.edges)):
            known = listed(list(self.columns))
            raise ValueError(f"edge_labels={edge_labels!r}: no edge has such an attribute; there are: {known}")
        return edge_labels if edge_labels in self.columns else None

    def _labels(self, column: Hashable) -> Column:
        """The labels of all edges; errors name the edge by its ends."""
        values = self.columns[column]
        pairs = np.asarray(self.edges).reshape(-1, 2)
        if len(values) != len(pairs):
            raise ValueError(f"{column!r} has {len(values)} labels for {len(pairs)} edges; one label for every edge")
        if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.isnan(values).any():
            return values
        others = "edges" if any(value is not None for value in values) else ""
        return [
            label(value, column, f"edge ({self._name(u)}, {self._name(v)})", others)
            for value, (u, v) in zip(values, pairs, strict=True)
        ]

    def _name(self, node: int) -> str:
        return repr(self.names[node]) if self.names else str(node)


def _codes(labels: Column, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    return coded(labels, pairs)[1]


def _rows(labels: Column, which: NDArray[np.int64]) -> Column:
    return labels[which] if isinstance(labels, np.ndarray) else [labels[i] for i in which]
