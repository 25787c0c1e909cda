"""How much smaller layers get that compute one row per colour class instead of one per node."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.refine.partition import Colors
from wlt.refine.round_kernels import class_counts, graph_histograms

BATCH_SIZE = 128
"""Graphs in a batch, as in the paper."""


class Kept(NamedTuple):
    """Per WL round, in percent of what node-level layers have: rows (classes for nodes), and entries of the matrix
    between classes (for entries of the adjacency matrix)."""

    rows: tuple[float, ...]
    edges: tuple[float, ...]


class Compression(NamedTuple):
    batches: Kept
    """In random batches of 128 graphs."""
    whole: Kept
    """With the whole set as one batch."""


def compression(union: Graph, colorings: list[Colors], seed: int) -> Compression:
    """colorings: the nodes' colours after 0, 1, 2, ... rounds."""
    order = np.random.default_rng(seed).permutation(union.num_graphs)
    return Compression(*(_kept(union, colorings, order, size) for size in (BATCH_SIZE, len(order))))


def _kept(union: Graph, colorings: list[Colors], order: NDArray[np.int64], batch_size: int) -> Kept:
    nodes = union.nodes_of(order)
    ends = np.cumsum(union.graph_sizes[order])
    starts = np.concatenate([[0], ends[batch_size - 1 : -1 : batch_size], ends[-1:]])
    rows, edges = [], []
    for earlier, colors in pairwise(colorings):
        first_node = np.unique(colors, return_index=True)[1]
        offsets = class_counts(union.adjacency, earlier, int(earlier.max(initial=-1)) + 1, first_node).offsets
        classes = graph_histograms(starts, colors[nodes], len(first_node)).columns
        rows.append(100 * len(classes) / max(1, union.num_nodes))
        edges.append(100 * int(np.diff(offsets)[classes].sum()) / max(1, len(union.neighbors)))
    return Kept(tuple(rows), tuple(edges))
