"""The audit beside brute force: networkx for isomorphism, colours as nested tuples for WL and for recoloring."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

import labelled
from labelled import drawn_pairs
from strategies import atlas, equivalent_pairs, graphs, rook_graph, shrikhande_graph, two_triangles
from wlt import Graph, as_graph, refine_once
from wlt.auditing.audit import Audit, audit
from wlt.data import csl, fullerenes, load
from wlt.io import as_graphs
from wlt.structure import Structure

Colored = tuple[Graph, list[int]]


@st.composite
def datasets(draw: st.DrawFn) -> tuple[list[Colored], list[int]]:
    """Up to eight small coloured graphs, with copies and with pairs that only WL takes for equal, and labels."""
    kinds: list[Colored] = []
    for _ in range(draw(st.integers(1, 2))):
        alike = draw(st.sampled_from(equivalent_pairs()) | st.tuples(graphs(6)))
        n = alike[0].num_nodes
        two_labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
        colors = draw(st.just([0] * n) | two_labels) if len(alike) == 1 else [0] * n
        kinds += [(graph, colors) for graph in alike]
    colored = []
    for kind in draw(st.lists(st.integers(0, len(kinds) - 1), max_size=4)) + list(range(len(kinds))):
        graph, colors = kinds[kind]
        permutation = draw(st.permutations(range(graph.num_nodes)))
        colored.append((graph.relabel(permutation), np.array(colors, int)[np.argsort(permutation)].tolist()))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(colored), max_size=len(colored)))
    return colored, labels


@st.composite
def labelled_datasets(draw: st.DrawFn) -> tuple[list[Colored], list[int]]:
    """Graphs with labels of edges, directions, parallel edges and loops, and labels."""
    pairs = draw(st.lists(drawn_pairs(), min_size=1, max_size=3))
    colored = [(drawn.graph(), [0] * drawn.nodes) for pair in pairs for drawn in pair]
    return colored, draw(st.lists(st.integers(0, 2), min_size=len(colored), max_size=len(colored)))


def audited(colored: list[Colored], labels: Sequence[object] | None, **options: Any) -> Audit:
    union = Graph.union([graph for graph, _ in colored])
    return audit(union, labels, node_labels=[color for _, colors in colored for color in colors], **options)


def isomorphic(a: Colored, b: Colored) -> bool:
    left, right = (graph.to_networkx() for graph, _ in (a, b))
    for drawn, colors in ((left, a[1]), (right, b[1])):
        nx.set_node_attributes(drawn, dict(enumerate(colors)), "color")
    return nx.is_isomorphic(left, right, node_match=lambda x, y: x["color"] == y["color"])


def isomorphism_classes(colored: list[Colored]) -> list[int]:
    first_of_class: list[int] = []
    classes = []
    for one in colored:
        same = [k for k, first in enumerate(first_of_class) if isomorphic(colored[first], one)]
        if not same:
            same = [len(first_of_class)]
            first_of_class.append(len(classes))
        classes += same
    return classes


def wl_round(graph: Graph, colors: Sequence[Hashable]) -> list[Hashable]:
    """Colours are nested tuples: equal in any two graphs iff the nodes look the same."""
    labels = [graph.arc_labels[arc] for arc in graph.arcs] or [None] * len(graph.neighbors)
    bounds = pairwise(graph.offsets.tolist())
    around = [Counter((colors[u], labels[e]) for e, u in enumerate(graph.neighbors[i:j], i)) for i, j in bounds]
    return [numbered(("node", color, frozenset(seen.items()))) for color, seen in zip(colors, around, strict=True)]


known_colors: dict[Hashable, int] = {}


def numbered(color: Hashable) -> int:
    """A number for the tuple, the same one whenever it comes again."""
    return known_colors.setdefault(color, len(known_colors))


def start(one: Colored) -> list[Hashable]:
    graph, colors = one
    loops = [graph.loop_labels[loop] for loop in graph.loops] or [()] * graph.num_nodes
    return [numbered(("initial", color, loop)) for color, loop in zip(colors, loops, strict=True)]


def wl_histogram(one: Colored, rounds: int) -> tuple[Any, ...]:
    graph, colors = one[0], start(one)
    for _ in range(rounds):
        colors = wl_round(graph, colors)
    return tuple(sorted(colors))


def draws(
    one: Colored, structure: str, every_node: bool = False
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], Fraction]]:
    """(what each recoloring found and chose, the histogram in the end, its probability after these choices)."""

    def go(colors: list[Hashable], layers: str, path: tuple[Any, ...], probability: Fraction) -> Iterator[Any]:
        if not layers:
            yield path, tuple(sorted(colors)), probability
            return
        if layers[0] == "g":
            yield from go(wl_round(one[0], colors), layers[1:], path, probability)
            return
        sizes = dict.fromkeys(colors, len(colors)) if every_node else Counter(colors)
        largest = max(sizes.values(), default=0)
        found = tuple(sorted(colors))
        if largest <= 1 and not every_node:
            yield from go(colors, layers[1:], (*path, (found, None)), probability)
            return
        for v, color in enumerate(colors):
            if sizes[color] == largest:
                marked = list(colors)
                marked[v] = numbered(("marked", len(path), color))
                chosen = (*path, (found, color))
                yield from go(marked, layers[1:], chosen, probability / largest)

    yield from go(start(one), structure, (), Fraction(1))


def ceiling(classes: Sequence[Hashable], labels: Sequence[int]) -> float:
    members: dict[Hashable, Counter[int]] = {}
    for name, label in zip(classes, labels, strict=True):
        members.setdefault(name, Counter())[label] += 1
    return 100 * sum(max(counts.values()) for counts in members.values()) / len(labels)


def best_with_one_draw(colored: list[Colored], labels: list[int], structure: str) -> Fraction:
    """Every way to choose among tied classes is tried, for each of them every outcome gets its best label."""
    everything = [(label, *draw) for one, label in zip(colored, labels, strict=True) for draw in draws(one, structure)]
    ties: dict[Any, set[Any]] = {}
    for _, path, _, _ in everything:
        for found, choice in path:
            ties.setdefault(found, set()).add(choice)
    best = Fraction(0)
    for choices in itertools.product(*ties.values()):
        strategy = dict(zip(ties, choices, strict=True))
        weights: dict[Any, Counter[int]] = {}
        for label, path, outcome, probability in everything:
            if all(strategy[found] == choice for found, choice in path):
                counts: Any = weights.setdefault(outcome, Counter())
                counts[label] += probability
        best = max(best, sum((max(counts.values()) for counts in weights.values()), Fraction(0)))
    return 100 * best / len(labels)


# ---------------------------------------------------------------------------------------------------------------------
# Beside brute force
# ---------------------------------------------------------------------------------------------------------------------


@given(datasets(), st.integers(0, 3))
def test_wl_and_isomorphism_like_brute_force(data: tuple[list[Colored], list[int]], rounds: int) -> None:
    colored, labels = data
    found = audited(colored, labels, rounds=rounds)
    classes = isomorphism_classes(colored)
    sizes = Counter(classes)
    kinds = {k: {label for c, label in zip(classes, labels, strict=True) if c == k} for k in sizes}
    shallow = [wl_histogram(one, rounds) for one in colored]
    deep = [wl_histogram(one, 7) for one in colored]
    assert found.graphs == len(colored)
    assert found.isomorphism_classes.tolist() == classes
    assert (found.bounds["isomorphism"].distinct, found.copies.duplicates) == (len(sizes), len(colored) - len(sizes))
    assert found.copies.duplicate_groups == sum(size > 1 for size in sizes.values())
    assert found.copies.contradictions == sum(sizes[k] for k in sizes if len(kinds[k]) > 1)
    assert (found.bounds["wl_rounds"].distinct, found.bounds["wl"].distinct) == (len(set(shallow)), len(set(deep)))
    assert found.bounds["wl_rounds"].ceiling == pytest.approx(ceiling(shallow, labels))
    assert found.bounds["wl"].ceiling == pytest.approx(ceiling(deep, labels))
    assert found.bounds["isomorphism"].ceiling == pytest.approx(ceiling(classes, labels))


STRUCTURES = ("gggrgg", "rg", "rgg", "grg", "rggr", "rgrg", "ggrrg", "gg")


@given(datasets() | labelled_datasets(), st.sampled_from(STRUCTURES))
def test_recoloring_like_brute_force(data: tuple[list[Colored], list[int]], structure: str) -> None:
    colored, labels = data
    found = audited(colored, labels, structure=structure)
    distributions, means, means_of_nodes = [], [], []
    for one in colored:
        total_of_nodes: Counter[Any] = Counter()
        for _, outcome, _ in draws(one, structure, every_node=True):
            total_of_nodes.update(outcome)
        means_of_nodes.append(frozenset(total_of_nodes.items()))
        distributions.append(frozenset(Counter(draws(one, structure)).items()))
        totals: dict[Any, Counter[Any]] = {}
        for path, outcome, _ in draws(one, structure):
            totals.setdefault(path, Counter()).update(outcome)
        means.append(frozenset((path, frozenset(total.items())) for path, total in totals.items()))
    assert found.bounds["wlt"].distinct == len(set(distributions))
    assert found.bounds["wlt_all"].distinct == len(set(means))
    assert found.bounds["wlt_nodes"].distinct == len(set(means_of_nodes))
    assert found.bounds["wlt"].ceiling == pytest.approx(ceiling(distributions, labels))
    assert found.bounds["wlt_all"].ceiling == pytest.approx(ceiling(means, labels))
    assert found.bounds["wlt_nodes"].ceiling == pytest.approx(ceiling(means_of_nodes, labels))


C6, TWO_C3 = as_graph(nx.cycle_graph(6)), as_graph(two_triangles())
PRISM, K33 = as_graph(nx.circular_ladder_graph(3)), as_graph(nx.complete_bipartite_graph(3, 3))
HEXAGON_AND_PENDANTS = as_graph(nx.corona_product(nx.cycle_graph(6), nx.empty_graph(1)))
TRIANGLES_AND_PENDANTS = as_graph(nx.corona_product(two_triangles(), nx.empty_graph(1)))
LADDER, MOEBIUS = as_graph(nx.circular_ladder_graph(4)), as_graph(nx.circulant_graph(8, [1, 4]))


def beside(graph: Graph, *others: nx.Graph[int]) -> Graph:
    """The graph, and others, as parts of one graph."""
    return as_graph(nx.disjoint_union_all([graph.to_networkx(), *others]))


@pytest.mark.parametrize("structure", ["rg", "rgg", "grgg", "rggg", "rgrg"])
@pytest.mark.parametrize(
    "different",
    [
        pytest.param([C6, TWO_C3], id="C6-vs-2C3"),
        pytest.param([PRISM, K33], id="prism-vs-K33"),
        pytest.param([LADDER, MOEBIUS], id="cube-vs-moebius"),
        pytest.param([HEXAGON_AND_PENDANTS, TRIANGLES_AND_PENDANTS], id="two-tied-classes"),
        pytest.param([beside(graph, nx.empty_graph(6)) for graph in (C6, TWO_C3)], id="tied-with-isolated-nodes"),
    ],
)
def test_one_draw_like_brute_force(different: list[Graph], structure: str) -> None:
    colored = [(graph, graph.degrees.tolist()) for graph in (*different, *different, different[0], C6)]
    labels = [0, 1, 0, 1, 1, 0]
    found = audited(colored, labels, structure=structure)
    assert found.bounds["wlt_one_draw"].ceiling == pytest.approx(float(best_with_one_draw(colored, labels, structure)))


@given(datasets(), st.sampled_from(["rg", "grgg", "rgrg"]))
def test_ceilings_are_in_order(data: tuple[list[Colored], list[int]], structure: str) -> None:
    found = audited(*data, structure=structure, rounds=Structure(structure).depth)
    assert found.bounds["wl_rounds"].ceiling is not None
    assert found.bounds["wlt"].ceiling is not None
    assert found.bounds["wlt_all"].ceiling is not None
    assert found.bounds["wlt_one_draw"].ceiling is not None
    assert found.bounds["isomorphism"].ceiling is not None
    rounding = 1e-9
    assert (
        found.bounds["wl_rounds"].ceiling
        <= found.bounds["wlt_all"].ceiling
        <= found.bounds["wlt"].ceiling
        <= found.bounds["isomorphism"].ceiling
        <= 100
    )
    assert found.bounds["wlt_nodes"].ceiling is not None
    assert found.bounds["wl_rounds"].ceiling <= found.bounds["wlt_nodes"].ceiling <= found.bounds["isomorphism"].ceiling
    assert (
        found.bounds["wl_rounds"].ceiling - rounding
        <= found.bounds["wlt_one_draw"].ceiling
        <= found.bounds["wlt"].ceiling + rounding
    )


@given(datasets(), st.randoms(use_true_random=False))
def test_neither_names_of_nodes_nor_order_of_graphs_matter(data: tuple[list[Colored], list[int]], random: Any) -> None:
    colored, labels = data
    order = list(range(len(colored)))
    random.shuffle(order)
    moved = []
    for i in order:
        graph, colors = colored[i]
        permutation = list(range(graph.num_nodes))
        random.shuffle(permutation)
        moved.append((graph.relabel(permutation), np.array(colors)[np.argsort(permutation)].tolist()))
    before = audited(colored, labels, structure="rgg").to_dict()
    after = audited(moved, [labels[i] for i in order], structure="rgg").to_dict()
    in_float = "ceiling_wlt_one_draw"
    assert after.pop(in_float) == pytest.approx(before.pop(in_float))
    assert after == before


def test_colors_tell_graphs_apart() -> None:
    same = [C6, C6]
    assert audit(same).bounds["isomorphism"].distinct == 1
    assert audit(same, node_labels=[0] * 11 + [1]).bounds["isomorphism"].distinct == 2
    assert audit(same, node_labels=[1] + [0] * 10 + [1]).bounds["isomorphism"].distinct == 1


def test_colors_tell_cores_apart() -> None:
    """Equal for WL, and isomorphic without their colours: the hexagon has one colour and the triangles the other."""
    both = Graph.from_edges(12, np.concatenate([C6.edges(), TWO_C3.edges() + 6]))
    found = audit([both, both, both], node_labels=[0] * 6 + [1] * 6 + [1] * 6 + [0] * 6 + [0] * 6 + [1] * 6)
    assert (found.bounds["wl"].distinct, found.isomorphism_classes.tolist()) == (1, [0, 1, 0])


def test_atlas() -> None:
    """1252 graphs, no two isomorphic; 26 pairs are equal for WL; 1200 graphs are amenable."""
    found = audit(Graph.union(atlas()))
    assert (found.graphs, found.bounds["isomorphism"].distinct, found.bounds["wl"].distinct) == (1252, 1252, 1226)
    assert round(found.amenable * 12.52) == 1200


def test_amenable_depends_on_the_colors() -> None:
    assert audit([C6, nx.path_graph(6)]).amenable == 50
    assert audit([C6, C6, C6, C6], node_labels=[*range(6), 1, *[0] * 5, *[0] * 12]).amenable == 50


@settings(max_examples=150)
@given(st.data())
def test_isomorphism_with_edges_that_carry_something_like_vf2(data: st.DataObject) -> None:
    """Labels, directions, parallel edges and loops, and colours of nodes: copies, near copies and others."""
    drawn, colors = [], []
    for pair in data.draw(st.lists(drawn_pairs(max_nodes=5), min_size=1, max_size=3)):
        same = data.draw(st.booleans())
        for one in pair:
            proper = any(u != v for u, v in one.edges)  # loops have no direction
            drawn.append(replace(one, directed=one.directed and proper))
            two_colors = st.lists(st.integers(0, 1), min_size=one.nodes, max_size=one.nodes)
            colors.append([0] * one.nodes if same else data.draw(two_colors))
    found = audit([one.graph() for one in drawn], node_labels=list(itertools.chain(*colors)))
    for (i, one), (j, other) in itertools.combinations(enumerate(drawn), 2):
        same_class = found.isomorphism_classes[i] == found.isomorphism_classes[j]
        alike = one.directed == other.directed
        assert same_class == (alike and labelled.isomorphic(one, other, (colors[i], colors[j])))


def test_with_edge_labels_no_graph_is_called_amenable() -> None:
    """The theorem about amenable graphs does not speak of labels. What WL identifies is counted under its own name."""
    bonds = [(3, [(0, 1), (1, 2)], ["single", "double"]), (3, [(0, 1), (1, 2)], ["single", "single"])]
    found = audit(bonds)
    assert (found.identified, found.amenable) == (100, None)
    assert audit([bond[:2] for bond in bonds]).amenable == 100


@pytest.mark.parametrize("seed", [0, 1])
def test_leaks_like_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    some = [as_graph(nx.gnm_random_graph(6, 7, seed=int(random.integers(60)))) for _ in range(40)]
    labels = random.integers(0, 2, 40)
    for folds in (2, 4):
        found = audit(some, labels, folds=folds, seed=seed)
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
        fold_of = {int(i): fold for fold, (_, test) in enumerate(splits) for i in test}
        given = [(graph, graph.degrees.tolist()) for graph in some]
        leaking = [
            any(fold_of[i] != fold_of[j] and isomorphic(given[i], given[j]) for j in range(40)) for i in range(40)
        ]
        assert 0 < sum(leaking) < 40
        assert found.copies.leaks == sum(leaking)


def test_compression_is_that_of_the_rounds_of_a_batch() -> None:
    some = [as_graph(nx.gnm_random_graph(9, 11, seed=i)) for i in range(300)]
    union = Graph.union(some)
    found = audit(union, seed=5, structure="ggrg")
    order = np.random.default_rng(5).permutation(300)
    for batches, rows_kept, edges_kept in (
        ([order[:128], order[128:256], order[256:]], *found.compression.batches),
        ([order], *found.compression.whole),
    ):
        rows, edges = np.zeros(3), np.zeros(3)
        for which in batches:
            batch = union.take(which)
            colors: Any = batch.degrees
            for layer in range(3):
                colors, step = refine_once(batch, node_labels=colors)
                rows[layer] += len(step.sizes)
                edges[layer] += len(step.counts.columns)
        assert rows_kept == pytest.approx(100 * rows / union.num_nodes)
        assert edges_kept == pytest.approx(100 * edges / len(union.neighbors))


# ---------------------------------------------------------------------------------------------------------------------
# What recoloring separates, by name
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "structure", "separated"),
    [
        pytest.param((C6, TWO_C3), "gggggg", False, id="C6-vs-2C3-without-r"),
        pytest.param((C6, TWO_C3), "gggrg", False, id="C6-vs-2C3-too-shallow"),
        pytest.param((C6, TWO_C3), "gggrgg", True, id="C6-vs-2C3"),
        pytest.param((shrikhande_graph(), rook_graph()), "rgggggg", False, id="strongly-regular-one-r"),
        pytest.param((shrikhande_graph(), rook_graph()), "rggrgg", True, id="strongly-regular-two-r"),
    ],
)
def test_pairs_that_wl_cannot_separate(pair: tuple[Any, Any], structure: str, separated: bool) -> None:
    found = audit(pair, [0, 1], structure=structure)
    assert (found.bounds["wl"].distinct, found.bounds["isomorphism"].distinct, found.bounds["wlt"].distinct) == (
        1,
        2,
        1 + separated,
    )
    assert (found.bounds["wl"].ceiling, found.bounds["isomorphism"].ceiling, found.bounds["wlt"].ceiling) == (
        50,
        100,
        100 if separated else 50,
    )


@pytest.mark.parametrize(
    ("structure", "separated"),
    [
        pytest.param("rggg", True, id="all-nodes-are-one-class"),
        pytest.param("grggg", False, id="the-leaves-are-the-largest-class"),
    ],
)
def test_the_class_is_chosen_after_the_rounds_before_it(structure: str, separated: bool) -> None:
    pair = [beside(graph, nx.star_graph(7)) for graph in (C6, TWO_C3)]
    assert audit(pair, node_labels=[0] * 28, structure=structure).bounds["wlt"].distinct == 1 + separated


def test_every_tied_class_is_tried() -> None:
    """Six nodes of each of six colours; only recoloring those in the rings separates the graphs."""
    pair = [beside(graph, nx.empty_graph(30)) for graph in (C6, TWO_C3)]
    for ring_color in range(6):
        colors = [ring_color] * 6 + [color for color in range(6) if color != ring_color for _ in range(6)]
        found = audit(pair, [0, 1], node_labels=colors * 2)
        assert (found.bounds["wlt"].distinct, found.bounds["wlt_all"].distinct) == (2, 2)
        assert found.bounds["wlt_one_draw"].ceiling == pytest.approx(100)


def test_the_distribution_tells_more_than_the_mean_and_a_draw_less() -> None:
    """All 206 fullerenes differ after four layers, 40 of them for recolor="all"; a draw often says nothing."""
    found = audit(fullerenes(), structure="rgggg")
    assert (found.bounds["wl"].distinct, found.bounds["wlt_all"].distinct, found.bounds["wlt"].distinct) == (5, 40, 206)
    assert found.bounds["wl"].ceiling == pytest.approx(55.8, abs=0.05)
    assert (found.bounds["wlt_all"].ceiling, found.bounds["wlt"].ceiling) == (100, 100)
    assert found.bounds["wlt_one_draw"].ceiling == pytest.approx(72.8, abs=0.05)


def test_no_ring_closes_in_two_rounds_of_a_fullerene() -> None:
    found = audit(fullerenes([36]), structure="gggrgg")
    assert (found.bounds["wlt"].distinct, found.bounds["isomorphism"].distinct) == (1, 15)


@pytest.mark.parametrize("structure", ["rggg", "rgggg", "grggg", "gggrgg"])
def test_the_model_separates_as_many(structure: str) -> None:
    """WLT-GNN with recolor="all" and random weights: as many different embeddings as the audit says.

    In training mode: without BatchNorm's normalisation hardly a ReLU bends, and a linear model sees less."""
    import torch

    from wlt.nn import WLTGNN, Batch

    some = [*fullerenes([36, 38]).union, *csl().take(range(0, 150, 15)).union]
    generator = torch.Generator().manual_seed(0)
    model = WLTGNN(5, 64, 2, structure=structure, recolor="all", generator=generator).double().train()
    with torch.no_grad():
        embedded = model.embed(Batch.from_graphs(some)).numpy()
    different: list[Any] = []
    for row in embedded:
        if not any(np.allclose(row, other, rtol=1e-9, atol=1e-9) for other in different):
            different.append(row)
    assert len(different) == audit(some, structure=structure).bounds["wlt_all"].distinct


