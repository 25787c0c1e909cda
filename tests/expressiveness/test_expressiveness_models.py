"""Modes untrained and trained on small groups; the whole of BREC, CSL and EXP are slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from families import chang_graphs, together

from strategies import rook_graph, shrikhande_graph, two_triangles
from wlt import as_graph
from wlt.expressiveness import Benchmark, Separation, evaluate
from wlt.expressiveness.cross_validated import correct_classes, splits

DEEP = "g4(rg4)3"


def untrained(benchmark: Benchmark, policy: str, structure: str, seed: int = 0) -> Separation:
    return evaluate(policy, benchmark, mode="untrained", structure=structure, seed=seed)


def rings_and_srgs() -> Benchmark:
    rings = [as_graph(nx.cycle_graph(6)), as_graph(two_triangles())]
    return Benchmark.of_groups("two pairs", [rings, [as_graph(shrikhande_graph()), as_graph(rook_graph())]])


@pytest.mark.parametrize(
    ("policy", "separated"),
    [("none", 0), ("canonical", 2), ("all", 1)],
)
def test_random_weights(policy: str, separated: int) -> None:
    """One recoloring, all nodes in turn, separates the rings; it cannot separate strongly regular graphs."""
    found = untrained(rings_and_srgs(), policy, DEEP if policy == "canonical" else "g4rg4")
    assert found.total == (2, separated, 4, 0)


@pytest.mark.parametrize("seed", range(3))
def test_random_weights_on_a_family_that_is_not_in_the_data(seed: int) -> None:
    found = untrained(together(*chang_graphs()), "canonical", DEEP, seed)
    assert found.total == (6, 6, 4, 0)
    assert found.statistics == {"distance": 6}


def test_one_random_draw_is_no_invariant() -> None:
    graph = as_graph(nx.lollipop_graph(3, 2))
    benchmark = together(as_graph(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(5))), graph)
    found = [untrained(benchmark, "one", "rgg", seed) for seed in range(4)]
    failed = [each for each in found if each.total.control_failures]
    assert failed
    assert all(any("not invariant" in note for note in each.notes) for each in failed)


def test_the_number_of_threads_is_restored() -> None:
    threads = torch.get_num_threads()
    evaluate("none", rings_and_srgs(), mode="trained", structure="g")
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(("policy", "separated"), [("none", 0), ("canonical", 2)])
def test_trained_by_the_procedure_of_brec(policy: str, separated: int) -> None:
    found = evaluate(policy, rings_and_srgs(), mode="trained", structure=DEEP)
    assert found.total == (2, separated, 2, 0)
    assert found.published is not None
    assert found.published[1] == 0


def test_trained_needs_pairs() -> None:
    with pytest.raises(ValueError, match="mode trained compares pairs, but made up has a group of 4 graphs"):
        evaluate("canonical", together(*chang_graphs()), mode="trained", structure=DEEP)


def test_classes_are_separated_if_all_their_graphs_are_right() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2])
    assert correct_classes(labels, labels) == (3, 3)
    assert correct_classes(labels, np.zeros(6, np.int64)) == (3, 0)
    assert correct_classes(labels, np.array([0, 0, 1, 1, 2, 0])) == (3, 1)


def test_folds_keep_pairs_together_and_cover_everything() -> None:
    labels = np.tile([0, 1], 30)
    folds = splits(labels, 10, seed=0, in_pairs=True)
    assert sorted(np.concatenate([split.test for split in folds]).tolist()) == list(range(60))
    for split in folds:
        assert sorted(np.concatenate(split).tolist()) == list(range(60))
        for part in split:
            assert set((part ^ 1).tolist()) == set(part.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["untrained", "trained"])
def test_brec_whole(data_dir: Path, mode: Any) -> None:
    found = evaluate("canonical", "brec", mode=mode, data=data_dir)
    assert (found.total.separated, found.total.control_failures) == (400, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "policy", "at_least", "at_most"),
    [("csl", "canonical", 100, 100), ("csl", "none", 0, 10), ("exp", "canonical", 99, 100), ("exp", "none", 50, 50)],
)
def test_cross_validated(data_dir: Path, name: str, policy: str, at_least: float, at_most: float) -> None:
    found = evaluate(policy, name, mode="trained", data=data_dir)
    assert at_least <= found.details["accuracy"] <= at_most
