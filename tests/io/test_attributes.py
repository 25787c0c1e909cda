"""node_codes: named node attributes of all kinds of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import to_pyg

from wlt.graph import Graph
from wlt.io import as_graph, as_graphs, node_codes


def labelled(form: str, values: list[Any]) -> Any:
    """A path whose nodes have these values as attribute 'kind'."""
    graph = nx.path_graph(len(values))
    if form == "networkx":
        nx.set_node_attributes(graph, dict(enumerate(values)), "kind")
        return graph
    if form == "igraph":
        other = igraph.Graph.Ring(len(values), circular=False)
        other.vs["kind"] = values
        return other
    data = to_pyg(as_graph(graph))
    data.kind = values
    return data


FORMS = pytest.mark.parametrize("form", ["networkx", "igraph", "pyg"])
VALUES = st.one_of(
    st.integers(-3, 3), st.sampled_from([0.0, 1.0, -0.5, 2**60]), st.booleans(), st.text("ab", max_size=2),
    st.tuples(st.integers(0, 1), st.text("ab", max_size=1)), st.binary(max_size=1),
)  # fmt: skip


@FORMS
@settings(max_examples=40)
@given(groups=st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=3), data=st.data())
def test_node_colors(form: str, groups: list[list[Any]], data: st.DataObject) -> None:
    colors, table = node_codes([labelled(form, values) for values in groups], "kind")
    flat = [value for values in groups for value in values]
    ids = [color for each in colors for color in each.tolist()]
    assert [len(each) for each in colors] == list(map(len, groups))
    assert all((a == b) == (x == y) for a, x in zip(flat, ids, strict=True) for b, y in zip(flat, ids, strict=True))
    assert sorted(table.values()) == list(range(len(set(flat)))) == sorted(set(ids))
    assert all(table[value] == color for value, color in zip(flat, ids, strict=True))

    shuffled = data.draw(st.permutations(flat))
    assert node_codes([labelled(form, shuffled)], "kind")[1] == table, "the numbering depends on the order of nodes"
    some = data.draw(st.lists(st.sampled_from(flat), min_size=1))
    (again,), same_table = node_codes([labelled(form, some)], "kind", table)
    assert again.tolist() == [table[value] for value in some]
    assert same_table == table


def test_node_colors_sort_numbers_by_size_and_text_by_letters() -> None:
    colors, table = node_codes([labelled("networkx", [10, "b", 9, "a", 9.5])], "kind")
    assert table == {9: 0, 9.5: 1, 10: 2, "a": 3, "b": 4}
    assert colors[0].tolist() == [2, 4, 0, 3, 1]
    assert colors[0].dtype == np.int32


def test_node_colors_from_tensors_and_arrays() -> None:
    data = labelled("pyg", [0, 0, 0])
    data.x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    data.z = torch.tensor([8, 6, 8])
    assert node_codes([data], "x")[0][0].tolist() == [1, 0, 1]
    assert node_codes([data], "x")[1] == {(0.0, 1.0): 0, (1.0, 0.0): 1}
    assert node_codes([data], "z")[1] == {6: 0, 8: 1}
    values = [np.array([1, 2]), [1, 2], torch.tensor([1, 2]), (1, 2), np.array([2, 1])]
    assert node_codes([labelled("networkx", values)], "kind")[0][0].tolist() == [0, 0, 0, 0, 1]
    scalars = [np.int64(3), 3, np.float32(3), torch.tensor(3), np.array(3)]
    assert node_codes([labelled("networkx", scalars)], "kind")[1] == {3: 0}


@FORMS
def test_node_colors_of_no_nodes(form: str) -> None:
    colors, table = node_codes([labelled(form, [])], "kind")
    assert (colors[0].shape, table) == ((0,), {})
    assert node_codes([], "kind") == ([], {})


def test_one_table_for_graphs_of_different_libraries() -> None:
    colors, _ = node_codes([labelled(form, ["C", "N"]) for form in ("networkx", "igraph", "pyg")], "kind")
    assert [each.tolist() for each in colors] == [[0, 1]] * 3


@FORMS
@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        pytest.param([1, None, 2], ValueError, "graph 0, node 1: no attribute 'kind'", id="missing on one node"),
        pytest.param([1, 2, float("nan")], ValueError, "graph 0, node 2: kind is NaN", id="NaN"),
        pytest.param([1, 2, np.float32("nan")], ValueError, "graph 0, node 2: kind is NaN", id="numpy NaN"),
        pytest.param([(1, float("nan"))], ValueError, "graph 0, node 0: kind is NaN", id="NaN in a tuple"),
        pytest.param([1, {"a": 1}], TypeError, "graph 0, node 1: kind = {'a': 1} .* unhashable", id="unhashable"),
    ],
)
def test_bad_values(form: str, values: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        node_codes([labelled(form, values)], "kind")


@FORMS
def test_unknown_attribute_and_unknown_value(form: str) -> None:
    graph = labelled(form, ["C", "N"])
    with pytest.raises(ValueError, match=r"graph 1: no node has an attribute 'atom'; there are: .*'kind'"):
        node_codes([labelled(form, []), graph], "atom")
    with pytest.raises(ValueError, match="graph 0, node 1: kind = 'N' is not in the table: 'C'"):
        node_codes([graph], "kind", {"C": 0})


def test_missing_attribute_of_a_named_networkx_node() -> None:
    graph = nx.Graph([("a", "b")])
    graph.nodes["a"]["kind"] = 1
    with pytest.raises(ValueError, match="graph 0, node 'b': no attribute 'kind', which other nodes have"):
        node_codes([graph], "kind")


@pytest.mark.parametrize("source", [Graph.from_edges(2, []), np.zeros((2, 2)), None], ids=["Graph", "array", "None"])
def test_sources_without_attributes(source: Any) -> None:
    with pytest.raises(TypeError, match=r"graph 0, a .*, has no named node attributes"):
        node_codes([source], "kind")


@pytest.mark.parametrize("source", [labelled("networkx", [1]), labelled("igraph", [1]), labelled("pyg", [1]), "Bw"])
def test_one_graph_instead_of_a_list(source: Any) -> None:
    with pytest.raises(TypeError, match=r"takes a list of graphs, not one .*; use \[graph\]"):
        node_codes(source, "kind")


def test_attribute_of_the_whole_pyg_graph() -> None:
    data = labelled("pyg", [1, 2, 3])
    data.y = torch.tensor([1])
    with pytest.raises(ValueError, match="'y' is no node attribute"):
        node_codes([data], "y")


@pytest.mark.parametrize("name", ["edge_index", "edge_attr"])
def test_attributes_of_edges_are_refused_even_where_their_number_is_that_of_the_nodes(name: str) -> None:
    data = labelled("pyg", [1, 2])
    data.edge_attr = torch.tensor([5, 6])
    with pytest.raises(ValueError, match=f"graph 0: '{name}' belongs to edges"):
        node_codes([data], name)


def test_a_word_that_happens_to_hold_edge_is_a_node_attribute() -> None:
    data = labelled("pyg", [1, 2])
    data.knowledge = torch.tensor([5, 6])
    assert [colors.tolist() for colors in node_codes([data], "knowledge")[0]] == [[0, 1]]


@pytest.mark.parametrize("color", [2**40, -1, "x", 0.5])
def test_tables_that_are_none(color: Any) -> None:
    with pytest.raises(ValueError, match="integers from 0 to 2\\^31 - 1"):
        node_codes([labelled("networkx", ["a"])], "kind", {"a": color})


@pytest.mark.parametrize("end", ["", "\n"])
def test_endless_names_make_no_endless_messages(end: str) -> None:
    endless = "x" * 5000 + end
    graph = nx.Graph([(endless, 1)])
    nx.set_node_attributes(graph, {endless: 1}, endless)
    nx.set_node_attributes(graph, {endless: [{}] * 5000, 1: [{}]}, "odd")
    attempts: list[Callable[[], object]] = [
        lambda: node_codes([nx.path_graph(2)], endless),
        lambda: node_codes([graph], endless),
        lambda: node_codes([graph], "odd"),
        lambda: node_codes([graph.subgraph([endless])], endless, {0: 0}),
        lambda: as_graph(nx.Graph([(0, 1, {endless: 1})]), edge_labels=endless + "y"),
        lambda: as_graphs(as_graph("A_"), node_labels=endless),
        lambda: as_graphs(as_graph("A_"), edge_labels=endless),
    ]
    for attempt in attempts:
        with pytest.raises((ValueError, TypeError)) as refused:
            attempt()
        assert len(str(refused.value)) < 500
        assert "\n" not in str(refused.value)
