"""The canonical form of a coloured graph, by igraph's BLISS: the same for all graphs that are isomorphic to it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.refine.partition import Colors


class CanonicalForm(NamedTuple):
    """A coloured graph with its nodes in canonical order."""

    graph: Graph
    colors: Colors

    @property
    def key(self) -> bytes:
        """Equal iff the coloured graphs are isomorphic."""
        return content(self.graph, self.colors)


def canonical_order(graph: Graph, colors: NDArray[Any]) -> NDArray[np.int64]:
    """The node that comes to each place. Only the order of the colours counts, not their values."""
    plain = graph.to_igraph()
    plain.vs["node"] = range(graph.num_nodes)
    # Which way the permutation goes differs between versions of igraph; permute_vertices always goes along.
    moved = plain.permute_vertices(plain.canonical_permutation(color=colors.tolist()))
    return np.array(moved.vs["node"], dtype=np.int64)


def canonical_form(graph: Graph, colors: Colors) -> CanonicalForm:
    order = canonical_order(graph, colors)
    return CanonicalForm(graph.relabel(np.argsort(order)), colors[order])


def content(graph: Graph, colors: Colors) -> bytes:
    """Equal iff graphs and colours are, node by node."""
    return b"".join(array.tobytes() for array in (graph.offsets, graph.neighbors, colors))
