"""Algorithm 2 against plain Python, networkx's atlas, igraph and BREC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rounds import wl_rounds
from strategies import (
    atlas,
    brec,
    equivalent_pairs,
    graphs,
    maps_edges_onto_edges,
    pairs_with_equal_degrees,
    relabeled_graphs,
    rook_graph,
    shrikhande_graph,
    shuffled,
    two_triangles,
)
from wlt import Graph, Verdict, as_graph, graph_class, tinhofer_test, wl_test
from wlt.compare.tinhofer import TinhoferResult

SEEDS = st.integers(0, 2**32)


def accepts(g: Any, h: Any, colors: Any = None, seed: int = 0, trials: int = 1) -> bool:
    """The verdict, with all that must hold whatever it is."""
    result = tinhofer_test(g, h, node_labels=colors, seed=seed, trials=trials)
    accepted = result.verdict is Verdict.ISOMORPHIC
    assert accepted or result.verdict is Verdict.POSSIBLY_NON_ISOMORPHIC
    assert (result.mapping is not None) == (result.accepted > 0) == accepted
    assert result.trials == trials
    assert result.share_accepted == result.accepted / trials
    if result.mapping is not None:
        assert maps_edges_onto_edges(as_graph(g), as_graph(h), result.mapping)
    return accepted


def replay(g: Graph, h: Graph, colors: list[int], result: TinhoferResult) -> bool:
    """Algorithm 2 in plain Python with the recorded choices; True if it ends with "isomorphic"."""
    n = g.num_nodes
    union = Graph.union([g, h])

    def stable_and_equal() -> bool:
        colors[:] = wl_rounds(union, colors)[-1]
        return sorted(colors[:n]) == sorted(colors[n:])

    equal = stable_and_equal()
    for step in result.steps:
        assert equal
        color = colors[step.node_g]
        assert colors[n + step.node_h] == color
        assert colors[:n].count(color) > 1
        colors[step.node_g] = colors[n + step.node_h] = max(colors) + 1
        equal = stable_and_equal()
        if equal:
            assert step.classes == len(set(colors))
    assert not equal or len(set(colors)) == n
    return equal


@given(relabeled_graphs(8), SEEDS)
def test_every_step_can_be_replayed(case: tuple[Graph, Graph, list[int], list[int], list[int]], seed: int) -> None:
    g, h, colors_g, colors_h, _ = case
    result = tinhofer_test(g, h, node_labels=(colors_g, colors_h), seed=seed)
    assert replay(g, h, colors_g + colors_h, result) == (result.verdict is Verdict.ISOMORPHIC)


@pytest.mark.parametrize("seed", range(3))
def test_every_step_on_pairs_that_wl_cannot_tell_apart_can_be_replayed(seed: int) -> None:
    for g, h in equivalent_pairs():
        result = tinhofer_test(g, h, seed=seed)
        assert result.steps
        assert not replay(g, h, [0] * (2 * g.num_nodes), result)


@given(relabeled_graphs(8), SEEDS)
def test_the_mapping_keeps_edges_and_colours(
    case: tuple[Graph, Graph, list[int], list[int], list[int]], seed: int
) -> None:
    g, h, colors_g, colors_h, _ = case
    result = tinhofer_test(g, h, node_labels=(colors_g, colors_h), seed=seed)
    if result.mapping is not None:
        assert maps_edges_onto_edges(g, h, result.mapping)
        assert [colors_h[image] for image in result.mapping] == colors_g


@given(graphs(5), graphs(5), SEEDS)
def test_accepted_graphs_are_isomorphic(g: Graph, h: Graph, seed: int) -> None:
    if accepts(g, h, seed=seed):
        assert g.to_igraph().isomorphic(h.to_igraph())


def test_no_two_graphs_of_the_atlas_are_accepted() -> None:
    assert not any(accepts(g, h) for g, h in pairs_with_equal_degrees())
    assert not any(accepts(g, h, trials=20) for g, h in equivalent_pairs())


def test_always_right_on_the_amenable_graphs_of_the_atlas() -> None:
    amenable = [graph for graph in atlas() if graph_class(graph).amenable]
    assert len(amenable) == 1200
    assert all(accepts(graph, shuffled(graph, i), seed=i) for i, graph in enumerate(amenable))


@given(st.integers(1, 30), st.data(), SEEDS)
def test_always_right_on_trees(n: int, data: st.DataObject, seed: int) -> None:
    """Against a relabelled copy and against the tree with one leaf moved."""
    parents = [data.draw(st.integers(0, v - 1)) for v in range(1, n)]
    tree = Graph.from_edges(n, list(zip(parents, range(1, n), strict=True)))
    assert accepts(tree, shuffled(tree, seed), seed=seed)
    if n > 2:
        other = Graph.from_edges(n, [*zip(parents[:-1], range(1, n - 1), strict=True), (0, n - 1)])
        assert accepts(tree, other, seed=seed) == tree.to_igraph().isomorphic(other.to_igraph())


@pytest.mark.parametrize("complement", [pytest.param(False, id="plain"), pytest.param(True, id="complement")])
@pytest.mark.parametrize(
    "graph",
    [
        *(pytest.param(nx.cycle_graph(n), id=f"C{n}") for n in (3, 4, 5, 6, 11, 30)),
        *(pytest.param(nx.complete_graph(n), id=f"K{n}") for n in (1, 2, 9)),
        pytest.param(nx.complete_bipartite_graph(3, 4), id="K3,4"),
        pytest.param(two_triangles(), id="2C3"),
        pytest.param(nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5)), id="2C5"),
        pytest.param(nx.empty_graph(12), id="isolated"),
        pytest.param(nx.balanced_tree(3, 3), id="tree"),
        pytest.param(nx.disjoint_union(nx.path_graph(7), nx.star_graph(4)), id="forest"),
    ],
)
def test_always_right_on_compact_graphs(graph: Any, complement: bool) -> None:
    g = as_graph(nx.complement(graph) if complement else graph)
    assert all(accepts(g, shuffled(g, seed), seed=seed) for seed in range(20))


@pytest.mark.parametrize(
    ("g", "h"),
    [
        pytest.param(nx.cycle_graph(6), two_triangles(), id="C6-vs-2C3"),
        pytest.param(shrikhande_graph(), rook_graph(), id="Shrikhande-vs-rook"),
        pytest.param(nx.cycle_graph(6), nx.path_graph(6), id="C6-vs-P6"),
        pytest.param(nx.complete_graph(4), nx.complete_graph(5), id="K4-vs-K5"),
        pytest.param(nx.empty_graph(0), nx.empty_graph(1), id="empty-vs-one-node"),
        pytest.param(nx.desargues_graph(), nx.dodecahedral_graph(), id="Desargues-vs-dodecahedron"),
    ],
)
def test_different_graphs_are_rejected(g: Any, h: Any) -> None:
    result = tinhofer_test(g, h, seed=3, trials=10)
    assert str(result.verdict) == result.verdict.value == "possibly non-isomorphic"
    assert (result.mapping, result.accepted) == (None, 0)


def test_without_nodes_and_with_one() -> None:
    for n in (0, 1):
        result = tinhofer_test((n, []), (n, []))
        assert str(result.verdict) == "isomorphic"
        assert result.mapping is not None
        assert (result.mapping.tolist(), result.steps) == (list(range(n)), ())


@pytest.mark.parametrize(
    ("marked_g", "marked_h", "accepted"),
    [
        pytest.param([1, 0, 0], [0, 0, 1], True, id="a-leaf-and-the-other"),
        pytest.param([1, 0, 0], [0, 1, 0], False, id="a-leaf-and-the-centre"),
        pytest.param([1, 0, 0], [0, 1, 1], False, id="colours-mean-the-same-in-both"),
    ],
)
def test_colours_of_a_star(marked_g: list[int], marked_h: list[int], accepted: bool) -> None:
    star = nx.path_graph(3)
    assert accepts(star, star, (marked_g, marked_h)) is accepted


def test_a_seed_gives_one_answer_and_another_seed_another() -> None:
    g = as_graph(nx.petersen_graph())
    h = shuffled(g, 1)
    first, again = tinhofer_test(g, h, seed=5), tinhofer_test(g, h, seed=5)
    assert first.steps == again.steps
    assert np.array_equal(first.mapping, again.mapping)
    mappings = {tuple(tinhofer_test(g, h, seed=seed).mapping) for seed in range(40)}
    assert 10 < len(mappings) <= 40  # of the 120 isomorphisms


def test_trials_are_independent_runs_of_one_generator() -> None:
    """Shrikhande is not a Tinhofer graph: some runs accept a copy of it and some do not."""
    g = as_graph(shrikhande_graph())
    h = shuffled(g, 2)
    many = tinhofer_test(g, h, seed=1, trials=200)
    assert many.verdict is Verdict.ISOMORPHIC
    assert 20 < many.accepted < 180
    assert many.share_accepted == many.accepted / 200
    assert many.accepted == tinhofer_test(g, h, seed=1, trials=200).accepted
    rejected = next(seed for seed in range(50) if tinhofer_test(g, h, seed=seed).mapping is None)
    assert tinhofer_test(g, h, seed=rejected, trials=50).accepted > 0  # one lucky run is enough


def test_brec_is_rejected(data_dir: Path) -> None:
    pairs = brec(data_dir)
    assert len(pairs) == 400
    for g, h in pairs:
        assert wl_test(g, h).verdict is Verdict.POSSIBLY_ISOMORPHIC
        assert tinhofer_test(g, h, seed=0, trials=2).accepted == 0


def test_a_third_of_the_relabelled_brec_graphs_is_rejected_too(data_dir: Path) -> None:
    """DESIGN, section 3: a rejection by Tinhofer's algorithm is no proof."""
    results = [accepts(g, shuffled(g, i), seed=i) for i, (g, _) in enumerate(brec(data_dir))]
    assert 0.2 < results.count(False) / len(results) < 0.5


