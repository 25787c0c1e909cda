"""One job: a spec trained on one fold. Every executor runs it through `run_job`, so they agree bit by bit."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wlt.data import Dataset
from wlt.reproduce.record import Curve, loss_units
from wlt.reproduce.spec import Spec
from wlt.structure import Structure
from wlt.train.folds import Split, cross_validation, whole_set
from wlt.train.threads import torch_threads

if TYPE_CHECKING:  # torch is imported where jobs run: the driver does without
    from torch import Generator, Tensor

    from wlt.nn.batch import Collection

MAX_ATTEMPTS = 3
"""So often is a job begun whose worker dies under it."""


class Job(NamedTuple):
    """A spec and the fold that tests (of Table 2: the number of the run)."""

    spec: Spec
    fold: int

    def __str__(self) -> str:
        spec = self.spec
        size = "" if spec.kind == "WLT" else f" {len(spec.structure)}x{spec.hidden}"
        return f"{spec.dataset} {spec.method}{size} {'fold' if spec.folds else 'run'} {self.fold}"


class Outcome(NamedTuple):
    """What a worker sends back."""

    curve: Curve
    seconds: float  # of processor time: what else the machine does at the same time is no part of it
    machine: str
    versions: str


class Running(NamedTuple):
    job: Job
    epoch: int
    seconds: float  # of processor time, so far


class Finished(NamedTuple):
    job: Job
    outcome: Outcome


class Lost(NamedTuple):
    """The worker died; the job is begun again."""

    job: Job
    reason: str


class Failed(NamedTuple):
    """The job is given up."""

    job: Job
    reason: str


Event = Running | Finished | Lost | Failed


def run_job(spec: Spec, fold: int, dataset: Dataset, on_epoch: Callable[[int], None] | None = None) -> Curve:
    """Train and evaluate after every epoch, on one thread: the order of a sum would depend on their number.

    Seeds come from (spec.seed, fold), so all methods of a fold begin alike. Evaluation has a generator of its own, so
    that whatever is evaluated leaves training as it is."""
    import torch

    from wlt.train import fit

    split = split_of(spec, fold, dataset)
    training, evaluation = _generators(spec.seed, fold)
    labels = torch.tensor(dataset.labels)
    columns: list[tuple[int, ...]] = []
    with torch_threads(1):
        source = _collection(dataset, Structure(spec.structure).known_rounds, spec.degrees)
        model = spec.build(dataset.num_colors, dataset.num_classes, training)
        for epoch, score in enumerate(fit.train(model, source, labels, split.train, spec.schedule, training), start=1):
            row = [loss_units(score.loss), round(score.accuracy * len(split.train))]
            for which in split.validation, split.test:
                if len(which):
                    score = fit.evaluate(model, source, labels, which, spec.batch_size, evaluation)
                    row += [loss_units(score.loss), round(score.accuracy * len(which))]
            columns.append(tuple(row))
            if on_epoch is not None:
                on_epoch(epoch)
    train_loss, train_right, *evaluated = zip(*columns, strict=True)
    sizes = (len(split.train), len(split.validation), len(split.test))
    validation_loss, validation_right, test_loss, test_right = evaluated if spec.folds else [(), (), *evaluated]
    kept = () if spec.folds else test_loss
    return Curve(sizes, train_loss, train_right, validation_loss, validation_right, kept, test_right)


def split_of(spec: Spec, fold: int, dataset: Dataset) -> Split:
    """Which graphs train, validate and test in this job."""
    if spec.folds == 0:
        return whole_set(dataset.labels)
    return cross_validation(dataset.labels, spec.folds, spec.seed)[fold]


def prepare() -> None:
    """Import torch and scikit-learn, which takes seconds and is no part of a job's time."""
    import sklearn.model_selection  # noqa: F401

    import wlt.train.fit  # noqa: F401


def measured(spec: Spec, fold: int, dataset: Dataset, on_epoch: Callable[[int], None] | None = None) -> Outcome:
    """run_job with its time and place."""
    prepare()
    begin = time.process_time()
    curve = run_job(spec, fold, dataset, on_epoch)
    return Outcome(curve, round(time.process_time() - begin, 2), machine(), versions())


def _generators(seed: int, fold: int) -> list[Generator]:
    import torch

    states = np.random.SeedSequence([seed, fold]).generate_state(2, np.uint64)
    return [torch.Generator().manual_seed(int(state)) for state in states]


@lru_cache(maxsize=1)
def _collection(dataset: Dataset, rounds: int, degrees: str) -> Collection:
    """Kept from job to job: a worker does the folds of one spec in a row."""
    from wlt.nn.batch import Collection

    features = None if degrees == "one-hot" else normalized_degrees(dataset)
    return Collection(dataset.graphs, dataset.colors, rounds, features)


def normalized_degrees(dataset: Dataset) -> Tensor:
    """For every colour of a dataset without node labels its degree, minus the mean over all nodes, divided by the
    standard deviation, [colours, 1]: `NormalizedDegree` of PyG's benchmark."""
    import torch

    if dataset.color_kind != "degrees":
        raise ValueError(f"{dataset.name}: the nodes are coloured by {dataset.color_kind}, not by degrees")
    degrees = dataset.graphs.degrees
    spread = degrees.std(ddof=1) if len(degrees) > 1 else 0.0
    return torch.tensor((dataset.color_names - degrees.mean()) / (spread or 1.0), dtype=torch.float32).unsqueeze(1)


@cache
def machine() -> str:
    """The processor and the number of cores of this machine."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        name = models[0] if models else name
    except OSError:
        pass  # not Linux
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


@cache
def versions() -> str:
    """What curves depend on besides the machine."""
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("wlt", "torch", "numpy", "numba"))
    return f"{packages}, python {platform.python_version()}"
