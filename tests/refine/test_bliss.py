"""Searches by BLISS: right, within their time limit, and ended by Ctrl-C."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import wlt
from wlt.refine import bliss
from wlt.refine.bliss import TimeLimit, Undecided, automorphisms, canonical_order


def cubic(nodes: int, seed: int = 0) -> wlt.Graph:
    return wlt.as_graph(nx.random_regular_graph(3, nodes, seed=seed))


def relabelled(graph: wlt.Graph, seed: int = 0) -> wlt.Graph:
    return graph.relabel(np.random.default_rng(seed).permutation(graph.num_nodes))


LARGE = 50_000  # random cubic graphs of this size take BLISS far longer than any limit here


@pytest.mark.parametrize("nodes", [20, bliss.SMALL, bliss.SMALL + 2, 300], ids=lambda nodes: f"{nodes}-nodes")
def test_here_and_in_the_other_process_answers_are_those_of_networkx(nodes: int) -> None:
    graph = cubic(nodes)
    colors = np.zeros(nodes, np.int64)
    copy = relabelled(graph)
    first, second = (each.relabel(np.argsort(canonical_order(each, colors, TimeLimit(30)))) for each in (graph, copy))
    assert np.array_equal(first.edges(), second.edges())
    assert bool(wlt.isomorphism(graph, copy))
    assert bool(wlt.isomorphism(graph, cubic(nodes, 1))) == nx.is_isomorphic(
        graph.to_networkx(), cubic(nodes, 1).to_networkx()
    )
    for image in automorphisms(graph, colors):
        assert np.array_equal(graph.relabel(image).edges(), graph.edges())


def test_both_ways_give_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = wlt.as_graph(nx.circular_ladder_graph(20))
    colors = np.arange(40) % 2
    here = canonical_order(graph, colors)
    monkeypatch.setattr(bliss, "SMALL", 0)
    assert np.array_equal(canonical_order(graph, colors), here)


def test_the_answer_after_the_time_limit_is_undecided() -> None:
    graph = cubic(LARGE)
    result = wlt.isomorphism(graph, relabelled(graph), time_limit=0.5)
    assert result.verdict is wlt.Verdict.UNDECIDED
    assert (result.mapping, result.certain, result.time_limit) == (None, False, 0.5)
    with pytest.raises(Undecided, match=r"undecided within 0\.5 s"):
        bool(result)
    assert result.wl.verdict is wlt.Verdict.POSSIBLY_ISOMORPHIC  # what is known is there


def test_after_a_search_that_was_stopped_the_next_one_is_right() -> None:
    colors = np.zeros(LARGE, np.int64)
    with pytest.raises(Undecided):
        canonical_order(cubic(LARGE), colors, TimeLimit(0.2))
    assert sorted(canonical_order(cubic(100), colors[:100]).tolist()) == list(range(100))


def test_a_limit_is_one_for_all_searches_together() -> None:
    limit = TimeLimit(0.2)
    with pytest.raises(Undecided):
        canonical_order(cubic(LARGE), np.zeros(LARGE, np.int64), limit)
    with pytest.raises(Undecided):  # small as it is, no time is left for it
        canonical_order(cubic(10), np.zeros(10, np.int64), limit)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), "5", True], ids=repr)
def test_what_is_no_time_limit_is_refused(limit: object) -> None:
    path = (2, [(0, 1)])
    for call in (
        lambda: wlt.isomorphism(path, path, time_limit=limit),  # type: ignore[arg-type]
        lambda: wlt.graph_class(path, time_limit=limit),  # type: ignore[arg-type]
        lambda: wlt.audit([path], time_limit=limit),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="time limit must be a positive number of seconds"):
            call()


def test_ctrl_c_ends_a_search() -> None:
    graph = cubic(LARGE)
    copy = relabelled(graph)
    wlt.isomorphism(cubic(100), relabelled(cubic(100)))  # the process has started
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        wlt.isomorphism(graph, copy, time_limit=None)
    timer.join()
    assert bliss._process._started is None
    assert bool(wlt.isomorphism(cubic(100), relabelled(cubic(100))))


def test_a_search_is_not_ended_by_what_is_written_meanwhile() -> None:
    """As by the end of a long request, whose last bytes are read before `write` has told that they are there."""
    graph = cubic(1000)
    colors = np.zeros(graph.num_nodes, np.int64)
    first = canonical_order(graph, colors)  # the process has started
    started = bliss._process._started
    assert started is not None
    request = ("canonical_order", [tuple(bliss.plain_graph(graph, colors))])
    for _ in range(20):
        started.requests.send(request)
        started.requests.send(request)
        assert [started.answers.recv() for _ in range(2)] == [(first.tolist(), "")] * 2


KILLED = """
import os, signal, sys, threading
import numpy as np, networkx as nx, wlt
from wlt.refine import bliss
colors = np.zeros({nodes}, np.int64)
bliss.canonical_order(wlt.as_graph(nx.cycle_graph(100)), colors[:100])
print(bliss._process._started.process.pid, flush=True)
graph = wlt.as_graph(nx.random_regular_graph(3, {nodes}, seed=0))
threading.Timer(1, os.kill, (os.getpid(), signal.SIGKILL)).start()
bliss.canonical_order(graph, colors, bliss.TimeLimit(None))
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see whether a process is alive")
def test_where_wlt_is_killed_its_search_ends_too() -> None:
    driver = subprocess.run(
        [sys.executable, "-c", KILLED.format(nodes=LARGE)], capture_output=True, text=True, timeout=120
    )
    assert driver.returncode == -signal.SIGKILL
    searcher = Path("/proc") / driver.stdout.strip()
    for _ in range(10**6):
        if not searcher.exists():
            return
        os.sched_yield()
    pytest.fail(f"{searcher} still runs")


