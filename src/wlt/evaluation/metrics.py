"""Scores of answers, by scikit-learn and scipy. A score that these answers cannot have is NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.targets import Kind

Scores = dict[str, float]

OF_CLASSES = ("accuracy", "balanced accuracy", "ROC AUC", "PR AUC", "F1")
OF_NUMBERS = ("MAE", "RMSE", "R2", "Spearman")


def scores(kind: Kind, truth: NDArray[Any], answers: NDArray[np.float64]) -> list[Scores]:
    """Of every column of the targets; classes are one column.

    truth: [graphs] class numbers, or [graphs, columns] with NaN in gaps. answers: [graphs, classes] probabilities, or
    [graphs, columns] numbers or probabilities of 1."""
    if kind == "classes":
        return [of_classes(truth, answers)]
    found = []
    for column in range(truth.shape[1]):
        there = ~np.isnan(truth[:, column])
        known, answered = truth[there, column], answers[there, column]
        if kind == "numbers":
            found.append(of_numbers(known, answered))
        else:
            found.append(of_classes(known.astype(np.int64), np.column_stack([1 - answered, answered])))
    return found


def of_classes(truth: NDArray[np.int64], shares: NDArray[np.float64]) -> Scores:
    """ROC AUC, PR AUC (average precision) and F1 are of the second of two classes, or the mean over more classes of
    each against the others, without those for which it is not defined."""
    from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

    if not len(truth):
        return dict.fromkeys(OF_CLASSES, np.nan)
    predicted = shares.argmax(axis=1)
    there = np.unique(truth)
    asked = [1] if shares.shape[1] == 2 else list(range(shares.shape[1]))
    defined = [kind for kind in asked if 0 < (truth == kind).sum() < len(truth)]
    recalls = [(predicted[truth == kind] == kind).mean() for kind in there]
    return {
        "accuracy": float((predicted == truth).mean()),
        "balanced accuracy": float(np.mean(recalls)),
        "ROC AUC": _mean([roc_auc_score(truth == kind, shares[:, kind]) for kind in defined]),
        "PR AUC": _mean([average_precision_score(truth == kind, shares[:, kind]) for kind in defined]),
        "F1": _mean([f1_score(truth == kind, predicted == kind, zero_division=0.0) for kind in defined]),
    }


def of_numbers(truth: NDArray[np.float64], answers: NDArray[np.float64]) -> Scores:
    from scipy.stats import spearmanr

    if not len(truth):
        return dict.fromkeys(OF_NUMBERS, np.nan)
    errors = answers - truth
    spread = np.square(truth - truth.mean()).sum()
    ranked = len(truth) > 1 and np.ptp(truth) > 0 and np.ptp(answers) > 0
    return {
        "MAE": float(np.abs(errors).mean()),
        "RMSE": float(np.sqrt(np.square(errors).mean())),
        "R2": float(1 - np.square(errors).sum() / spread) if spread > 0 else np.nan,
        "Spearman": float(spearmanr(truth, answers).statistic) if ranked else np.nan,
    }


def confusion(truth: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """[classes, classes] graphs of each class, by the class that they are taken for."""
    classes = shares.shape[1]
    pairs = truth * classes + shares.argmax(axis=1)
    return np.bincount(pairs, minlength=classes * classes).reshape(classes, classes)


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else np.nan
