"""Circulant skip links: the classes are what the formula says, and WL sees none of it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from wlt.data import csl
from wlt.refine.partition import closure

SKIPS = [2, 3, 4, 5, 6, 9, 11, 12, 13, 16]


@pytest.fixture(scope="module")
def dataset():
    return csl()


def test_shape(dataset):
    assert len(dataset) == 150
    assert (dataset.union.graph_sizes == 41).all()
    assert (dataset.union.degrees == 4).all()
    assert dataset.classes.tolist() == SKIPS
    assert np.bincount(dataset.class_numbers).tolist() == [15] * 10
    assert dataset.union.removed_repeats == dataset.union.removed_loops == 0


def test_every_copy_is_the_circulant_of_its_class(dataset):
    for graph, label in zip(dataset.union, dataset.class_numbers, strict=True):
        circulant = nx.circulant_graph(41, [1, SKIPS[label]])
        assert graph.to_igraph().isomorphic(_to_igraph(circulant))


def test_classes_are_not_isomorphic(dataset):
    graphs = [dataset.union[i].to_igraph() for i in range(0, 150, 15)]
    for i in range(10):
        for j in range(i):
            assert not graphs[i].isomorphic(graphs[j])


def test_wl_sees_one_class_of_nodes(dataset):
    assert closure(dataset.union).max() == 0


def test_copies_are_relabelled_by_the_seed():
    first, again, other = csl(seed=1), csl(seed=1), csl(seed=2)
    assert first.union.same_edges(again.union)
    assert not first.union.same_edges(other.union)
    edges = {graph.edges().tobytes() for graph in first.union}
    assert len(edges) == 150


def _to_igraph(graph):
    import igraph

    return igraph.Graph(n=len(graph), edges=list(graph.edges()))
