"""The recoloring layer of the paper's Section 4, and variants of it that are less random or not random at all."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Generator

from wlt.nn import device
from wlt.nn import kernels as nn_kernels
from wlt.nn.batch import Batch
from wlt.recolor import Recolor
from wlt.recoloring import kernels as recoloring_kernels
from wlt.recoloring.choice import CanonicalChoice
from wlt.refine import round_kernels
from wlt.refine.partition import Colors
from wlt.wording import level_of_caller


class Recoloring(torch.nn.Module):
    """In every graph, take the class with the largest (size, message), in lexicographic order, and recolour its nodes.

    recolor: which nodes, as `wlt.Recolor` reads it: 1 for the paper's WLT-GNN, 0.5 for its WLT-GNN(0.5). "all" is
    exact, deterministic and invariant under relabelling. "nodes" is too, and looks at no class: every node of the graph
    is recoloured once, which makes the model a node-marked DS-GNN (subgraph network). "canonical" needs no replicas and
    looks at no message: it chooses among the nodes of all classes that tie for the largest size. Except with "nodes", a
    graph whose nodes all have different colours is left as it is.

    Readouts of replicas are averaged. In BatchNorm the replicas of a graph weigh as much as the graph alone: its nodes
    count 1 / replicas each. So a graph with a large class counts no more than others, and the statistics do not depend
    on how many replicas there are; a subgraph network in which every node of every replica counts 1 differs in that.

    Classes are the colours at that depth, never equality of float messages: summation order would split equal nodes.
    Classes that tie in size, and in message up to rounding, count as one, as in the paper.

    max_replicas: "all" and "nodes" sample this many replicas of a graph that would need more, and warn.
    rounds: number of WL rounds (g layers) that follow, if no other recoloring does. Replicas that look the same to
    these rounds, such as those of automorphic nodes, are then computed only once. (Another recoloring could tell them
    apart.)
    """

    def __init__(self, recolor: float | str | Recolor = 1, *, max_replicas: int = 4096, rounds: int | None = None):
        super().__init__()
        if not isinstance(max_replicas, (int, np.integer)):
            raise TypeError(f"max_replicas must be a whole number, not {max_replicas!r}")
        if max_replicas < 1:
            raise ValueError(f"max_replicas must be at least 1, not {max_replicas}")
        self.recolor = Recolor(recolor)
        self.max_replicas = max_replicas
        self.rounds = rounds
        self._choose = CanonicalChoice()

    @device.uncompiled
    def forward(
        self, batch: Batch, generator: Generator | None = None, chosen: NDArray[np.int32] | None = None
    ) -> Batch:
        """The recoloured batch. `chosen`: recolour exactly these nodes."""
        if chosen is not None:
            return batch.recolor(_checked_nodes(chosen, batch.graph.num_nodes))
        if self.recolor.kind == "canonical":
            largest = recoloring_kernels.nodes_of_largest_classes(batch.graph.starts, batch.colors, batch.num_colors)
            return batch.recolor(self._choose(batch.graph, batch.names, *largest))
        if self.recolor.kind == "nodes":
            return self._replicas(
                batch, np.arange(batch.graph.num_nodes, dtype=np.int32), batch.graph.starts, generator
            )
        classes, colors = largest_classes(batch)
        if self.recolor.kind == "all":
            offsets, nodes = nn_kernels.class_nodes(batch.graph.starts, colors, classes)
            return self._replicas(batch, nodes, offsets, generator)
        draws = self.recolor.draws
        if draws > 1:
            index = np.repeat(np.arange(batch.graph.num_graphs), draws)
            classes, colors = classes[index], colors[batch.graph.nodes_of(index)]
            batch = batch.replicate(np.full(batch.graph.num_graphs, draws))
        if batch.seeds is None:
            seeds = device.seeds(batch.graph.num_graphs, generator)
        else:
            seeds = batch.seeds.view(np.int64)
            batch = replace(batch, seeds=round_kernels.color_words(batch.seeds))  # for the next recoloring
        number, share = self.recolor.number, self.recolor.share
        candidates = nn_kernels.class_nodes(batch.graph.starts, colors, classes)
        return batch.recolor(nn_kernels.draw_nodes(*candidates, number, share, seeds))

    def _replicas(
        self, batch: Batch, nodes: NDArray[np.int32], offsets: NDArray[np.int64], generator: Generator | None
    ) -> Batch:
        """Each of these nodes (CSR by graph) recoloured in a replica of its own; a sample of them where there are too
        many."""
        counts = np.maximum(np.diff(offsets), 1)
        per_owner = np.bincount(batch.owner, counts)
        if per_owner.max() <= self.max_replicas:
            return self._recolor_each(batch, nodes, offsets)
        worst = int(per_owner.argmax())
        warnings.warn(
            f"graph {worst} would need {int(per_owner.max())} replicas; {self.max_replicas} are sampled for each "
            "such graph instead (max_replicas)",
            stacklevel=level_of_caller(),
        )
        return self._sample_each(batch, nodes, offsets, generator)

    def _sample_each(
        self, batch: Batch, nodes: NDArray[np.int32], offsets: NDArray[np.int64], generator: Generator | None
    ) -> Batch:
        """With nodes drawn without replacement from those of each graph, few enough to keep to `max_replicas`."""
        graphs_of_owner = np.bincount(batch.owner)
        limit = np.maximum(self.max_replicas // graphs_of_owner[batch.owner], 1)
        picked = []
        for i in range(batch.graph.num_graphs):
            candidates = nodes[offsets[i] : offsets[i + 1]]
            if len(candidates) > limit[i]:
                if batch.seeds is not None:
                    generator = Generator().manual_seed(int(batch.seeds[i]))
                order = device.permutation(len(candidates), generator)
                candidates = candidates[np.sort(order[: limit[i]])]
            picked.append(candidates)
        kept = np.array([len(part) for part in picked])
        return self._recolor_each(batch, np.concatenate(picked), np.concatenate([[0], np.cumsum(kept)]))

    def _recolor_each(self, batch: Batch, nodes: NDArray[np.int32], offsets: NDArray[np.int64]) -> Batch:
        """One replica for each node, which is recoloured there; graphs without such nodes stay as they are."""
        graph_of = np.repeat(np.arange(batch.graph.num_graphs), np.diff(offsets))
        ways = np.ones(len(nodes))  # how many of the nodes a replica stands for
        if self.rounds is not None:
            graph = batch.graph
            words = nn_kernels.replica_words(graph.adjacency, graph.starts, batch.colors, offsets, nodes, self.rounds)
            order = np.lexsort((words, graph_of))
            words, graph_of = words[order], graph_of[order]
            new = np.ones(len(nodes), np.bool_)
            new[1:] = (words[1:] != words[:-1]) | (graph_of[1:] != graph_of[:-1])
            ways = np.bincount(np.cumsum(new) - 1).astype(np.float64)
            nodes, graph_of = nodes[order[new]], graph_of[new]
        counts = np.bincount(graph_of, minlength=batch.graph.num_graphs)
        copies = np.maximum(counts, 1)
        weights = np.ones(int(copies.sum()))
        first_copy, first_node = np.cumsum(copies) - copies, np.cumsum(counts) - counts
        replica = first_copy[graph_of] + np.arange(len(nodes)) - first_node[graph_of]
        weights[replica] = ways
        replicas = batch.replicate(copies, weights)
        moved = nodes - batch.graph.starts[graph_of] + replicas.graph.starts[replica]
        return replicas.recolor(moved.astype(np.int32))

    def extra_repr(self) -> str:
        return f"recolor={str(self.recolor)!r}"


def _checked_nodes(nodes: ArrayLike, num_nodes: int) -> NDArray[np.int32]:
    array = np.asarray(nodes)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise ValueError(f"chosen must be a list of nodes, not {array.dtype} of shape {array.shape}")
    outside = array[(array < 0) | (array >= num_nodes)]
    if len(outside):
        raise ValueError(f"chosen node {outside[0]} is not in the batch, which has nodes 0 .. {num_nodes - 1}")
    return array.astype(np.int32)


def largest_classes(batch: Batch) -> tuple[NDArray[np.int32], Colors]:
    """[graphs] The colour with the largest (size, message), or -1 if all nodes differ. [nodes] Colours it refers to.

    In these, classes of a graph that tie in size and message are merged: GIN-0 and dead neurons give nodes of different
    colours equal messages, and neither rounding nor the numbering of the nodes may decide between them."""
    colors = batch.colors.copy()
    histograms = round_kernels.graph_histograms(batch.graph.starts, colors, batch.num_colors)
    row = batch.row
    if not batch.compress:  # any node of a colour has its message
        first_node = np.unique(colors, return_index=True)[1]
        row = np.full(batch.num_colors, -1, np.int32)
        row[colors[first_node]] = batch.row[first_node]
    table = batch.features if batch.rows is None else batch.rows
    rows = np.zeros((0, 0)) if table is None else device.to_cpu(table)
    scale = np.ones(rows.shape[1], rows.dtype) if batch.scale is None else device.to_cpu(batch.scale)
    shift = np.zeros(rows.shape[1], rows.dtype) if batch.shift is None else device.to_cpu(batch.shift)
    tolerance = np.sqrt(np.finfo(rows.dtype).eps)
    messages = (row, rows, scale, shift, table is None, float(tolerance))
    return nn_kernels.largest_class(batch.graph.starts, colors, histograms, *messages), colors
