"""PyGRecoloring between PyG's convolutions."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import (
    NUM_COLORS,
    TOLERANCE,
    NodeModel,
    colored_unions,
    edges_and_owners,
    largest_classes,
    one_hot,
    seeded,
    wl_round,
)
from torch import Tensor
from torch_geometric.nn import GCNConv, global_add_pool
from torch_geometric.utils import add_self_loops

from strategies import two_triangles
from wlt import Graph, as_graph
from wlt.data import load
from wlt.nn import WLTGNN, Batch, PyGRecoloring


def zero_rows(x: Tensor) -> list[int]:
    return (x == 0).all(1).nonzero().flatten().tolist()


def messages_of(colors: list[Any]) -> Tensor:
    """A random message for every colour, never 0."""
    table = torch.rand(max(colors) + 1, 3, generator=seeded(0), dtype=torch.float64) + 0.1
    return table[torch.tensor(colors)]


def with_recoloring(model: NodeModel, layer: PyGRecoloring, graph: Graph, x: Tensor, colors: Tensor) -> Tensor:
    """Logits of the plain node-level model for "gggrgg" with this layer between its convolutions."""
    edge_index, batch = edges_and_owners(graph)
    readouts = []
    for i, conv in enumerate(model.convs):
        if i == 3:
            x = layer(x, edge_index, batch, seeded(9), node_labels=colors)
        x = conv(x, edge_index)
        readouts.append(global_add_pool(x, batch))
    return model.head(sum(weight * part for weight, part in zip(model.layer_weights, readouts, strict=True)))


@pytest.mark.parametrize("recolor", [1, 0.5])
@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_pyg_layers_with_it_are_wlt_gnn(data_dir: Path, name: str, recolor: float) -> None:
    """Behind three convolutions, three rounds: the same nodes as `Recoloring` for the same generator, and logits."""
    data = load(name, data_dir, edge_labels=None).take(range(0, 180, 4))
    ours = WLTGNN(len(data.values), 16, 2, recolor=recolor, generator=seeded(0)).double()
    batch = Batch.from_graphs(data.union, data.codes)
    ours(batch, seeded(1))  # running statistics
    theirs = NodeModel(ours.eval()).eval()
    x = one_hot(data.codes, len(data.values))
    layer = PyGRecoloring(recolor, rounds=3)
    expected = ours(batch, seeded(9))
    for colors in (torch.tensor(data.codes), x):
        logits = with_recoloring(theirs, layer, data.union, x, colors)
        torch.testing.assert_close(logits, expected, **TOLERANCE)
    assert not torch.allclose(ours(batch, chosen=[np.zeros(0, np.int64)]), expected)


@settings(max_examples=50)
@given(colored_unions(), st.none() | st.integers(0, 3), st.booleans(), st.integers(0, 1000))
def test_it_takes_the_largest_class(
    union: tuple[Graph, NDArray[np.int64]], rounds: int | None, as_rows: bool, seed: int
) -> None:
    graph, initial = union
    colors: list[Any] = initial.tolist()
    for _ in range(graph.num_nodes if rounds is None else rounds):
        colors = wl_round(graph, colors)
    x = messages_of(colors)
    input_labels = one_hot(initial, NUM_COLORS) if as_rows else torch.from_numpy(initial)
    edge_index, batch = edges_and_owners(graph)
    nodes = largest_classes(graph, colors, x)
    assert zero_rows(PyGRecoloring("100%", rounds=rounds)(x, edge_index, batch, node_labels=input_labels)) == nodes
    some = zero_rows(PyGRecoloring(1, rounds=rounds)(x, edge_index, batch, seeded(seed), node_labels=input_labels))
    assert set(some) <= set(nodes)
    assert sorted(graph.graph_of[some]) == sorted(set(graph.graph_of[nodes]))  # one node of every graph that has such


@settings(max_examples=30)
@given(colored_unions())
def test_by_default_the_classes_are_those_of_the_edges(union: tuple[Graph, NDArray[np.int64]]) -> None:
    graph, _ = union
    colors: list[Any] = [0] * graph.num_nodes
    for _ in range(graph.num_nodes):
        colors = wl_round(graph, colors)
    x = messages_of(colors)
    result = PyGRecoloring("100%")(x, *edges_and_owners(graph))
    assert zero_rows(result) == largest_classes(graph, colors, x)


def test_rows_and_gradients_pass_through() -> None:
    graph = Graph.union([as_graph(nx.cycle_graph(5)), as_graph(nx.star_graph(3))])
    edge_index, batch = edges_and_owners(graph)
    x = torch.rand(9, 4, generator=seeded(0)).add(0.1)[torch.tensor([0] * 5 + [1] + [2] * 3)].requires_grad_()
    before = x.detach().clone()
    result = PyGRecoloring(1)(x, edge_index, batch, seeded(1))
    nodes = zero_rows(result)
    assert len(nodes) == 2
    assert nodes[0] < 5
    assert nodes[1] > 5
    kept = torch.ones(9, 1)
    kept[nodes] = 0
    assert torch.equal(result, before * kept)
    assert torch.equal(x.detach(), before)  # not changed in place
    weights = torch.rand(9, 4, generator=seeded(2))
    (gradient,) = torch.autograd.grad((result * weights).sum(), x)
    assert torch.equal(gradient, weights * kept)


def test_the_generator_decides() -> None:
    graph = Graph.union([as_graph(nx.cycle_graph(9))] * 10)
    edge_index, batch = edges_and_owners(graph)
    x = torch.ones(90, 2)
    layer = PyGRecoloring(1)
    first, second, other = (zero_rows(layer(x, edge_index, batch, seeded(seed))) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_a_single_graph_needs_no_batch() -> None:
    graph = as_graph(nx.cycle_graph(5))
    edge_index, _ = edges_and_owners(graph)
    assert len(zero_rows(PyGRecoloring(2)(torch.ones(5, 1), edge_index))) == 2


def test_discrete_graphs_are_left_alone() -> None:
    graph = Graph.union([as_graph(nx.path_graph(3)), as_graph(nx.path_graph(3))])
    edge_index, batch = edges_and_owners(graph)
    x = torch.rand(6, 2, generator=seeded(0)) + 0.1
    colors = torch.tensor([0, 1, 2, 0, 1, 0])
    assert set(zero_rows(PyGRecoloring("100%")(x, edge_index, batch, node_labels=colors))) == {3, 5}


def test_graphs_without_nodes_in_a_batch() -> None:
    graph = Graph.union([as_graph(nx.cycle_graph(4))] * 2)
    edge_index, _ = edges_and_owners(graph)
    batch = torch.tensor([1] * 4 + [3] * 4)
    assert len(zero_rows(PyGRecoloring(1)(torch.ones(8, 1), edge_index, batch))) == 2


def test_loops_do_not_matter() -> None:
    """PyG's models add them; WL colours are those of the simple graph."""
    graph = as_graph(nx.path_graph(6))
    edge_index, _ = edges_and_owners(graph)
    x = messages_of([0, 1, 2, 2, 1, 0])
    layer = PyGRecoloring("100%")
    assert zero_rows(layer(x, add_self_loops(edge_index)[0])) == zero_rows(layer(x, edge_index))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_all_floating_point_types(dtype: torch.dtype) -> None:
    edge_index, _ = edges_and_owners(as_graph(nx.cycle_graph(5)))
    result = PyGRecoloring(1)(torch.ones(5, 3, dtype=dtype), edge_index)
    assert result.dtype == dtype
    assert len(zero_rows(result)) == 1


