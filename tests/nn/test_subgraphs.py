"""recolor="nodes" is the node-marked DS-GNN: beside a dense one in plain torch."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import NUM_COLORS, TOLERANCE, colored_unions, one_hot, recolored_nodes, seeded
from torch import Tensor

from wlt import Graph, Recolor, Structure, as_graph, as_graphs
from wlt.data import csl
from wlt.expressiveness.own import RandomWLTGNN
from wlt.nn import GIN, WLTGNN, Batch, Recoloring
from wlt.nn.pyg import PyGRecoloring


def dense_ds_gnn(model: WLTGNN, graph: Graph, colors: NDArray[np.int64]) -> Tensor:
    """Logits: a bag of copies of every graph, dense matrices of messages; r marks every node of every copy once."""
    adjacencies, bags = [], []
    labels = one_hot(colors, NUM_COLORS)
    for low, high in pairwise(graph.starts):
        adjacency = torch.zeros(high - low, high - low, dtype=torch.float64)
        for u, v in graph.edge_index().T:
            if low <= u < high:
                adjacency[u - low, v - low] = 1
        adjacencies.append(adjacency)
        bags.append(labels[low:high].unsqueeze(0))  # [copies, nodes, width]
    readouts = []
    for layer in model.layers:
        if isinstance(layer, Recoloring):
            marks = [1 - torch.eye(bag.shape[1], dtype=torch.float64).unsqueeze(2) for bag in bags]
            bags = [(bag.unsqueeze(1) * mark).flatten(0, 1) for bag, mark in zip(bags, marks, strict=True)]
            continue
        assert isinstance(layer, GIN)
        bags = [
            ((bag + adjacency @ bag) @ layer.weight1 + layer.bias1).relu() @ layer.weight2 + layer.bias2
            for bag, adjacency in zip(bags, adjacencies, strict=True)
        ]
        bags = [bag.relu() for bag in bags]
        mean, variance = layer.norm.running_mean, layer.norm.running_var
        if model.training:  # the copies of a graph count as one graph
            nodes = graph.num_nodes
            mean = sum(bag.mean(0).sum(0) for bag in bags) / nodes
            variance = sum(((bag - mean) ** 2).mean(0).sum(0) for bag in bags) / nodes
        scale = layer.norm.weight / (variance + layer.norm.eps).sqrt()
        bags = [(bag - mean) * scale + layer.norm.bias for bag in bags]
        readouts.append(torch.stack([bag.sum(1).mean(0) for bag in bags]))
    features = sum(weight * part for weight, part in zip(model.layer_weights, readouts, strict=True))
    return model.head(features)


def some_model(structure: str, seed: int, **options: object) -> WLTGNN:
    model = WLTGNN(NUM_COLORS, 5, 3, structure=structure, recolor="nodes", generator=seeded(seed), **options).double()
    random = seeded(seed + 1)
    with torch.no_grad():
        for tensor in [*model.parameters(), *(each for each in model.buffers() if each.is_floating_point())]:
            tensor += 0.3 * torch.rand(tensor.shape, generator=random, dtype=torch.float64)
    return model


@settings(max_examples=40)
@given(
    colored_unions(max_graphs=3, max_nodes=6),
    st.sampled_from(["rgg", "grg", "ggrgg", "gr", "rgrg", "grgrg"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_nodes_is_the_dense_node_marked_ds_gnn(
    union: tuple[Graph, NDArray[np.int64]], structure: str, training: bool, compress: bool, seed: int
) -> None:
    """Logits and the gradients of all parameters, float64."""
    graph, colors = union
    model = some_model(structure, seed).train(training)
    answers = []
    for forward in (
        lambda: model(Batch.from_graphs(graph, colors, compress=compress)),
        lambda: dense_ds_gnn(model, graph, colors),
    ):
        model.zero_grad()
        logits = forward()
        (logits * torch.arange(1, logits.numel() + 1).reshape(logits.shape)).sum().backward()
        answers.append([logits.detach(), *(parameter.grad.clone() for parameter in model.parameters())])
    for mine, expected in zip(*answers, strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-7, atol=1e-7)


def test_every_node_is_marked_once_in_discrete_graphs_too() -> None:
    graphs = [Graph.from_edges(3, [(0, 1), (1, 2)]), as_graph(nx.cycle_graph(5)), Graph.from_edges(1, [])]
    batch = Batch.from_graphs(graphs, [0, 1, 2, *[0] * 5, 0])
    after = Recoloring("nodes")(batch)
    assert np.bincount(after.owner).tolist() == [3, 5, 1]
    nodes = recolored_nodes(batch, after)
    assert (nodes - after.graph.starts[after.graph.graph_of[nodes]]).tolist() == [0, 1, 2, *range(5), 0]
    np.testing.assert_allclose(np.bincount(after.owner, after.weight), 1)


def test_nodes_is_all_where_a_graph_is_one_class() -> None:
    data = csl().take(range(0, 150, 10))
    logits = [
        WLTGNN(len(data.values), 6, 3, recolor=recolor, generator=seeded(0))
        .double()
        .eval()(Batch.from_graphs(data.union, data.codes))
        for recolor in ("all", "nodes")
    ]
    torch.testing.assert_close(*logits, **TOLERANCE)


def test_nodes_separates_what_the_largest_class_does_not() -> None:
    """Beside eight loose nodes, the largest class, a hexagon and two triangles look alike until they are marked."""
    loose = nx.empty_graph(8)
    cycles = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    graphs = as_graphs([nx.disjoint_union(cycle, loose) for cycle in cycles])
    for recolor, separated in (("all", False), ("nodes", True)):
        model = RandomWLTGNN(3, 0, Structure("grgg"), Recolor(recolor), seed=0).double()
        first, second = model(graphs)
        assert (not torch.allclose(first, second, rtol=1e-9, atol=1e-9)) == separated


def test_too_many_replicas_are_sampled() -> None:
    batch = Batch.from_graphs([as_graph(nx.path_graph(9)), as_graph(nx.path_graph(3))])
    with pytest.warns(UserWarning, match="graph 0 would need 9 replicas; 4 are sampled"):
        after = Recoloring("nodes", max_replicas=4)(batch, seeded(0))
    assert np.bincount(after.owner).tolist() == [4, 3]


def test_pyg_has_no_replicas() -> None:
    with pytest.raises(ValueError, match="recolor='nodes' needs replicas"):
        PyGRecoloring("nodes")
