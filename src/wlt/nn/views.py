"""What the recolouring of a node shows, as a message of that node."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor
from torch.nn import functional

from wlt.nn import kernels as nn_kernels
from wlt.nn.batch import Batch
from wlt.nn.device import indices, uncompiled
from wlt.nn.layers import GIN, check_sizes, linear, message_table, own_rows, sum_rows
from wlt.nn.recolor import Recoloring
from wlt.recolor import Recolor
from wlt.refine import round_kernels


class NodeViews(torch.nn.Module):
    """Recolours every node in turn, each in a replica of its graph, and adds what is seen there to the node's message:

        h[v] + MLP(sum over u of h'[u | v], h'[v | v])

    h'[u | v] is the message of u in the replica where v is recoloured, after `rounds` residual GIN layers. Before
    these, a learned row is added to the nodes that the recoloring reaches in round 0, 1, ..., reach - 1: a recolored
    node changes its neighbours' colours in the first WL round, and those of the nodes at distance d in the d-th. So
    these rows tell nothing that more rounds would not, but a network does not have to learn first what a distance is.

    The layers that follow see the graph itself again, whose nodes know the rings that they are on: no replicas are
    left, and nothing is averaged over them. This is a node-marked nested graph network (NGNN) on class rows: nodes
    whose views look the same share a row.

    width: of the messages that come in and go out. hidden: in the replicas; None for the same.
    recolor: "all" (the nodes of the largest class) or "nodes", as in `Recoloring`; nodes without a replica keep their
    message. max_replicas: as there.
    num_edge_labels, edge_features: as in `GIN`.
    """

    def __init__(
        self,
        width: int,
        hidden: int | None = None,
        *,
        recolor: str | Recolor = "all",
        rounds: int = 2,
        reach: int = 5,
        num_edge_labels: int = 0,
        edge_features: int = 0,
        max_replicas: int = 4096,
        generator: Generator | None = None,
    ):
        super().__init__()
        hidden = width if hidden is None else hidden
        check_sizes(width=width, hidden=hidden, rounds=rounds, reach=reach)
        self.recoloring = Recoloring(recolor, max_replicas=max_replicas)
        if not self.recoloring.recolor.marks_each:
            raise ValueError(f"views are of every node: recolor must be 'all' or 'nodes', not {str(recolor)!r}")
        self.width, self.reach = width, reach
        self.input = linear(width, hidden, generator)
        self.reached = torch.nn.Parameter(torch.randn(reach, hidden, generator=generator))
        options: Any = {"num_edge_labels": num_edge_labels, "edge_features": edge_features}
        self.layers = torch.nn.ModuleList(
            GIN(hidden, hidden, residual=True, generator=generator, **options) for _ in range(rounds)
        )
        self.sum_weight = torch.nn.Parameter(torch.ones(()))
        self.linear1 = linear(2 * hidden, 2 * width, generator)
        self.linear2 = linear(2 * width, width, generator)

    @uncompiled
    def forward(self, batch: Batch, generator: Generator | None = None) -> Batch:
        """The batch with the new messages; it has messages already, and was not recolored before."""
        replicas = self.recoloring(batch, generator)
        marked = np.flatnonzero(replicas.row[replicas.classes] < 0)
        if not len(marked):
            return batch
        view = replicas.graph.graph_of[marked]  # the replica of each marked node
        node = marked - replicas.graph.starts[view] + batch.graph.starts[replicas.owner[view]]
        table = message_table(batch)
        replicas = self._begun(replicas, marked, table)
        for layer in self.layers:
            replicas, _ = layer(replicas)
        seen = self._seen(replicas, marked, view)
        added = self.linear2(functional.relu(self.linear1(seen)))  # [marked, width]

        words = round_kernels.color_words(replicas.colors)
        everything = round_kernels.color_words(np.add.reduceat(words, replicas.graph.starts[:-1]))
        alike = np.unique(everything[view] ^ round_kernels.color_words(words[marked]), return_inverse=True)[1]
        colors, of_node = batch.colors.astype(np.int64), np.full(batch.graph.num_nodes, -1, np.int32)
        colors[node], of_node[node] = batch.num_colors + alike, np.arange(len(node))
        return _with_added(batch, colors, table, of_node, added)

    def _begun(self, replicas: Batch, marked: NDArray[np.int64], table: Tensor) -> Batch:
        """The replicas before the first layer: to the messages, the rows of the rounds in which nodes are reached."""
        graph = replicas.graph
        distance = nn_kernels.distances(graph.adjacency, graph.starts, marked, self.reach)
        colors = replicas.colors.astype(np.int64) * (self.reach + 1) + distance
        reached = np.where(distance < self.reach, distance, -1).astype(np.int32)
        return _with_added(replicas, colors, self.input(table), reached, self.reached)

    def _seen(self, replicas: Batch, marked: NDArray[np.int64], view: NDArray[np.int64]) -> Tensor:
        """For each marked node the sum over its replica, and its own message there, [marked, 2 * hidden]."""
        table = message_table(replicas)
        nodes = round_kernels.graph_histograms(replicas.graph.starts, replicas.classes, replicas.num_classes)
        sums = sum_rows(nodes, table)[indices(view, table)]
        own = table[indices(replicas.classes[marked], table)]
        return torch.cat([self.sum_weight * sums, own], dim=1)

    def extra_repr(self) -> str:
        return f"reach={self.reach}"


def _with_added(
    batch: Batch, colors: NDArray[np.int64], table: Tensor, added: NDArray[np.int32], rows: Tensor
) -> Batch:
    """Messages of `table`, to which each node's row of `rows` is added (-1: none). colors: of the nodes, that tell such
    messages apart, and all that the old colours do."""
    dense, first_node = nn_kernels.compact(colors, np.full(int(colors.max()) + 1, -1, np.int32))
    at = first_node if batch.compress else np.arange(len(colors))
    messages = own_rows(batch.row[batch.classes[at]], table) + own_rows(added[at], rows)
    row = np.arange(len(at), dtype=np.int32)
    new = replace(batch, colors=dense, num_colors=len(first_node), row=row, features=None, known=None)
    return new.filled(messages)
