"""What edges carry, from every kind of graph: labels, directions, parallel edges, loops, and what is ignored."""

from __future__ import annotations

from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from wlt import Graph, Graphs
from wlt.io import as_graph, as_graphs

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


@st.composite
def labelled_networkx(draw: st.DrawFn, kind: Any) -> Any:
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    graph = kind()
    graph.add_nodes_from(range(n))
    for u, v, bond in draw(st.lists(st.tuples(node, node, st.sampled_from("xyz")), max_size=12)):
        graph.add_edge(u, v, bond=bond)
    return graph


def as_igraph(graph: Any) -> igraph.Graph:
    edges = [(u, v) for u, v, _ in graph.edges(data=True)]
    copy = igraph.Graph(n=len(graph), edges=edges, directed=graph.is_directed())
    copy.es["bond"] = [data["bond"] for _, _, data in graph.edges(data=True)]
    return copy


def tokens(graph: Graph, u: int, v: int) -> tuple[Any, ...]:
    """All edges between two nodes as u sees them, from the definition."""
    if u == v:
        return graph.loop_labels[graph.loops[u]] if len(graph.loops) else ()
    row = graph.neighbors_of(u).tolist()
    if v not in row:
        return ()
    return graph.arc_labels[graph.arcs[graph.offsets[u] + row.index(v)]] if len(graph.arcs) else (("both", None),)


def expected(graph: Any, u: int, v: int, attribute: str | None) -> list[Any]:
    edges = [(a, b, data[attribute] if attribute else None) for a, b, data in graph.edges(data=True)]
    if u == v:
        return sorted((label for a, b, label in edges if a == b == u), key=str)
    there = [("out", label) for a, b, label in edges if (a, b) == (u, v)]
    back = [("in", label) for a, b, label in edges if (a, b) == (v, u)]
    both = there + back if graph.is_directed() else [("both", label) for _, label in there + back]
    return sorted(both, key=str)


@pytest.mark.parametrize("attribute", [None, "bond"])
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_all_that_edges_carry_is_kept(kind: Any, attribute: str | None, data: st.DataObject) -> None:
    source = data.draw(labelled_networkx(kind))
    graph = as_graph(source, edge_labels=attribute)
    for u in source:
        for v in source:
            assert sorted(tokens(graph, u, v), key=str) == expected(source, u, v, attribute)
    assert as_graph(as_igraph(source), edge_labels=attribute).same_edges(graph)
    bonds = ["the edge attribute 'bond'"] if source.number_of_edges() else []
    assert (list(graph.ignored), graph.names) == (bonds if attribute is None else [], ())
    simple = as_graph(source, simple=True)
    assert simple.same_edges(Graph.from_edges(len(source), list(source.to_undirected().edges())))
    assert simple.removed_loops == nx.number_of_selfloops(source)
    arcs = [(u, v) for u, v, *_ in source.edges() if u != v]
    ends = arcs if source.is_directed() else [tuple(sorted(arc)) for arc in arcs]
    repeats, loops = len(ends) - len(set(ends)), simple.removed_loops
    lost = {
        "the directions of edges": source.is_directed() and any((v, u) not in arcs for u, v in arcs),
        f"{loops} loop{'s' * (loops > 1)}": loops > 0,
        f"{repeats} repeated edge{'s' * (repeats > 1)}": repeats > 0,
    }
    assert list(simple.ignored) == [*bonds, *(name for name, there in lost.items() if there)]
    if attribute is None:
        assert as_graph(as_graph(source, edge_labels="bond"), edge_labels=None).same_edges(graph)


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph], ids=["networkx", "igraph"])
def test_attributes_that_nobody_named_are_told(convert: Any) -> None:
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, "x", "bond")
    source = convert(graph)
    assert as_graph(source).ignored == ("the edge attribute 'bond'",)
    assert as_graph(source, edge_labels="bond").ignored == ()
    assert as_graph(source, edge_labels=None).ignored == ("the edge attribute 'bond'",)
    assert as_graph(source, simple=True).ignored == ("the edge attribute 'bond'",)
    assert not len(as_graph(source).arcs)
    assert as_graphs([source, source]).union.ignored == ("the edge attribute 'bond'",)


