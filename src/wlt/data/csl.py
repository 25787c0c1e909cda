"""Circulant skip links (Murphy et al., Relational Pooling, arXiv:1903.02541), from their formula."""

from __future__ import annotations

import numpy as np

from wlt.graph import Graph
from wlt.graphs import Graphs

NODES = 41
SKIPS = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)
COPIES = 15


def csl(seed: int = 0) -> Graphs:
    """150 graphs in ten classes that no number of WL rounds tells apart: all are connected and 4-regular.

    A cycle of 41 nodes in which every node is also joined to the one `skip` steps ahead; the class is the skip. Each
    class has 15 copies with their nodes relabelled at random.
    """
    random = np.random.default_rng(seed)
    node = np.arange(NODES)
    graphs, labels = [], []
    for skip in SKIPS:
        edges = np.concatenate([np.stack([node, (node + step) % NODES], axis=1) for step in (1, skip)])
        for _ in range(COPIES):
            graphs.append(Graph.from_edges(NODES, random.permutation(NODES)[edges]))
            labels.append(skip)
    return Graphs.by_degree(Graph.union(graphs), targets=np.array(labels), name="CSL")
