"""Folklore k-WL on a benchmark: which pairs it tells apart, exactly."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from wlt.compare.kwl import kwl_test
from wlt.compare.pair import Verdict
from wlt.expressiveness.benchmarks import num_pairs, relabelled
from wlt.expressiveness.result import Outcome, Part
from wlt.graphs import Graphs

TESTS = {"1-WL": 1, "2-FWL": 2, "3-FWL": 3}


def examine_by_kwl(graphs: Graphs, k: int, seed: int) -> Outcome:
    """Every pair of a group, and every graph beside a relabelled copy of itself."""
    copies = relabelled(graphs, seed)
    apart = sum(_rejects(graphs[i], graphs[j], k) for i, j in combinations(range(len(graphs)), 2))
    failures = sum(_rejects(graphs[i], copies[i], k) for i in range(len(graphs)))
    return Outcome("", Part(num_pairs(len(graphs)), apart, len(graphs), failures), f"{k}-FWL" if k > 1 else "1-WL")


def _rejects(g: Graphs, h: Graphs, k: int) -> bool:
    labels: Any = None if g.kind == "degrees" else (g.codes, h.codes)
    return kwl_test(g.union, h.union, k, node_labels=labels).verdict is Verdict.NON_ISOMORPHIC
