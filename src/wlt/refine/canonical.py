"""The canonical form of a coloured graph, by igraph's BLISS: the same for all graphs that are isomorphic to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.refine.partition import Colors

if TYPE_CHECKING:
    import igraph


class CanonicalForm(NamedTuple):
    """A coloured graph with its nodes in canonical order."""

    graph: Graph
    colors: Colors

    @property
    def key(self) -> bytes:
        """Equal iff the coloured graphs are isomorphic."""
        return content(self.graph, self.colors)


def in_igraph(graph: Graph, colors: NDArray[Any]) -> tuple[igraph.Graph, list[int]]:
    """The coloured graph as BLISS can take it, which knows no labels of edges.

    An edge becomes a path whose inner nodes have the labels as colours: one for a label that both ends see alike, two
    for one that they see differently. Edges with the most frequent label stay as they are. The graph's own nodes come
    first, with their own numbers."""
    if not len(graph.arcs):
        return graph.to_igraph(), colors.tolist()
    import igraph

    u, v = graph.edge_index()
    once = np.flatnonzero(u < v)
    u, v, here, there = u[once], v[once], graph.arcs[once], graph.arcs[graph.reverse_entries][once]
    alike = here == there
    usual = int(np.argmax(np.bincount(here[alike], minlength=1))) if alike.any() else -1
    plain, one, two = alike & (here == usual), alike & (here != usual), ~alike
    n, first_color = graph.num_nodes, int(colors.max(initial=0)) + 1
    middle = n + np.arange(one.sum())
    left = n + one.sum() + np.arange(two.sum())
    right = left + two.sum()
    paths = [(u[plain], v[plain]), (u[one], middle), (middle, v[one]), (u[two], left), (left, right), (right, v[two])]
    edges = np.concatenate([np.column_stack(ends) for ends in paths])
    inner = first_color + np.concatenate([here[one], here[two], there[two]]).astype(np.int64)
    return igraph.Graph(n=n + len(inner), edges=edges), [*colors.tolist(), *inner.tolist()]


def canonical_order(graph: Graph, colors: NDArray[Any]) -> NDArray[np.int64]:
    """The node that comes to each place. Only the order of the colours counts, not their values."""
    plain, all_colors = in_igraph(graph, colors)
    plain.vs["node"] = range(plain.vcount())
    # Which way the permutation goes differs between versions of igraph; permute_vertices always goes along.
    moved = plain.permute_vertices(plain.canonical_permutation(color=all_colors))
    nodes = np.array(moved.vs["node"], dtype=np.int64)
    return nodes[nodes < graph.num_nodes]


def canonical_form(graph: Graph, colors: Colors) -> CanonicalForm:
    order = canonical_order(graph, colors)
    return CanonicalForm(graph.relabel(np.argsort(order)), colors[order])


def content(graph: Graph, colors: Colors) -> bytes:
    """Equal iff graphs and colours are, node by node."""
    return b"".join(array.tobytes() for array in (graph.offsets, graph.neighbors, graph.arcs, colors))
