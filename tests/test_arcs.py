"""What edges carry: how it is kept, joined, relabelled and refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled import Drawn, drawn_graphs, stable_by_hand
from strategies import as_partition
from wlt import Graph, as_graph, closure


def seen_by(graph: Graph, node: int) -> list[Any]:
    """(neighbour, label) of all entries of a node."""
    entries = range(graph.offsets[node], graph.offsets[node + 1])
    return [(int(graph.neighbors[e]), graph.arc_labels[graph.arcs[e]] if len(graph.arcs) else None) for e in entries]


def test_directions_are_seen_from_both_ends() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 1)], edge_labels=["a", "b", "c"], directed=True)
    assert seen_by(graph, 0) == [(1, (("out", "a"),))]
    assert seen_by(graph, 1) == [(0, (("in", "a"),)), (2, (("in", "c"), ("out", "b")))]
    assert seen_by(graph, 2) == [(1, (("in", "b"), ("out", "c")))]


def test_parallel_edges_and_loops_are_multisets() -> None:
    graph = Graph.from_edges(2, [(0, 1), (1, 0), (0, 0), (0, 0)], edge_labels=[1, 2, 3, 3], multigraph=True)
    assert seen_by(graph, 0) == [(1, (("both", 1), ("both", 2)))]
    assert [graph.loop_labels[code] for code in graph.loops] == [(3, 3), ()]


@pytest.mark.parametrize("both_ways", [False, True])
def test_an_undirected_edge_is_listed_in_one_direction_or_in_both(both_ways: bool) -> None:
    edges, labels = [(0, 1), (1, 2)], ["x", "y"]
    if both_ways:
        edges, labels = edges + [(v, u) for u, v in edges], labels * 2
    graph = Graph.from_edges(3, edges, edge_labels=labels)
    assert seen_by(graph, 1) == [(0, (("both", "x"),)), (2, (("both", "y"),))]


def test_edges_that_carry_nothing_cost_nothing() -> None:
    for graph in (Graph.from_edges(3, [(0, 1)], multigraph=True), Graph.from_edges(3, [(0, 1)])):
        assert (len(graph.arcs), graph.arc_labels, len(graph.loops), graph.loop_labels) == (0, (), 0, ())


@given(st.lists(drawn_graphs(), min_size=1, max_size=4))
def test_parts_of_a_union_are_what_was_joined(drawn: list[Drawn]) -> None:
    graphs = [each.graph() for each in drawn]
    union = Graph.union(graphs)
    assert all(part.same_edges(graph) for part, graph in zip(union, graphs, strict=True))
    order = list(range(len(graphs)))[::-1]
    assert all(part.same_edges(graphs[i]) for part, i in zip(union.take(order), order, strict=True))
    assert pickle.loads(pickle.dumps(union)).same_edges(union)


@given(drawn_graphs(), st.data())
def test_relabelling_is_that_of_the_edges(drawn: Drawn, data: st.DataObject) -> None:
    permutation = data.draw(st.permutations(range(drawn.nodes)))
    assert drawn.graph().relabel(permutation).same_edges(drawn.relabelled(permutation).graph())


@given(drawn_graphs(max_nodes=9, max_edges=14))
def test_closure_like_plain_python(drawn: Drawn) -> None:
    assert as_partition(closure(drawn.graph())) == as_partition(stable_by_hand(drawn))


@pytest.mark.parametrize(
    ("edges", "labels", "message"),
    [
        pytest.param([(0, 1), (1, 2)], ["a"], "1 edge labels for 2 edges", id="too few"),
        pytest.param([(0, 1), (1, 0)], ["a", "b"], r"edge \(0, 1\) has the label 'a' and", id="asymmetric"),
        pytest.param([(0, 1), (1, 2)], ["a", None], r"edge 1, \(1, 2\): its label is missing", id="missing"),
        pytest.param([(0, 1)], [float("nan")], r"edge 0, \(0, 1\): its label is NaN", id="nan"),
        pytest.param([(0, 1)], [[1.0, float("nan")]], r"edge 0, \(0, 1\): its label is NaN", id="nan in a row"),
        pytest.param(
            [(0, 1)], {(0, 1): "a"}, "edge labels of type dict; a list or an array is needed", id="dictionary"
        ),
        pytest.param([(0, 1)], 5, "edge labels of type int; a list", id="one number"),
        pytest.param([(0, 1)], [{"a": 1}], r"edge 0, \(0, 1\): the label {'a': 1} cannot be hashed", id="unhashable"),
    ],
)
def test_labels_that_cannot_be_are_refused(edges: Any, labels: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Graph.from_edges(3, edges, edge_labels=labels)
    if not isinstance(labels, list) or None not in labels:
        with pytest.raises((ValueError, TypeError)):
            as_graph((3, edges, labels))


@pytest.mark.parametrize("directed", ["yes", [True], [1, 0], None])
def test_directions_are_true_false_or_a_mask(directed: Any) -> None:
    with pytest.raises(TypeError, match="directed must be True, False or a mask, a Boolean for each of the 2 edges"):
        Graph.from_edges(3, [(0, 1), (1, 2)], directed=directed)


def test_more_different_labels_than_codes_can_tell_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are int32; the limit is made small here, since 2**31 labels do not fit into memory."""
    monkeypatch.setattr("wlt.arcs.MAX_LABELS", 2)
    message = "3 different labels; at most 2 are possible"
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], edge_labels=[1, 2, 3])
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(2, [(0, 0), (1, 1)], edge_labels=["a", "b"], multigraph=True)  # no loop is a label too
    two, third = (Graph.from_edges(3, [(0, 1), (1, 2)], edge_labels=labels) for labels in ("ab", "cc"))
    with pytest.raises(ValueError, match=message):
        Graph.union([two, third])