def test_graph_class_is_undecided_within_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wlt.graphclass.classes.MAX_AUTOMORPHISM_NODES", LARGE)
    found = wlt.graph_class(cubic(LARGE), time_limit=0.3)
    assert (found.amenable, found.refinable, found.tinhofer, found.compact) == (False, None, None, None)
    assert found.reasons["refinable"] == "the search for automorphisms is undecided within 0.3 s"


def test_an_audit_says_what_was_undecided() -> None:
    graph = cubic(LARGE)
    graphs = [graph, relabelled(graph), wlt.as_graph(nx.cycle_graph(6)), wlt.as_graph(nx.cycle_graph(6))]
    found = wlt.audit(graphs, [0, 1, 0, 1], time_limit=0.3, recoloring_budget=10**6)
    assert found.bounds["isomorphism"] == (None, None, None, None)
    assert (found.copies.duplicates, found.copies.contradictions, found.copies.leaks) == (None, None, None)
    assert found.bounds["wl"].distinct == 2
    assert any("undecided within 0.3 s for graph 0 and" in note for note in found.notes)
    assert "exact search took too long" in found.conclusion
    decided = wlt.audit(graphs[2:], [0, 1], time_limit=0.3)
    assert decided.copies.duplicates == 1


def test_hard_graphs_that_are_searched_in_this_process_are_quick() -> None:
    """They would hang the suite if they were not: a Paley graph, a lattice graph, and points and lines of a plane."""
    paley = nx.Graph(
        (u, v) for u, v in itertools.combinations(range(61), 2) if (u - v) % 61 in {x * x % 61 for x in range(1, 61)}
    )
    lattice = nx.line_graph(nx.complete_bipartite_graph(8, 8))
    plane = nx.Graph(
        ((p, "point"), (q, "line")) for p in range(31) for q in range(31) if (p + q) % 31 in (1, 5, 11, 24, 25, 27)
    )
    for graph in (paley, lattice, plane):
        plain = wlt.as_graph(graph)
        assert plain.num_nodes <= bliss.SMALL
        assert bool(wlt.isomorphism(plain, relabelled(plain)))
