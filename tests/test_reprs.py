"""What results print as: one short line however large the graphs are, and a table in notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import wlt
from wlt.reproduce.environment import Environment
from wlt.reproduce.record import Curve, Record, Results
from wlt.reproduce.spec import Spec
from wlt.table import Table

LARGE = nx.random_regular_graph(3, 500, seed=1)
CURVE = Curve((800, 100, 100), *[tuple(range(1000))] * 6)
RECORD = Record(Spec("T", "wlt", "WLT", "gggrgg", epochs=1000), 3, CURVE, Environment("m", "v", "c"), 1.5, "2026")
RESULTS: list[Any] = [
    pytest.param(wlt.wl_test(LARGE, LARGE), "WLResult(possibly isomorphic after 0 rounds)", id="wl"),
    pytest.param(wlt.isomorphism(LARGE, LARGE), "IsomorphismResult(isomorphic, certain;", id="isomorphism"),
    pytest.param(
        wlt.isomorphism(nx.MultiGraph([(0, 0)]), nx.MultiGraph([(0, 0)]), simple=True),
        "certain, without 2 loops;",
        id="ignored",
    ),
    pytest.param(
        wlt.kwl_test(nx.petersen_graph(), nx.petersen_graph(), 2),
        "KWLResult(possibly isomorphic by 2-FWL after 0 rounds, 3 colours of tuples)",
        id="k-FWL",
    ),
    pytest.param(
        wlt.graph_class(nx.petersen_graph()),
        "GraphClass(10 nodes, 15 edges, 1 stable colour; tinhofer, refinable; not discrete, amenable, compact)",
        id="class",
    ),
    pytest.param(wlt.graph_class(nx.hypercube_graph(4), budget=0), "undecided: ", id="undecided"),
    pytest.param(wlt.canonical_form(nx.path_graph(300)), "CanonicalForm(Graph(nodes=300, edges=299))", id="form"),
    pytest.param(wlt.refine_once(nx.path_graph(300))[1], "Round(2 classes of 300 nodes)", id="round"),
    pytest.param(
        Table(Path("t.csv"), ["smiles", "y"], [["C", "1"]] * 999, list(range(999))),
        "Table(t.csv: 999 rows, 0 unreadable; columns 'smiles', 'y')",
        id="table",
    ),
    pytest.param(CURVE, "Curve(1000 epochs; 800, 100, 100 graphs to train, validate, test)", id="curve"),
    pytest.param(RECORD, "Record(T, wlt, gggrgg, fold 3: Curve(1000 epochs;", id="record"),
    pytest.param(Results([RECORD] * 9, {}), "Results(9 records", id="results"),
    pytest.param(wlt.as_graphs([nx.path_graph(3)]), "1 graph, 3 nodes, 2 edges", id="graphs"),
]


@pytest.mark.parametrize(("result", "expected"), RESULTS)
def test_a_result_is_one_short_line(result: Any, expected: str) -> None:
    assert expected in repr(result)
    assert len(repr(result)) < 200
    assert "\n" not in repr(result)


def test_an_audit_is_some_lines_without_gaps() -> None:
    audit = wlt.audit([nx.cycle_graph(n) for n in range(3, 9)], [0, 1] * 3)
    lines = repr(audit).splitlines()
    assert 5 < len(lines) < 15
    assert not any(": ," in line for line in lines)


@pytest.mark.parametrize(
    ("result", "cells"),
    [
        (wlt.isomorphism(nx.path_graph(3), nx.path_graph(3)), ["WL", "Tinhofer", "exact", "certain"]),
        (wlt.graph_class(nx.petersen_graph()), ["refinable", "yes", "no", "the stable classes are the orbits"]),
    ],
    ids=["isomorphism", "class"],
)
def test_notebooks_show_tables(result: Any, cells: list[str]) -> None:
    table = result._repr_html_()
    assert table.startswith("<table>")
    assert all(cell in table for cell in cells)


def test_what_users_name_does_not_become_markup() -> None:
    graphs = wlt.as_graphs([nx.path_graph(3), nx.path_graph(4)])
    audit = wlt.audit(wlt.Graphs(graphs.union, graphs.codes, graphs.values, "degrees", name="<script>"))
    assert "<script>" not in audit._repr_html_()
