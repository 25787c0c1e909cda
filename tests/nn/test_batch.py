"""Batches: their classes and messages, continuous features, collections, and input that is refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import NUM_COLORS, TOLERANCE, colored_unions, edges_and_owners, one_hot, seeded, structures, wl_round
from torch_geometric.data import Batch as PyGBatch
from torch_geometric.data import Data
from torch_geometric.utils import degree

from strategies import as_partition
from wlt import Graph, as_graph
from wlt.nn import GIN, WLTGNN, Baseline, Batch, Collection


@given(colored_unions(), st.integers(0, 3))
def test_classes_are_wl_colors(union: tuple[Graph, NDArray[np.int64]], rounds: int) -> None:
    graph, colors = union
    batch = Batch.from_graphs(graph, colors)
    expected = colors.tolist()
    for _ in range(rounds):
        batch, _ = GIN(NUM_COLORS if batch.rows is None else 3, 3)(batch)
        expected = wl_round(graph, expected)
    assert as_partition(batch.classes) == as_partition(expected)
    assert batch.num_classes == len(set(expected))
    assert batch.num_graphs == graph.num_graphs


@given(colored_unions())
def test_uncompressed_every_node_is_a_class(union: tuple[Graph, NDArray[np.int64]]) -> None:
    graph, colors = union
    batch, _ = GIN(NUM_COLORS, 3)(Batch.from_graphs(graph, colors, compress=False))
    assert batch.num_classes == graph.num_nodes
    assert batch.classes.tolist() == list(range(graph.num_nodes))
    assert batch.messages.shape == (graph.num_nodes, 3)


@settings(max_examples=30)
@given(colored_unions(), st.integers(0, 1000))
def test_a_round_adds_up_over_neighbours_and_members(union: tuple[Graph, NDArray[np.int64]], seed: int) -> None:
    """Sums of one layer's step, seen through a layer with the identity as its map, against PyG's message passing."""
    graph, colors = union
    layer = GIN(NUM_COLORS, NUM_COLORS).double().eval()
    with torch.no_grad():
        for weight in (layer.weight1, layer.weight2):
            weight.copy_(torch.eye(NUM_COLORS))
        for bias in (layer.bias1, layer.bias2):
            bias.zero_()
        layer.norm.eps = 0.0
    batch, summed = layer(Batch.from_graphs(graph, colors))
    x = one_hot(colors, NUM_COLORS)
    edge_index, owner = edges_and_owners(graph)
    expected = x.clone().index_add(0, edge_index[1], x[edge_index[0]])
    torch.testing.assert_close(batch.messages[torch.from_numpy(batch.classes).long()], expected, **TOLERANCE)
    total = torch.zeros(graph.num_graphs, NUM_COLORS, dtype=torch.float64).index_add(0, owner, expected)
    torch.testing.assert_close(summed, total, **TOLERANCE)


def test_colors_are_degrees_unless_given() -> None:
    data = PyGBatch.from_data_list(
        [Data(edge_index=torch.from_numpy(as_graph(g).edge_index()), num_nodes=len(g)) for g in [nx.star_graph(4)] * 2]
    )
    model = WLTGNN(5, 4, 2, generator=seeded(0)).eval()
    degrees = degree(data.edge_index[0], data.num_nodes).long().numpy()
    nodes = [np.array([1, 6])]
    assert torch.equal(
        model(Batch.from_graphs(as_graph(data)), chosen=nodes),
        model(Batch.from_graphs(as_graph(data), degrees), chosen=nodes),
    )


@pytest.mark.parametrize(
    "graphs",
    [
        pytest.param([nx.path_graph(3), nx.cycle_graph(4)], id="networkx"),
        pytest.param([(3, [(0, 1), (1, 2)]), (4, [(0, 1), (1, 2), (2, 3), (3, 0)])], id="pairs"),
        pytest.param(Graph.union([as_graph(nx.path_graph(3)), as_graph(nx.cycle_graph(4))]), id="union"),
        pytest.param((as_graph(g) for g in (nx.path_graph(3), nx.cycle_graph(4))), id="generator"),
    ],
)
def test_any_graphs_make_a_batch(graphs: object) -> None:
    batch = Batch.from_graphs(graphs)  # type: ignore[arg-type]
    assert (batch.num_graphs, batch.num_classes, batch.graph.num_nodes) == (2, 2, 7)


# ---- continuous features


def test_equal_rows_are_equal_colors() -> None:
    rows = torch.tensor([[0.5, 1.0], [0.5, 1.0], [0.5, 1.5], [0.0, 0.0], [-0.0, 0.0]])
    batch = Batch.from_graphs([(5, [])], features=rows)
    assert as_partition(batch.classes) == {frozenset({0, 1}), frozenset({2}), frozenset({3, 4})}
    assert torch.equal(batch.messages[torch.from_numpy(batch.classes).long()], rows)
    assert Batch.from_graphs([(5, [])], features=rows, compress=False).num_classes == 5


def test_one_hot_features_are_colors() -> None:
    graph = as_graph(nx.lollipop_graph(4, 3))
    model = WLTGNN(4, 6, 2, generator=seeded(0)).double().eval()
    colors = np.arange(7) % 4
    nodes = [np.array([2])]
    expected = model(Batch.from_graphs(graph, colors), chosen=nodes)
    result = model(Batch.from_graphs(graph, features=one_hot(colors, 4)), chosen=nodes)
    torch.testing.assert_close(result, expected, **TOLERANCE)


# ---- collections


@settings(max_examples=40)
@given(
    colored_unions(max_graphs=5),
    structures(),
    st.sampled_from([1, 0.5, "all"]),
    st.integers(0, 4),
    st.data(),
)
def test_a_collections_batch_is_the_batch_of_its_graphs(
    union: tuple[Graph, NDArray[np.int64]],
    structure: str,
    recolor: float | str,
    rounds: int,
    data: st.DataObject,
) -> None:
    """Same classes in the same order, so the same bits; graphs in any order, some twice; the collection used twice."""
    graph, colors = union
    which = data.draw(st.lists(st.integers(0, graph.num_graphs - 1), min_size=1, max_size=6))
    collection = Collection(graph, colors, rounds)
    model = WLTGNN(NUM_COLORS, 4, 2, structure=structure, recolor=recolor, max_replicas=64, generator=seeded(0)).eval()
    batch = Batch.from_graphs(graph.take(which), colors[graph.nodes_of(which)])
    for _ in range(2):
        assert torch.equal(model(collection.batch(which), seeded(2)), model(batch, seeded(2)))


@settings(max_examples=20)
@given(colored_unions(max_graphs=5), st.integers(0, 4))
def test_a_collection_with_features(union: tuple[Graph, NDArray[np.int64]], rounds: int) -> None:
    graph, colors = union
    table = torch.randn(NUM_COLORS, 6, generator=seeded(1), dtype=torch.float64)
    collection = Collection(graph, colors, rounds, table)
    model = WLTGNN(6, 4, 2, structure="ggg", generator=seeded(0)).double().eval()
    last = [graph.num_graphs - 1]
    batch = Batch.from_graphs(graph.take(last), features=table[torch.from_numpy(colors[graph.nodes_of(last)])])
    torch.testing.assert_close(model(collection.batch(last)), model(batch), **TOLERANCE)


# ---- bad input


PATH = as_graph(nx.path_graph(3))


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        pytest.param([], "no graphs", id="no-graphs"),
        pytest.param([PATH, (0, []), PATH], "a batch needs graphs with nodes: graph 1 has no nodes", id="no-nodes"),
    ],
)
def test_empty_batches_and_graphs_are_refused(graphs: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Batch.from_graphs(graphs)


@pytest.mark.parametrize(
    ("colors", "error", "message"),
    [
        pytest.param([0, 1], ValueError, r"node labels of shape \(2,\) for 3 nodes", id="too-few"),
        pytest.param([[0, 1, 2]], ValueError, r"node labels of shape \(1, 3\) for 3 nodes", id="matrix"),
        pytest.param([0, -2, 1], ValueError, "label -2 of node 1 is negative", id="negative"),
        pytest.param([0, 2**45, 1], ValueError, f"label {2**45} of node 1 is too large", id="too-large"),
        pytest.param([0.0, 1.0, 2.0], TypeError, "node labels must be integers, not of type float64", id="floats"),
        pytest.param(["a", "b", "c"], TypeError, "node labels must be integers", id="text"),
    ],
)
def test_bad_colors_are_refused(colors: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Batch.from_graphs([PATH], colors)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        Collection(PATH, colors)  # type: ignore[arg-type]


def test_large_colors_need_no_table_of_that_size() -> None:
    batch = Batch.from_graphs([PATH], [2**31 - 1, 5, 2**31 - 1])
    assert batch.colors.tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match=f"colour {2**31 - 1} is out of range: the model was made for colours 0 .. 9"):
        WLTGNN(10, 4, 2)(batch)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        pytest.param(torch.zeros(2, 4), r"features of shape \(2, 4\) for 3 nodes", id="too-few"),
        pytest.param(torch.zeros(3), r"features of shape \(3,\) for 3 nodes", id="vector"),
        pytest.param(torch.zeros(3, 0), r"features of shape \(3, 0\) for 3 nodes", id="no-columns"),
        pytest.param(torch.zeros(3, 1).requires_grad_(), r"features require a gradient.*detach", id="gradient"),
        pytest.param(torch.tensor([[1.0], [float("nan")], [2.0]]), "features of node 1 are not all finite", id="nan"),
        pytest.param(torch.tensor([[1.0], [1.0], [float("-inf")]]), "features of node 2 are not all finite", id="inf"),
    ],
)
def test_bad_features_are_refused(features: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Batch.from_graphs([PATH], features=features)


def test_features_of_a_collection_have_no_gradient_either() -> None:
    with pytest.raises(ValueError, match="features require a gradient"):
        Collection(PATH, np.zeros(3, np.int64), features=torch.zeros(1, 2, requires_grad=True))


def test_features_from_numpy() -> None:
    rows = np.array([[1, 2], [3, 4], [1, 2]])
    model = WLTGNN(2, 4, 2, structure="grg", generator=seeded(0)).eval()
    for features in (rows, rows.astype(np.float32)):
        expected = model(Batch.from_graphs([PATH], features=torch.tensor(rows).float()), seeded(1))
        assert torch.equal(model(Batch.from_graphs([PATH], features=features), seeded(1)), expected)


@pytest.mark.parametrize("model", [WLTGNN(3, 4, 2), Baseline("GCN", 3, 4, 2), Baseline("GIN-0", 3, 4, 2)])
def test_features_of_another_width_are_refused(model: torch.nn.Module) -> None:
    with pytest.raises(ValueError, match="features have 2 columns; the model was made for 3"):
        model(Batch.from_graphs([PATH], features=torch.ones(3, 2)))


def test_colors_and_features_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="give node_labels or features, not both"):
        Batch.from_graphs([PATH], [0, 1, 2], features=torch.zeros(3, 1))


def test_one_hot_messages_are_never_built() -> None:
    with pytest.raises(ValueError, match="before the first layer the messages are one-hot colours"):
        _ = Batch.from_graphs([PATH]).messages


def test_a_collection_refuses_graphs_it_has_not() -> None:
    collection = Collection(Graph.union([PATH, PATH]), np.zeros(6, np.int64), 2)
    with pytest.raises(IndexError, match="the union has 2 graphs"):
        collection.batch([2])


def test_an_empty_batch_of_a_collection_is_refused() -> None:
    collection = Collection(Graph.union([PATH, PATH]), np.zeros(6, np.int64), 2)
    with pytest.raises(ValueError, match="a batch needs graphs with nodes: no graphs"):
        collection.batch([])
