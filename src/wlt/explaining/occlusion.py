"""What a network says about a graph without one of its nodes or edges.

All else stays as it is: the labels of the others (also where they are degrees), and the nodes that the network
recolours. Every node and every edge makes another graph, almost equal to the others, so as one batch they share almost
all of their class rows.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wlt.estimator.inputs import Inputs
from wlt.graph import Graph
from wlt.nn import WLTGNN, Batch, Collection
from wlt.nn.recolor import Recoloring
from wlt.progress import Advance

NODES_AT_ONCE = 200_000
"""Of all graphs that are computed together; it bounds the memory."""


class Replica(NamedTuple):
    """A graph as the last layer sees it: of which draw it is, how much it weighs there, what each r recoloured."""

    draw: int
    weight: float
    recolored: tuple[NDArray[np.int64], ...]  # of each r, nodes of the graph


def replicas(model: WLTGNN, draws: Batch) -> list[Replica]:
    """How the network recolours a graph. draws: copies of it, each of which has its own seed."""
    batch = model.begin(draws)
    found = [Replica(draw, 1.0, ()) for draw in range(batch.graph.num_graphs)]
    for layer in model.layers:
        if not isinstance(layer, Recoloring):
            batch, _ = layer(batch)
            continue
        # Without `rounds`: replicas that look alike now will not without a node near one of the recoloured.
        every = Recoloring(layer.recolor, max_replicas=layer.max_replicas)
        parents = np.arange(batch.graph.num_graphs)
        batch = every(replace(batch, owner=parents, weight=np.ones(len(parents))))
        starts, blank = batch.graph.starts, batch.row[batch.classes] < 0
        nodes = [np.flatnonzero(blank[begin:end]) for begin, end in pairwise(starts)]
        pairs = zip(batch.owner.tolist(), batch.weight.tolist(), nodes, strict=True)
        found = [
            Replica(found[parent].draw, found[parent].weight * weight, (*found[parent].recolored, now))
            for parent, weight, now in pairs
        ]
        batch = replace(batch, owner=np.array([replica.draw for replica in found]))
    return found


class Answers(NamedTuple):
    """What a network says: of the whole graph first, then without each node, then without each edge."""

    outputs: NDArray[np.float64]  # [variants, draws, outputs]
    comparable: NDArray[np.bool_]  # [variants, draws] Is a node still there that was recoloured, if one was?


@torch.no_grad()
def answers(model: WLTGNN, inputs: Inputs, draws: Batch, advance: Advance) -> Answers:
    """Of one graph; edges are in the order of `Graph.edges`. draws: as `replicas` takes them."""
    model.eval()
    graph, copies = inputs.union, replicas(model, draws)
    variants = 1 + graph.num_nodes + graph.num_edges
    at_once = max(1, NODES_AT_ONCE // (graph.num_nodes * len(copies)))
    out = []
    for begin in range(0, variants, at_once):
        which = np.arange(begin, min(begin + at_once, variants))
        batch, recolored = _batch(inputs, copies, which)
        out.append(model(batch, chosen=recolored).view(len(which), draws.graph.num_graphs, -1).numpy())
        advance(len(which), "")
    of_draw = np.array([copy.draw for copy in copies])[:, np.newaxis] == np.arange(draws.graph.num_graphs)
    return Answers(np.concatenate(out), _intact(copies, np.arange(variants), graph.num_nodes) @ of_draw)


def _batch(inputs: Inputs, copies: list[Replica], variants: NDArray[np.int64]) -> tuple[Batch, list[NDArray[np.int32]]]:
    """The variants with these numbers, once for each replica, and the nodes that each r recolours in them."""
    n, draws = inputs.union.num_nodes, copies[-1].draw + 1
    union, there = _variants(inputs.union, variants)
    rows = np.tile(inputs.rows, len(variants))[there.reshape(-1)]
    batch = Collection(union, rows, 0, inputs.features, inputs.tokens).batch(np.repeat(np.arange(len(variants)), draws))
    of_draw = np.array([copy.draw for copy in copies])
    # A replica whose recoloured node is gone does not count, unless its draw has no other.
    intact = _intact(copies, variants, n)
    alone = ~(intact @ (of_draw[:, np.newaxis] == np.arange(draws)))[:, of_draw]
    weights = np.array([copy.weight for copy in copies]) * (intact | alone)
    batch = batch.replicate(np.tile(np.bincount(of_draw), len(variants)), weights.reshape(-1))
    starts = batch.graph.starts[:-1].reshape(len(variants), len(copies))
    number = np.cumsum(there, axis=1) - 1  # [variants, nodes] what each node is called now
    chosen = []
    for nodes in zip(*(copy.recolored for copy in copies), strict=True):  # of one r, in every replica
        moved = [(starts[:, [i]] + number[:, each])[there[:, each]] for i, each in enumerate(nodes)]
        chosen.append(np.concatenate(moved).astype(np.int32))
    return batch, chosen


def _intact(copies: list[Replica], variants: NDArray[np.int64], num_nodes: int) -> NDArray[np.bool_]:
    """[variants, replicas] Are all nodes there that the replica recolours?"""
    recolored = np.zeros((len(copies), 1 + num_nodes), np.bool_)
    for i, copy in enumerate(copies):
        recolored[i, 1 + np.concatenate([np.zeros(0, np.int64), *copy.recolored])] = True
    gone = np.where(variants <= num_nodes, variants, 0)
    return ~recolored.T[gone]


def _variants(graph: Graph, variants: NDArray[np.int64]) -> tuple[Graph, NDArray[np.bool_]]:
    """The graph (variant 0), without a node, or without an edge, as one union; and which nodes are in each."""
    n = graph.num_nodes
    there = variants[:, np.newaxis] - 1 != np.arange(n)
    rows, columns = graph.edge_index()
    edge = np.empty(len(rows), np.int64)  # of each entry
    edge[rows < columns] = edge[graph.reverse_entries[rows < columns]] = np.arange(graph.num_edges)
    kept = there[:, rows] & there[:, columns] & (variants[:, np.newaxis] - 1 - n != edge)
    number = np.cumsum(there.reshape(-1)).reshape(there.shape) - 1
    variant, entry = np.nonzero(kept)
    sizes = there.sum(axis=1)
    union = Graph.from_entries(
        np.concatenate([[0], np.cumsum(sizes)]),
        number[variant, rows[entry]],
        number[variant, columns[entry]],
        graph.arcs[entry] if len(graph.arcs) else graph.arcs,
        graph.arc_labels,
    )
    if len(graph.loops):
        loops = np.tile(graph.loops, len(variants))[there.reshape(-1)]
        union = replace(union, loops=loops, loop_labels=graph.loop_labels)
    return union, there
