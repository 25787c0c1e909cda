"""The ladder: every pair is certified, and what made it is what it says."""

from __future__ import annotations

import numpy as np
import pytest

import wlt
from wlt.data import constructions as make
from wlt.data import ladder


@pytest.mark.parametrize("rung", [0, 1, 2, 3])
def test_every_pair_is_certified(rung: int) -> None:
    steps = ladder()
    which = np.flatnonzero(steps.rungs == rung)
    assert len(which) > 30
    assert [steps.certify(int(i)) for i in which] == [rung] * len(which)


def test_an_isomorphic_pair_would_be_found() -> None:
    steps = ladder()
    graphs = steps.graphs.take([0, 0])
    broken = wlt.data.Ladder(graphs, steps.rungs[:1], steps.families[:1], steps.pair_names[:1])
    with pytest.raises(ValueError, match=r"pair 0 of the ladder.*isomorphic"):
        broken.certify(0)


def test_its_shape() -> None:
    steps = ladder()
    assert len(steps) == len(steps.graphs) // 2 == len(steps.families) == len(steps.pair_names) == 204
    assert len(set(steps.pair_names)) == len(steps)
    assert (np.diff(steps.rungs) >= 0).all()
    sizes = steps.graphs.union.graph_sizes.reshape(-1, 2)
    assert (sizes[:, 0] == sizes[:, 1]).all()
    assert sizes.max() <= 100
    assert ladder() is steps
    assert steps.pair(3).names[0].endswith("first")


def test_pairs_of_rung_0_need_more_and_more_rounds() -> None:
    steps = ladder()
    which = [i for i, family in enumerate(steps.families) if family == "depth"]
    rounds = [wlt.wl_test(*steps.pair(i).union).rounds for i in which]
    assert rounds == sorted(rounds)
    assert rounds[0] <= 2
    assert rounds[-1] >= 12


def strongly_regular(graph: wlt.Graph) -> tuple[int, ...]:
    """(n, k, λ, μ), from A² = kI + λA + μ(J - I - A)."""
    a = make.matrix_of(graph)
    square = a @ a
    own = np.eye(len(a), dtype=bool)
    parameters = [np.unique(square[where]) for where in (own, a == 1, ~own & (a == 0))]
    assert all(len(values) == 1 for values in parameters)
    return (len(a), *(int(values[0]) for values in parameters))


@pytest.mark.parametrize(
    ("graph", "parameters"),
    [
        pytest.param(make.shrikhande(), (16, 6, 2, 2), id="Shrikhande"),
        pytest.param(make.rook(4), (16, 6, 2, 2), id="rook"),
        *(pytest.param(graph, (28, 12, 6, 4), id=f"Chang-{i}") for i, graph in enumerate(make.chang_graphs())),
        pytest.param(make.latin_square_graph(make.cyclic_square(7)), (49, 18, 7, 6), id="LS7"),
        pytest.param(make.affine_slopes(7, (0, 1, 2, 4)), (49, 24, 11, 12), id="slopes"),
        pytest.param(make.symplectic(3), (40, 12, 2, 4), id="W(3)"),
        pytest.param(make.parabolic_quadric(3), (40, 12, 2, 4), id="Q(4,3)"),
    ],
)
def test_strongly_regular_graphs_have_their_parameters(graph: wlt.Graph, parameters: tuple[int, ...]) -> None:
    assert strongly_regular(graph) == parameters


def test_switching_keeps_the_parameters() -> None:
    graph = make.latin_square_graph(make.cyclic_square(6))
    switched = make.godsil_mckay_switched(graph, np.random.default_rng(3))
    assert strongly_regular(switched) == strongly_regular(graph) == (36, 15, 6, 6)
    with pytest.raises(ValueError, match="no four nodes"):
        make.godsil_mckay_switched(make.path(3 + 40), np.random.default_rng(0))


@pytest.mark.parametrize("n", range(2, 9))
def test_squares_are_latin(n: int) -> None:
    for square in (make.cyclic_square(n), make.random_square(n, np.random.default_rng(n))):
        for axis in (0, 1):
            assert (np.sort(square, axis=axis) == np.arange(n).reshape((-1, 1) if axis == 0 else (1, -1))).all()


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_which_edge_is_twisted(seed: int) -> None:
    """Renumbering the nodes of the base twists another of its edges."""
    base = make.random_regular(10, 3, np.random.default_rng(seed))
    other = base.relabel(np.random.default_rng(seed).permutation(10))
    assert wlt.isomorphism(make.cfi(base, True), make.cfi(other, True))
    assert not wlt.isomorphism(make.cfi(base, False), make.cfi(other, True))
    labels = make.cfi_labels(base)
    assert np.bincount(labels).tolist() == [4] * 10
