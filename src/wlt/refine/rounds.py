"""WL rounds, one after the other, and one round seen from the classes (colours) instead of the nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.io import as_graph, labels_of
from wlt.kernels import CSR
from wlt.refine import round_kernels
from wlt.refine.partition import Colors, as_colors


class WLColors(NamedTuple):
    """The colours after a round."""

    colors: Colors  # [nodes] numbered by first appearance
    first_node: NDArray[np.int32]  # [colours] the first node of each
    split: bool
    """Does the round tell more nodes apart than the one before? If not, no later one does."""


def wl_rounds(graph: Graph, colors: Colors) -> Iterator[WLColors]:
    """The colours after 1, 2, ... rounds, without end; those to begin with are dense."""
    num_colors = _number(colors)
    while True:
        colors, first_node = round_kernels.round_colors(graph.adjacency, colors, num_colors)
        yield WLColors(colors, first_node, len(first_node) > num_colors)
        num_colors = len(first_node)


def colors_after(graph: Graph, colors: Colors, rounds: int | None) -> Colors:
    """The colours after so many rounds, or, with None, the stable ones."""
    for after in islice(wl_rounds(graph, colors), rounds):
        colors = after.colors
        if not after.split:
            break
    return colors


class Round(NamedTuple):
    """One WL round on a disjoint union, seen from the classes. In a network, a message is a row of a matrix, and the
    classes before the round may share rows; without one, the classes before the round are the rows."""

    parent: NDArray[np.int32]  # [classes] the row of the class that they were in before; -1: that message is 0
    counts: CSR  # [classes, rows] how many neighbours of a node have the message of each row
    from_class: NDArray[np.int32]  # [entries of counts] the class of these neighbours before the round
    sizes: NDArray[Any]  # [classes] nodes in each class
    members: CSR  # [classes, graphs] nodes of each class in each graph


def refine_once(
    graph: Any,
    *,
    node_labels: ArrayLike | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> tuple[Colors, Round]:
    """One WL round: colours that also know the multiset of the neighbours' colours, and how the classes relate.

    `node_labels`: an integer for each node, or the name of a node attribute; None: all nodes alike.
    `edge_labels` and `simple` are those of `as_graph`.

    >>> path = Graph.from_edges(3, [(0, 1), (1, 2)])
    >>> colors, step = refine_once(path)
    >>> colors.tolist(), step.sizes.tolist(), step.counts.values.tolist()
    ([0, 1, 0], [2, 1], [1, 2])
    """
    union = as_graph(graph, edge_labels=edge_labels, simple=simple)
    colors = as_colors(labels_of(graph, node_labels), union)
    num_colors = _number(colors)
    new, first_node = round_kernels.round_colors(union.adjacency, colors, num_colors)
    rows, graphs = np.arange(num_colors, dtype=np.int32), np.arange(union.num_graphs)
    step = round_kernels.class_round(
        union.adjacency, union.starts, colors, rows, first_node, new, graphs, np.ones_like(graphs)
    )
    return new, Round(*step)


def _number(colors: Colors) -> int:
    return int(colors.max(initial=-1)) + 1
