"""The table of what nodes carry that a model knows."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atoms import ATOMS, paths
from wlt import Graphs
from wlt.estimator.label_table import LabelTable, UnseenLabel
from wlt.io import as_graphs


def stars(*degrees: int) -> Graphs:
    return as_graphs([nx.star_graph(degree) for degree in degrees])


@given(st.sets(st.integers(1, 40), min_size=1, max_size=6), st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_an_unknown_degree_counts_as_the_nearest(known: set[int], asked: list[int]) -> None:
    table = LabelTable.learn(stars(*known))
    found = stars(*asked)
    rows, features = table.apply(found)
    assert features is None
    for degree, row in zip(found.union.degrees.tolist(), rows.tolist(), strict=True):
        assert table.values[row] == min(table.values, key=lambda value: (abs(value - degree), value))


def test_labels_are_looked_up_by_value() -> None:
    table = LabelTable.learn(as_graphs(paths(), node_labels="atom"))
    assert set(table.values) == {"C", "N", "O"}
    assert table.num_inputs == 4
    rows, _ = table.apply(as_graphs(paths()[2:3], node_labels="atom"))
    assert [table.values[row] for row in rows] == list("OCO")


def test_only_labels_that_occur_are_known() -> None:
    whole = as_graphs(paths(), node_labels="atom")
    assert LabelTable.learn(whole.take([0])).values == ("C", "O")


def test_unseen_labels_are_refused_or_get_the_last_row() -> None:
    table = LabelTable.learn(as_graphs(paths()[:1], node_labels="atom"))
    asked = as_graphs(paths(), node_labels="atom")
    with pytest.raises(UnseenLabel, match=r"graph 1, node 0: the label 'N' was never seen .*known: 'C', 'O'"):
        table.apply(asked)
    rows, _ = table.apply(asked, "ignore")
    assert [None if row == 2 else table.values[row] for row in rows] == [
        letter if letter in "CO" else None for letter in "".join(ATOMS)
    ]


def test_features_are_scaled_by_what_training_had() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: (0.0, -4.0, 1.0), 1: (0.0, 2.0, 0.0), 2: (0.0, 2.0, 1.0)}, "v")
    table = LabelTable.learn(as_graphs([graph], node_labels="v"))
    assert table.scale == (1.0, 4.0, 1.0)
    other = nx.path_graph(2)
    nx.set_node_attributes(other, {0: (3, 8, 1), 1: (0, 0, 0)}, "v")
    rows, features = table.apply(as_graphs([other], node_labels="v"))
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
    table = LabelTable.learn(as_graphs([graph], node_labels=trained))
    with pytest.raises(ValueError, match=message):
        table.apply(as_graphs([graph], node_labels=asked))


def test_a_model_by_degrees_takes_whatever_graphs_carry() -> None:
    table = LabelTable.learn(stars(2))
    rows, _ = table.apply(as_graphs(paths()[:1], node_labels="atom"))
    assert [table.values[row] for row in rows] == [1, 2, 1]
