"""The sentence with which `fit` warns, and the ceiling of every recoloring, against the whole audit."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest

from strategies import atlas, shuffled
from wlt import Graph, Recolor, as_graph, as_graphs, audit
from wlt.auditing import ceiling, limits
from wlt.data import csl, fullerenes


def test_ceilings_of_every_recoloring() -> None:
    molecules = fullerenes([36])
    labels = np.arange(15) % 2
    whole = audit(molecules, labels, structure="rgggg")
    assert whole.bounds["wlt"].ceiling != whole.bounds["wlt_all"].ceiling
    for recolor, expected in (
        (1, whole.bounds["wlt"].ceiling),
        ("draws:8", whole.bounds["wlt"].ceiling),
        ("all", whole.bounds["wlt_all"].ceiling),
        ("nodes", whole.bounds["wlt_nodes"].ceiling),
        ("canonical", None),
        (2, None),
        ("100%", None),
    ):
        assert ceiling(whole, molecules.union, Recolor(recolor)) == expected
    same_for_wl = audit(molecules, labels * 0, structure="rgggg")
    assert ceiling(same_for_wl, molecules.union, Recolor("canonical")) == 100
    no_recoloring = audit(molecules, labels, structure="ggr")
    assert ceiling(no_recoloring, molecules.union, Recolor("canonical")) == no_recoloring.bounds["wl_rounds"].ceiling
    twice = audit(molecules, labels, structure="rgrg")
    assert ceiling(twice, molecules.union, Recolor(1)) == twice.bounds["wlt"].ceiling
    assert ceiling(twice, molecules.union, Recolor("draws:2")) is None
    assert ceiling(twice, molecules.union, Recolor("all")) == twice.bounds["wlt_all"].ceiling  # 36 * 36 replicas
    assert (
        ceiling(twice, Graph.union([as_graph(nx.cycle_graph(65))]), Recolor("all")) is None
    )  # too many: they are sampled


@pytest.mark.parametrize("structure", ["gg", "ggrgg", "rgg"])
@pytest.mark.parametrize("seed", range(6))
def test_limits_are_those_of_the_whole_audit(structure: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    chosen = [atlas()[i] for i in random.integers(900, 1252, 40)]
    graphs = Graph.union(chosen + [shuffled(graph, seed) for graph in chosen[: 8 * seed]])
    labels = random.integers(0, 2, len(graphs))
    data = as_graphs(graphs, labels, node_labels=graphs.degrees % (seed % 3 + 1))
    whole = audit(data, structure=structure)
    assert whole.bounds["wl_rounds"].ceiling is not None
    assert whole.bounds["wlt"].ceiling is not None
    assert whole.bounds["isomorphism"].ceiling is not None
    said = limits(data, structure, Recolor(1)) or ""
    reachable = whole.bounds["wlt"].ceiling if "r" in structure else whole.bounds["wl_rounds"].ceiling
    useless = "r" in structure and whole.bounds["wl_rounds"].ceiling == whole.bounds["isomorphism"].ceiling
    assert ("recoloring cannot help" in said) == useless
    stated = re.search(r"more than ([0-9.]+) %", said)
    assert (stated is not None) == (reachable < 90)
    if stated:
        assert stated[1] == f"{reachable:.1f}"
    assert ("because isomorphic graphs" in said) == (
        reachable < 90 and reachable == whole.bounds["isomorphism"].ceiling
    )


def test_what_would_take_long_is_not_audited() -> None:
    data = csl()
    assert limits(data, "gggrgg", Recolor(1), most_recolorings_audited=10) is None  # nothing is known about gggrgg
    assert limits(data, "gg", Recolor(1), most_audited=10) is None
    assert limits(data, "gg", Recolor(1)) is not None
