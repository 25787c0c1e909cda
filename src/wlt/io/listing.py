"""Listing: a graph as its source lists it. What each source is read as, and what `as_graph` makes its graph of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.arcs import both_ways
from wlt.graph import DIRECTIONS, Graph, checked_pairs, checked_starts, coded, left_out, number_of_labels
from wlt.io.values import label
from wlt.wording import listed, shortened

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

    def chosen(self, edge_labels: Hashable = "auto", simple: bool = False) -> ChosenEdges:
        """The edges, labelled by a column; or, with `simple`, without anything that they carry. All that is wrong with
        this graph alone is found here, but for labels that contradict each other."""
        pairs = checked_pairs(self.num_nodes, self.edges)
        numbered = not self.names or list(self.names) == list(range(len(self.names)))
        names = () if numbered else tuple(self.names)
        column = None if simple else self._column(edge_labels, len(pairs))
        labels = None if column is None else self._labels(column, pairs)
        unused = tuple(self.unused.format(name) for name in self.columns if name != column) if self.unused else ()
        return ChosenEdges(self.kind, checked_starts(self.starts, self.num_nodes), pairs, labels, names, unused, simple)

    def graph(self, edge_labels: Hashable = "auto", simple: bool = False) -> Graph:
        """The graph, its edges labelled by a column; or the simple graph below, whatever edges carry."""
        return self.chosen(edge_labels, simple).graph()

    def _column(self, edge_labels: Hashable, num_edges: int) -> Hashable:
        """Which column is meant; None: none of them."""
        if not isinstance(edge_labels, Hashable):
            raise TypeError(
                f"edge_labels must be 'auto', an attribute's name or None, not {shortened(repr(edge_labels))}"
            )
        if edge_labels == "auto":
            return self.automatic
        if edge_labels is not None and edge_labels not in self.columns and num_edges:
            known = listed(list(self.columns))
            wanted = shortened(repr(edge_labels))
            raise ValueError(f"edge_labels={wanted}: no edge has such an attribute; there are: {known}")
        return edge_labels if edge_labels in self.columns else None

    def _labels(self, column: Hashable, pairs: NDArray[np.int64]) -> Column:
        """The labels of all edges; errors name the edge by its ends."""
        values = self.columns[column]
        if number_of_labels(values) != len(pairs):
            raise ValueError(f"{column!r} has {len(values)} labels for {len(pairs)} edges; one label for every edge")
        if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.isnan(values).any():
            return values
        if {type(value) for value in values} <= {int, str}:
            return values
        others = "edges" if any(value is not None for value in values) else ""
        return [
            label(value, column, f"edge ({self._name(u)}, {self._name(v)})", others)
            for value, (u, v) in zip(values, pairs.tolist(), strict=True)
        ]

    def _name(self, node: int) -> str:
        return repr(self.names[node]) if self.names else str(node)


@dataclass(frozen=True, eq=False)
class ChosenEdges:
    """The edges of one listing, or of several of one kind, with the labels that were asked for."""

    kind: EdgeKind
    starts: NDArray[np.int64]  # [graphs + 1] the first node of each graph
    pairs: NDArray[np.int64]  # [edges, 2]
    labels: Column | None = None  # [edges]
    names: tuple[Hashable, ...] = ()  # [nodes] empty: their numbers
    unused: tuple[str, ...] = ()
    """What edges carry besides, as `Graph.ignored` tells it."""
    simple: bool = False
    """Is the simple graph below wanted, without directions, parallel edges and loops?"""

    @classmethod
    def joined(cls, parts: Sequence[ChosenEdges]) -> ChosenEdges:
        """The edges of all parts, in this order; either all of them have labels, or none that has edges."""
        first_node = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = np.concatenate([[0], *(part.starts[1:] + node for part, node in zip(parts, first_node, strict=False))])
        pairs = np.concatenate([part.pairs + node for part, node in zip(parts, first_node, strict=False)])
        columns = [part.labels for part in parts if part.labels is not None]
        named = any(part.names for part in parts)
        names = tuple(chain.from_iterable(part._names_or_numbers() for part in parts)) if named else ()
        unused = dict.fromkeys(sentence for part in parts for sentence in part.unused)
        labels = _one_column(columns) if columns else None
        return cls(parts[0].kind, starts, pairs, labels, names, tuple(unused), parts[0].simple)

    def _names_or_numbers(self) -> Sequence[Hashable]:
        sizes = np.diff(self.starts)
        return self.names or (np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], sizes)).tolist()

    def _lost_by(self, simple: Graph) -> tuple[str, ...]:
        """What the simple graph of these edges has lost of them, besides what they carry."""
        joined, loops, repeats = len(self.pairs), simple.removed_loops, simple.removed_repeats
        if self.kind == "undirected":  # (u, v) and (v, u) are parallel edges
            repeats = joined - loops - simple.num_edges
        one_way = self.kind in ("directed", "both ways") and joined - loops - repeats != 2 * simple.num_edges
        return (*([DIRECTIONS] if one_way else []), *left_out(loops, repeats))

    def graph(self) -> Graph:
        """Their disjoint union."""
        pairs, labels = self.pairs, self.labels
        if labels is None:
            plain = Graph.from_checked(self.starts, pairs, ignored=self.unused, names=self.names)
            removed = plain.removed_loops or plain.removed_repeats
            listed_twice = self.kind == "both ways" and 2 * plain.num_edges == len(pairs)
            if self.simple:
                return replace(plain, ignored=(*self.unused, *self._lost_by(plain)))
            if self.kind == "loose" or (not removed and (self.kind == "undirected" or listed_twice)):
                return plain
        directed: bool | NDArray[np.bool_] = self.kind == "directed"
        if self.kind == "both ways":
            codes = np.zeros(len(pairs), np.int64) if labels is None else coded(labels, pairs)[1]
            again, one_way = both_ways(pairs, codes)
            pairs, directed = pairs[~again], one_way[~again]
            if labels is not None:
                labels = labels[~again] if isinstance(labels, np.ndarray) else list(compress(labels, ~again))
        return Graph.from_checked(
            self.starts,
            pairs,
            labels,
            directed,
            multigraph=self.kind != "loose",
            ignored=self.unused,
            names=self.names,
        )


def _one_column(columns: Sequence[Column]) -> Column:
    """One after the other; as an array only if no number changes by it."""
    kinds = {(c.dtype, c.shape[1:]) if isinstance(c, np.ndarray) else None for c in columns}
    if len(kinds) == 1 and None not in kinds:
        return np.concatenate(columns)
    lists = (column.tolist() if isinstance(column, np.ndarray) else column for column in columns)
    return list(chain.from_iterable(lists))
