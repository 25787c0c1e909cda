"""Two graphs whose edges carry labels, directions, parallel edges and loops, against VF2 and the linear program."""

from __future__ import annotations

from typing import Any

import igraph
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelled import Drawn, drawn_graphs, drawn_pairs, isomorphic
from wlt import Graph, Verdict, fractional_isomorphism, isomorphism, tinhofer_test, wl_test


@settings(max_examples=2000)
@given(drawn_pairs())
def test_isomorphism_like_vf2(pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    result = isomorphism(g, h)
    assert bool(result) == isomorphic(*pair)
    if result.mapping is not None:
        assert g.relabel(result.mapping).same_edges(h)


@settings(max_examples=300)
@given(drawn_pairs(), st.data())
def test_isomorphism_with_colors_of_nodes_and_edges_like_igraphs_vf2(
    pair: tuple[Drawn, Drawn], data: st.DataObject
) -> None:
    """igraph's VF2 knows no parallel edges and loops: of each pair of nodes the first edge is kept."""
    one, other = (simple(drawn) for drawn in pair)
    colors = [data.draw(st.lists(st.integers(0, 1), min_size=g.nodes, max_size=g.nodes)) for g in (one, other)]
    if one.nodes == other.nodes and data.draw(st.booleans()):
        colors[1] = colors[0]
    in_igraph = [igraph.Graph(n=drawn.nodes, edges=drawn.edges, directed=drawn.directed) for drawn in (one, other)]
    truth = one.nodes == other.nodes and in_igraph[0].isomorphic_vf2(
        in_igraph[1],
        color1=colors[0],
        color2=colors[1],
        edge_color1=list(one.labels),
        edge_color2=list(other.labels),
    )
    assert bool(isomorphism(one.graph(), other.graph(), node_labels=colors)) == truth


def simple(drawn: Drawn) -> Drawn:
    """Without loops, and with one edge of every pair of nodes."""
    kept: dict[Any, tuple[tuple[int, int], int]] = {}
    for edge, label in zip(drawn.edges, drawn.labels, strict=True):
        if edge[0] != edge[1]:
            kept.setdefault(frozenset(edge), (edge, label))
    edges, labels = zip(*kept.values(), strict=True) if kept else ((), ())
    return Drawn(drawn.nodes, edges, labels, drawn.directed)


@given(drawn_pairs())
def test_what_the_tests_call_certain_is(pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    truth = isomorphic(*pair)
    assert not (truth and wl_test(g, h).verdict is Verdict.NON_ISOMORPHIC)
    assert not (not truth and tinhofer_test(g, h, seed=0).verdict is Verdict.ISOMORPHIC)


OUT_OF_THE_MIDDLE = Drawn(4, ((1, 0), (1, 2), (2, 3)), (0, 0, 0), True)
INTO_THE_MIDDLE = Drawn(4, ((0, 1), (2, 1), (3, 2)), (0, 0, 0), True)


@settings(max_examples=100)
@given(drawn_pairs(max_nodes=5))
@example((OUT_OF_THE_MIDDLE, OUT_OF_THE_MIDDLE.relabelled([2, 0, 3, 1])))
@example((OUT_OF_THE_MIDDLE, INTO_THE_MIDDLE))
@example((OUT_OF_THE_MIDDLE, Drawn(4, (), (), True)))
def test_partition_and_linear_program_agree_with_wl(pair: tuple[Drawn, Drawn]) -> None:
    """X A_l = B_l X for every label l: there is such an X iff the pair passes WL."""
    g, h = pair[0].graph(), pair[1].graph()
    passes = wl_test(g, h).verdict is Verdict.POSSIBLY_ISOMORPHIC
    for method in ("partition", "lp"):
        matrix = fractional_isomorphism(g, h, method=method)
        assert (matrix is not None) == passes, method
        if matrix is None:
            continue
        union = Graph.union([g, h])
        for a, b in zip(union[0].matrices(), union[1].matrices(), strict=True):
            assert np.abs((matrix @ a - b @ matrix).toarray()).max(initial=0) < 1e-6


@given(drawn_graphs(), st.permutations(range(2)))
def test_the_numbers_of_labels_do_not_matter(drawn: Drawn, names: list[int]) -> None:
    """Renaming the labels of both graphs changes no answer."""
    renamed = Drawn(drawn.nodes, drawn.edges, tuple(names[label] for label in drawn.labels), drawn.directed)
    assert bool(isomorphism(renamed.graph(), renamed.relabelled(list(range(drawn.nodes))[::-1]).graph()))
    assert bool(isomorphism(drawn.graph(), renamed.graph())) == isomorphic(drawn, renamed)


@given(drawn_pairs())
def test_reversing_all_arcs_changes_no_answer(pair: tuple[Drawn, Drawn]) -> None:
    back = [Drawn(one.nodes, tuple((v, u) for u, v in one.edges), one.labels, one.directed) for one in pair]
    forward = isomorphism(pair[0].graph(), pair[1].graph())
    assert bool(isomorphism(back[0].graph(), back[1].graph())) == bool(forward)


@pytest.mark.parametrize(
    ("g", "h"),
    [
        pytest.param(
            Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], edge_labels=[1, 1, 2]),
            Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]),
            id="a weighted triangle and a plain one",
        ),
        pytest.param(
            Graph.from_edges(3, [(0, 1), (0, 1), (1, 2)], multigraph=True),
            Graph.from_edges(3, [(0, 1), (1, 2)]),
            id="a double edge and a path",
        ),
        pytest.param(
            Graph.from_edges(3, [(0, 1), (1, 2), (2, 2)], multigraph=True),
            Graph.from_edges(3, [(0, 1), (1, 2)]),
            id="a loop and a path",
        ),
        pytest.param(
            Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True),
            Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)], directed=True),
            id="a directed cycle and a tournament",
        ),
        pytest.param(
            Graph.from_edges(2, [(0, 1), (1, 0)], directed=True),
            Graph.from_edges(2, [(0, 1)]),
            id="two arcs and an edge",
        ),
    ],
)
def test_what_edges_carry_is_seen(g: Graph, h: Graph) -> None:
    assert wl_test(g, h).verdict is Verdict.NON_ISOMORPHIC
    assert not isomorphism(g, h)
    assert isomorphism(g, g)
