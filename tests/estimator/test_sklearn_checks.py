"""scikit-learn's own checks of estimators, all that can apply, on both estimators.

The checks fit matrices. `OfRows` makes a graph of one node of every row, with the row as the node's features; nothing
else of the estimators is changed.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, validate_data

from wlt import Graph, Graphs
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor

CANNOT_APPLY = {
    "check_sample_weight_equivalence_on_dense_data": "a repeated graph also counts twice in BatchNorm and in batches; "
    "that a weight of 2 in the loss is the graph twice is in tests/train/test_target.py",
    "check_array_api_input": "graphs are no arrays",
    "check_classifiers_multilabel_output_format_decision_function": "there is no decision_function",
}


class OfRows:
    predicting = False

    def _read(self, graphs: Any) -> Graphs:
        rows = validate_data(self, graphs, reset=not self.predicting)
        union = Graph.from_edges(len(rows), [], np.arange(len(rows) + 1))
        return Graphs.by_rows(union, np.asarray(rows, float), "features")

    def _outputs(self, graphs: Any, embed: bool = False) -> Any:
        check_is_fitted(self, "models_")
        self.predicting = True
        try:
            return super()._outputs(graphs, embed)  # type: ignore[misc]
        finally:
            del self.predicting

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = True
        tags.no_validation = False
        return tags


class ClassifierOfRows(OfRows, WLTClassifier):
    pass


class RegressorOfRows(OfRows, WLTRegressor):
    pass


SMALL: dict[str, Any] = {"structure": "g", "hidden": 8, "epochs": 30, "dropout": 0.0, "audit": False}
ESTIMATORS = [
    kind(**SMALL, learning_rate=0.05, calibrate=False, random_state=0) for kind in (ClassifierOfRows, RegressorOfRows)
]


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


CHECKS = [(estimator, check) for each in ESTIMATORS for estimator, check in estimator_checks_generator(each)]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=[f"{type(estimator).__name__}-{name_of(check)}" for estimator, check in CHECKS]
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    if name_of(check) in CANNOT_APPLY:
        pytest.skip(CANNOT_APPLY[name_of(check)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_the_list_of_checks_that_cannot_apply_is_not_out_of_date() -> None:
    names = {name_of(check) for _, check in CHECKS}
    assert set(CANNOT_APPLY) <= names
    assert len(names) > 50


def test_bagging() -> None:
    """`Graphs`, or an array of objects with one column: scikit-learn's own estimators want two dimensions."""
    union = Graph.union([Graph.from_edges(n, [(i, i + 1) for i in range(n - 1)]) for n in range(3, 23)])
    graphs = Graphs.by_degree(union)
    sizes = np.arange(3, 23)
    classifier = BaggingClassifier(WLTClassifier(**SMALL, calibrate=False), n_estimators=3, random_state=0)
    assert classifier.fit(graphs, sizes > 12).score(graphs, sizes > 12) > 0.8
    column = np.empty((20, 1), object)
    column[:, 0] = [graph.to_networkx() for graph in union]
    regressor = BaggingRegressor(WLTRegressor(**SMALL, calibrate=False), n_estimators=3, random_state=0)
    assert regressor.fit(column, sizes).score(column, sizes) > 0.5