def test_another_attribute_than_the_named_one_is_told() -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, bond="x", length=2.5)
    assert as_graph(graph, edge_labels="bond").ignored == ("the edge attribute 'length'",)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        pytest.param(
            ["x", None], ValueError, r"edge \('b', 'c'\): no attribute 'bond', which other edges have", id="half"
        ),
        pytest.param([1.0, float("nan")], ValueError, r"edge \('b', 'c'\): bond is NaN", id="NaN"),
        pytest.param([1, "x"], TypeError, "the label 'x', and another edge has 1; all numbers or all text", id="mixed"),
        pytest.param([{}, {}], TypeError, "cannot be a label: unhashable", id="unhashable"),
    ],
)
def test_attributes_that_cannot_be_labels(values: list[Any], error: type[Exception], message: str) -> None:
    graph = nx.Graph()
    for (u, v), value in zip(["ab", "bc"], values, strict=True):
        graph.add_edge(u, v, **({} if value is None else {"bond": value}))
    for source in (graph, igraph.Graph.from_networkx(graph, vertex_attr_hashable="name")):
        with pytest.raises(error, match=message) as caught:
            as_graph(source, edge_labels="bond")
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"edge_labels='length': no edge has such an attribute; there are: 'bond'"):
        as_graph(graph, edge_labels="length")


@pytest.mark.parametrize("name", [["bond"], np.array(["bond"]), {"bond": 1}])
def test_the_name_of_an_attribute_is_no_list(name: Any) -> None:
    for source in (bonded("x"), (2, [(0, 1)], ["x"]), np.ones((2, 2))):
        with pytest.raises(TypeError, match="edge_labels must be 'auto', an attribute's name or None, not"):
            as_graph(source, edge_labels=name)


def test_lists_and_arrays_are_tuples() -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, bond=[1, 2])
    graph.add_edge(1, 2, bond=np.array([1, 2]))
    assert as_graph(graph, edge_labels="bond").arc_labels == ((("both", (1, 2)),),)


def pyg(edges: list[tuple[int, int]], nodes: int = 3, **others: Any) -> Data:
    return Data(edge_index=torch.tensor(edges).reshape(-1, 2).t(), num_nodes=nodes, **others)


BOTH = [(0, 1), (1, 0), (1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        pytest.param(pyg(BOTH), Graph.from_edges(3, BOTH), id="symmetric"),
        pytest.param(
            pyg(BOTH, edge_attr=torch.tensor([5, 5, 6, 6])),
            Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[5, 6]),
            id="labels",
        ),
        pytest.param(
            pyg(BOTH, edge_attr=torch.tensor([[1.0, 0], [1, 0], [0, 1], [0, 1]])),
            Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[(1.0, 0.0), (0.0, 1.0)]),
            id="rows",
        ),
        pytest.param(
            pyg([(0, 1), (2, 1)]), Graph.from_edges(3, [(0, 1), (2, 1)], directed=True), id="directed edge_index"
        ),
        pytest.param(
            pyg(BOTH[:2], edge_attr=torch.tensor([5, 6])),
            Graph.from_edges(3, BOTH[:2], edge_labels=[5, 6], directed=True),
            id="directed labels",
        ),
        pytest.param(pyg([*BOTH[:2], (2, 2)]), Graph.from_edges(3, [(0, 1), (2, 2)], multigraph=True), id="a loop"),
        pytest.param(
            pyg([*BOTH[:2], *BOTH[:2]], edge_attr=torch.tensor([5, 6, 6, 5])),
            Graph.from_edges(3, [(0, 1), (0, 1)], edge_labels=[5, 6], multigraph=True),
            id="parallel edges",
        ),
        pytest.param(
            pyg([*BOTH[:2], (1, 2)]),
            Graph.from_edges(3, [(0, 1), (1, 2)], directed=np.array([False, True]), multigraph=True),
            id="one edge of two is directed",
        ),
    ],
)
def test_edges_of_pyg(source: Data, wanted: Graph) -> None:
    graph = as_graph(source)
    assert graph.same_edges(wanted)
    assert graph.ignored == ()
    batch = as_graph(Batch.from_data_list([source, source]))
    assert batch.same_edges(Graph.union([wanted, wanted]))


def test_named_attributes_of_pyg() -> None:
    source = pyg(BOTH, edge_weight=torch.tensor([1.0, 1.0, 2.0, 2.0]), edge_attr=torch.tensor([5, 5, 5, 5]))
    assert as_graph(source).ignored == ("the edge attribute 'edge_weight'",)
    weighted = as_graph(source, edge_labels="edge_weight")
    assert weighted.same_edges(Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=[1.0, 2.0]))
    assert as_graph(source, edge_labels=None).same_edges(Graph.from_edges(3, BOTH))


