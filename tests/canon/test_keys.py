"""Canonical forms, keys and WL hashes, against isomorphism by networkx and igraph, and against stored values."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from named import KEYS, NAMED, WL_HASHES

from labelled import Drawn, drawn_pairs, isomorphic
from strategies import atlas, brec, equivalent_pairs, graphs, relabeled_graphs, shuffled
from wlt import (
    Graph,
    TooHard,
    as_graph,
    as_graphs,
    automorphisms,
    canonical_form,
    key,
    keys,
    orbits,
    read_graphs,
    wl_hash,
    wl_hashes,
    wl_test,
)
from wlt.canon.labels import digest
from wlt.compare.pair import Verdict
from wlt.interrupts import stoppable
from wlt.io.graphs import UnusedAttributesWarning


@pytest.mark.parametrize("name", list(NAMED))
def test_golden_keys(name: str) -> None:
    make, options = NAMED[name]
    assert key(make(), **options) == KEYS[name]


@pytest.mark.parametrize("name", list(WL_HASHES))
def test_golden_wl_hashes(name: str) -> None:
    make, options = NAMED[name]
    assert (wl_hash(make(), **options), wl_hash(make(), 3, **options)) == WL_HASHES[name]


def test_golden_keys_are_of_different_graphs_but_for_one_with_two_names() -> None:
    assert len(NAMED) == len(KEYS) >= 30
    assert KEYS["Heawood"] == KEYS["Fano's incidences"]
    assert len(set(KEYS.values())) == len(KEYS) - 1


def test_keys_do_not_depend_on_the_process_or_on_igraph() -> None:
    """Another process, with other hashes of strings, in which igraph cannot be imported."""
    program = (
        "import sys; sys.modules['igraph'] = None; import wlt; "
        "print(wlt.key((6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])))"
    )
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"})
    assert told.stdout.strip() == KEYS["two triangles"]


def test_all_graphs_of_the_atlas_differ_and_copies_do_not() -> None:
    found = keys(atlas())
    assert len(set(found)) == len(atlas())
    assert found == keys([shuffled(graph, i) for i, graph in enumerate(atlas())])
    assert found[:50] == [key(graph) for graph in atlas()[:50]]  # one by one, or in a union


@settings(max_examples=2000)
@given(drawn_pairs())
def test_labelled_directed_and_multi_pairs_like_vf2(pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    assert (key(g) == key(h)) == isomorphic(*pair)


@settings(max_examples=300)
@given(relabeled_graphs())
def test_relabelled_copies_have_the_same_form(drawn: Any) -> None:
    g, h, labels_g, labels_h, _ = drawn
    form, other = (canonical_form(*each) for each in [(g,), (h,)])
    assert form.graph.same_edges(other.graph)
    assert g.relabel(form.permutation).same_edges(form.graph)
    assert key(g, node_labels=labels_g) == key(h, node_labels=labels_h)


@settings(max_examples=300)
@given(graphs(), graphs())
def test_keys_like_igraph(g: Graph, h: Graph) -> None:
    assert (key(g) == key(h)) == g.to_igraph().isomorphic(h.to_igraph())


@settings(max_examples=200)
@given(drawn_pairs())
def test_wl_hashes_like_the_wl_test(pair: tuple[Drawn, Drawn]) -> None:
    g, h = pair[0].graph(), pair[1].graph()
    alike = wl_test(g, h).verdict is Verdict.POSSIBLY_ISOMORPHIC
    assert (wl_hash(g) == wl_hash(h)) == alike
    assert (wl_hash(g, 12) == wl_hash(h, 12)) == alike  # six nodes need fewer rounds


def test_wl_hashes_of_graphs_that_wl_cannot_tell_apart() -> None:
    for g, h in equivalent_pairs():
        assert wl_hash(g) == wl_hash(h)
        assert key(g) != key(h)
    assert len(set(wl_hashes(atlas()))) == len(atlas()) - len({id(g) for g, _ in equivalent_pairs()})
    assert len(set(wl_hashes(atlas(), 7))) == len(set(wl_hashes(atlas())))


def test_rounds_of_wl_hashes() -> None:
    path, star = nx.path_graph(4), nx.star_graph(3)
    assert wl_hash(path, 0) == wl_hash(star, 0) == wl_hash(nx.empty_graph(4), 0)
    assert wl_hash(path, 1) != wl_hash(star, 1)
    labelled = (2, [(0, 1)], ["x"])
    assert wl_hash(labelled, 0) == wl_hash((2, [(0, 1)]), 0)
    assert wl_hash(labelled, 1) != wl_hash((2, [(0, 1)]), 1)
    longer, shorter = nx.path_graph(9), nx.disjoint_union(nx.path_graph(5), nx.cycle_graph(4))
    assert wl_hash(longer, 2) == wl_hash(shorter, 2)
    assert wl_hash(longer, 3) != wl_hash(shorter, 3)
    with pytest.raises(ValueError, match="rounds must be at least 0, not -1"):
        wl_hash(path, -1)
    with pytest.raises(TypeError, match="rounds must be a whole number or None"):
        wl_hash(path, 1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(("file", "count"), [("graph8c", 11117), ("sr16622", 2), ("sr251256", 15)])
def test_families(data_dir: Path, file: str, count: int) -> None:
    family = read_graphs(data_dir / "expressiveness" / f"{file}.g6")
    found = keys(family)
    assert len(set(found)) == len(family) == count
    assert found == keys([shuffled(graph, i) for i, graph in enumerate(family)])


def test_brec_pairs_differ_and_their_copies_do_not(data_dir: Path) -> None:
    pairs = brec(data_dir)
    left, right = (keys(list(side)) for side in zip(*pairs, strict=True))
    assert all(one != other for one, other in zip(left, right, strict=True))
    assert left == keys([shuffled(graph, i) for i, (graph, _) in enumerate(pairs)])


def random_regular_unions() -> list[Graph]:
    """Graphs of several components that need a search, some of them isomorphic."""
    made = []
    for seed in range(12):
        parts = [nx.random_regular_graph(3, 8, seed=seed + i) for i in range(4)] + [nx.cycle_graph(5)] * (seed % 3)
        made.append(as_graph(nx.disjoint_union_all(parts)))
    return made


def test_graphs_of_several_components() -> None:
    unions = random_regular_unions()
    found = keys(unions)
    assert found == keys([shuffled(graph, i) for i, graph in enumerate(unions)])
    for i, g in enumerate(unions):
        for j, h in enumerate(unions[:i]):
            assert (found[i] == found[j]) == g.to_igraph().isomorphic(h.to_igraph())


def test_many_copies_of_a_component_are_no_burden() -> None:
    hexagons = as_graph(nx.disjoint_union_all([nx.cycle_graph(6)] * 500 + [nx.cycle_graph(5)]))
    assert key(hexagons) == key(shuffled(hexagons, 0))


def cfi(base: Any, twisted: bool) -> Graph:
    """The graphs of Cai, Fuerer and Immerman: of a node, the even sets of its edges; of an edge, a pair of nodes."""
    graph: Any = nx.Graph()
    edges = [frozenset(edge) for edge in base.edges()]
    for node in base:
        around = [edge for edge in edges if node in edge]
        for bits in range(2 ** len(around)):
            chosen = {edge for i, edge in enumerate(around) if bits >> i & 1}
            if len(chosen) % 2 == 0:
                for edge in around:
                    graph.add_edge((node, frozenset(chosen)), (node, edge, edge in chosen))
    for i, edge in enumerate(edges):
        u, v = sorted(edge)
        for side in (False, True):
            graph.add_edge((u, edge, side), (v, edge, side != (twisted and i == 0)))
    return as_graph(graph)


@pytest.mark.parametrize("base", [nx.complete_graph(4), nx.petersen_graph(), nx.cubical_graph()], ids=str)
def test_cfi_graphs(base: Any) -> None:
    plain, twisted = (cfi(base, side) for side in (False, True))
    assert wl_hash(plain) == wl_hash(twisted)
    assert key(plain) != key(twisted)
    assert keys([plain, twisted]) == keys([shuffled(plain, 1), shuffled(twisted, 2)])


def test_a_graph_beyond_the_budget_gets_no_key() -> None:
    hard = as_graph(nx.disjoint_union(nx.petersen_graph(), nx.hoffman_singleton_graph()))
    with pytest.raises(TooHard, match=r"graph 1: colour refinement does not decide, and the search did not end"):
        keys([nx.path_graph(3), hard], budget=1000)
    with pytest.raises(TooHard):
        canonical_form(nx.hoffman_singleton_graph(), budget=1000)
    assert key(nx.path_graph(3), budget=0) == KEYS["path of 3"]  # refinement decides: nothing is searched


def test_searches_in_steps_and_begun_anew_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [cfi(nx.complete_graph(4), side) for side in (False, True)]
    graphs += [
        as_graph(nx.disjoint_union(nx.petersen_graph(), nx.hoffman_singleton_graph())),
        as_graph(nx.path_graph(3)),
    ]
    found, order = keys(graphs), automorphisms(nx.hoffman_singleton_graph()).order
    monkeypatch.setattr("wlt.canon.labels.AT_ONCE", 1000)
    monkeypatch.setattr("wlt.canon.forms.DESCRIBED_AT_ONCE", 3)
    assert keys(graphs) == found
    assert automorphisms(nx.hoffman_singleton_graph()).order == order == 252000


def test_an_interrupt_ends_a_search_that_would_go_on_for_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = cfi(nx.random_regular_graph(3, 40, seed=1), False)

    def interrupted(stop: Any, call: Any, *arguments: Any) -> Any:
        def begin() -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            return call(*arguments)

        return stoppable(stop, begin)

    monkeypatch.setattr("wlt.canon.labels.AT_ONCE", 1_000_000)
    monkeypatch.setattr("wlt.canon.labels.stoppable", interrupted)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            key(hard, budget=10**15)
    finally:
        signal.signal(signal.SIGINT, former)


def test_what_nodes_carry_counts_by_its_value() -> None:
    water, sulfide = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(water, dict(enumerate("HOH")), "atom")
    nx.set_node_attributes(sulfide, dict(enumerate("HSH")), "atom")
    assert key(water, node_labels="atom") != key(sulfide, node_labels="atom")
    assert keys([sulfide, water], node_labels="atom")[1] == key(water, node_labels="atom")
    assert key(water, node_labels="degrees") == KEYS["path of 3"]
    assert key(water, node_labels=[1, 2, 1]) == key(sulfide, node_labels=[1, 2, 1]) != key(water, node_labels=[1, 3, 1])


def test_labels_of_other_graphs_of_a_union_have_no_part() -> None:
    first = (3, [(0, 1), (1, 2)], ["b", "c"])
    assert keys([first, (2, [(0, 1)], ["a"])])[0] == keys([(2, [(0, 1)], ["z"]), first])[1] == key(first)
    mixed = Graph.union([as_graph((3, [(0, 1), (1, 2)])), as_graph(first)])
    assert keys(mixed) == [KEYS["path of 3"], key(first)]


def test_a_key_is_of_one_graph() -> None:
    pair = [nx.path_graph(3), nx.path_graph(4)]
    for several in (pair, Graph.union(map(as_graph, pair))):
        with pytest.raises(ValueError, match=r"one graph is needed, not 2; use wlt\.keys"):
            key(several)
        with pytest.raises(ValueError, match=r"one graph is needed, not 2; use wlt\.wl_hashes"):
            wl_hash(several)


@pytest.mark.parametrize("ask", [key, keys, wl_hash, wl_hashes, orbits], ids=lambda ask: ask.__name__)
def test_what_an_answer_without_place_did_not_look_at_is_a_warning(ask: Any) -> None:
    weighted = nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})])
    with pytest.warns(UnusedAttributesWarning, match=r"not looked at: the edge attribute 'weight'; edge_labels names"):
        ask(weighted)
    with pytest.warns(UnusedAttributesWarning, match="not looked at: 1 loop"):
        ask((3, [(0, 1), (1, 1)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(weighted, edge_labels="weight")
        ask(weighted, edge_labels=None)
        ask(weighted, simple=True)
        ask(nx.path_graph(3))


def test_loops_count_and_degrees_do_not() -> None:
    loop: Any = nx.path_graph(3)
    loop.add_edge(1, 1)
    assert key(loop) != KEYS["path of 3"]
    assert key(loop) == key(as_graphs([loop])) == key(as_graph(loop))
    nx.set_node_attributes(loop, 2, "label")
    assert key(loop, node_labels="label") not in (key(loop, node_labels="degrees"), KEYS["path of 3"])


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (True, 1, True),
        (Fraction(1, 2), 0.5, True),
        (Decimal("0.5"), 0.5, True),
        (np.float32(0.1), 0.1, False),
        (np.int64(3), 3, True),
        (complex(2, 0), 2, True),
        (complex(2, 1), 2, False),
        (float("inf"), float("-inf"), False),
        (1, "1", False),
        ("a", b"a", False),
        (("a", "bc"), ("ab", "c"), False),
        ((1, 2), (1.0, 2), True),
        (None, "None", False),
        (frozenset([1, 2]), frozenset([2, 1]), True),
        (10**30, 10**30 + 1, False),
        (-0.0, 0, True),
    ],
)
def test_digests_of_labels_are_equal_iff_the_labels_are(one: Any, other: Any, equal: bool) -> None:
    assert (digest(one) == digest(other)) == equal


def test_labels_without_a_meaning_elsewhere_are_refused() -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: object, 1: object}, "kind")
    with pytest.raises(TypeError, match="is of type type; a key needs labels that mean the same everywhere"):
        key(graph, node_labels="kind")


@given(st.integers(2, 40), st.integers(0, 3))
def test_long_paths_and_cycles_with_a_marked_node(n: int, mark: int) -> None:
    """Beyond 256 nodes refinement goes another way: both must be blind to names."""
    for graph in (nx.path_graph(n * 20), nx.cycle_graph(n * 20)):
        labels = np.zeros(n * 20, np.int64)
        labels[mark] = 1
        permutation = np.random.default_rng(n).permutation(n * 20)
        moved = np.empty_like(labels)
        moved[permutation] = labels
        copy = as_graph(graph).relabel(permutation)
        assert key(graph, node_labels=labels) == key(copy, node_labels=moved)
