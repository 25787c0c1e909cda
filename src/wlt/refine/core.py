"""The core of a graph: what is left when all that colour refinement identifies is peeled off its stable partition.

`wlt.graphclass` says which rules are used and why. Two graphs that WL cannot tell apart are isomorphic iff their cores
are, with the stable colours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import ArcLabel
from wlt.graph import Graph
from wlt.refine import core_kernels
from wlt.refine.core_kernels import Quotient
from wlt.refine.partition import Partition

COMPLEMENT: ArcLabel = (("complement", None),)
"""The label of the edges of a dense pair's complement, where edges have labels."""


class Core(NamedTuple):
    """The nodes that are left, and the graph that says how these are joined: dense pairs of cells are complemented."""

    nodes: NDArray[np.int64]  # ascending
    graph: Graph  # node i is nodes[i]; a disjoint union where the whole graph is one


def stable_quotient(partition: Partition) -> Quotient:
    """How the cells of a stable partition are joined."""
    quotient: Quotient = core_kernels.quotient(partition.graph.adjacency, partition.cells)
    return quotient


def core_cells(quotient: Quotient) -> NDArray[np.bool_]:
    """[cells] Which of them are left?"""
    left: NDArray[np.bool_] = core_kernels.core_cells(quotient)
    return left


def core_of(partition: Partition, quotient: Quotient, left: NDArray[np.bool_]) -> Core:
    """The graph on the cells that are left. The caller may clear those of some graphs of a union."""
    graph = partition.graph
    source, target, entry = core_kernels.core_edges(graph.adjacency, partition.cells, quotient, left)
    kept = left[quotient.rank]  # [nodes]
    nodes, number = np.flatnonzero(kept), np.cumsum(kept) - 1
    starts = np.searchsorted(nodes, graph.starts)
    ends = number[np.column_stack([source, target])]
    if not len(graph.arcs):
        return Core(nodes, Graph.from_edges(len(nodes), ends, starts))
    labels = [np.where(entry < 0, len(graph.arc_labels), codes[entry]) for codes in (graph.arcs, _reversed(graph))]
    rows, columns = np.concatenate([ends, ends[:, ::-1]]).T
    table = (*graph.arc_labels, COMPLEMENT)
    return Core(nodes, Graph.from_entries(starts, rows, columns, np.concatenate(labels).astype(np.int32), table))


def _reversed(graph: Graph) -> NDArray[np.int32]:
    """[2 * edges] The label of (u, v) for every entry (v, u)."""
    return graph.arcs[graph.reverse_entries]
