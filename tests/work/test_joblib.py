"""scikit-learn's searches in wlt's workers, which survive the death of one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import joblib
import networkx as nx
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from wlt.estimator.classifier import WLTClassifier
from wlt.io import as_graphs


def process(_: int) -> int:
    return os.getpid()


def die_once(marks: Path, number: int) -> int:
    if number == 1 and not (marks / "died").exists():
        (marks / "died").touch()
        os._exit(9)
    return number


def refuse(number: int) -> int:
    raise KeyError(number)


def test_searches_give_the_scores_that_they_give_here() -> None:
    graphs = [nx.cycle_graph(4 + i // 2) if i % 2 else nx.path_graph(4 + i // 2) for i in range(16)]
    labels = np.arange(16) % 2
    model = WLTClassifier("g", epochs=3, calibrate=False, audit=False, random_state=0)
    grid = GridSearchCV(model, {"hidden": [2, 4]}, cv=2)
    here, scores = grid.fit(as_graphs(graphs), labels).cv_results_, cross_val_score(model, graphs, labels, cv=2)
    with joblib.parallel_config("wlt", n_jobs=2):
        there = grid.fit(as_graphs(graphs), labels).cv_results_
        assert (cross_val_score(model, graphs, labels, cv=2) == scores).all()
    assert (there["mean_test_score"] == here["mean_test_score"]).all()


def test_workers_stay_and_faults_are_mended(tmp_path: Path) -> None:
    with joblib.parallel_config("wlt", n_jobs=2):
        run: Any = joblib.Parallel()
        ids = {*run(joblib.delayed(process)(i) for i in range(6)), *run(joblib.delayed(process)(i) for i in range(6))}
        assert len(ids) <= 2
        assert os.getpid() not in ids
        assert run(joblib.delayed(die_once)(tmp_path, i) for i in range(4)) == [0, 1, 2, 3]
        with pytest.raises(KeyError):
            run(joblib.delayed(refuse)(i) for i in range(4))