@pytest.mark.parametrize("convert", [Graph.to_networkx, Graph.to_igraph])
@pytest.mark.parametrize("labelled", [True, False])
@given(drawn=drawn_graphs(), data=st.data())
def test_other_libraries_get_all_that_edges_carry_and_the_names(
    convert: Any, labelled: bool, drawn: Drawn, data: st.DataObject
) -> None:
    """Out and back again: labels, directions, parallel edges, loops and names are as they were."""
    names = tuple(data.draw(st.permutations("abcdef")))[: drawn.nodes]
    graph = replace(drawn.graph() if labelled else drawn.graph().without_edge_labels(), names=names)
    back = as_graph(convert(graph), edge_labels="label" if labelled and drawn.edges else None)
    assert back.same_edges(graph)
    assert back.names == names
    assert back.ignored == ()


def test_names_that_occur_twice_are_no_names_in_other_libraries() -> None:
    twins = Graph.union([replace(Graph.from_edges(2, [(0, 1)]), names=("a", "b"))] * 2)
    assert list(twins.to_networkx()) == [0, 1, 2, 3]
    assert "name" not in twins.to_igraph().vs.attributes()


def test_an_undirected_edge_beside_directed_ones_is_two_in_other_libraries() -> None:
    mixed = Graph.from_edges(3, [(0, 1), (1, 2)], directed=np.array([True, False]))
    assert sorted(mixed.to_networkx().edges) == [(0, 1), (1, 2), (2, 1)]
    assert sorted(mixed.to_igraph().get_edgelist()) == [(0, 1), (1, 2), (2, 1)]


def test_the_kind_of_a_part_is_its_own() -> None:
    """Graph 1 of the union has no direction, though the labels that the union knows have."""
    arrow, line = Graph.from_edges(2, [(0, 1)], directed=True), Graph.from_edges(2, [(0, 1)])
    parts = Graph.union([arrow, line])
    assert parts[0].to_networkx().is_directed()
    assert not parts[1].to_networkx().is_directed()


def test_labels_may_be_numbers_of_any_size() -> None:
    large = [2**31, 2**31 + 1, 2**63, 2**70]
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)], edge_labels=large)
    assert [label for ((_, label),) in graph.arc_labels] == large
