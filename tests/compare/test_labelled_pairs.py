"""Two graphs whose edges carry labels, directions, parallel edges and loops, against VF2 and the linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
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


@given(drawn_pairs())
def test_what_the_tests_call_certain_is(pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    truth = isomorphic(*pair)
    assert not (truth and wl_test(g, h).verdict is Verdict.NON_ISOMORPHIC)
    assert not (not truth and tinhofer_test(g, h, seed=0).verdict is Verdict.ISOMORPHIC)


@settings(max_examples=40)
@given(drawn_pairs(max_nodes=4))
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