def test_many_isolated_nodes() -> None:
    nodes = Graph.from_edges(10**5, [])
    result = tinhofer_test(nodes, nodes, seed=0)
    assert result.verdict is Verdict.ISOMORPHIC
    assert len(result.steps) == 10**5 - 1
    assert tinhofer_test(nodes, Graph.from_edges(10**5, [(5, 6)])).mapping is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        pytest.param({"trials": 0}, ValueError, "trials must be at least 1, not 0", id="no-trials"),
        pytest.param({"trials": -3}, ValueError, "trials must be at least 1, not -3", id="negative-trials"),
        pytest.param({"trials": 1.5}, TypeError, "must be an integer, not 1.5", id="half-a-trial"),
        pytest.param({"seed": -1}, ValueError, "non-negative", id="negative-seed"),
        pytest.param({"node_labels": ([0, 0], [0])}, ValueError, "2 nodes of the second graph", id="colours-too-few"),
        pytest.param({"node_labels": [0, 0, 0]}, ValueError, "must be a pair", id="no-pair-of-colours"),
        pytest.param({"node_labels": ([0, 0.5], [0, 0])}, TypeError, "integers", id="fractions"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tinhofer_test("A_", "A_", **arguments)


def test_a_result_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"Verdict.ISOMORPHIC` .* or `bool\(wlt.isomorphism\(g, h\)\)`"):
        bool(tinhofer_test("A_", "A_"))