def test_too_many_outcomes() -> None:
    found = audit([C6, TWO_C3], [0, 1], recoloring_budget=100)
    assert (
        found.bounds["wlt"].distinct,
        found.bounds["wlt_all"].distinct,
        found.bounds["wlt"].ceiling,
        found.bounds["wlt_one_draw"].ceiling,
    ) == (None,) * 4
    assert (found.bounds["wl"].distinct, found.bounds["isomorphism"].distinct) == (1, 2)
    assert found.notes[0].startswith("what gggrgg separates: too many outcomes")
    assert "too long to compute" in found.conclusion


# ---------------------------------------------------------------------------------------------------------------------
# Real data
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "distinct", "percent"),
    [
        ("MUTAG", 175, 100),
        ("PROTEINS", 1069, 99.73),
        ("NCI1", 4039, 99.83),
        ("IMDB-BINARY", 537, 88.60),
        ("IMDB-MULTI", 387, 63.27),
        pytest.param("COLLAB", 4068, 97.98, marks=pytest.mark.slow),
        pytest.param("REDDIT-BINARY", 1998, 100, marks=pytest.mark.slow),
    ],
)
def test_wl_separates_the_papers_datasets(data_dir: Any, name: str, distinct: int, percent: float) -> None:
    found = audit(load(name, data_dir, edge_labels=None))
    assert (found.bounds["wl"].distinct, found.bounds["wlt"].distinct, found.bounds["isomorphism"].distinct) == (
        distinct,
    ) * 3
    ceilings = (
        found.bounds["wl"].ceiling,
        found.bounds["wlt"].ceiling,
        found.bounds["wlt_one_draw"].ceiling,
        found.bounds["isomorphism"].ceiling,
    )
    assert ceilings == pytest.approx((percent,) * 4, abs=0.005)
    assert found.copies.duplicates == found.graphs - distinct
    assert found.conclusion.startswith(
        "WL already separates all graphs that differ: recoloring cannot raise training accuracy here."
    )


