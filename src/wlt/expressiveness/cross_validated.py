"""Mode `trained` for CSL and EXP: the cross-validated accuracy of a classifier."""

from __future__ import annotations

import copy
import os
import time

import numpy as np
from numpy.typing import NDArray
from torch import Generator

from wlt.data import csl
from wlt.data import load as load_dataset
from wlt.expressiveness.benchmarks import relabelled
from wlt.expressiveness.colors import num_pairs
from wlt.expressiveness.result import Part, Separation, policy_name
from wlt.nn.batch import Collection
from wlt.nn.model import WLTGNN
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.folds import Split, cross_validation
from wlt.train.target import Task
from wlt.train.threads import torch_threads

SCHEDULE = fit.Schedule(epochs=60, learning_rate=0.003, decay=0.5, decay_every=15, batch_size=32)
HIDDEN = 32
FOLDS = 10


@torch_threads(1)
def cross_validate(
    name: str,
    recolor: Recolor | None,
    structure: Structure,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
    *,
    schedule: fit.Schedule = SCHEDULE,
    folds: int = FOLDS,
) -> Separation:
    """Ten-fold accuracy on CSL or EXP, with the weights of the epoch whose loss on a validation fold is smallest.

    Two classes of CSL are separated if all graphs of both are classified correctly; a pair of EXP, if both its graphs
    are. The control: does a relabelled copy of every test graph get the same answer?"""
    start = time.perf_counter()
    dataset = csl() if name == "csl" else load_dataset("EXP", data, edge_labels=None)
    copies = relabelled(dataset, seed)
    answers, copied_answers = np.empty((2, len(dataset)), np.int64)
    accuracies = []
    layers = structure if recolor else structure.without_recoloring
    source = Collection(dataset.union, dataset.codes, layers.known_rounds)
    copied = Collection(copies.union, copies.codes)
    task = Task.classify(dataset.class_numbers)
    for fold, split in enumerate(splits(dataset.class_numbers, folds, seed, in_pairs=name == "exp")):
        generator = Generator().manual_seed(1000 * seed + fold)
        sizes = (len(dataset.values), HIDDEN, len(dataset.classes))
        model = WLTGNN(*sizes, structure=layers, recolor=recolor or 1, generator=generator)
        smallest = float("inf")
        for _ in fit.train(model, source, task, split.train, schedule, generator):
            loss = fit.evaluate(model, source, task, split.validation, schedule.batch_size, generator).loss
            if loss < smallest:
                smallest, best = loss, copy.deepcopy(model.state_dict())
        model.load_state_dict(best)
        answers[split.test] = _answers(model, source, split.test, schedule.batch_size, generator)
        copied_answers[split.test] = _answers(model, copied, split.test, schedule.batch_size, generator)
        accuracies.append(100 * float((answers[split.test] == dataset.class_numbers[split.test]).mean()))
    pairs, separated = (correct_classes if name == "csl" else _correct_pairs)(dataset.class_numbers, answers)
    failures = int((answers != copied_answers).sum())
    details = {"accuracy": float(np.mean(accuracies)), "accuracy_of_folds": accuracies, "seed": seed}
    parts = {name: Part(pairs, separated, len(dataset), failures)}
    seconds = time.perf_counter() - start
    return Separation(name, "trained", policy_name(recolor), str(structure), parts, seconds, details)


def splits(labels: NDArray[np.int64], folds: int, seed: int, in_pairs: bool) -> list[Split]:
    """Folds; those of EXP keep its pairs together.

    WL cannot tell the graphs of a pair apart, and their labels differ: a model that has learnt the label of one by
    heart would give it to the other, and do worse than chance."""
    if not in_pairs:
        return cross_validation(labels, folds, seed)
    pairs = cross_validation(np.zeros(len(labels) // 2, np.int64), folds, seed)
    return [Split(*(np.stack([2 * part, 2 * part + 1], axis=1).ravel() for part in split)) for split in pairs]


def correct_classes(labels: NDArray[np.int64], answers: NDArray[np.int64]) -> tuple[int, int]:
    """Pairs of classes, and those of them in which every graph of both classes has the correct answer."""
    correct = [bool((answers[labels == label] == label).all()) for label in np.unique(labels)]
    return num_pairs(len(correct)), num_pairs(sum(correct))


def _correct_pairs(labels: NDArray[np.int64], answers: NDArray[np.int64]) -> tuple[int, int]:
    correct = (labels == answers).reshape(-1, 2)
    return len(correct), int(correct.all(axis=1).sum())


def _answers(
    model: WLTGNN, source: Collection, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> NDArray[np.int64]:
    classes: NDArray[np.int64] = fit.predict(model, source, which, batch_size, generator).argmax(dim=1).numpy()
    return classes
