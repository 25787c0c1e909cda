"""Mode `trained` for CSL and EXP: the cross-validated accuracy of a classifier."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from wlt.data import csl
from wlt.data import load as load_dataset
from wlt.expressiveness.benchmarks import num_pairs, relabelled
from wlt.expressiveness.result import Outcome, Part
from wlt.expressiveness.subject import Subject, checked, module_input
from wlt.graphs import Graphs
from wlt.nn.batch import Collection
from wlt.nn.model import WLTGNN
from wlt.progress import Advance
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.folds import Split, cross_validation
from wlt.train.target import Task
from wlt.train.threads import torch_threads

SCHEDULE = fit.Schedule(epochs=60, learning_rate=0.003, decay=0.5, decay_every=15, batch_size=32)
HIDDEN = 32
FOLDS = 10

Found = tuple[list[Outcome], dict[str, Any]]


def cross_validate_policy(
    name: str,
    recolor: Recolor | None,
    structure: Structure,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
    *,
    schedule: fit.Schedule = SCHEDULE,
    folds: int = FOLDS,
    advance: Advance = lambda steps, remark: None,
) -> Found:
    """WLT-GNN, without its r layers if `recolor` is None."""
    layers = structure if recolor else structure.without_recoloring

    def make(dataset: Graphs, generator: Generator) -> torch.nn.Module:
        sizes = (len(dataset.values), HIDDEN, len(dataset.classes))
        return WLTGNN(*sizes, structure=layers, recolor=recolor or 1, generator=generator)

    def source(graphs: Graphs) -> fit.Source:
        return Collection(graphs.union, graphs.codes, layers.known_rounds)

    return cross_validate(name, make, source, data, seed, schedule=schedule, folds=folds, advance=advance)


def cross_validate_module(
    name: str,
    subject: Subject,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
    *,
    schedule: fit.Schedule = SCHEDULE,
    folds: int = FOLDS,
    advance: Advance = lambda steps, remark: None,
) -> Found:
    """A user's module, with one linear layer behind it."""

    def make(dataset: Graphs, generator: Generator) -> torch.nn.Module:
        module = subject.make(int(generator.initial_seed()))
        with torch.no_grad():
            first = ModuleSource(dataset, subject).batch(np.arange(2))
            dims = checked(module(first), 2, subject.name)[0].shape[1]
        return Classifier(module, dims, len(dataset.classes)).to(subject.device)

    def source(graphs: Graphs) -> fit.Source:
        return ModuleSource(graphs, subject)

    return cross_validate(name, make, source, data, seed, schedule=schedule, folds=folds, advance=advance)


class Classifier(torch.nn.Module):
    def __init__(self, module: torch.nn.Module, dims: int, classes: int):
        super().__init__()
        self.module, self.linear = module, torch.nn.Linear(dims, classes)

    def forward(self, batch: Any, generator: Generator | None = None) -> Tensor:
        logits: Tensor = self.linear(self.module(batch)).cpu()  # where the targets are
        return logits


class ModuleSource:
    """Batches as a user's module takes them."""

    def __init__(self, graphs: Graphs, subject: Subject):
        self.graphs, self.subject = graphs, subject

    def batch(self, which: NDArray[np.int64]) -> Any:
        return module_input(self.graphs.take(which), self.subject.takes, torch.float32, self.subject.device)


@torch_threads(1)
def cross_validate(
    name: str,
    make: Callable[[Graphs, Generator], torch.nn.Module],
    source_of: Callable[[Graphs], fit.Source],
    data: str | os.PathLike[str] | None,
    seed: int,
    *,
    schedule: fit.Schedule,
    folds: int,
    advance: Advance,
) -> Found:
    """Ten-fold accuracy on CSL or EXP, with the weights of the epoch whose loss on a validation fold is smallest.

    Two classes of CSL are separated if all graphs of both are classified correctly; a pair of EXP, if both its graphs
    are. The control: does a relabelled copy of every test graph get the same answer?"""
    dataset = csl() if name == "csl" else load_dataset("EXP", data, edge_labels=None)
    answers, copied_answers = np.empty((2, len(dataset)), np.int64)
    accuracies = []
    source, copied = source_of(dataset), source_of(relabelled(dataset, seed))
    task = Task.classify(dataset.class_numbers)
    for fold, split in enumerate(splits(dataset.class_numbers, folds, seed, in_pairs=name == "exp")):
        generator = Generator().manual_seed(1000 * seed + fold)
        model = make(dataset, generator)
        smallest = float("inf")
        best = copy.deepcopy(model.state_dict())
        for _ in fit.train(model, source, task, split.train, schedule, generator):
            loss = fit.evaluate(model, source, task, split.validation, schedule.batch_size, generator).loss
            if loss < smallest:
                smallest, best = loss, copy.deepcopy(model.state_dict())
        model.load_state_dict(best)
        answers[split.test] = _answers(model, source, split.test, schedule.batch_size, generator)
        copied_answers[split.test] = _answers(model, copied, split.test, schedule.batch_size, generator)
        accuracies.append(100 * float((answers[split.test] == dataset.class_numbers[split.test]).mean()))
        advance(1, f"{np.mean(accuracies):.1f} %")
    differ = answers != copied_answers
    details = {"accuracy": float(np.mean(accuracies)), "accuracy_of_folds": accuracies}
    if name == "csl":
        pairs, separated = correct_classes(dataset.class_numbers, answers)
        return [Outcome(name, Part(pairs, separated, len(dataset), int(differ.sum())), "accuracy")], details
    correct = (dataset.class_numbers == answers).reshape(-1, 2).all(axis=1)
    failures = differ.reshape(-1, 2).sum(axis=1)
    return [
        Outcome(name, Part(1, int(apart), 2, int(failed)), "accuracy")
        for apart, failed in zip(correct, failures, strict=True)
    ], details


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


def _answers(
    model: torch.nn.Module, source: fit.Source, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> NDArray[np.int64]:
    classes: NDArray[np.int64] = fit.predict(model, source, which, batch_size, generator).argmax(dim=1).numpy()
    return classes
