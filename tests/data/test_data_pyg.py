"""PyG datasets as they are: lists, InMemoryDatasets and views of them give the same; OGB's shapes; bad input."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from wlt.data import DataError, from_pyg, load, tu
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.io import as_graphs

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
EDGE = torch.tensor([[0, 1], [1, 0]])
BARE = [Data(edge_index=PATH, num_nodes=3, y=0), Data(edge_index=EDGE, y=1)]  # the second's nodes are counted by PyG


class InMemory(InMemoryDataset):
    """A dataset in PyG's own storage, as TUDataset and OGB's PygGraphPropPredDataset keep theirs."""

    name = "made"

    def __init__(self, graphs, transform=None):
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def graphs_with(y=(0, 1, 0), **changes):
    """A path of three nodes, an edge, and an isolated node beside an edge."""
    x = [torch.tensor([[1.0, 0], [0, 1], [1, 0]]), torch.tensor([[0.0, 1], [0, 1]]), torch.tensor([[1.0, 0]] * 3)]
    graphs = [Data(edge_index=edges, x=rows) for edges, rows in zip([PATH, EDGE, EDGE], x, strict=True)]
    for graph, label in zip(graphs, y, strict=True):
        graph.y = torch.as_tensor(label)
        for key, value in changes.items():
            setattr(graph, key, value(graph))
    return graphs


def same(a: Graphs, b: Graphs) -> bool:
    return (
        a.union.same_edges(b.union)
        and np.array_equal(a.union.starts, b.union.starts)
        and all(np.array_equal(getattr(a, key), getattr(b, key)) for key in ("codes", "values", "targets"))
    )


@pytest.mark.parametrize("form", [list, tuple, InMemory], ids=["list", "tuple", "InMemoryDataset"])
def test_what_a_dataset_becomes(form):
    dataset = from_pyg(form(graphs_with()))
    assert dataset.union[0].same_edges(Graph.from_edges(3, [(0, 1), (1, 2)]))
    assert dataset.union[1].same_edges(Graph.from_edges(2, [(0, 1)]))
    assert dataset.union[2].same_edges(Graph.from_edges(3, [(0, 1)]))
    assert dataset.class_numbers.tolist() == [0, 1, 0]
    assert dataset.kind == "features"
    assert dataset.values.tolist() == [[0, 1], [1, 0]]
    assert dataset.codes.tolist() == [1, 0, 1, 0, 0, 1, 1, 1]


def test_degrees_on_request_and_without_features():
    dataset = from_pyg(InMemory(graphs_with()), node_labels="degrees")
    assert dataset.kind == "degrees"
    assert dataset.values[dataset.codes].tolist() == [1, 2, 1, 1, 1, 1, 1, 0]
    bare = graphs_with(num_nodes=lambda graph: len(graph.x), x=lambda graph: None)
    for form in (list, InMemory):
        assert same(from_pyg(form(bare)), dataset)


def test_features_of_no_columns_are_none():
    """TUDataset has them where a set has only attributes and nobody asked for these."""
    graphs = graphs_with(x=lambda graph: graph.x[:, :0])
    assert from_pyg(graphs).kind == "degrees"
    with pytest.raises(DataError, match="no node features x"):
        from_pyg(graphs, node_labels="features")


def test_view_and_transform_are_respected():
    whole = InMemory(graphs_with())
    assert same(from_pyg(whole[[2, 0]]), from_pyg([whole[2], whole[0]]))
    flipped = InMemory(graphs_with(), transform=lambda data: Data(data.x * 2, data.edge_index, y=1 - data.y))
    assert from_pyg(flipped).class_numbers.tolist() == [1, 0, 1]
    assert from_pyg(flipped).values.max() == 2


def test_a_generator_and_attributes_that_only_some_graphs_have():
    graphs = graphs_with()
    graphs[1].source = "elsewhere"
    assert same(from_pyg(graph for graph in graphs), from_pyg(graphs_with()))
    assert from_pyg(BARE).union.graph_sizes.tolist() == [3, 2]


def test_one_graph():
    for form in (list, InMemory):
        dataset = from_pyg(form(graphs_with()[:1]))
        assert (len(dataset), dataset.union.num_nodes) == (1, 3)


def test_shapes_of_ogb():
    """Integer features of several columns, y of shape [1, 1]."""
    graphs = graphs_with(
        y=[[[0]], [[1]], [[0]]],
        x=lambda graph: graph.x.long() + 5,
        edge_attr=lambda graph: torch.zeros(graph.num_edges, 3),
    )
    dataset = from_pyg(InMemory(graphs))
    assert dataset.class_numbers.tolist() == [0, 1, 0]
    assert dataset.values.tolist() == [[5, 6], [6, 5]]


def test_edges_in_one_direction_are_directed_and_simple_graphs_forget_it():
    graphs = graphs_with(edge_index=lambda graph: graph.edge_index[:, ::2])
    assert same(from_pyg(graphs, simple=True), from_pyg(graphs_with()))
    assert from_pyg(graphs).edge_kind == "labels"
    assert from_pyg(graphs).union.same_edges(as_graphs(graphs).union)


@pytest.mark.parametrize("form", [list, InMemory], ids=["list", "InMemoryDataset"])
def test_edge_attributes_are_what_as_graphs_makes_of_them(form):
    """Rows that differ with the direction, too."""
    graphs = graphs_with(
        edge_attr=lambda graph: graph.edge_index.t() % 2,
        edge_weight=lambda graph: graph.edge_index.sum(0).float(),
    )
    for edge_labels in ("auto", "edge_weight", None):
        dataset = from_pyg(form(graphs), edge_labels=edge_labels)
        assert dataset.union.same_edges(as_graphs(graphs, edge_labels=edge_labels).union)
        assert dataset.union.ignored == as_graphs(graphs, edge_labels=edge_labels).union.ignored
    assert from_pyg(form(graphs), edge_labels=None).union.same_edges(from_pyg(graphs_with()).union)


@pytest.mark.parametrize("form", [list, InMemory], ids=["list", "InMemoryDataset"])
def test_numbers_and_rows_of_targets(form):
    assert from_pyg(form(graphs_with(y=[0.5, 1.0, 0.0]))).targets.tolist() == [0.5, 1, 0]
    several = from_pyg(form(graphs_with(y=[[[0.0, 1.0]], [[float("nan"), 0.0]], [[1.0, 1.0]]]))).targets
    assert np.array_equal(several, [[0, 1], [np.nan, 0], [1, 1]], equal_nan=True)
    assert from_pyg(form(graphs_with(y=[[[0, 1]], [[1, 1]], [[2, 0]]]))).targets.shape == (3, 2)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        pytest.param([], "a sequence of torch_geometric.data.Data is needed", id="empty"),
        pytest.param([1, 2], "a sequence of torch_geometric.data.Data is needed", id="numbers"),
        pytest.param(graphs_with(y=[[0.0], [float("nan")], [1.0]]), "graph 1 has no label", id="nan"),
        pytest.param(graphs_with(y=[0.0, 1.0, torch.inf]), r"graph 2 has no label \(y is inf\)", id="infinite-label"),
        pytest.param([*graphs_with(), BARE[0]], "graph 0 has x and graph 3 has none", id="some-x"),
        pytest.param([Data(edge_index=EDGE, num_nodes=2), *BARE], "graph 1 has y and graph 0 has none", id="some-y"),
        pytest.param(
            [*graphs_with(), Data(edge_index=EDGE, x=torch.ones(2, 3), y=torch.tensor(0))],
            r"a row of x has shape \(2,\) in graph 0, \(3,\) in graph 3",
            id="widths",
        ),
        pytest.param(graphs_with(y=[[0, 0, 0], [0, 0], [0, 0, 0]]), "y has 8 values for 3 graphs", id="node-labels"),
        pytest.param([Data(x=torch.ones(3, 1))] * 2, "no edge_index", id="no-edges"),
        pytest.param([Data(edge_index=PATH, num_nodes=3)] * 2, "the graphs have no labels y", id="no-labels"),
        pytest.param(
            graphs_with(edge_index=lambda graph: graph.edge_index + 1),
            r"graph 0 has 3 nodes and the edge \(2, 3\)",
            id="index-out-of-range",
        ),
        pytest.param(graphs_with(x=lambda graph: graph.x * torch.inf), "feature of node 0 is not a finite", id="inf"),
    ],
)
def test_bad_datasets(graphs, message):
    with pytest.raises(DataError, match=message):
        from_pyg(graphs)


def test_bad_request():
    with pytest.raises(ValueError, match="node_labels='labels': use 'auto', 'features' or 'degrees'"):
        from_pyg(graphs_with(), node_labels="labels")  # type: ignore[arg-type]


def test_a_users_tudataset_equals_our_own(data_dir, tmp_path):
    archive = tu.locate("MUTAG", data_dir / "tu")
    if archive is None or not archive.is_file():
        pytest.skip("MUTAG.zip is not at hand")
    from torch_geometric.datasets import TUDataset

    raw = tmp_path / "MUTAG" / "raw"
    raw.mkdir(parents=True)
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            (raw / Path(member.filename).name).write_bytes(file.read(member))
    theirs, ours = from_pyg(TUDataset(str(tmp_path), "MUTAG")), load("MUTAG", data_dir)
    assert theirs.name == ours.name
    assert theirs.union.without_labels().same_edges(ours.union.without_labels())
    one_hot, numbers = ([label for ((_, label),) in union.arc_labels] for union in (theirs.union, ours.union))
    assert np.argmax(one_hot, axis=1)[theirs.union.arcs].tolist() == np.array(numbers)[ours.union.arcs].tolist()
    assert theirs.class_numbers.tolist() == ours.class_numbers.tolist()
    assert np.array_equal(theirs.values[theirs.codes].argmax(axis=1), ours.values[ours.codes])
