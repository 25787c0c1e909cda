"""What nodes carry, from every kind of graph, and the table of it that a model knows."""

from __future__ import annotations

import warnings
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from wlt import Graph
from wlt.data import Dataset, csl
from wlt.io.colored import ColoredGraphs
from wlt.io.coloring import ColorTable, UnseenLabel, colored

ATOMS = ["CCO", "NCCN", "OCO", "C"]


def paths() -> list[nx.Graph[int]]:
    """Paths whose nodes have the letters of ATOMS as attribute `atom`."""
    graphs = []
    for letters in ATOMS:
        graph = nx.path_graph(len(letters))
        nx.set_node_attributes(graph, dict(enumerate(letters)), "atom")
        graphs.append(graph)
    return graphs


def as_igraph(graph: nx.Graph[int]) -> igraph.Graph:
    copy = igraph.Graph(n=len(graph), edges=list(graph.edges))
    copy.vs["atom"] = [graph.nodes[v]["atom"] for v in graph]
    return copy


def as_data(graph: nx.Graph[int]) -> Data:
    edges = torch.tensor([(u, v) for u, v in graph.edges], dtype=torch.long).reshape(-1, 2).t()
    atoms = [graph.nodes[v]["atom"] for v in graph]
    return Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=len(graph), atom=atoms)


def values_of(found: ColoredGraphs) -> list[Any]:
    """The value of every node."""
    plain = found.values.tolist() if isinstance(found.values, np.ndarray) else list(found.values)
    return [tuple(plain[c]) if isinstance(plain[c], list) else plain[c] for c in found.colors]


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph, as_data], ids=["networkx", "igraph", "PyG"])
def test_attributes_of_every_library_are_the_nodes_values(convert: Any) -> None:
    found = colored([convert(graph) for graph in paths()], "atom")
    assert found.kind == "labels"
    assert values_of(found) == list("".join(ATOMS))
    assert found.graphs.graph_sizes.tolist() == [len(letters) for letters in ATOMS]


def test_pieces_of_a_collection_give_it_back() -> None:
    whole = colored(paths(), "atom")
    again = colored(list(whole))
    assert values_of(again) == values_of(whole)
    assert again.graphs.same_edges(whole.graphs)
    assert values_of(colored([whole[2], whole[-4]])) == list("OCOCCO")


def test_pieces_of_several_collections_agree_on_values_not_on_numbers() -> None:
    first, second = colored(paths()[:1], "atom"), colored(paths()[1:], "atom")
    assert first.values != second.values
    assert values_of(colored([first, second])) == list("".join(ATOMS))


@pytest.mark.parametrize(
    "one",
    [
        pytest.param("Bw", id="graph6"),
        pytest.param((3, [(0, 1), (1, 2), (2, 0)]), id="pair"),
        pytest.param(1 - np.eye(3), id="matrix"),
        pytest.param(nx.complete_graph(3), id="networkx"),
        pytest.param(igraph.Graph.Full(3), id="igraph"),
        pytest.param(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), id="Graph"),
        pytest.param(Data(edge_index=torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]]), num_nodes=3), id="PyG"),
    ],
)
def test_one_graph_is_a_list_of_one(one: Any) -> None:
    found = colored(one)
    assert (len(found), found.kind, values_of(found)) == (1, "degrees", [2, 2, 2])


def test_a_union_and_a_batch_are_as_many_graphs_as_they_hold() -> None:
    assert len(colored(Graph.union([Graph.from_edges(2, [(0, 1)])] * 3))) == 3
    assert len(colored(Batch.from_data_list([as_data(graph) for graph in paths()]))) == 4


def test_a_dataset_has_its_own_colors_unless_degrees_are_wanted() -> None:
    data = csl()
    labelled = Dataset("x", data.graphs, data.colors, np.array(["C"]), "labels", data.labels, data.classes)
    assert (colored(labelled).kind, set(values_of(colored(labelled)))) == ("labels", {"C"})
    assert set(values_of(colored(labelled, "degrees"))) == {4}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        pytest.param([1, 2, 2], "labels", id="whole numbers"),
        pytest.param([1.0, 2.0, 2.0], "labels", id="whole floats"),
        pytest.param([True, False, True], "labels", id="booleans"),
        pytest.param([0.5, 2.0, 2.0], "features", id="real numbers"),
        pytest.param([[1, 0], [0, 1], [0, 1]], "features", id="rows"),
        pytest.param([["C", 0], ["N", 1], ["N", 1]], "labels", id="rows of several kinds"),
        pytest.param([[1], [0, 1], [0, 1]], "labels", id="rows of different lengths"),
    ],
)
def test_rows_and_real_numbers_are_features_all_else_is_labels(values: list[Any], kind: str) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict(enumerate(values)), "v")
    assert colored([graph], "v").kind == kind


def test_pyg_features_are_rows() -> None:
    x = torch.tensor([[1.0, 0.0], [0.5, 2.0], [1.0, 0.0]])
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    found = colored([Data(x=x, edge_index=edges), Data(x=x[:1], edge_index=edges[:, :0])])
    assert found.kind == "features"
    assert values_of(found) == [(1.0, 0.0), (0.5, 2.0), (1.0, 0.0), (1.0, 0.0)]


def test_what_cannot_be_graphs_is_named() -> None:
    with pytest.raises(TypeError, match="graphs are needed, a list of them or one, not NoneType"):
        colored(None)


def test_an_attribute_that_is_none_everywhere() -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, None, "v")
    with pytest.raises(ValueError, match=r"graph 0, node 0: no attribute 'v'$"):
        colored([graph], "v")


