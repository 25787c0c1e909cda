"""The core of a graph: what is left when all that colour refinement identifies is peeled off its stable partition.

`wlt.graphclass` says which rules are used and why. Two graphs that WL cannot tell apart are isomorphic iff their cores
are, with the stable colours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.refine import core_kernels
from wlt.refine.core_kernels import Quotient
from wlt.refine.partition import Partition


class Core(NamedTuple):
    """The nodes that are left, and the edges that say how these are joined: dense pairs of cells are complemented."""

    nodes: NDArray[np.int64]  # ascending
    edges: NDArray[np.int64]  # [edges, 2] numbers in `nodes`


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
    source, target = core_kernels.core_edges(partition.graph.adjacency, partition.cells, quotient, left)
    kept = left[quotient.rank]  # [nodes]
    number = np.cumsum(kept) - 1
    return Core(np.flatnonzero(kept), number[np.column_stack([source, target])])
