"""Recoloring several nodes at once: the statements of docs/theory.md, by brute force on small graphs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rounds import wl_rounds
from strategies import atlas, equivalent_pairs, maps_edges_onto_edges, relabeled_graphs, shuffled, two_triangles
from wlt import Graph, Verdict, as_graph, closure, graph_class, isomorphism, tinhofer_test
from wlt.compare.meaning import meaning
from wlt.compare.tinhofer import TinhoferResult

SEEDS = st.integers(0, 2**32)
HOW_MANY = [2, 3, 0.5, "70%", "100%"]


def checked(g: Any, h: Any, **options: Any) -> TinhoferResult:
    """The result, with all that must hold whatever it is."""
    result = tinhofer_test(g, h, **options)
    assert (result.mapping is not None) == (result.verdict is Verdict.ISOMORPHIC)
    if result.mapping is not None:
        assert maps_edges_onto_edges(as_graph(g), as_graph(h), result.mapping)
    return result


def accepts(g: Any, h: Any, **options: Any) -> bool:
    return checked(g, h, **options).mapping is not None


# ---------------------------------------------------------------------------------------------------------------------
# What the algorithm does
# ---------------------------------------------------------------------------------------------------------------------


@given(relabeled_graphs(8), SEEDS, st.sampled_from(HOW_MANY), st.booleans())
def test_every_step_can_be_replayed(case: Any, seed: int, recolor: Any, guided: bool) -> None:
    """In plain Python, with the recorded sets: of one class, as many as asked for, and the same end."""
    g, h, colors_g, colors_h, _ = case
    n = g.num_nodes
    result = checked(g, h, node_labels=(colors_g, colors_h), seed=seed, recolor=recolor, guided=guided)
    union, colors = Graph.union([g, h]), colors_g + colors_h

    def stable_and_equal() -> bool:
        colors[:] = wl_rounds(union, colors)[-1]
        return sorted(colors[:n]) == sorted(colors[n:])

    equal = stable_and_equal()
    for step in result.steps:
        assert equal
        (color,) = {colors[v] for v in step.nodes_g}
        sizes = [colors[:n].count(each) for each in set(colors)]
        size = colors[:n].count(color)
        assert size == min(each for each in sizes if each > 1)
        wanted = (
            recolor
            if isinstance(recolor, int)
            else max(1, int(size * (float(str(recolor).rstrip("%")) / (100 if "%" in str(recolor) else 1))))
        )
        assert len(set(step.nodes_g)) == min(wanted, size - 1)
        if len(step.nodes_h) < len(step.nodes_g):
            assert guided
            assert step is result.steps[-1]
            return
        assert {colors[n + v] for v in step.nodes_h} == {color}
        new = max(colors) + 1
        for v in (*step.nodes_g, *(n + v for v in step.nodes_h)):
            colors[v] = new
        equal = stable_and_equal()
    assert equal == (result.mapping is not None)
    assert not equal or len(set(colors)) == n


@pytest.mark.parametrize("recolor", HOW_MANY)
@pytest.mark.parametrize("guided", [False, True])
def test_graphs_that_are_not_isomorphic_are_never_accepted(recolor: Any, guided: bool) -> None:
    for g, h in equivalent_pairs():
        assert not accepts(g, h, recolor=recolor, guided=guided, trials=5, seed=1)


def test_one_node_is_algorithm_2_as_it_was() -> None:
    g = as_graph(nx.dodecahedral_graph())
    h = shuffled(g, 3)
    one, again = (tinhofer_test(g, h, seed=7, trials=3, recolor=recolor) for recolor in (1, "one"))
    assert one.steps == again.steps
    assert one.steps == tinhofer_test(g, h, seed=7, trials=3, guided=True).steps
    assert all(len(step.nodes_g) == 1 and step.nodes_g[0] == step.node_g for step in one.steps)


@pytest.mark.parametrize("recolor", ["all", "canonical", "draws:8", "2,draws:3"])
def test_what_is_no_number_of_nodes_is_refused(recolor: str) -> None:
    with pytest.raises(ValueError, match=r"recolours a number of nodes .* or a share of the class"):
        tinhofer_test(nx.path_graph(3), nx.path_graph(3), recolor=recolor)
    with pytest.raises(ValueError, match="trials= repeats it"):
        isomorphism(nx.path_graph(3), nx.path_graph(3), recolor=recolor)


def test_the_exact_answer_does_not_depend_on_it() -> None:
    ring = as_graph(nx.cycle_graph(12))
    found = isomorphism(ring, shuffled(ring, 1), recolor="half")
    assert bool(found)
    assert found.tinhofer.mapping is None
    assert "as it may, even for compact graphs" in meaning(found)
    assert isomorphism(ring, shuffled(ring, 1), recolor="half", guided=True).tinhofer.mapping is not None
    assert not bool(isomorphism(nx.cycle_graph(6), two_triangles(), recolor=2, guided=True))


# ---------------------------------------------------------------------------------------------------------------------
# The statements of docs/theory.md
# ---------------------------------------------------------------------------------------------------------------------


@cache
def compact_graphs(most: int) -> list[Graph]:
    return [graph for graph in atlas() if graph.num_nodes <= most and graph_class(graph).compact]


@cache
def automorphisms(graph: Graph) -> list[tuple[int, ...]]:
    """By trying all permutations."""
    return [each for each in permutations(range(graph.num_nodes)) if graph.relabel(each).same_edges(graph)]


def stable(graph: Graph, colors: Any, chosen: Any = ()) -> list[int]:
    return wl_rounds(graph, [2 * int(color) + (v in chosen) for v, color in enumerate(colors)])[-1]


def partitions(graph: Graph) -> Iterator[list[int]]:
    """All that runs of the algorithm can come to, by sets of any size of any class."""
    waiting, known = [stable(graph, [0] * graph.num_nodes)], set()
    while waiting:
        colors = waiting.pop()
        if tuple(colors) in known:
            continue
        known.add(tuple(colors))
        yield colors
        for nodes in classes_of(colors):
            for size in range(1, len(nodes)):
                waiting += [stable(graph, colors, chosen) for chosen in combinations(nodes, size)]


def classes_of(colors: list[int]) -> list[list[int]]:
    return [[v for v, other in enumerate(colors) if other == color] for color in sorted(set(colors))]


def told_apart(graph: Graph, colors: list[int], left: Any, right: Any) -> bool:
    """Does a closure tell the graph with one set recoloured from itself with the other?"""
    n = graph.num_nodes
    marked = [2 * color + (v in chosen) for chosen in (left, right) for v, color in enumerate(colors)]
    after = wl_rounds(Graph.union([graph, graph]), marked)[-1]
    return sorted(after[:n]) != sorted(after[n:])


def mapped(graph: Graph, colors: list[int], left: Any, right: Any) -> bool:
    """Does an automorphism that keeps the colours map one set onto the other?"""
    return any(
        {each[v] for v in left} == set(right) and all(colors[each[v]] == colors[v] for v in range(graph.num_nodes))
        for each in automorphisms(graph)
    )


def test_proposition_2_on_compact_graphs_a_wrong_set_is_told_apart_at_once() -> None:
    tried = 0
    for graph in compact_graphs(5):
        for colors in partitions(graph):
            for nodes in classes_of(colors):
                for size in range(1, len(nodes)):
                    for left, right in combinations(combinations(nodes, size), 2):
                        apart = told_apart(graph, colors, left, right)
                        assert apart != mapped(graph, colors, left, right)
                        tried += 1
    assert tried > 1000


def test_proposition_2_needs_compactness() -> None:
    """A triangle beside a square is not compact: a closure passes a node of each, and no automorphism does."""
    graph = as_graph(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)))
    assert graph_class(graph).compact is False
    assert not told_apart(graph, [0] * 7, (), ())
    assert told_apart(graph, [0] * 7, (0,), (3,))
    frucht = as_graph(nx.frucht_graph())
    pair = nx.disjoint_union(nx.frucht_graph(), nx.frucht_graph())
    assert graph_class(frucht).tinhofer is False
    assert graph_class(as_graph(pair)).compact is not True


def test_corollary_3_guided_runs_accept_every_copy_of_a_compact_graph() -> None:
    for i, graph in enumerate(compact_graphs(7)):
        for recolor in (2, 3, "half") if i % 5 == 0 or graph.num_nodes < 7 else (2,):
            assert accepts(graph, shuffled(graph, i), recolor=recolor, guided=True, seed=i)


@pytest.mark.parametrize("recolor", [2, 3, "half", "80%"])
def test_corollary_3_on_larger_compact_graphs(recolor: Any) -> None:
    for graph in (nx.cycle_graph(50), nx.balanced_tree(3, 4), nx.disjoint_union_all([nx.cycle_graph(5)] * 4)):
        g = as_graph(graph)
        result = tinhofer_test(g, shuffled(g, 1), recolor=recolor, guided=True, seed=2, trials=20)
        assert result.accepted == 20


def homogeneous(graph: Graph) -> bool:
    """The condition of Theorem 4, checked from its words: on the stable partition every cell is empty or complete,
    every pair of cells is empty, complete, stars or the complement of stars, and the pairs of the last two kinds form
    trees, in which sizes never shrink away from a smallest cell."""
    cells = classes_of(closure(graph).tolist())
    joined = nx.empty_graph(len(cells))
    edges = {(int(u), int(v)) for u, v in graph.edges()}
    edges |= {(v, u) for u, v in edges}
    for nodes in cells:
        if len({(u, v) in edges for u, v in combinations(nodes, 2)}) > 1:
            return False
    for x, y in combinations(range(len(cells)), 2):
        small, large = sorted((cells[x], cells[y]), key=len)
        inside = [[u for u in small if (u, v) in edges] for v in large]
        degrees = {min(len(each), len(small) - len(each)) for each in inside}
        if degrees == {0}:
            if len({len(each) for each in inside}) > 1:
                return False
            continue
        if degrees != {1}:
            return False
        joined.add_edge(x, y)
    if not nx.is_forest(joined):
        return False
    for component in nx.connected_components(joined):
        root = min(component, key=lambda cell: len(cells[cell]))
        for parent, child in nx.bfs_edges(joined.subgraph(component), root):
            if len(cells[child]) < len(cells[parent]):
                return False
    return True


def test_theorem_4_several_nodes_at_once_are_safe_on_homogeneous_amenable_graphs() -> None:
    """All choices in all partitions that a run comes to with the smallest class: no two sets are told apart."""
    safe = [graph for graph in atlas() if graph.num_nodes <= 6 and homogeneous(graph)]
    assert len(safe) > 100
    for graph in safe:
        for together in (2, 3):
            assert first_failure(graph, together) is None


def first_failure(graph: Graph, together: int) -> Any:
    waiting, known = [stable(graph, [0] * graph.num_nodes)], set()
    while waiting:
        colors = waiting.pop()
        nodes = min((each for each in classes_of(colors) if len(each) > 1), key=len, default=[])
        if tuple(colors) in known or not nodes:
            continue
        known.add(tuple(colors))
        sets = list(combinations(nodes, min(together, len(nodes) - 1)))
        for left, right in combinations(sets, 2):
            if told_apart(graph, colors, left, right):
                return colors, left, right
        waiting += [stable(graph, colors, chosen) for chosen in sets]
    return None


def test_the_smallest_compact_graphs_that_fail() -> None:
    """None with three nodes; with four, two edges and their complement, the square."""
    failing = [graph for graph in compact_graphs(4) if first_failure(graph, 2)]
    assert [graph.num_nodes for graph in failing] == [4, 4]
    two_edges = nx.disjoint_union(nx.path_graph(2), nx.path_graph(2))
    for graph, expected in zip(failing, (two_edges, nx.cycle_graph(4)), strict=True):
        assert nx.is_isomorphic(graph.to_networkx(), expected)
        share = tinhofer_test(graph, shuffled(graph, 0), recolor=2, trials=4000, seed=0).share_accepted
        assert share == pytest.approx(20 / 36, abs=0.03)  # two of six pairs are edges, or four


@pytest.mark.slow
def test_the_tables_of_the_page_are_what_the_command_prints() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "examples/several_nodes_at_once.py"]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    rows = [line for line in printed.splitlines() if line.startswith("|")]
    assert len(rows) == 9 + 12
    assert set(rows) <= set((root / "docs/theory.md").read_text().splitlines())


def test_trees_are_safe() -> None:
    for seed in range(30):
        tree = as_graph(nx.random_labeled_tree(40, seed=seed))
        assert homogeneous(tree)
        for recolor in (2, 3, "half"):
            assert tinhofer_test(tree, shuffled(tree, seed), recolor=recolor, trials=10, seed=seed).accepted == 10


@settings(max_examples=20)
@given(st.integers(5, 20), st.integers(2, 3))
def test_share_accepted_on_cycles_is_at_most_that_of_the_first_step(n: int, together: int) -> None:
    """A set of g is met by one in its own orbit: on a cycle there are at most 2n of it."""
    sets: dict[tuple[int, ...], int] = {}
    for chosen in combinations(range(n), together):
        orbit = min(tuple(sorted((sign * v + shift) % n for v in chosen)) for sign in (1, -1) for shift in range(n))
        sets[orbit] = sets.get(orbit, 0) + 1
    total = sum(sets.values())
    expected = sum((size / total) ** 2 for size in sets.values())
    ring = as_graph(nx.cycle_graph(n))
    result = tinhofer_test(ring, shuffled(ring, n), recolor=together, trials=3000, seed=n)
    assert result.share_accepted <= expected + 4 * np.sqrt(expected / 3000)
