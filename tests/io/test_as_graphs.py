"""What nodes carry, from every kind of graph."""

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

from atoms import ATOMS, paths
from labelled import Drawn, drawn_graphs
from wlt import Graph, Graphs
from wlt.data import csl
from wlt.io import as_graph, as_graphs


def as_igraph(graph: nx.Graph[int]) -> igraph.Graph:
    copy = igraph.Graph(n=len(graph), edges=list(graph.edges))
    copy.vs["atom"] = [graph.nodes[v]["atom"] for v in graph]
    return copy


def as_data(graph: nx.Graph[int]) -> Data:
    edges = torch.tensor([(u, v) for u, v in graph.edges], dtype=torch.long).reshape(-1, 2).t()
    atoms = [graph.nodes[v]["atom"] for v in graph]
    return Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=len(graph), atom=atoms)


def values_of(found: Graphs) -> list[Any]:
    """The value of every node."""
    plain = found.values.tolist() if isinstance(found.values, np.ndarray) else list(found.values)
    return [tuple(plain[c]) if isinstance(plain[c], list) else plain[c] for c in found.codes]


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph, as_data], ids=["networkx", "igraph", "PyG"])
def test_attributes_of_every_library_are_the_nodes_values(convert: Any) -> None:
    found = as_graphs([convert(graph) for graph in paths()], node_labels="atom")
    assert found.kind == "labels"
    assert values_of(found) == list("".join(ATOMS))
    assert found.union.graph_sizes.tolist() == [len(letters) for letters in ATOMS]


def test_pieces_of_a_collection_give_it_back() -> None:
    whole = as_graphs(paths(), node_labels="atom")
    again = as_graphs(list(whole))
    assert values_of(again) == values_of(whole)
    assert again.union.same_edges(whole.union)
    assert values_of(as_graphs([whole[2], whole[-4]])) == list("OCOCCO")


def test_pieces_of_several_collections_agree_on_values_not_on_numbers() -> None:
    first, second = as_graphs(paths()[:1], node_labels="atom"), as_graphs(paths()[1:], node_labels="atom")
    assert first.values != second.values
    assert values_of(as_graphs([first, second])) == list("".join(ATOMS))


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
    found = as_graphs(one)
    assert (len(found), found.kind, values_of(found)) == (1, "degrees", [2, 2, 2])


def test_a_union_and_a_batch_are_as_many_graphs_as_they_hold() -> None:
    assert len(as_graphs(Graph.union([Graph.from_edges(2, [(0, 1)])] * 3))) == 3
    assert len(as_graphs(Batch.from_data_list([as_data(graph) for graph in paths()]))) == 4


def test_a_dataset_has_its_own_colors_unless_degrees_are_wanted() -> None:
    data = csl()
    labelled = Graphs(data.union, data.codes, np.array(["C"]), "labels", data.targets)
    assert (as_graphs(labelled).kind, set(values_of(as_graphs(labelled)))) == ("labels", {"C"})
    assert set(values_of(as_graphs(labelled, node_labels="degrees"))) == {4}


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
    assert as_graphs([graph], node_labels="v").kind == kind


def test_pyg_features_are_rows() -> None:
    x = torch.tensor([[1.0, 0.0], [0.5, 2.0], [1.0, 0.0]])
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    found = as_graphs([Data(x=x, edge_index=edges), Data(x=x[:1], edge_index=edges[:, :0])])
    assert found.kind == "features"
    assert values_of(found) == [(1.0, 0.0), (0.5, 2.0), (1.0, 0.0), (1.0, 0.0)]


def test_what_cannot_be_graphs_is_named() -> None:
    with pytest.raises(TypeError, match="graphs are needed, a list of them or one, not NoneType"):
        as_graphs(None)


def test_an_attribute_that_is_none_everywhere() -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, None, "v")
    with pytest.raises(ValueError, match=r"graph 0, node 0: no attribute 'v'$"):
        as_graphs([graph], node_labels="v")


def test_unused_attributes_are_mentioned() -> None:
    for graphs in (paths(), [as_igraph(graph) for graph in paths()]):
        with pytest.warns(UserWarning, match=r"\('atom'\) are not used; node_labels='atom' would use one"):
            assert as_graphs(graphs).kind == "degrees"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_graphs(paths(), node_labels="degrees").kind == "degrees"


@pytest.mark.parametrize(
    ("graphs", "source", "message"),
    [
        pytest.param([], "auto", "no graphs", id="nothing"),
        pytest.param([(2, [(0, 1)]), (0, [])], "auto", "graph 1 has no nodes", id="no nodes"),
        pytest.param([(2, [(0, 1)]), (2, [(0, 2)])], "auto", r"graph 1: edge 0, \(0, 2\)", id="bad edge"),
        pytest.param([nx.path_graph(2), 7], "auto", "graph 1: cannot make a graph of int", id="no graph"),
        pytest.param(paths(), "color", "no node has an attribute 'color'; there are: 'atom'", id="attribute"),
        pytest.param(csl(), "atom", "this wlt.Graphs has no such attribute; use 'auto' or 'degrees'", id="dataset"),
        pytest.param(csl().union, "atom", "this wlt.Graph has no such attribute", id="union"),
        pytest.param(paths(), 3, r"node labels of shape \(\) for 11 nodes", id="no name"),
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
def test_what_cannot_be_read_is_refused(graphs: Any, source: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        as_graphs(graphs, node_labels=source, empty=False)


@given(st.lists(st.tuples(drawn_graphs(), st.sampled_from(["networkx", "igraph", "Graph", "named", "simple"]))))
def test_read_together_as_one_by_one(sources: list[tuple[Drawn, str]]) -> None:
    """Graphs of one kind are read together; that must not be seen. Labels, or none of them, and several kinds mixed."""
    pieces: list[Any] = []
    for drawn, kind in sources:
        if kind == "simple":
            pieces.append((drawn.nodes, [edge for edge in drawn.edges if edge[0] != edge[1]]))
        elif kind == "named":
            pieces.append(nx.relabel_nodes(drawn.networkx(), dict(enumerate("abcdef"))))
        else:
            bare = drawn.graph().without_edge_labels()
            pieces.append({"networkx": drawn.networkx(), "igraph": bare.to_igraph(), "Graph": bare}[kind])
    if not pieces:
        return
    together = as_graphs(pieces, node_labels="degrees").union
    apart = Graph.union([as_graph(piece) for piece in pieces])
    assert together.same_edges(apart)
    assert together.starts.tolist() == apart.starts.tolist()
    assert (together.names, set(together.ignored)) == (apart.names, set(apart.ignored))


@given(st.lists(st.tuples(drawn_graphs(), st.sampled_from(["networkx", "igraph"])), min_size=1))
def test_labels_read_together_as_one_by_one(sources: list[tuple[Drawn, str]]) -> None:
    pieces = [
        drawn.networkx() if kind == "networkx" else drawn.graph().to_igraph()
        for drawn, kind in sources
        if any(u != v for u, v in drawn.edges)
    ]
    if pieces:
        together = as_graphs(pieces, node_labels="degrees", edge_labels="label").union
        assert together.same_edges(Graph.union([as_graph(piece, edge_labels="label") for piece in pieces]))
