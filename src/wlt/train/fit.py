"""The training loop of every model: in the paper's tables, the estimators and the expressiveness benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from wlt.nn.norm import ClassBatchNorm
from wlt.train.memory import keep_freed_memory
from wlt.train.target import Task


class Source(Protocol):
    """Anything that makes batches of chosen graphs, such as `wlt.nn.Collection`, for the model that takes them."""

    def batch(self, which: NDArray[np.int64]) -> Any: ...


class Schedule(NamedTuple):
    """The settings of Adam. Every `decay_every` epochs the learning rate is multiplied by `decay`.

    calibration: how many random graphs `calibrate` sees after an epoch. A batch's worth is enough: the statistics are
    then as good as those that every training step worked with."""

    epochs: int = 100
    learning_rate: float = 0.01
    decay: float = 0.5
    decay_every: int = 50
    batch_size: int = 128
    calibration: int = 128


class Score(NamedTuple):
    """The mean loss, and the mean of what the target is scored by: accuracy, or the absolute error of numbers."""

    loss: float
    value: float


def train(
    model: torch.nn.Module,
    source: Source,
    task: Task,
    which: NDArray[np.int64],
    schedule: Schedule,
    generator: Generator,
) -> Iterator[Score]:
    """Train on the graphs `which`. Yields the score of every epoch; the model is then ready for evaluation.

    The score is taken during the training passes, with dropout on and weights changing."""
    keep_freed_memory()
    optimizer = torch.optim.Adam(model.parameters(), lr=schedule.learning_rate, fused=True)
    decay = torch.optim.lr_scheduler.StepLR(optimizer, schedule.decay_every, schedule.decay)
    for _ in range(schedule.epochs):
        score = train_epoch(model, optimizer, source, task, which, schedule.batch_size, generator)
        decay.step()
        sample = which[torch.randperm(len(which), generator=generator)[: schedule.calibration]]
        calibrate(model, source, sample, schedule.batch_size, generator)
        yield score


def train_epoch(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    source: Source,
    task: Task,
    which: NDArray[np.int64],
    batch_size: int,
    generator: Generator,
) -> Score:
    """Train for one pass over the graphs, in random order."""
    model.train()
    order = which[torch.randperm(len(which), generator=generator).numpy()]
    total, points, cells = 0.0, 0.0, 0
    for part in _parts(order, batch_size):
        outputs = model(source.batch(part), generator)
        loss = task.loss(outputs, part)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += loss.item() * len(part)
        scored = task.score(outputs, part)
        points, cells = points + scored[0], cells + scored[1]
    return Score(total / len(which), points / max(1, cells))


@torch.no_grad()
def calibrate(
    model: torch.nn.Module, source: Source, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> None:
    """Replace the running statistics of BatchNorm by those of these graphs under the current weights.

    Running statistics lag behind the weights. Usually the lag is small compared with the spread of the messages. But on
    regular graphs all nodes have the same message before the first recoloring: the variance is 0, the lag of the mean
    is divided by sqrt(eps) and summed over all nodes, and evaluation collapses although training went well."""
    norms = [module for module in model.modules() if isinstance(module, ClassBatchNorm)]
    if not norms:
        return  # GCN and GraphSAGE have none
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # None makes torch take the plain average over the batches
    model.train()
    for part in _parts(which, batch_size):
        model(source.batch(part), generator)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum


@torch.no_grad()
def predict(
    model: torch.nn.Module, source: Source, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> Tensor:
    """Outputs [graphs, outputs] in evaluation mode, in the order of `which`."""
    keep_freed_memory()
    model.eval()
    return torch.cat([model(source.batch(part), generator) for part in _parts(which, batch_size)])


def evaluate(
    model: torch.nn.Module,
    source: Source,
    task: Task,
    which: NDArray[np.int64],
    batch_size: int,
    generator: Generator,
) -> Score:
    """The score of the model on these graphs in evaluation mode."""
    outputs = predict(model, source, which, batch_size, generator)
    points, cells = task.score(outputs, which)
    return Score(float(task.loss(outputs, which)), points / max(1, cells))


def _parts(which: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    return (which[i : i + size] for i in range(0, len(which), size))
