"""Folklore k-WL against plain Python, the atlas, all connected graphs on 8 nodes, BREC and strongly regular graphs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import wlt
from labelled import Drawn, drawn_pairs, isomorphic
from strategies import brec, equivalent_pairs, graphs, relabeled_graphs, rook_graph, shrikhande_graph, two_triangles
from wlt import Graph, Verdict, as_graph, closure, kwl_test, wl_test
from wlt.compare.kwl import kwl_memory
from wlt.compare.pair import as_pair
from wlt.io import read_graphs


def rejects(g: Any, h: Any, k: int, **options: Any) -> bool:
    return kwl_test(g, h, k, **options).verdict is Verdict.NON_ISOMORPHIC


def plain_kwl(g: Graph, h: Graph, k: int) -> bool:
    """k-FWL as its definition says, on dictionaries, from the atomic types: are the graphs told apart?"""
    pair = as_pair(g, h)
    sides = []
    for graph, shift in ((pair.graph[0], 0), (pair.graph[1], pair.border)):
        labels = {
            (v, int(u)): int(pair.graph.arcs[e]) if len(pair.graph.arcs) else 0
            for v in range(graph.num_nodes)
            for e, u in enumerate(graph.neighbors_of(v), int(pair.graph.offsets[v + shift]))
        }
        own = pair.colors[shift : shift + graph.num_nodes].tolist()
        nodes = range(graph.num_nodes)
        types = {
            t: (tuple(own[v] for v in t), tuple((a == b, labels.get((a, b), -1)) for a in t for b in t))
            for t in product(nodes, repeat=k)
        }
        sides.append(types)
    colors: list[dict[tuple[int, ...], Any]] = sides
    while True:
        number: dict[Any, int] = {}
        ranked = [{t: number.setdefault(c, len(number)) for t, c in side.items()} for side in colors]
        if Counter(ranked[0].values()) != Counter(ranked[1].values()):
            return True
        n = [round(len(side) ** (1 / k)) for side in ranked]
        colors = [
            {
                t: (
                    side[t],
                    tuple(sorted(tuple(side[(*t[:i], w, *t[i + 1 :])] for i in range(k)) for w in range(size))),
                )
                for t in side
            }
            for side, size in zip(ranked, n, strict=True)
        ]
        if len({c for side in colors for c in side.values()}) == len(number):
            return False


@pytest.mark.parametrize("k", [1, 2, 3])
@settings(max_examples=25)
@given(g=graphs(6), h=graphs(6))
def test_any_two_graphs_as_the_definition_says(k: int, g: Graph, h: Graph) -> None:
    assert rejects(g, h, k) == plain_kwl(g, h, k)


@pytest.mark.parametrize("k", [1, 2, 3])
@settings(max_examples=25)
@given(pair=drawn_pairs(5))
def test_labels_and_directions_as_the_definition_says(k: int, pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    rejected = rejects(g, h, k)
    assert rejected == plain_kwl(g, h, k)
    if rejected:
        assert not isomorphic(*pair)


@pytest.mark.parametrize("k", [1, 2, 3])
@given(case=relabeled_graphs())
def test_isomorphic_graphs_are_never_rejected(k: int, case: tuple[Graph, Graph, Any, Any, list[int]]) -> None:
    g, h, colors_g, colors_h, permutation = case
    result = kwl_test(g, h, k, node_labels=(colors_g, colors_h))
    assert result.verdict is Verdict.POSSIBLY_ISOMORPHIC
    assert result.colors[0].tolist() == result.colors[1][permutation].tolist()


@pytest.mark.parametrize(
    ("g", "h", "first"),
    [
        pytest.param(nx.path_graph(5), nx.star_graph(4), 1, id="path-vs-star"),
        pytest.param(nx.cycle_graph(6), two_triangles(), 2, id="C6-vs-2C3"),
        pytest.param(shrikhande_graph(), rook_graph(), 3, id="Shrikhande-vs-rook"),
    ],
)
def test_a_pair_is_told_apart_from_some_k_on(g: Any, h: Any, first: int) -> None:
    assert [rejects(g, h, k) for k in (1, 2, 3)] == [k >= first for k in (1, 2, 3)]


def test_what_k_tells_apart_larger_k_do_too() -> None:
    steps = wlt.data.ladder()
    small = [i for i in range(len(steps)) if steps.pair(i).union.num_nodes <= 80]
    assert len(small) > 120
    for i in small:
        g, h = steps.pair(i).union  # without the labels of nodes: pairs come to stand elsewhere
        answers = [rejects(g, h, k) for k in (1, 2, 3)]
        assert answers == sorted(answers)


def test_one_is_wl() -> None:
    g, h = nx.path_graph(9), nx.disjoint_union(nx.path_graph(4), nx.path_graph(5))
    wl, kwl = wl_test(g, h), kwl_test(g, h, 1)
    assert (wl.verdict, wl.rounds) == (kwl.verdict, kwl.rounds)


def test_pairs_of_nodes_tell_all_graphs_of_the_atlas_apart() -> None:
    assert all(rejects(g, h, 2) for g, h in equivalent_pairs())
    assert not any(rejects(g, h, 1) for g, h in equivalent_pairs())


def test_pairs_of_nodes_tell_all_connected_graphs_on_8_nodes_apart(data_dir: Path) -> None:
    """WL leaves 312 pairs; 2-FWL, like PPGN in Balcilar et al. (arXiv:2106.04319), none."""
    union = Graph.union(read_graphs(data_dir / "expressiveness" / "graph8c.g6"))
    colors = np.sort(closure(union).reshape(-1, 8), axis=1)
    classes = np.unique(colors, axis=0, return_inverse=True)[1].reshape(-1)
    alike = [np.flatnonzero(classes == each) for each in np.flatnonzero(np.bincount(classes) > 1)]
    pairs = [pair for group in alike for pair in combinations(group.tolist(), 2)]
    assert len(pairs) == 312
    assert all(rejects(union[i], union[j], 2) for i, j in pairs)


def test_pairs_of_nodes_are_blind_for_strongly_regular_graphs(data_dir: Path) -> None:
    every = read_graphs(data_dir / "expressiveness" / "sr251256.g6")
    assert not any(rejects(g, h, 2) for g, h in combinations(every, 2))
    assert all(rejects(g, h, 3) for g, h in combinations(every[:6], 2))


def test_brec_has_270_pairs_that_3_wl_tells_apart(data_dir: Path) -> None:
    """2-FWL has the count that is published for the 3-WL test, and takes no graph for different from its copy."""
    random = np.random.default_rng(0)
    apart = 0
    for g, h in brec(data_dir):
        apart += rejects(g, h, 2)
        assert not rejects(g, g.relabel(random.permutation(g.num_nodes)), 2)
    assert apart == 270


@pytest.mark.slow
def test_triples_of_nodes_on_brec(data_dir: Path) -> None:
    parts = ("basic", "regular", "str", "extension", "cfi", "4vtx", "dr")
    counts = {part: sum(rejects(g, h, 3) for g, h in brec(data_dir, part)) for part in parts}
    assert counts == {"basic": 60, "regular": 50, "str": 50, "extension": 100, "cfi": 80, "4vtx": 20, "dr": 20}


def test_a_copy_of_a_hard_graph_is_not_rejected_by_triples(data_dir: Path) -> None:
    random = np.random.default_rng(1)
    for g, h in brec(data_dir, "str")[:20]:
        assert not rejects(g, g.relabel(random.permutation(g.num_nodes)), 3)
        assert rejects(g, h, 3)


def test_memory_is_stated_and_refused_before_anything_is_done() -> None:
    g = nx.cycle_graph(1000)
    with pytest.raises(MemoryError, match=r"graphs of 1000 nodes needs 80 GB.*limit is 4.3 GB.*k=2 needs 80 MB"):
        kwl_test(g, g, 3)
    with pytest.raises(MemoryError, match="larger memory_limit"):
        kwl_test(g, g, 2, memory_limit=10**6)
    assert kwl_test("A_", "A_", 2).memory == kwl_memory(2, 2) == 320


@pytest.mark.parametrize("k", [0, 4, True, 2.5, "2"])
def test_other_k_are_refused(k: Any) -> None:
    with pytest.raises(ValueError, match="k = 1, 2 and 3"):
        kwl_test("A_", "A_", k)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_graphs_of_different_sizes_and_without_nodes(k: int) -> None:
    assert rejects((3, []), (4, []), k)
    assert not rejects((0, []), (0, []), k)
    assert not rejects((1, []), (1, []), k)


def test_the_result_says_what_was_not_looked_at_and_has_no_truth_value() -> None:
    g: nx.Graph[int] = nx.Graph()
    g.add_edge(0, 1, weight=0.5)
    result = kwl_test(g, g)
    assert result.ignored == as_graph(g).ignored != ()
    with pytest.raises(TypeError, match="no yes or no"):
        bool(result)