def test_unused_attributes_are_mentioned() -> None:
    for graphs in (paths(), [as_igraph(graph) for graph in paths()]):
        with pytest.warns(UserWarning, match=r"\('atom'\) are not used; node_colors='atom' would use one"):
            assert colored(graphs).kind == "degrees"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert colored(paths(), "degrees").kind == "degrees"


@pytest.mark.parametrize(
    ("graphs", "source", "message"),
    [
        pytest.param([], "auto", "no graphs", id="nothing"),
        pytest.param([(2, [(0, 1)]), (0, [])], "auto", "graph 1 has no nodes", id="no nodes"),
        pytest.param([(2, [(0, 1)]), (2, [(0, 2)])], "auto", r"graph 1: edge 0, \(0, 2\)", id="bad edge"),
        pytest.param([nx.path_graph(2), 7], "auto", "graph 1: cannot make a graph of int", id="no graph"),
        pytest.param(paths(), "color", "no node has an attribute 'color'; there are: 'atom'", id="attribute"),
        pytest.param(csl(), "atom", "a Dataset has no named node attributes", id="dataset"),
        pytest.param(csl().graphs, "atom", "wlt.Graph has no named node attributes", id="union"),
        pytest.param(paths(), 3, "must be 'auto', 'degrees' or the name", id="no name"),
        pytest.param(
            [Data(x=torch.ones(1, 2), edge_index=torch.zeros(2, 0, dtype=torch.long)), as_data(paths()[0])],
            "auto",
            "graph 0 has node features x and graph 1 has none",
            id="some features",
        ),
        pytest.param(
            [Data(x=torch.full((1, 2), torch.nan), edge_index=torch.zeros(2, 0, dtype=torch.long))],
            "auto",
            "graph 0, node 0: a feature that is not a finite number",
            id="nan",
        ),
        pytest.param(
            [Data(x=torch.ones(1, n), edge_index=torch.zeros(2, 0, dtype=torch.long)) for n in (1, 2)],
            "auto",
            "graphs with 1 and 2 node features together",
            id="widths",
        ),
    ],
)
def test_what_cannot_be_coloured_is_refused(graphs: Any, source: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        colored(graphs, source)


def stars(*degrees: int) -> ColoredGraphs:
    return colored([nx.star_graph(degree) for degree in degrees])


@given(st.sets(st.integers(1, 40), min_size=1, max_size=6), st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_an_unknown_degree_counts_as_the_nearest(known: set[int], asked: list[int]) -> None:
    table = ColorTable.learn(stars(*known))
    found = stars(*asked)
    rows, features = table.apply(found)
    assert features is None
    for degree, row in zip(found.graphs.degrees.tolist(), rows.tolist(), strict=True):
        assert table.values[row] == min(table.values, key=lambda value: (abs(value - degree), value))


def test_labels_are_looked_up_by_value() -> None:
    table = ColorTable.learn(colored(paths(), "atom"))
    assert set(table.values) == {"C", "N", "O"}
    assert table.num_inputs == 4
    rows, _ = table.apply(colored(paths()[2:3], "atom"))
    assert [table.values[row] for row in rows] == list("OCO")


def test_only_labels_that_occur_are_known() -> None:
    whole = colored(paths(), "atom")
    assert ColorTable.learn(whole.take([0])).values == ("C", "O")


def test_unseen_labels_are_refused_or_get_the_last_row() -> None:
    table = ColorTable.learn(colored(paths()[:1], "atom"))
    asked = colored(paths(), "atom")
    with pytest.raises(UnseenLabel, match=r"graph 1, node 0: the label 'N' was never seen .*known: 'C', 'O'"):
        table.apply(asked)
    rows, _ = table.apply(asked, "ignore")
    assert [None if row == 2 else table.values[row] for row in rows] == [
        letter if letter in "CO" else None for letter in "".join(ATOMS)
    ]


def test_features_are_scaled_by_what_training_had() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: (0.0, -4.0, 1.0), 1: (0.0, 2.0, 0.0), 2: (0.0, 2.0, 1.0)}, "v")
    table = ColorTable.learn(colored([graph], "v"))
    assert table.scale == (1.0, 4.0, 1.0)
    other = nx.path_graph(2)
    nx.set_node_attributes(other, {0: (3, 8, 1), 1: (0, 0, 0)}, "v")
    rows, features = table.apply(colored([other], "v"))
    assert features is not None
    assert features[rows].tolist() == [[3.0, 2.0, 1.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("trained", "asked", "message"),
    [
        pytest.param("labels", "degrees", "trained with node labels, and these graphs have none", id="no labels"),
        pytest.param("features", "degrees", "trained with node features, and these graphs have none", id="no features"),
        pytest.param("features", "wide", "trained with 2 node features, not 3", id="width"),
        pytest.param("features", "labels", "must be finite numbers", id="labels for features"),
    ],
)
def test_other_colors_than_in_training_are_refused(trained: str, asked: str, message: str) -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, "C", "labels")
    nx.set_node_attributes(graph, (1.0, 2.0), "features")
    nx.set_node_attributes(graph, (1.0, 2.0, 3.0), "wide")
    table = ColorTable.learn(colored([graph], trained))
    with pytest.raises(ValueError, match=message):
        table.apply(colored([graph], asked))


def test_a_model_by_degrees_takes_whatever_graphs_carry() -> None:
    table = ColorTable.learn(stars(2))
    rows, _ = table.apply(colored(paths()[:1], "atom"))
    assert [table.values[row] for row in rows] == [1, 2, 1]
