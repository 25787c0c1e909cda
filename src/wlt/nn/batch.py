"""Batch: what flows through the layers, with one message row per colour of the batch instead of one per node.

Nodes with the same colour after t WL rounds have the same message after t layers, so a layer computes a row per colour.
With `compress=False` every node is its own class, and the same layers compute the ordinary node-level result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wlt.arcs import NO_TOKENS, TokenTable, label_words
from wlt.graph import Graph
from wlt.io import as_graphs
from wlt.nn import kernels as nn_kernels
from wlt.nn.device import indices, plain
from wlt.recoloring.names import recolored_names
from wlt.refine import round_kernels
from wlt.refine.partition import Colors
from wlt.refine.rounds import Round, class_round, wl_rounds

SPARSE = 1 << 22
"""More colours than this are sorted before they are renumbered; a table with an entry for each would be too large."""


class Known(NamedTuple):
    """Colours after the coming WL rounds that were computed before, for a larger union. See `Collection`."""

    colors: Sequence[Colors]  # one array per round, of the batch's nodes
    slots: Sequence[NDArray[np.int32]]  # one work array per round, as long as that round has colours, all -1


@dataclass(eq=False)
class Batch:
    """The disjoint union of the batch's graphs with its current colours, and one message row per colour.

    The message of class i is `rows[row[i]] * scale + shift`: the last layer's BatchNorm is carried as two vectors and
    folded into the next product instead of being applied to every row. Where row[i] is -1 the message is 0, the new
    colour of a recoloured node; recoloring therefore copies no row. Before the first layer `rows` is None: the message
    of class i is the unit vector number row[i] (one-hot of the colour, never built), or `features[row[i]]`.
    """

    graph: Graph
    colors: Colors  # [nodes] dense
    num_colors: int
    row: NDArray[np.int32]  # [classes]
    graph_sizes: NDArray[np.float64]  # [input graphs] nodes of each
    owner: NDArray[np.int64]  # [graphs of the union] the input graph that it is, or that it is a replica of; ascending
    weight: NDArray[np.float64]  # [graphs of the union] the replicas of one input graph weigh 1 together
    names: NDArray[np.uint64]  # [nodes] initial colours and recolorings, in numbers that mean the same in every batch
    compress: bool = True
    features: Tensor | None = None  # [initial colours, features]
    rows: Tensor | None = None  # [rows, hidden]
    scale: Tensor | None = None  # [hidden]
    shift: Tensor | None = None  # [hidden]
    known: Known | None = None
    recolorings: int = 0
    seeds: NDArray[np.uint64] | None = None  # [graphs of the union] to draw from, instead of a generator
    tokens: TokenTable = NO_TOKENS  # what the edges' labels are made of

    @classmethod
    def from_graphs(
        cls,
        graphs: Any,
        node_labels: ArrayLike = "auto",
        *,
        features: Tensor | NDArray[Any] | None = None,
        compress: bool = True,
    ) -> Batch:
        """A batch of graphs of any kind that `wlt.as_graphs` takes.

        node_labels: as there, "auto" by default, which takes PyG's `x` and what `wlt.Graphs` carry, else degrees. Or a
        number >= 0 for every node: the row of the first layer's weights, so the same number for the same label in every
        batch. (Codes of a named attribute are numbers of this batch alone; to train on several batches, make one
        `wlt.Graphs` of all graphs and a `Collection` of it.) features: instead, a row of numbers per node; equal rows
        are equal colours, so no gradient goes back to them.

        Labels of edges are numbered too, `Graph.tokens`, by the graphs of this batch alone: to train on several
        batches, take them from a `Collection`, or make a `Graph.union` of all graphs and `take` its parts.

        >>> batch = Batch.from_graphs([(3, [(0, 1), (1, 2)]), (2, [(0, 1)])])
        >>> batch.num_graphs, batch.num_classes
        (2, 2)
        """
        in_words = isinstance(node_labels, str)
        data = as_graphs(graphs, node_labels=node_labels if in_words and features is None else "degrees")
        union = data.union
        _check_nodes(union)
        if features is not None:
            if not in_words or node_labels != "auto":
                raise ValueError("give node_labels or features, not both")
            table, inverse = torch.unique(_checked_features(features, union.num_nodes), dim=0, return_inverse=True)
            return cls._start(union, union.tokens, plain(inverse), compress, table)
        if not in_words:
            return cls._start(union, union.tokens, _checked_rows(node_labels, union.num_nodes), compress)
        if data.kind == "features":
            table = torch.from_numpy(np.reshape(np.array(data.values), (len(data.values), -1)))
            return cls._start(union, union.tokens, data.codes, compress, table)
        return cls._start(union, union.tokens, union.degrees if data.kind == "degrees" else data.codes, compress)

    @classmethod
    def _start(
        cls,
        graph: Graph,
        tokens: TokenTable,
        color_ids: NDArray[Any],
        compress: bool,
        features: Tensor | None = None,
        known: Known | None = None,
    ) -> Batch:
        colors, first_node = _first_colors(graph, color_ids)
        row = color_ids[first_node] if compress else color_ids
        sizes = graph.graph_sizes.astype(np.float64)
        owner, weight = np.arange(len(sizes)), np.ones(len(sizes))
        row = np.ascontiguousarray(row, dtype=np.int32)
        names = color_ids.astype(np.uint64) if features is None else _row_words(features)[color_ids]
        if len(graph.loops):
            names = round_kernels.color_words(names) + label_words(graph.loop_labels)[graph.loops]
        start = cls(graph, colors, len(first_node), row, sizes, owner, weight, names, compress, features)
        return replace(start, known=known, tokens=tokens)

    @property
    def num_graphs(self) -> int:
        """Number of input graphs, replicas not counted."""
        return len(self.graph_sizes)

    @property
    def num_classes(self) -> int:
        """Classes of nodes: colours, or nodes when the batch is not compressed."""
        return len(self.row)

    @property
    def messages(self) -> Tensor:
        """The message of every class, [classes, hidden]; before the first layer only for batches with features."""
        if self.rows is None:
            if self.features is None:
                raise ValueError("before the first layer the messages are one-hot colours, which are never built")
            table = self.features
        else:
            table = self.rows
            if self.scale is not None and self.shift is not None:
                table = table * self.scale + self.shift
        index = indices(self.row, table)
        picked = table[index.clamp(min=0)]
        return picked * (index >= 0).to(picked).unsqueeze(1)

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """The class of every node."""
        return self.colors if self.compress else np.arange(self.graph.num_nodes, dtype=np.int32)

    def refine(self) -> tuple[Batch, Round]:
        """One WL round: the batch with its new colours, whose rows a layer must fill, and what it fills them from."""
        graph = self.graph
        known = self.known
        if known is not None and known.colors:
            colors, first_node = nn_kernels.compact(known.colors[0], known.slots[0])
            known = Known(known.colors[1:], known.slots[1:])
        else:
            colors, first_node = round_kernels.round_colors(graph.adjacency, self.colors, self.num_colors)
            known = None
        num_colors = len(first_node)
        if not self.compress:
            first_node = np.arange(graph.num_nodes, dtype=np.int32)
        row = np.arange(len(first_node), dtype=np.int32)
        new = replace(self, colors=colors, num_colors=num_colors, row=row, known=known, features=None, rows=None)
        nodes = (self.classes, self.row, first_node, new.classes, self.owner, self.weight)
        return new, class_round(graph, self.tokens, *nodes)

    def filled(self, rows: Tensor, scale: Tensor | None = None, shift: Tensor | None = None) -> Batch:
        """This batch, which `refine` made, with the rows of its classes."""
        self.rows, self.scale, self.shift = rows, scale, shift
        return self

    def embedded(self, rows: Tensor) -> Batch:
        """The batch with these rows for its one-hots or features, one for each of them."""
        return replace(self, rows=rows, features=None)

    def check_input(self, width: int) -> None:
        """Raise ValueError unless the first layer's weights have a row for every initial colour or feature."""
        if self.features is not None:
            if self.features.shape[1] != width:
                columns = self.features.shape[1]
                raise ValueError(f"features have {columns} columns; the model was made for {width} (its num_colors)")
            return
        highest = int(self.row.max(initial=-1))
        if highest >= width:
            raise ValueError(f"colour {highest} is out of range: the model was made for colours 0 .. {width - 1}")

    def check_edges(self, num_edge_labels: int, edge_features: int) -> None:
        """Raise ValueError unless the layer was made for what the edges carry; made for neither, both are 0."""
        number = len(self.tokens)
        if not num_edge_labels and not edge_features:
            if number:
                raise ValueError(
                    "the graphs' edges carry labels and the model was made without; make it with "
                    f"num_edge_labels={number} (or edge_features, if they are rows of numbers), or leave them out: "
                    "graph.without_labels()"
                )
        elif not number:
            if len(self.graph.neighbors):
                raise ValueError(
                    "the graphs' edges carry no labels and the model was made for edges that do; make it without "
                    "num_edge_labels and edge_features, or give the graphs edge_labels"
                )
        elif edge_features and self.tokens.numbers.shape[1] != edge_features:
            width = self.tokens.numbers.shape[1]
            raise ValueError(
                f"the edges' rows have {width} numbers; the model was made with edge_features={edge_features}"
            )
        elif num_edge_labels and number > num_edge_labels:
            raise ValueError(
                f"{number} edge labels (len(graph.tokens): every direction of a label counts); the model was made "
                f"with num_edge_labels={num_edge_labels}"
            )

    def without_edge_labels(self) -> Batch:
        """The same nodes and colours, and edges that carry nothing."""
        return replace(self, graph=self.graph.without_labels(), tokens=NO_TOKENS)

    def class_degrees(self) -> NDArray[np.int64]:
        """The degree of the nodes of each class; all have the same after a WL round, or `split_by_degree`."""
        degrees = np.zeros(self.num_classes, np.int64)
        degrees[self.classes] = self.graph.degrees
        return degrees

    def split_by_degree(self) -> Batch:
        """The same messages, with classes split so that all nodes of a class have the same degree."""
        if not self.compress:
            return self
        degrees = self.graph.degrees
        pairs = self.colors.astype(np.int64) * (int(degrees.max()) + 1) + degrees
        _, first_node, colors = np.unique(pairs, return_index=True, return_inverse=True)
        if len(first_node) == self.num_colors:
            return self
        row = self.row[self.colors[first_node]]
        return replace(self, colors=colors.astype(np.int32), num_colors=len(first_node), row=row, known=None)

    def replicate(self, counts: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> Batch:
        """Graph i of the union is replaced by counts[i] replicas; messages are shared, not copied.

        A graph's weight is shared among its replicas in proportion to `weights`, or equally."""
        index = np.repeat(np.arange(self.graph.num_graphs), counts)
        share = np.ones(len(index)) if weights is None else weights
        share = share / np.bincount(index, share)[index]
        nodes = self.graph.nodes_of(index)
        colors = np.ascontiguousarray(self.colors[nodes])
        seeds = self.seeds
        if seeds is not None:
            replica = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
            seeds = round_kernels.color_words(round_kernels.color_words(seeds)[index] + replica.astype(np.uint64))
        return replace(
            self,
            graph=self.graph.take(index),
            colors=colors,
            row=self.row if self.compress else self.row[nodes],
            owner=self.owner[index],
            weight=self.weight[index] * share,
            names=self.names[nodes],
            known=None,
            seeds=seeds,
        )

    def recolor(self, nodes: NDArray[np.int32]) -> Batch:
        """Message 0 and a new colour for these nodes. Nodes of one colour get one new colour, in all graphs."""
        colors, old = nn_kernels.mark_nodes(self.colors, self.num_colors, nodes)
        if self.compress:
            row = np.concatenate([self.row, np.full(len(old), -1, np.int32)])
        else:
            row = self.row.copy()
            row[nodes] = -1
        count = self.recolorings + 1
        names = recolored_names(self.names, nodes, count)
        num_colors = self.num_colors + len(old)
        return replace(self, colors=colors, num_colors=num_colors, row=row, names=names, recolorings=count, known=None)


def _first_colors(graph: Graph, color_ids: NDArray[Any]) -> tuple[Colors, NDArray[np.int32]]:
    """As `_by_first_appearance`; nodes with different loops have different colours."""
    if len(graph.loops):
        color_ids = color_ids.astype(np.int64) * len(graph.loop_labels) + graph.loops
    return _by_first_appearance(color_ids)


def _by_first_appearance(color_ids: NDArray[Any]) -> tuple[Colors, NDArray[np.int32]]:
    """The colours numbered 0, 1, ... by first appearance, and the first node of each."""
    count = int(color_ids.max(initial=-1)) + 1
    if count > SPARSE:
        used, color_ids = np.unique(color_ids, return_inverse=True)
        count = len(used)
    return nn_kernels.compact(color_ids, np.full(count, -1, np.int32))  # type: ignore[no-any-return]


def _checked_rows(colors: ArrayLike, num_nodes: int) -> NDArray[Any]:
    array = np.asarray(colors)
    if array.shape != (num_nodes,):
        raise ValueError(f"node labels of shape {array.shape} for {num_nodes} nodes; one integer per node is needed")
    if array.dtype.kind not in "iu":
        raise TypeError(f"node labels must be integers, not of type {array.dtype}")
    if array.min(initial=0) < 0:
        raise ValueError(f"label {array.min()} of node {int(np.argmin(array))} is negative")
    if array.max(initial=0) >= 2**31:
        raise ValueError(f"label {array.max()} of node {int(np.argmax(array))} is too large: they go up to 2**31 - 1")
    return array


def _checked_features(features: Tensor | NDArray[Any], num_nodes: int) -> Tensor:
    table = _constant(features)
    if table.ndim != 2 or len(table) != num_nodes or not table.shape[1]:
        shape = tuple(table.shape)
        raise ValueError(f"features of shape {shape} for {num_nodes} nodes; one row each, of one number at least")
    finite = torch.isfinite(table).all(dim=1)
    if not finite.all():
        raise ValueError(f"features of node {int((~finite).nonzero()[0])} are not all finite numbers")
    return table


def _constant(features: Tensor | NDArray[Any]) -> Tensor:
    """Features without a gradient: a batch only compares them, so nothing before it could be trained."""
    table = torch.as_tensor(features)
    if table.requires_grad:
        raise ValueError("features require a gradient, which a batch cannot give them; use features.detach()")
    return table


def _row_words(features: Tensor) -> NDArray[np.uint64]:
    """A 64-bit word for each row of features."""
    bits = (plain(features.double()) + 0.0).view(np.uint64)  # -0.0 is 0.0
    words: NDArray[np.uint64] = round_kernels.color_words(bits.reshape(-1)).reshape(bits.shape)
    random = np.random.default_rng(0).integers(2**63, size=bits.shape[1], dtype=np.uint64)
    odd = random * np.uint64(2) + np.uint64(1)
    hashed: NDArray[np.uint64] = (words * odd).sum(axis=1, dtype=np.uint64)
    return hashed


def _check_nodes(graph: Graph) -> None:
    if graph.num_graphs == 0 or (graph.graph_sizes == 0).any():
        what = "no graphs" if graph.num_graphs == 0 else f"graph {int(np.argmin(graph.graph_sizes))} has no nodes"
        raise ValueError(f"a batch needs graphs with nodes: {what}")


class Collection:
    """Graphs to take batches from, with the colours of their first rounds computed once for all batches.

    WL colours of the union of all graphs distinguish the same nodes as those of any batch, so a batch only renumbers
    them. After a recoloring they are of no use, and the batch refines its own colours."""

    def __init__(
        self,
        graphs: Graph,
        colors: NDArray[Any],
        rounds: int = 0,
        features: Tensor | None = None,
        tokens: TokenTable | None = None,
    ):
        """`features`, if any, has a row for every colour. tokens: the rows of a model's edge weights for what the edges
        carry, if they are not those of the graphs themselves."""
        self.graphs = graphs
        self.tokens = graphs.tokens if tokens is None else tokens
        self.features = None if features is None else _constant(features)
        self.colors = np.ascontiguousarray(_checked_rows(colors, graphs.num_nodes), dtype=np.int32)
        first, _ = _first_colors(graphs, self.colors)
        after = list(islice(wl_rounds(graphs, first), rounds))
        self._rounds = [each.colors for each in after]
        self._slots = [np.full(len(each.first_node), -1, np.int32) for each in after]

    def batch(self, which: ArrayLike) -> Batch:
        """The batch of the graphs with these indices."""
        graph, nodes = self.graphs.take(which), self.graphs.nodes_of(which)
        _check_nodes(graph)
        known = Known([colors[nodes] for colors in self._rounds], self._slots)
        colors, features = self.colors[nodes], self.features
        if features is not None:  # only the rows that occur: features of all graphs can be many
            used, ranks = np.unique(colors, return_inverse=True)
            colors = ranks.astype(np.int32)
            features = features[indices(used, features)]
        return Batch._start(graph, self.tokens, colors, True, features, known)
