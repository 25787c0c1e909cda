"""Audits of graphs with numbers to predict: the smallest errors that any model of a kind can have."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from wlt import audit
from wlt.auditing.bounds import bound, smallest_errors
from wlt.auditing.page import audit_page
from wlt.io import as_graphs

C6, TWO_C3 = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-100, 100) | st.just(np.nan)), min_size=1, max_size=25))
def test_no_answers_by_class_are_better(pairs: list[tuple[int, float]]) -> None:
    classes, values = np.array([kind for kind, _ in pairs]), np.array([value for _, value in pairs])
    mae, rmse = smallest_errors(classes, values)
    there = ~np.isnan(values)
    if not there.any():
        assert np.isnan([mae, rmse]).all()
        return
    candidates = []
    for summary in (np.median, np.mean):
        answers = np.zeros(len(values))
        for kind in set(classes[there].tolist()):
            members = there & (classes == kind)
            answers[members] = summary(values[members])
        candidates.append(answers[there])
    assert mae == pytest.approx(mean_absolute_error(values[there], candidates[0]), abs=1e-9)
    assert rmse == pytest.approx(root_mean_squared_error(values[there], candidates[1]), abs=1e-9)
    random = np.random.default_rng(0)
    for _ in range(20):
        other = random.choice(values[there], 4)[classes[there]]
        assert mae <= mean_absolute_error(values[there], other) + 1e-9
        assert rmse <= root_mean_squared_error(values[there], other) + 1e-9


def test_of_zeros_and_ones_the_ceiling_counts_cells() -> None:
    classes = np.array([0, 0, 0, 1])
    cells = np.array([[1, 0], [1, np.nan], [0, 1], [np.nan, 1]])
    assert bound(classes, cells).ceiling == pytest.approx(100 * 4 / 6)


def test_wl_and_recoloring() -> None:
    """One ring and two rings: WL sees them alike, a recoloured node tells them apart."""
    result = audit([C6, TWO_C3, C6], [1.5, 3.5, 1.5])
    assert result.bounds["wl"].mae == pytest.approx((2 / 3,))
    assert result.bounds["wl"].rmse == pytest.approx((np.std([1.5, 1.5, 3.5]),))
    assert (result.bounds["wlt"].mae, result.bounds["isomorphism"].mae) == ((0.0,), (0.0,))
    assert result.bounds["wl"].ceiling is None
    assert "the smallest errors are MAE 0.6667, RMSE 0.9428 for WL, MAE 0, RMSE 0 for gggrgg" in result.conclusion
    written = json.loads(json.dumps(result.to_dict()))
    assert written["mae_wl"] == pytest.approx([2 / 3])


def test_copies_with_other_values_contradict_and_leak() -> None:
    result = audit([C6, C6, TWO_C3, TWO_C3], [1.5, 2.5, 7.25, 7.25], folds=2)
    assert (result.copies.duplicates, result.copies.contradictions) == (2, 2)
    assert "2 graphs have isomorphic copies with other values" in result.conclusion
    assert result.copies.leaks is not None
    assert "Smallest errors" in audit_page(as_graphs([C6, C6, TWO_C3, TWO_C3], [1.5, 2.5, 7.25, 7.25]), result)


def test_several_columns_with_gaps() -> None:
    result = audit([C6, TWO_C3, C6], np.array([[1.5, np.nan], [3.5, 2.0], [1.5, 4.0]]))
    mae = result.bounds["wl"].mae
    assert mae == pytest.approx((2 / 3, 1.0))