def test_it_separates_what_gcn_alone_does_not() -> None:
    graph = Graph.union([as_graph(nx.cycle_graph(6)), as_graph(two_triangles())])
    edge_index, batch = edges_and_owners(graph)
    torch.manual_seed(0)
    convs = [GCNConv(1, 8), GCNConv(8, 8), GCNConv(8, 8)]
    for layer, separated in ((None, False), (PyGRecoloring(1), True)):
        x = convs[0](torch.ones(12, 1), edge_index).tanh()
        if layer is not None:
            x = layer(x, edge_index, batch, seeded(0))
        for conv in convs[1:]:
            x = conv(x, edge_index).tanh()
        readout = global_add_pool(x, batch)
        assert torch.allclose(readout[0], readout[1], atol=1e-5) != separated


@pytest.mark.parametrize("rounds", [0, 1, None])
def test_a_canonical_node_does_not_depend_on_numbers(rounds: int | None) -> None:
    """Whether the classes are stable yet or not. Nodes 0, 1 and 2 of the lollipop are equivalent."""
    graph = as_graph(nx.lollipop_graph(4, 5))
    random = np.random.default_rng(0)
    layer = PyGRecoloring("canonical", rounds=rounds)
    chosen = set()
    for _ in range(6):
        permutation = random.permutation(9)
        old_name = np.argsort(permutation)
        edge_index, _ = edges_and_owners(graph.relabel(permutation))
        (node,) = zero_rows(layer(torch.ones(9, 2), edge_index, node_labels=torch.from_numpy(old_name >= 4).long()))
        chosen.add(max(int(old_name[node]), 2))
    assert len(chosen) == 1


# ---- colours that the edges do not know


