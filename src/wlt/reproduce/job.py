"""One job: a spec trained on one fold. All executors run it through `run_job`, so their curves agree bit by bit."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wlt.graphs import Graphs
from wlt.reproduce.environment import machine, versions
from wlt.reproduce.record import Curve, loss_units
from wlt.reproduce.spec import Spec
from wlt.structure import Structure
from wlt.train.folds import Split, cross_validation, whole_set
from wlt.train.threads import torch_threads
from wlt.work.calls import Report

if TYPE_CHECKING:  # torch is imported where jobs run; the driver does not need it
    from torch import Generator, Tensor

    from wlt.nn.batch import Collection


REPORT_EVERY = 0.5
"""Seconds between messages about the progress of a job."""


class Job(NamedTuple):
    """A spec and the number of its test fold; in Table 2, which has no folds, the number of the run."""

    spec: Spec
    fold: int

    def __str__(self) -> str:
        spec = self.spec
        size = "" if spec.kind == "WLT" else f" {len(spec.structure)}x{spec.hidden}"
        return f"{spec.dataset} {spec.method}{size} {'fold' if spec.folds else 'run'} {self.fold}"


class Outcome(NamedTuple):
    """What a worker sends back: the curve, and how and where it was made."""

    curve: Curve
    seconds: float  # processor time, which does not count what else the machine is doing
    machine: str
    versions: str


class Running(NamedTuple):
    """The job has finished this epoch; 0 says that it has started."""

    job: Job
    epoch: int
    seconds: float  # processor time so far


class Finished(NamedTuple):
    job: Job
    outcome: Outcome


class Lost(NamedTuple):
    """The worker died; the job will be restarted."""

    job: Job
    reason: str


class Failed(NamedTuple):
    """The job was given up."""

    job: Job
    reason: str


Event = Running | Finished | Lost | Failed


def run_job(spec: Spec, fold: int, dataset: Graphs, on_epoch: Callable[[int], None] | None = None) -> Curve:
    """Train, and evaluate after every epoch, on one thread: with more, rounding would depend on their number.

    Seeds come from (spec.seed, fold), so all methods start alike in a fold. Evaluation has its own generator, so that
    it does not influence the training."""
    from wlt.train import fit
    from wlt.train.target import Task

    split = split_of(spec, fold, dataset)
    training, evaluation = _generators(spec.seed, fold)
    task = Task.classify(dataset.class_numbers)
    columns: list[tuple[int, ...]] = []
    with torch_threads(1):
        source = _collection(dataset, Structure(spec.structure).known_rounds, spec.degrees)
        model = spec.build(dataset, training)
        for epoch, score in enumerate(fit.train(model, source, task, split.train, spec.schedule, training), start=1):
            row = [loss_units(score.loss), round(score.value * len(split.train))]
            for which in split.validation, split.test:
                if len(which):
                    score = fit.evaluate(model, source, task, which, spec.batch_size, evaluation)
                    row += [loss_units(score.loss), round(score.value * len(which))]
            columns.append(tuple(row))
            if on_epoch is not None:
                on_epoch(epoch)
    train_loss, train_right, *evaluated = zip(*columns, strict=True)
    sizes = (len(split.train), len(split.validation), len(split.test))
    validation_loss, validation_right, test_loss, test_right = evaluated if spec.folds else [(), (), *evaluated]
    stored_loss = () if spec.folds else test_loss  # no rule may look at the loss of a test fold
    return Curve(sizes, train_loss, train_right, validation_loss, validation_right, stored_loss, test_right)


def split_of(spec: Spec, fold: int, dataset: Graphs) -> Split:
    """The graphs that this job trains, validates and tests on."""
    if spec.folds == 0:
        return whole_set(dataset.class_numbers)
    return cross_validation(dataset.class_numbers, spec.folds, spec.seed)[fold]


def prepare() -> None:
    """Import torch and scikit-learn now: it takes seconds, which should not count as time of the first job."""
    import sklearn.model_selection  # noqa: F401

    import wlt.train.fit  # noqa: F401


def measured(report: Report, dataset: Graphs, spec: Spec, fold: int) -> Outcome:
    """Run a job and note its time, machine and versions. Reports from time to time the epoch and the time so far."""
    prepare()
    start, last = time.process_time(), time.monotonic()

    def on_epoch(epoch: int) -> None:
        nonlocal last
        if time.monotonic() - last >= REPORT_EVERY:
            last = time.monotonic()
            report((epoch, time.process_time() - start))

    curve = run_job(spec, fold, dataset, on_epoch)
    return Outcome(curve, round(time.process_time() - start, 2), machine(), versions())


def _generators(seed: int, fold: int) -> list[Generator]:
    import torch

    states = np.random.SeedSequence([seed, fold]).generate_state(2, np.uint64)
    return [torch.Generator().manual_seed(int(state)) for state in states]


@lru_cache(maxsize=1)
def _collection(dataset: Graphs, rounds: int, degrees: str) -> Collection:
    """Cached from job to job, because a worker runs the folds of one spec in a row."""
    from wlt.nn.batch import Collection

    features = None if degrees == "one-hot" else normalized_degrees(dataset)
    return Collection(dataset.union, dataset.codes, rounds, features)


def normalized_degrees(dataset: Graphs) -> Tensor:
    """The degree that each node colour stands for, normalized over all nodes to mean 0 and standard deviation 1,
    [colours, 1]: `NormalizedDegree` of PyG's benchmark, for datasets whose colours are degrees."""
    import torch

    if dataset.kind != "degrees":
        raise ValueError(f"{dataset.name}: the nodes are coloured by {dataset.kind}, not by degrees")
    degrees = dataset.union.degrees
    spread = degrees.std(ddof=1) if len(degrees) > 1 else 0.0
    return torch.tensor((dataset.values - degrees.mean()) / (spread or 1.0), dtype=torch.float32).unsqueeze(1)
