"""Two graphs to be compared: their disjoint union, and the verdicts that a comparison can give."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare import kernels as compare_kernels
from wlt.graph import Graph
from wlt.io import as_graph, node_codes
from wlt.io.attributes import label_array
from wlt.refine.partition import Colors, Partition, as_colors


def not_looked_at(ignored: Sequence[str]) -> str:
    """What an answer is without, as its end."""
    return f", without {' and '.join(ignored)}" if ignored else ""


class Verdict(Enum):
    """What a test says; only the first two are certain. UNDECIDED: exact search ran out of time."""

    ISOMORPHIC = "isomorphic"
    NON_ISOMORPHIC = "non-isomorphic"
    POSSIBLY_ISOMORPHIC = "possibly isomorphic"
    POSSIBLY_NON_ISOMORPHIC = "possibly non-isomorphic"
    UNDECIDED = "undecided"

    def __str__(self) -> str:
        return str(self.value)


class Closure(NamedTuple):
    """The common stable partition of two graphs. WL, Tinhofer's algorithm and exact search all begin with it."""

    partition: Partition
    balanced: bool
    """Does every cell have as many nodes of g as of h? If not, the graphs are not isomorphic, and refinement ended with
    the first round that told."""


class Pair(NamedTuple):
    """g and h side by side: nodes below `border` are g's. Colours are comparable because they belong to one union."""

    graph: Graph
    colors: Colors
    border: int
    names: tuple[tuple[Hashable, ...], tuple[Hashable, ...]] = ((), ())
    """Of the nodes of g and of h."""

    def closure(self) -> Closure:
        partition = Partition(self.graph, self.colors)
        left, right = self.colors[: self.border], self.colors[self.border :]
        same_colors = np.array_equal(np.sort(left), np.sort(right))
        return Closure(partition, same_colors and partition.refine_in_bulk(border=self.border))

    def is_isomorphism(self, mapping: NDArray[np.int64]) -> bool:
        """Checked edge by edge: a bijection that keeps colours and maps the edges of g onto the edges of h."""
        g, h = self.graph[0], self.graph[1]
        n = self.border
        if h.num_nodes != n or g.num_edges != h.num_edges or not np.array_equal(np.sort(mapping), np.arange(n)):
            return False
        if not np.array_equal(self.colors[:n], self.colors[n:][mapping]):
            return False
        return bool(compare_kernels.is_isomorphism(g.adjacency, h.adjacency, mapping))


def as_pair(
    g: Any,
    h: Any,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> Pair:
    """Two graphs of any kind that `as_graph` takes, with its edge_labels and simple.

    `node_labels`: integers or strings, an array for g and one for h, or the name of a node attribute that both have."""
    if isinstance(node_labels, str):
        node_labels, _ = node_codes([g, h], node_labels)
    left, right = (as_graph(source, edge_labels=edge_labels, simple=simple) for source in (g, h))
    for name, graph in (("first", left), ("second", right)):
        if graph.num_graphs != 1:
            raise ValueError(
                f"the {name} argument is a disjoint union of {graph.num_graphs} graphs; compare single ones"
            )
    names = left.names, right.names  # beside the union: its own tuple of names would take as long as a test
    union = Graph.union([replace(graph, names=()) if graph.names else graph for graph in (left, right)])
    if node_labels is None:
        return Pair(union, as_colors(None, union), left.num_nodes, names)
    arrays = [label_array(part) for part in node_labels] if isinstance(node_labels, Iterable) else []
    if len(arrays) != 2 or not all(array.ndim for array in arrays):
        raise ValueError("node_labels must be a pair: one array for the first graph and one for the second")
    for name, graph, array in (("first", left, arrays[0]), ("second", right, arrays[1])):
        if array.shape != (graph.num_nodes,):
            raise ValueError(f"node labels of shape {array.shape} for the {graph.num_nodes} nodes of the {name} graph")
    if {array.dtype.kind for array in arrays if len(array)} > {"U"}:
        raise TypeError("the node labels of one graph are strings, those of the other are not")
    # numpy would join signed and unsigned integers to floating point numbers, of which large ones are equal
    exact = object if {array.dtype.kind for array in arrays} == {"i", "u"} else None
    colors = as_colors(np.concatenate(arrays, dtype=exact), union)
    return Pair(union, colors, left.num_nodes, names)