def test_it_warns_when_the_messages_know_more_than_the_edges() -> None:
    edge_index, _ = edges_and_owners(as_graph(nx.cycle_graph(4)))
    labels = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    with pytest.warns(UserWarning, match=r"nodes \d and \d are of one class by the edges and have .*") as caught:
        PyGRecoloring(1)(labels, edge_index)
    assert caught[0].filename == __file__, "the line that called the layer"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(zero_rows(PyGRecoloring("100%")(labels, edge_index, node_labels=labels))) == {0, 2}


def test_rounding_errors_are_no_reason_to_warn() -> None:
    edge_index, _ = edges_and_owners(as_graph(nx.cycle_graph(40)))
    x = torch.ones(40, 3) + 1e-5 * torch.randn(40, 3, generator=seeded(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(zero_rows(PyGRecoloring(0.5)(x, edge_index))) == 20


def test_behind_another_recoloring_its_marks_are_colors() -> None:
    """As the docstring says: a hexagon with one node marked has classes of 1, 2, 2 and 1 nodes."""
    edge_index, _ = edges_and_owners(as_graph(nx.cycle_graph(6)))
    start = torch.ones(6, 1)
    x = PyGRecoloring(1)(start, edge_index, generator=seeded(0))
    (marked,) = zero_rows(x)
    colors = torch.cat([start, (x == 0).all(1, keepdim=True)], 1)
    later = messages_of([min((v - marked) % 6, (marked - v) % 6) for v in range(6)])
    nodes = zero_rows(PyGRecoloring("100%")(later, edge_index, node_labels=colors))
    assert nodes in (sorted([(marked + 1) % 6, (marked - 1) % 6]), sorted([(marked + 2) % 6, (marked - 2) % 6]))


# ---- bad input


SQUARE = torch.from_numpy(as_graph(nx.cycle_graph(4)).edge_index())


@pytest.mark.parametrize("recolor", [0, 0.0, 1.5, -1, float("nan"), True, "some"])
def test_impossible_shares_are_refused(recolor: Any) -> None:
    with pytest.raises(ValueError, match="a share of the class"):
        PyGRecoloring(recolor)


@pytest.mark.parametrize("recolor", ["all", "draws:2"])
def test_replicas_are_refused(recolor: str) -> None:
    with pytest.raises(ValueError, match=f"recolor='{recolor}' needs replicas"):
        PyGRecoloring(recolor)


@pytest.mark.parametrize("rounds", [-1, 1.5, "all"])
def test_impossible_rounds_are_refused(rounds: Any) -> None:
    with pytest.raises(ValueError, match=r"rounds must be a whole number from 0 on, or None .* not "):
        PyGRecoloring(1, rounds=rounds)


def test_colors_in_a_list_are_refused() -> None:
    with pytest.raises(TypeError, match="node_labels must be a tensor, not list"):
        PyGRecoloring()(torch.ones(4, 1), SQUARE, node_labels=[0, 1, 0, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((torch.ones(4), SQUARE), "x must be a float matrix", id="vector"),
        pytest.param((torch.ones(4, 1, dtype=torch.long), SQUARE), "x must be a float matrix", id="integers"),
        pytest.param((torch.ones(0, 3), SQUARE[:, :0]), "x has no rows", id="no-nodes"),
        pytest.param((torch.ones(3, 1), SQUARE), "node 3 is not among the nodes", id="too-few-rows"),
        pytest.param((torch.ones(4, 1), SQUARE, torch.zeros(3).long()), "batch of shape", id="short-batch"),
        pytest.param((torch.ones(4, 1), SQUARE, torch.tensor([1, 1, 0, 0])), "batch must not descend", id="unsorted"),
        pytest.param((torch.ones(4, 1), SQUARE, torch.tensor([0, 0, 1, 1])), "joins two graphs", id="edge-between"),
    ],
)
def test_bad_input_is_refused(arguments: tuple[Tensor, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PyGRecoloring(1)(*arguments)


@pytest.mark.parametrize(
    ("colors", "error", "message"),
    [
        pytest.param(torch.zeros(3).long(), ValueError, r"node labels of shape \(3,\)", id="too-few"),
        pytest.param(torch.full((4,), 0.5), TypeError, "node labels must be integers", id="fractions"),
        pytest.param(torch.zeros(3, 2), ValueError, r"features of shape \(3, 2\)", id="too-few-rows"),
        pytest.param(torch.full((4, 1), float("nan")), ValueError, "not all finite numbers", id="nan"),
    ],
)
def test_bad_colors_are_refused(colors: Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PyGRecoloring(1)(torch.ones(4, 1), SQUARE, node_labels=colors)
