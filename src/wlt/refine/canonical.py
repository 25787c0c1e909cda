"""The canonical form of a coloured graph, by igraph's BLISS: the same for all graphs that are isomorphic to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wlt.graph import Graph
from wlt.refine.bliss import TimeLimit, canonical_order
from wlt.refine.partition import Colors


class CanonicalForm(NamedTuple):
    """A coloured graph with its nodes in canonical order."""

    graph: Graph
    colors: Colors

    @property
    def key(self) -> bytes:
        """Equal iff the coloured graphs are isomorphic."""
        return content(self.graph, self.colors)


def canonical_form(graph: Graph, colors: Colors, limit: TimeLimit | None = None) -> CanonicalForm:
    """The form; Undecided if the search for it takes longer than the limit, or than 60 seconds where there is none."""
    order = canonical_order(graph, colors, limit)
    return CanonicalForm(graph.relabel(np.argsort(order)), colors[order])


def content(graph: Graph, colors: Colors) -> bytes:
    """Equal iff graphs and colours are, node by node."""
    return b"".join(array.tobytes() for array in (graph.offsets, graph.neighbors, graph.arcs, colors))