@pytest.mark.parametrize(
    ("matrix", "edge_labels", "wanted", "ignored"),
    [
        pytest.param([[0, 1], [1, 0]], "auto", Graph.from_edges(2, [(0, 1)]), (), id="ones"),
        pytest.param([[0, 1], [0, 0]], "auto", Graph.from_edges(2, [(0, 1)], directed=True), (), id="directed"),
        pytest.param([[1, 1], [1, 0]], "auto", Graph.from_edges(2, [(0, 0), (0, 1)], multigraph=True), (), id="loop"),
        pytest.param(
            [[0, 0.5], [0.5, 0]], "auto", Graph.from_edges(2, [(0, 1)]), ("the weights of the matrix",), id="unused"
        ),
        pytest.param(
            [[0, 2], [2, 0]], None, Graph.from_edges(2, [(0, 1)]), ("the weights of the matrix",), id="none wanted"
        ),
        pytest.param(
            [[0, -2], [-2, 0]], "weight", Graph.from_edges(2, [(0, 1)], edge_labels=[-2]), (), id="negative weight"
        ),
        pytest.param(
            [[0, 2], [3, 0]],
            "weight",
            Graph.from_edges(2, [(0, 1), (1, 0)], edge_labels=[2, 3], directed=True),
            (),
            id="weights that differ",
        ),
    ],
)
def test_matrices(matrix: Any, edge_labels: str | None, wanted: Graph, ignored: tuple[str, ...]) -> None:
    graph = as_graph(np.array(matrix), edge_labels=edge_labels)
    assert graph.same_edges(wanted)
    assert graph.ignored == ignored


