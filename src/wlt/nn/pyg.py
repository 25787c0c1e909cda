"""The recoloring layer for models that are built from PyG's own convolutions, on nodes instead of classes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from wlt.graph import Graph
from wlt.io import as_graph
from wlt.nn.batch import Batch
from wlt.nn.device import indices, plain, uncompiled
from wlt.nn.recolor import Recoloring
from wlt.recolor import Recolor
from wlt.refine.partition import stable_partition
from wlt.refine.rounds import colors_after
from wlt.wording import level_of_caller


class PyGRecoloring(torch.nn.Module):
    """In every graph, set the messages of nodes of the largest class to 0: `Recoloring` between PyG's convolutions.

    recolor: as `wlt.Recolor` reads it, except "all", "nodes" and several draws, which need replicas. A graph whose
    nodes all have different colours is left as it is. Rows that are not set to 0 keep their gradients.

    Which nodes form a class? In the paper, those with equal messages. Float messages cannot tell, because the order of
    summation splits equal nodes, so classes are WL colours of `edge_index`: after `rounds` rounds or, by default, the
    stable colouring (CLOSURE in the paper's Algorithm 2), whose nodes have equal messages at any depth. `rounds=t`
    after t convolutions gives the paper's classes, the same as `Recoloring`. Of several largest classes, the one with
    the largest message is taken, in lexicographic order; classes whose messages agree up to rounding count as one.

    `node_labels` in the call are what the rounds start from: a whole number per node, or a row of numbers, such as the
    input features `data.x`. Pass them whenever the input of the first convolution says more than the edges do; a
    warning tells you if nodes of one class turn out to have different messages. Without `node_labels` all nodes start
    equal, which is right for constant input and, with the stable colouring, for degrees. After another recoloring,
    its marks are part of the colours: `torch.cat([data.x, (x == 0).all(1, keepdim=True)], 1)` with its result x.

    >>> from torch.nn import Linear, Sequential, Tanh
    >>> from torch_geometric.data import Batch, Data
    >>> from torch_geometric.nn import GINConv, global_add_pool
    >>> class Net(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.conv1 = GINConv(Sequential(Linear(1, 16), Tanh()))
    ...         self.recolor = PyGRecoloring(1)
    ...         self.conv2 = GINConv(Sequential(Linear(16, 16), Tanh()))
    ...         self.conv3 = GINConv(Sequential(Linear(16, 16), Tanh(), Linear(16, 2)))
    ...
    ...     def forward(self, data, generator):
    ...         x = self.conv1(data.x, data.edge_index)
    ...         x = self.recolor(x, data.edge_index, data.batch, generator)
    ...         x = self.conv2(x, data.edge_index)
    ...         return global_add_pool(self.conv3(x, data.edge_index), data.batch)
    >>> hexagon = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    >>> triangles = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]])
    >>> graphs = [Data(torch.ones(6, 1), torch.cat([e, e.flip(0)], 1)) for e in (hexagon, triangles)]
    >>> data = Batch.from_data_list(graphs)
    >>> _ = torch.manual_seed(0)
    >>> logits = Net()(data, torch.Generator().manual_seed(0))
    >>> bool(torch.allclose(logits[0], logits[1]))  # no model without the layer tells these two apart
    False
    """

    def __init__(self, recolor: float | str | Recolor = 1, *, rounds: int | None = None):
        super().__init__()
        self.recoloring = Recoloring(recolor)
        parsed = self.recoloring.recolor
        if parsed.marks_each or parsed.draws > 1:
            raise ValueError(f"recolor={str(parsed)!r} needs replicas of the graphs; only wlt.nn.Recoloring makes them")
        if not (rounds is None or (isinstance(rounds, int) and rounds >= 0)):
            raise ValueError(f"rounds must be a whole number from 0 on, or None (the stable colouring), not {rounds!r}")
        self.rounds = rounds

    @uncompiled
    def forward(
        self,
        x: Tensor,
        edge_index: Tensor,
        batch: Tensor | None = None,
        generator: Generator | None = None,
        *,
        node_labels: Tensor | None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """x: [nodes, features]; edge_index: [2, edges]; batch: [nodes], ascending.

        edge_attr: [edges] or [edges, features], if the convolutions see it. An edge that goes in one direction only, or
        carries different attributes in the two, is directed: the classes know directions."""
        if x.ndim != 2 or not x.is_floating_point():
            raise ValueError(f"x must be a float matrix with a row per node, not {x.dtype} of shape {tuple(x.shape)}")
        if node_labels is not None and not isinstance(node_labels, Tensor):
            raise TypeError(f"node_labels must be a tensor, not {type(node_labels).__name__}")
        if not len(x):
            raise ValueError("x has no rows: a batch needs graphs with nodes")
        before = self._with_classes(_disjoint_union(len(x), edge_index, batch, edge_attr), node_labels)
        first_node = np.unique(before.colors, return_index=True)[1]
        messages = torch.from_numpy(plain(x[indices(first_node, x)].double()))
        before = replace(before, row=np.arange(len(first_node), dtype=np.int32), rows=messages, features=None)
        after = self.recoloring(before, generator)
        nodes = np.flatnonzero(after.row[after.colors] < 0)
        if node_labels is None:
            _warn_of_different_messages(x.detach(), before, nodes)
        return x.index_fill(0, indices(nodes, x), 0.0)

    def _with_classes(self, graph: Graph, node_labels: Tensor | None) -> Batch:
        """A batch whose colours are the classes, to which the caller adds the messages."""
        if node_labels is not None and node_labels.ndim == 2:
            batch = Batch.from_graphs(graph, features=node_labels.detach())
        else:
            alike = np.zeros(graph.num_nodes, np.int64)
            batch = Batch.from_graphs(graph, alike if node_labels is None else plain(node_labels))
        if self.rounds is None:
            classes = stable_partition(graph, batch.colors).colors
        else:
            classes = colors_after(graph, batch.colors, self.rounds)
        return replace(batch, colors=classes, num_colors=int(classes.max()) + 1)

    def extra_repr(self) -> str:
        return f"rounds={self.rounds}"


def _disjoint_union(num_nodes: int, edge_index: Tensor, batch: Tensor | None, edge_attr: Tensor | None = None) -> Graph:
    """The graphs of the batch as one `Graph`. Edges between two of the graphs are refused."""
    from torch_geometric.data import Data

    data = Data(edge_index=edge_index, num_nodes=num_nodes)
    if batch is not None:
        index = torch.from_numpy(plain(batch))
        if index.shape != (num_nodes,):
            raise ValueError(f"batch of shape {tuple(index.shape)} for {num_nodes} nodes; one graph number per node")
        if (index.diff() < 0).any():
            raise ValueError("batch must not descend: in PyG's batches the nodes of a graph stand together")
        sizes = torch.unique_consecutive(index, return_counts=True)[1]  # graphs without nodes have nothing to recolour
        data.ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    if edge_attr is None:
        return as_graph(data)
    edges, attributes = plain(edge_index).T, plain(edge_attr)
    if attributes.ndim not in (1, 2) or len(attributes) != len(edges):
        raise ValueError(f"edge_attr of shape {attributes.shape} for {len(edges)} edges; one number or row per edge")
    starts = data.ptr.numpy() if batch is not None else None
    directed = not _symmetric(edges, attributes)
    return Graph.from_edges(num_nodes, edges, starts, edge_labels=attributes, directed=directed)


def _symmetric(edges: NDArray[Any], attributes: NDArray[Any]) -> bool:
    """Is every edge there in both directions, as often and with the same attributes?"""
    codes = np.unique(attributes, axis=0, return_inverse=True)[1].reshape(-1)
    both = [np.column_stack([edges[:, [first, 1 - first]], codes]) for first in (0, 1)]
    one, other = (rows[np.lexsort(rows.T)] for rows in both)
    return np.array_equal(one, other)


def _warn_of_different_messages(x: Tensor, batch: Batch, recolored: NDArray[np.int64]) -> None:
    """Warn if nodes of a recoloured class have different messages: the classes lack colours that the model has seen."""
    graph_of = batch.graph.graph_of
    chosen = np.full(batch.graph.num_graphs, -1)
    chosen[graph_of[recolored]] = batch.colors[recolored]
    members = np.flatnonzero(batch.colors == chosen[graph_of])
    first = recolored[np.searchsorted(graph_of[recolored], graph_of[members])]
    of_members, of_first = (indices(nodes, x) for nodes in (members, first))
    different = ((x[of_members] - x[of_first]).abs() > 0.01 * x.abs().amax()).any(1)
    if different.any():
        at = int(different.nonzero()[0])
        warnings.warn(
            f"nodes {first[at]} and {members[at]} are of one class by the edges and have different messages: give the "
            "labels that the nodes started with, for example node_labels=data.x, and edge_attr if the model sees it",
            stacklevel=level_of_caller(),
        )
