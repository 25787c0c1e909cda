"""Canonical recoloring repeated until every class is one node: equal colours iff the graphs are isomorphic."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from strategies import atlas, equivalent_pairs, rook_graph, shrikhande_graph, shuffled, two_triangles
from wlt import Graph, as_graph, read_graphs
from wlt.recoloring.choice import CanonicalChoice
from wlt.recoloring.kernels import nodes_of_largest_classes
from wlt.recoloring.names import recolored_names
from wlt.recoloring.outcomes import equal_multisets
from wlt.refine.partition import stable_partition


def classes_in_the_end(graphs: list[Graph]) -> tuple[list[int], int]:
    """Which graphs have the same colours in the end, and how many recolorings that took."""
    union = Graph.union(graphs)
    choose = CanonicalChoice()
    names = np.zeros(union.num_nodes, np.uint64)
    recolorings = 0
    while True:
        colors = stable_partition(union, np.unique(names, return_inverse=True)[1]).colors
        bounds, candidates = nodes_of_largest_classes(union.starts, colors, int(colors.max()) + 1)
        if not len(candidates):
            return equal_multisets(union.starts, colors).tolist(), recolorings
        recolorings += 1
        names = recolored_names(names, choose(union, names, bounds, candidates), recolorings)


def with_copies(graphs: list[Graph]) -> list[Graph]:
    return graphs + [shuffled(graph, i) for i, graph in enumerate(graphs)]


def test_pairs_of_the_atlas_that_wl_cannot_tell_apart() -> None:
    different = [graph for pair in equivalent_pairs() for graph in pair]
    classes, recolorings = classes_in_the_end(with_copies(different))
    assert classes == [*range(len(different))] * 2
    assert 1 <= recolorings <= 6


def test_all_graphs_of_up_to_five_nodes() -> None:
    small = [graph for graph in atlas() if graph.num_nodes <= 5]
    assert classes_in_the_end(with_copies(small))[0] == [*range(len(small))] * 2


@pytest.mark.parametrize(
    "different",
    [
        pytest.param([nx.cycle_graph(6), two_triangles()], id="C6-vs-2C3"),
        pytest.param([shrikhande_graph(), rook_graph()], id="strongly-regular"),
        pytest.param([nx.frucht_graph(), nx.circular_ladder_graph(6)], id="cubic"),
    ],
)
def test_by_name(different: list[nx.Graph]) -> None:
    assert classes_in_the_end(with_copies([as_graph(graph) for graph in different]))[0] == [0, 1, 0, 1]


def test_strongly_regular_family(data_dir: Path) -> None:
    family = list(read_graphs(data_dir / "expressiveness" / "sr251256.g6"))
    assert classes_in_the_end(with_copies(family))[0] == [*range(15)] * 2