def as_data(matrix: Any, integers: torch.dtype) -> Data:
    rows, columns = np.nonzero(matrix)
    edges = torch.tensor(np.stack([rows, columns])).to(integers)
    return Data(edge_index=edges, edge_attr=torch.tensor(matrix[rows, columns]), num_nodes=len(matrix))


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda matrix: matrix, id="numpy"),
        pytest.param(lambda matrix: matrix.astype(np.float32), id="float32"),
        pytest.param(scipy.sparse.csr_array, id="csr"),
        pytest.param(scipy.sparse.coo_matrix, id="coo"),
        pytest.param(lambda matrix: as_data(matrix, torch.int64), id="pyg"),
        pytest.param(lambda matrix: as_data(matrix, torch.int32), id="pyg of int32"),
    ],
)
@given(data=st.data())
def test_what_is_the_same_both_ways_is_one_edge_and_all_else_is_directed(convert: Any, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    entries = data.draw(st.lists(st.integers(0, 2), min_size=n * n, max_size=n * n))
    matrix = np.array(entries).reshape(n, n)
    source = convert(matrix)
    graph = as_graph(source, edge_labels="auto" if isinstance(source, Data) else "weight")
    for u in range(n):
        for v in range(n):
            there, back = int(matrix[u, v]), int(matrix[v, u])
            if u == v or there == back:
                seen = [there if u == v else ("both", there)] * (there > 0)
            else:
                seen = [("in", back)] * (back > 0) + [("out", there)] * (there > 0)
            assert list(tokens(graph, u, v)) == seen


def test_pairs_are_simple_and_say_so_and_triples_have_labels() -> None:
    pair = (2, [(0, 1), (0, 1), (1, 1), (0, 0)])
    assert as_graph(pair).ignored == ("2 loops", "1 repeated edge")
    assert as_graphs([pair, pair]).union.ignored == ("4 loops", "2 repeated edges")
    assert as_graph(pair, simple=True).ignored == ("2 loops", "1 repeated edge")
    triple = (3, [(0, 1), (1, 2)], ["x", "y"])
    assert as_graph(triple).same_edges(Graph.from_edges(3, triple[1], edge_labels=triple[2]))
    assert as_graph(triple, edge_labels=None).same_edges(Graph.from_edges(3, triple[1]))
    assert len(as_graphs(triple)) == 1
    with pytest.raises(ValueError, match="edge_labels='bond': no edge has such an attribute; there are: none"):
        as_graph(pair, edge_labels="bond")


def test_a_name_of_two_nodes_names_neither() -> None:
    twice = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    twice.vs["name"] = ["a", "a", "b"]
    assert as_graph(twice).names == ()
    twice.vs["name"] = ["a", "c", "b"]
    assert as_graph(twice).names == ("a", "c", "b")


def test_names_go_with_their_nodes() -> None:
    named = as_graph(nx.Graph(["zx", "xy"]))
    assert named.names == ("z", "x", "y")
    assert as_graph(igraph.Graph.from_networkx(nx.Graph(["zx"]), vertex_attr_hashable="name")).names == ("z", "x")
    plain = Graph.from_edges(2, [(0, 1)])
    union = Graph.union([plain, named, plain])
    assert union.names == (0, 1, "z", "x", "y", 0, 1)
    assert union.take([1, 2]).names == ("z", "x", "y", 0, 1)
    assert named.relabel([2, 0, 1]).names == ("x", "y", "z")
    assert named.without_labels().names == named.names
    assert Graph.union([plain, plain]).names == ()


# Collections


def bonded(*bonds: Any) -> Any:
    graph = nx.empty_graph(len(bonds) + 1)
    for i, bond in enumerate(bonds):
        graph.add_edge(i, i + 1, bond=bond)
    return graph


@pytest.mark.parametrize(
    ("bonds", "kind"),
    [
        pytest.param(["x", "y"], "labels", id="text"),
        pytest.param([1, 2], "labels", id="whole numbers"),
        pytest.param([1.5, 2], "features", id="numbers"),
        pytest.param([(1, 2), (0, 1)], "features", id="rows"),
        pytest.param([(1, 2), (0,)], "labels", id="rows of different lengths"),
    ],
)
def test_kinds_of_edges(bonds: list[Any], kind: str) -> None:
    graphs = as_graphs([bonded(*bonds), bonded(bonds[0])], edge_labels="bond")
    assert graphs.edge_kind == kind
    assert as_graphs(graphs, edge_labels=None).edge_kind == "none"
    assert as_graphs(list(graphs), edge_labels="bond").union.same_edges(graphs.union)
    assert as_graphs([bonded(*bonds)], edge_labels=None).edge_kind == "none"


def test_directions_are_labels() -> None:
    assert as_graphs([nx.DiGraph([(0, 1)])]).edge_kind == "labels"
    assert as_graphs([nx.DiGraph([(0, 1)])], simple=True).edge_kind == "none"


def values_of(graphs: Graphs) -> list[Any]:
    return [graphs.values[code] for code in graphs.codes]


def test_loops_are_part_of_what_nodes_carry() -> None:
    graph = nx.path_graph(3)
    graph.add_edge(0, 0)
    nx.set_node_attributes(graph, "C", "atom")
    by_degree = as_graphs([graph])
    assert (by_degree.kind, values_of(by_degree)) == ("degrees", [(1, (None,)), (2, ()), (1, ())])
    assert values_of(as_graphs([graph], node_labels="atom")) == [("C", (None,)), ("C", ()), ("C", ())]
    assert values_of(as_graphs([graph], node_labels=[7, 7, 8])) == [(7, (None,)), (7, ()), (8, ())]
    assert values_of(by_degree.without_labels()) == values_of(by_degree)
    simple = as_graphs([graph], simple=True)
    assert (simple.kind, values_of(simple)) == ("degrees", [1, 2, 1])
    with pytest.raises(ValueError, match="loops are part of the node labels already"):
        as_graphs(by_degree, simple=True)


def test_loops_beside_features_are_features() -> None:
    x = torch.tensor([[0.5], [0.5], [2.0]])
    unlabelled = as_graphs([pyg([*BOTH, (0, 0)], x=x)])
    assert unlabelled.kind == "features"
    assert np.array(values_of(unlabelled)).tolist() == [[0.5, 1], [0.5, 0], [2, 0]]
    labelled = as_graphs([pyg([*BOTH, (0, 0)], x=x, edge_attr=torch.tensor([5, 5, 6, 6, 7]))])
    assert np.array(values_of(labelled)).tolist() == [[0.5, 1, 7], [0.5, 0, 0], [2, 0, 0]]
    with pytest.raises(ValueError, match="nodes with features and several loops"):
        as_graphs([pyg([*BOTH, (0, 0), (0, 0)], x=x, edge_attr=torch.tensor([5, 5, 6, 6, 7, 8]))])


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        pytest.param(
            [(2, [(0, 1)], ["x"]), (2, [(0, 1)])], "graph 0 has edge labels that are text and graph 1", id="some"
        ),
        pytest.param(
            [(2, [(0, 1)], ["x"]), (2, [(0, 1)], [1])], "graph 1 has edge labels that are no text", id="mixed"
        ),
    ],
)
def test_graphs_of_two_kinds_are_refused(graphs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_graphs(graphs)
