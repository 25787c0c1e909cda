"""Scores, splits, baselines and whole evaluations, against scikit-learn and by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn import metrics as reference
from sklearn.base import clone

from wlt.data import load
from wlt.estimator.calibration import expected_calibration_error
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor
from wlt.evaluation import metrics
from wlt.evaluation.baseline import wl_features
from wlt.evaluation.charts import Line, chart, ticks
from wlt.evaluation.evaluate import evaluate
from wlt.evaluation.page import evaluation_page
from wlt.evaluation.splits import split
from wlt.graphs import Graphs
from wlt.io import as_graphs
from wlt.table import Table
from wlt.work.processes import Processes

SMALL: dict[str, Any] = {"structure": "gg", "hidden": 8, "epochs": 4, "audit": False, "random_state": 0}


def rings_and_chains(number: int = 24) -> Graphs:
    made = [nx.cycle_graph(4 + i // 2) if i % 2 else nx.path_graph(4 + i // 2) for i in range(number)]
    return as_graphs(made, ["ring" if i % 2 else "chain" for i in range(number)])


def with_columns(graphs: Graphs, columns: Any, names: tuple[str, ...]) -> Graphs:
    return replace(graphs, targets=np.asarray(columns, float), target_names=names)


# ---------------------------------------------------------------------------------------------------------------------
# Scores
# ---------------------------------------------------------------------------------------------------------------------


@given(st.integers(2, 4), st.integers(5, 40), st.integers(0, 2**32 - 1))
def test_scores_of_classes_are_scikit_learns(classes: int, graphs: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = random.integers(classes, size=graphs)
    truth[:classes] = range(classes)
    shares = random.dirichlet(np.ones(classes), graphs)
    found = metrics.of_classes(truth, shares)
    predicted = shares.argmax(axis=1)
    assert found["accuracy"] == reference.accuracy_score(truth, predicted)
    assert found["balanced accuracy"] == pytest.approx(reference.balanced_accuracy_score(truth, predicted))
    if classes == 2:
        assert found["ROC AUC"] == pytest.approx(reference.roc_auc_score(truth, shares[:, 1]))
        assert found["PR AUC"] == pytest.approx(reference.average_precision_score(truth, shares[:, 1]))
        assert found["F1"] == pytest.approx(reference.f1_score(truth, predicted))
    else:
        assert found["ROC AUC"] == pytest.approx(reference.roc_auc_score(truth, shares, multi_class="ovr"))
        assert found["F1"] == pytest.approx(reference.f1_score(truth, predicted, average="macro"))
    assert (metrics.confusion(truth, shares) == reference.confusion_matrix(truth, predicted)).all()


def test_scores_that_are_not_defined_are_nan() -> None:
    one_class = metrics.of_classes(np.array([1, 1]), np.array([[0.1, 0.9], [0.6, 0.4]]))
    assert one_class["accuracy"] == 0.5
    assert np.isnan([one_class["ROC AUC"], one_class["PR AUC"]]).all()
    flat = metrics.of_numbers(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    assert (flat["MAE"], flat["RMSE"]) == (1.0, 1.0)
    assert np.isnan([flat["R2"], flat["Spearman"]]).all()
    assert np.isnan(list(metrics.of_numbers(np.zeros(0), np.zeros(0)).values())).all()


def test_scores_of_numbers_leave_gaps_out() -> None:
    random = np.random.default_rng(1)
    truth, answers = random.normal(size=(30, 2)), random.normal(size=(30, 2))
    truth[::3, 1] = np.nan
    there = ~np.isnan(truth[:, 1])
    _, found = metrics.scores("numbers", truth, answers)
    known, said = truth[there, 1], answers[there, 1]
    assert found["MAE"] == pytest.approx(reference.mean_absolute_error(known, said))
    assert found["RMSE"] == pytest.approx(reference.root_mean_squared_error(known, said))
    assert found["R2"] == pytest.approx(reference.r2_score(known, said))
    assert found["Spearman"] == pytest.approx(spearmanr(known, said).statistic)


# ---------------------------------------------------------------------------------------------------------------------
# Splits
# ---------------------------------------------------------------------------------------------------------------------


def tabled(graphs: Graphs, words: list[str]) -> Graphs:
    table = Table(
        Path("t.csv"), ["part"], [[word] for word in words], list(range(len(words))), tuple(range(len(words)))
    )
    return replace(graphs, table=table)


def test_every_graph_is_tested_once_and_never_by_a_model_that_has_seen_it() -> None:
    graphs = rings_and_chains()
    for how in ("stratified", "random"):
        folds = split(graphs, "classes", how, 4, 0).folds
        assert sorted(np.concatenate([fold.test for fold in folds]).tolist()) == list(range(24))
        for fold in folds:
            assert sorted([*fold.train, *fold.test]) == list(range(24))


def test_a_column_is_a_split() -> None:
    graphs = tabled(rings_and_chains(), (["train"] * 3 + ["valid"] + ["Test"] * 2) * 4)
    made = split(graphs, "classes", "part", 10, 0)
    ((train, test),) = made.folds
    assert (len(train), len(test)) == (12, 8)
    assert made.remarks == ("4 graphs of column 'part' are neither train nor test ('valid') and are not used",)
    made = split(tabled(graphs, ["a", "b", "c"] * 8), "classes", "part", 10, 0)
    assert [fold.test.tolist()[:2] for fold in made.folds] == [[0, 3], [1, 4], [2, 5]]


# ---------------------------------------------------------------------------------------------------------------------
# Evaluations
# ---------------------------------------------------------------------------------------------------------------------


def test_answers_are_those_of_models_that_were_fitted_by_hand() -> None:
    graphs = rings_and_chains()
    model = WLTClassifier(**SMALL)
    splits = split(graphs, "classes", None, 3, 0)
    found = evaluate(model, graphs, splits)
    for fold in splits.folds:
        fitted = clone(model).fit(graphs.take(fold.train))
        assert (found.answers["model"][fold.test] == fitted.predict_proba(graphs.take(fold.test))).all()
    assert found.scores("trivial")[0]["accuracy"] == 0.5
    assert found.classes == ("chain", "ring")
    assert found.confusion().sum() == 24
    mean = np.mean([scores[0]["accuracy"] for scores in found.fold_scores("model")])
    assert f": accuracy {mean:.4g} ± " in repr(found)
    assert repr(found).endswith(" in 3 folds)")
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["scores"]["model"]["all"][""]["accuracy"] == found.scores("model")[0]["accuracy"]
    assert len(told["scores"]["baseline"]["folds"]) == 3


def test_two_processes_give_the_same_bits() -> None:
    graphs = rings_and_chains()
    splits = split(graphs, "classes", None, 3, 0)
    model = WLTClassifier(**SMALL, ensemble=2)
    here, there = (evaluate(model, graphs, splits, place=place) for place in (None, Processes(2)))
    assert (here.answers["model"] == there.answers["model"]).all()
    assert (here.answers["baseline"] == there.answers["baseline"]).all()
    assert here.histories == there.histories


def test_numbers_and_several_columns() -> None:
    graphs = rings_and_chains()
    sizes = graphs.union.graph_sizes.astype(float)
    columns = np.column_stack([sizes, -sizes])
    columns[::4, 1] = np.nan
    several = with_columns(graphs, columns, ("size", "minus"))
    splits = split(several, "numbers", None, 3, 0)
    found = evaluate(WLTRegressor(**{**SMALL, "epochs": 60}), several, splits)
    assert found.columns == ("size", "minus")
    assert found.scores("model")[0]["MAE"] < 0.8 * found.scores("trivial")[0]["MAE"]
    assert found.scores("trivial")[0]["R2"] < 0.05
    assert found.limit is not None
    assert found.limit.mae == (0.0, 0.0)
    page = evaluation_page(found, several)
    assert "Prediction and truth of &#x27;minus&#x27;" in page or "Prediction and truth of 'minus'" in page


def test_columns_of_zeros_and_ones_with_gaps() -> None:
    graphs = rings_and_chains()
    ring = np.arange(24) % 2.0
    columns = np.column_stack([ring, 1 - ring])
    columns[::5, 1] = np.nan
    several = with_columns(graphs, columns, ("ring", "chain"))
    found = evaluate(WLTClassifier(**{**SMALL, "epochs": 40}), several, split(several, "binaries", None, 3, 0))
    assert found.kind == "binaries"
    assert min(found.scores("model")[column]["ROC AUC"] for column in (0, 1)) > 0.8
    assert "ROC of" in evaluation_page(found, several)


def test_a_class_that_no_training_graph_has_is_said_and_counts_as_wrong() -> None:
    graphs = rings_and_chains()
    targets = np.array(["star" if i < 2 else kind for i, kind in enumerate(graphs.targets.tolist())])
    rare = tabled(replace(graphs, targets=targets), ["a" if i < 4 else "b" if i % 3 else "c" for i in range(24)])
    found = evaluate(WLTClassifier(**SMALL), rare, split(rare, "classes", "part", 10, 0))
    assert found.remarks[-1].startswith("in 1 of 3 folds no training graph has a class of the test graphs ('star')")
    assert (found.answers["model"][:2, found.classes.index("star")] == 0).all()


def test_wl_features_are_those_of_the_kernel() -> None:
    """Counts of colours by plain Python, and equal rows for graphs that WL cannot tell apart."""
    two = as_graphs([nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), nx.path_graph(6)])
    rows = wl_features(two).toarray()
    assert np.allclose(rows[0], rows[1])
    assert not np.allclose(rows[0], rows[2])
    assert np.allclose((rows**2).sum(axis=1), 1)


def test_the_page_is_one_file_that_runs_nothing_of_the_users() -> None:
    graphs = rings_and_chains()
    evil = replace(graphs, targets=np.array(["<script>x</script>" if i % 2 else "b" for i in range(24)]), name="<b>")
    found = evaluate(WLTClassifier(**SMALL), evil, split(evil, "classes", None, 3, 0))
    page = evaluation_page(found, evil)
    assert "<script>x" not in page
    assert "<b>" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    for heading in ("Scores", "Confusion matrix", "Reliability", "Training: loss", "ROC of", "Fold by fold"):
        assert heading in page


def test_a_line_of_one_point_is_seen() -> None:
    """All answers may be equally sure; a training may have one epoch."""
    one, two = chart("t", "x", "y", [Line([0.5], [0.7])]), chart("t", "x", "y", [Line([0.5, 1], [0.7, 1])])
    assert (one.count("<circle"), one.count("<path")) == (1, 0)
    assert (two.count("<circle"), two.count("<path")) == (0, 1)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(low: float, width: float) -> None:
    found = ticks(low, low + width)
    assert 2 <= len(found) <= 11
    assert all(low - width * 1e-3 <= tick <= low + width * 1.001 for tick in found)


@pytest.mark.slow
def test_calibration_lowers_the_error_on_mutag(data_dir: Path) -> None:
    """Ten folds, all defaults; before calibration is how wlt 0.1 was."""
    graphs = load("MUTAG", data_dir)
    found = evaluate(WLTClassifier(random_state=0), graphs, split(graphs, "classes", None, 10, 0), place=Processes(2))
    before, after = (
        expected_calibration_error(each, found.truth) for each in (found.uncalibrated, found.answers["model"])
    )
    assert after < before
