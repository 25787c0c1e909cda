"""An audit looks at its graphs part by part: however they are divided, the answers are the same."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled import drawn_pairs
from strategies import equivalent_pairs, graphs, shuffled
from wlt import Graph, as_graph, audit, refine_once
from wlt.auditing.compression import ClassSample
from wlt.data import csl
from wlt.recoloring.outcomes import equal_multisets


def in_small_parts(monkeypatch: pytest.MonkeyPatch, graphs_in_a_part: int = 1) -> None:
    module = import_module("wlt.auditing.audit")  # the name is also that of the function
    monkeypatch.setattr(module, "BATCH_SIZE", graphs_in_a_part)
    monkeypatch.setattr(module, "PART_SIZE", 1)


@st.composite
def collections(draw: st.DrawFn) -> list[Any]:
    """Graphs with copies and with pairs that WL takes for equal; or with labels, directions and parallel edges."""
    if draw(st.booleans()):
        return [
            one.graph() for pair in draw(st.lists(drawn_pairs(max_nodes=5), min_size=1, max_size=4)) for one in pair
        ]
    some = draw(st.lists(graphs(7), min_size=1, max_size=4))
    for pair in draw(st.lists(st.sampled_from(equivalent_pairs()), max_size=2)):
        some += pair
    return some + [shuffled(graph, i) for i, graph in enumerate(some)]


@given(collections(), st.integers(0, 6), st.sampled_from(["gggrgg", "g", "rggg"]))
def test_one_part_for_every_graph(some: list[Any], rounds: int, structure: str) -> None:
    """Also for rounds beyond the depth of the structure, which each graph is given for itself."""
    targets = [i % 2 for i in range(len(some))]
    together = audit(some, targets, rounds=rounds, structure=structure)
    with pytest.MonkeyPatch.context() as monkeypatch:
        in_small_parts(monkeypatch)
        apart = audit(some, targets, rounds=rounds, structure=structure)
    assert apart.isomorphism_classes.tolist() == together.isomorphism_classes.tolist()
    assert apart.wl_classes.tolist() == together.wl_classes.tolist()
    assert apart.compression.whole == together.compression.whole
    kept = "rows_kept", "edges_kept"  # batches are made of graphs of one part
    assert {**apart.to_dict(), **dict.fromkeys(kept)} == {**together.to_dict(), **dict.fromkeys(kept)}


@given(st.lists(graphs(8), min_size=1, max_size=8), st.integers(0, 9), st.sampled_from(["g", "gg", "ggggg"]))
def test_rounds_beyond_the_depth_like_rounds_of_the_union(some: list[Graph], rounds: int, structure: str) -> None:
    union = Graph.union(some)
    colors: Any = union.degrees
    for _ in range(rounds):
        colors, _ = refine_once(union, node_labels=colors)
    classes = equal_multisets(union.starts, np.asarray(colors, np.int32))
    assert audit(some, rounds=rounds, structure=structure).bounds["wl_rounds"].distinct == len(set(classes.tolist()))


def test_real_copies_in_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rings = csl()
    together = audit(rings, structure="rgggg")
    in_small_parts(monkeypatch, 7)
    apart = audit(rings, structure="rgggg")
    assert apart.isomorphism_classes.tolist() == together.isomorphism_classes.tolist()
    assert (apart.bounds, apart.copies, apart.identified) == (together.bounds, together.copies, together.identified)


class Odd:
    """A label that means nothing in another process: no digest of it can be made."""

    def __init__(self, number: int):
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and other.number == self.number

    def __hash__(self) -> int:
        return self.number


def test_labels_of_any_type(monkeypatch: pytest.MonkeyPatch) -> None:
    path = nx.path_graph(3)
    some = []
    for middle in (0, 1, 0):
        nx.set_node_attributes(path, {0: Odd(5), 1: Odd(middle), 2: Odd(5)}, "kind")
        some.append(path.copy())
    in_small_parts(monkeypatch)
    assert audit(some, node_labels="kind").isomorphism_classes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("parts", [1, 13])
def test_classes_are_counted_while_they_are_few_and_estimated_beyond(parts: int) -> None:
    random = np.random.default_rng(3)
    words = random.integers(0, 2**64, 30_000, np.uint64)
    entries = words.astype(np.int64) % 5  # a class has one number of entries, wherever it is met
    seen = random.permutation(np.concatenate([np.arange(30_000), random.integers(0, 30_000, 50_000)]))
    for most, exact in ((40_000, True), (3000, False)):
        sample = ClassSample(most)
        for part in np.array_split(seen, parts):
            sample.add(words[part], entries[part])
        if exact:
            assert (sample.rows, sample.edges) == (30_000, int(entries.sum()))
        else:
            assert sample.level == 4
            assert sample.rows == pytest.approx(30_000, rel=0.12)
            assert sample.edges == pytest.approx(int(entries.sum()), rel=0.12)


def test_what_is_estimated_does_not_depend_on_the_parts() -> None:
    random = np.random.default_rng(4)
    words = random.integers(0, 2**64, 5000, np.uint64)
    found = set()
    for order in range(3):
        sample = ClassSample(700)
        for part in np.array_split(np.random.default_rng(order).permutation(5000), order + 1):
            sample.add(words[part], np.ones(len(part), np.int64))
        found.add((sample.level, sample.rows, sample.edges))
    assert len(found) == 1


def test_graphs_that_share_all_but_one_edge_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """A label that all edges of a graph have splits nothing in it, and still tells it from graphs with another."""
    single, double = ((3, [(0, 1), (1, 2)], [label] * 2) for label in ("single", "double"))
    in_small_parts(monkeypatch)
    found = audit([single, double, as_graph(single)], rounds=9, structure="g")
    assert found.bounds["wl_rounds"].distinct == found.bounds["wl"].distinct == 2
    assert found.isomorphism_classes.tolist() == [0, 1, 0]