def test_exp(data_dir: Any) -> None:
    found = audit(load("EXP", data_dir), structure="rggg")
    assert (found.bounds["wl"].distinct, found.bounds["wlt"].distinct, found.bounds["isomorphism"].distinct) == (
        600,
        1200,
        1200,
    )
    assert (found.bounds["wl"].ceiling, found.bounds["wlt"].ceiling, found.bounds["isomorphism"].ceiling) == (
        50,
        100,
        100,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Input and output
# ---------------------------------------------------------------------------------------------------------------------


def test_any_kind_of_graphs_and_labels() -> None:
    union = audit(Graph.union([C6, C6, as_graph((1, []))]), np.array([1, 1, 0]), folds=2)
    for labels in (["ring", "ring", "dot"], np.array(["ring", "ring", "dot"], object), [1.0, 1.0, 0.0], [True, 1, 0]):
        listed = audit([nx.cycle_graph(6), "EhEG", (1, [])], labels, folds=2)
        assert listed.isomorphism_classes.tolist() == [0, 0, 1]
        assert {**listed.to_dict(), "notes": ()} == {**union.to_dict(), "notes": ()}  # these name the classes


@pytest.mark.parametrize("one_class", [["a", "a"], [0, 0]])
def test_one_class_is_enough(one_class: list[Any]) -> None:
    assert audit([C6, TWO_C3], one_class).bounds["wl"].ceiling == 100


def in_pyg(graph: Graph, x: float) -> Any:
    import torch
    from torch_geometric.data import Data

    return Data(x=torch.full((graph.num_nodes, 1), x), edge_index=torch.from_numpy(graph.edge_index()))


def with_atom(graph: Graph, atom: str) -> Any:
    other = graph.to_networkx()
    nx.set_node_attributes(other, atom, "atom")
    return other


@pytest.mark.parametrize(
    ("same_but_for_what_nodes_carry", "options"),
    [
        pytest.param([in_pyg(C6, 0.0), in_pyg(C6, 1.0)], {}, id="x"),
        pytest.param([with_atom(C6, "C"), with_atom(C6, "N")], {"node_labels": "atom"}, id="attribute"),
        pytest.param(as_graphs([with_atom(C6, "C"), with_atom(C6, "N")], node_labels="atom"), {}, id="Graphs"),
    ],
)
def test_what_nodes_carry_counts_as_it_does_for_the_classifier(
    same_but_for_what_nodes_carry: Any, options: dict[str, Any]
) -> None:
    found = audit(same_but_for_what_nodes_carry, [0, 1], **options)
    assert (found.bounds["isomorphism"].distinct, found.copies.contradictions, found.bounds["isomorphism"].ceiling) == (
        2,
        0,
        100,
    )
    by_degree = audit(same_but_for_what_nodes_carry, [0, 1], node_labels="degrees")
    assert (
        by_degree.bounds["isomorphism"].distinct,
        by_degree.copies.contradictions,
        by_degree.bounds["isomorphism"].ceiling,
    ) == (1, 2, 50)


def test_attributes_that_are_not_used_are_said() -> None:
    with pytest.warns(UserWarning, match=r"node attributes \('atom'\) are not used; node_labels='atom'") as caught:
        audit([with_atom(C6, "C"), with_atom(C6, "N")], [0, 1])
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        audit([with_atom(C6, "C"), with_atom(C6, "N")], node_labels=[0] * 12)


def test_a_dataset_brings_its_colors_and_labels() -> None:
    dataset = fullerenes([36])
    found = audit(dataset)
    assert found.name == "fullerenes"
    assert found.bounds["wl"].ceiling == pytest.approx(100 * max(np.bincount(dataset.class_numbers)) / 15)
    assert audit(dataset, targets=[0] * 15).bounds["wl"].ceiling == 100
    assert audit(dataset, node_labels=np.arange(540)).bounds["wl"].distinct == 15


def test_without_labels() -> None:
    found = audit([C6, TWO_C3, C6])
    assert (
        found.bounds["wl"].distinct,
        found.bounds["wlt"].distinct,
        found.bounds["isomorphism"].distinct,
        found.copies.duplicates,
    ) == (1, 2, 2, 1)
    for value in (
        found.bounds["wl_rounds"].ceiling,
        found.bounds["wl"].ceiling,
        found.bounds["wlt"].ceiling,
        found.bounds["wlt_all"].ceiling,
    ):
        assert value is None
    assert (
        found.bounds["wlt_one_draw"].ceiling,
        found.bounds["isomorphism"].ceiling,
        found.copies.contradictions,
        found.copies.leaks,
    ) == (None,) * 4
    assert found.notes == ("ceilings, contradictions and leaks: there are no labels",)
    assert found.conclusion == "WL sees 2 different graphs as 1, gggrgg as 2. 1 graph is an isomorphic duplicate."
    assert audit([C6, C6, C6]).conclusion.endswith("2 graphs are isomorphic duplicates.")


def test_too_few_graphs_for_the_folds() -> None:
    found = audit([C6, C6, TWO_C3], ["yes", "yes", "no"])
    assert found.copies.leaks is None
    assert found.notes == ("leaks: class 'no' has 1 graph, too few for 10 folds",)


def test_graphs_without_nodes_or_edges() -> None:
    found = audit([(0, []), (0, []), (3, [])], [0, 1, 0])
    assert (found.bounds["wl"].distinct, found.bounds["isomorphism"].distinct, found.copies.contradictions) == (2, 2, 2)
    assert audit([(0, [])]).bounds["wlt"].distinct == 1


def test_rounds_end_where_nothing_changes() -> None:
    path = as_graph(nx.path_graph(9))
    assert audit([path], rounds=2**32 - 1).bounds["wl_rounds"].distinct == 1


def test_json() -> None:
    found = audit([C6, TWO_C3], [0, 1])
    answer = json.loads(json.dumps(found.to_dict()))
    keys = "graphs distinct_wl distinct_isomorphism ceiling_wl ceiling_isomorphism amenable duplicates contradictions"
    assert set(keys.split()) | {"leaks"} <= set(answer)
    assert (answer["ceiling_wl"], answer["ceiling_isomorphism"]) == (50, 100)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"graphs": []}, "no graphs", id="no-graphs"),
        pytest.param({"targets": [0]}, "2 graphs and 1 label; one label for every graph", id="labels-shape"),
        pytest.param({"targets": [0.5, np.inf]}, "graph 1: the target is inf; it must be finite", id="infinite"),
        pytest.param({"targets": ["a", None]}, r"graph 1 has no label \(None\)", id="labels-missing"),
        pytest.param({"node_labels": [0, 1]}, r"node labels of shape \(2,\) for 12 nodes", id="colors-shape"),
        pytest.param({"rounds": -1}, "rounds must be at least 0", id="rounds"),
        pytest.param({"rounds": 1.5}, "rounds must be a whole number, not 1.5", id="rounds-float"),
        pytest.param({"folds": 1}, "folds must be at least 2", id="folds"),
        pytest.param({"folds": True}, "folds must be a whole number", id="folds-bool"),
        pytest.param({"seed": 2**32}, "seed must be at least 0 and below", id="seed"),
        pytest.param({"structure": "gxg"}, "unknown layer 'x'", id="structure"),
    ],
)
def test_bad_input(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        audit(**{"graphs": [C6, TWO_C3], "targets": [0, 1], **arguments})


NOTHING_TO_WIN = "recoloring cannot raise training accuracy here."


@pytest.mark.parametrize(
    ("some", "labels", "options", "sentences"),
    [
        pytest.param(
            [C6, K33], [0, 1], {}, [f"WL already separates all graphs that differ: {NOTHING_TO_WIN}"], id="separated"
        ),
        pytest.param(
            [C6, TWO_C3],
            [1, 1],
            {},
            [f"WL sees 2 different graphs as 1, but no label depends on that: {NOTHING_TO_WIN}"],
            id="one-label",
        ),
        pytest.param(
            [C6, TWO_C3],
            [0, 1],
            {},
            [
                "WL sees 2 different graphs as 1: recoloring one node (gggrgg) can raise the ceiling from 50.00 % to",
                "100.00 % over many draws (100.00 % with recolor all, 100.00 % with one draw).",
            ],
            id="recoloring-helps",
        ),
        pytest.param(
            [C6, TWO_C3],
            [0, 1],
            {"structure": "rg"},
            [
                "WL sees 2 different graphs as 1, and recoloring one node as in rg does not help: the ceiling of",
                "50.00 % could rise to 100.00 %; try more g behind the r.",
            ],
            id="too-few-layers",
        ),
        pytest.param(
            [C6, TWO_C3],
            [0, 1],
            {"structure": "gg"},
            [
                "WL sees 2 different graphs as 1, as does gg: the ceiling of 50.00 % could rise to 100.00 %;",
                "try an r with g behind it.",
            ],
            id="no-recoloring",
        ),
        pytest.param(
            [nx.path_graph(12), nx.disjoint_union(nx.path_graph(7), nx.cycle_graph(5))],
            [0, 1],
            {"rounds": 1},
            [
                "WL separates all graphs that differ, but only with more layers (rounds: 1, graphs seen as different:",
                "1 of 2): these do what recoloring can.",
            ],
            id="too-few-rounds",
        ),
        pytest.param(
            [C6] * 3 + [K33] * 6,
            [0, 0, 1, 1, 1, 1, 1, 0, 0],
            {"folds": 3},
            [
                f"WL already separates all graphs that differ: {NOTHING_TO_WIN}",
                "9 graphs have isomorphic copies with other labels: "
                "contradicting labels cap any model of node colours and edges at 66.67 %.",
                "9 graphs (100.0 %) leak: each has an isomorphic copy in another of the 3 folds.",
            ],
            id="contradictions-and-leaks",
        ),
    ],
)
def test_conclusion(some: list[Any], labels: list[int], options: dict[str, Any], sentences: list[str]) -> None:
    assert audit(some, labels, **options).conclusion == " ".join(sentences)


def test_no_torch() -> None:
    code = (
        "import sys\nfrom wlt import audit\n"
        "audit([(6, [(0, 1)]), (6, [(0, 2)])] * 6, [0, 1] * 6, folds=3)\nprint('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
