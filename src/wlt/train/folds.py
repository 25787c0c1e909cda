"""Which graphs a model is trained, validated and tested on: the paper's ten-fold protocol."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.wording import count

Indices = NDArray[np.int64]


class Split(NamedTuple):
    """The graphs to train, validate and test on."""

    train: Indices
    validation: Indices
    test: Indices


def cross_validation(labels: NDArray[Any], folds: int, seed: int) -> list[Split]:
    """One split for each of scikit-learn's stratified folds, which is its test fold.

    The validation fold is drawn at random from the others, and the rest is for training. The splits depend only on the
    labels and the seed, so they are the same for every method."""
    check_folds(labels, folds)
    tests = stratified(labels, folds, seed)
    return [_split(tests, test, seed) for test in range(folds)]


def stratified(labels: NDArray[Any], folds: int, seed: int) -> list[Indices]:
    """The graphs of each of scikit-learn's stratified folds for this seed."""
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return [np.sort(test) for _, test in splitter.split(np.zeros(len(labels)), labels)]


def unstratified(graphs: int, folds: int, seed: int) -> list[Indices]:
    """So many graphs in folds at random, by scikit-learn's KFold for this seed."""
    from sklearn.model_selection import KFold

    if graphs < folds:
        raise ValueError(f"{count(graphs, 'graph')}, too few for {folds} folds")
    return [np.sort(test) for _, test in KFold(folds, shuffle=True, random_state=seed).split(np.zeros(graphs))]


def check_folds(labels: NDArray[Any], folds: int) -> None:
    """Raise ValueError if these graphs cannot be divided into this many folds."""
    if folds < 3:
        raise ValueError(f"{folds} folds: at least 3 are needed, one each to train, validate and test")
    check_class_sizes(labels, folds)


def check_class_sizes(labels: NDArray[Any], folds: int, names: NDArray[Any] | None = None) -> None:
    """Raise ValueError if a class has fewer graphs than there are folds. names: what the message calls the classes."""
    counts = np.bincount(labels)
    rare = int(np.argmin(np.where(counts == 0, len(labels) + 1, counts)))
    if counts[rare] < folds:
        name = rare if names is None else names.tolist()[rare]
        raise ValueError(f"class {name!r} has {count(counts[rare], 'graph')}, too few for {folds} folds")


def _split(tests: list[Indices], test: int, seed: int) -> Split:
    others = [fold for fold in range(len(tests)) if fold != test]
    validation = others[int(np.random.default_rng([seed, test]).integers(len(others)))]
    train = np.sort(np.concatenate([tests[fold] for fold in others if fold != validation]))
    return Split(train, tests[validation], tests[test])


def whole_set(labels: NDArray[Any]) -> Split:
    """The split of Table 2: train on all graphs, and evaluate on the same graphs."""
    everything = np.arange(len(labels))
    return Split(everything, everything[:0], everything)
