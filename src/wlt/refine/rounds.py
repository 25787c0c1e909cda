"""WL rounds, one after the other, and one round seen from the classes (colours) instead of the nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.arcs import TokenTable
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
    classes before the round may share rows; without one, the classes before the round are the rows.

    Where edges carry labels, a message is a row and a token (see `wlt.arcs.TokenTable`): `counts` is [classes,
    messages], `from_class` is empty, and the last two fields say what a message is. From a node whose own message is 0
    the token still arrives; the row is then -1."""

    parent: NDArray[np.int32]  # [classes] the row of the class that they were in before; -1: that message is 0
    counts: CSR  # [classes, rows] how many neighbours of a node have the message of each row
    from_class: NDArray[np.int32]  # [entries of counts] the class of these neighbours before the round
    sizes: NDArray[Any]  # [classes] nodes in each class
    members: CSR  # [classes, graphs] nodes of each class in each graph
    message_row: NDArray[np.int32] = np.zeros(0, np.int32)  # [messages]
    message_token: NDArray[np.int32] = np.zeros(0, np.int32)  # [messages]

    def __repr__(self) -> str:
        return f"Round({len(self.sizes)} classes of {int(self.sizes.sum())} nodes)"


def class_round(
    graph: Graph,
    tokens: TokenTable,
    old_classes: NDArray[np.int32],
    row: NDArray[np.int32],
    first_node: NDArray[np.int32],
    classes: NDArray[np.int32],
    owner: NDArray[np.int64],
    weight: NDArray[Any],
) -> Round:
    """From the old classes, whose messages are in these rows, to the new ones. Graphs of the union that are replicas
    count for their owner, with their weight."""
    nodes = (old_classes, row, first_node, classes, owner, weight)
    if not len(tokens):
        return Round(*round_kernels.class_round(graph.adjacency, graph.starts, *nodes))
    labels = (graph.loops, tokens.first_loop, tokens.offsets, tokens.codes)
    return Round(*round_kernels.labelled_class_round(graph.adjacency, *labels, graph.starts, *nodes))


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
    step = class_round(union, union.tokens, colors, rows, first_node, new, graphs, np.ones_like(graphs))
    return new, step


def _number(colors: Colors) -> int:
    return int(colors.max(initial=-1)) + 1
