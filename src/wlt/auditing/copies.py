"""Isomorphic copies in a dataset: duplicates, copies with different labels, and copies in different folds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.auditing.bounds import Classes, label_counts
from wlt.graphs import rank_rows
from wlt.targets import classes_of, kind_of
from wlt.train.folds import check_class_sizes, stratified, unstratified


class Copies(NamedTuple):
    """Counts of graphs. What needs labels is None where there are none; all are None where exact search found no answer
    within its time limit."""

    duplicates: int | None
    """Graphs beyond the first of their isomorphism class."""
    duplicate_groups: int | None
    """Isomorphism classes of two graphs or more."""
    contradictions: int | None
    """Graphs whose isomorphism class has more than one label."""
    leaks: int | None
    """Graphs with an isomorphic copy in another fold of the split (stratified where there are classes): seen in
    training, asked in the test."""
    folds: int
    seed: int
    """Of the folds."""


def different_targets(targets: NDArray[Any]) -> NDArray[np.int64]:
    """[graphs] Equal numbers for equal targets."""
    if targets.ndim == 1:
        return np.unique(targets, return_inverse=True)[1].astype(np.int64)
    return rank_rows(np.nan_to_num(targets, nan=np.inf))[1].astype(np.int64)


def count_copies(isomorphism: Classes, targets: NDArray[Any] | None, folds: int, seed: int) -> tuple[Copies, str]:
    """The counts, and why one of them is None, or an empty string."""
    sizes = np.bincount(isomorphism)
    duplicates, groups = len(isomorphism) - len(sizes), int((sizes > 1).sum())
    if targets is None:
        note = "ceilings, contradictions and leaks: there are no labels"
        return Copies(duplicates, groups, None, None, folds, seed), note
    labels = different_targets(targets)
    pairs = label_counts(isomorphism, labels)
    contradictions = int(sizes[np.bincount(pairs.classes) > 1].sum())
    try:
        if kind_of(targets) == "classes":
            check_class_sizes(labels, folds, classes_of(targets)[0])
            tests = stratified(labels, folds, seed)
        else:
            tests = unstratified(len(labels), folds, seed)
    except ValueError as error:
        return Copies(duplicates, groups, contradictions, None, folds, seed), f"leaks: {error}"
    fold_of = np.empty(len(labels), np.int64)
    for fold, test in enumerate(tests):
        fold_of[test] = fold
    _, place, in_same_fold = np.unique(isomorphism * folds + fold_of, return_inverse=True, return_counts=True)
    leaks = int((sizes[isomorphism] > in_same_fold[place]).sum())
    return Copies(duplicates, groups, contradictions, leaks, folds, seed), ""
