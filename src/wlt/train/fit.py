"""The loop that trains every classifier: of the tables, of the estimator and of the expressiveness benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor
from torch.nn import functional

from wlt.nn.batch import Batch
from wlt.nn.norm import ClassBatchNorm

CALIBRATION_BATCHES = 4


class Source(Protocol):
    """Something batches are taken from, such as `wlt.nn.Collection`."""

    def batch(self, which: NDArray[np.int64]) -> Batch: ...


class Schedule(NamedTuple):
    """Adam for so many epochs; every `decay_every` epochs the learning rate is multiplied by `decay`."""

    epochs: int = 100
    learning_rate: float = 0.01
    decay: float = 0.5
    decay_every: int = 50
    batch_size: int = 128


class Score(NamedTuple):
    """Mean cross-entropy and share of right predictions."""

    loss: float
    accuracy: float


def train(
    model: torch.nn.Module,
    source: Source,
    labels: Tensor,
    which: NDArray[np.int64],
    schedule: Schedule,
    generator: Generator,
) -> Iterator[Score]:
    """Train on the graphs `which`; after every epoch the model is ready to evaluate and the epoch's score is given.

    The score is that of the training passes themselves (dropout on, weights changing)."""
    optimizer = torch.optim.Adam(model.parameters(), lr=schedule.learning_rate, fused=True)
    decay = torch.optim.lr_scheduler.StepLR(optimizer, schedule.decay_every, schedule.decay)
    for _ in range(schedule.epochs):
        score = train_epoch(model, optimizer, source, labels, which, schedule.batch_size, generator)
        decay.step()
        sample = which[torch.randperm(len(which), generator=generator)[: CALIBRATION_BATCHES * schedule.batch_size]]
        calibrate(model, source, sample, schedule.batch_size, generator)
        yield score


def train_epoch(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    source: Source,
    labels: Tensor,
    which: NDArray[np.int64],
    batch_size: int,
    generator: Generator,
) -> Score:
    """One pass over the graphs in random order."""
    model.train()
    order = which[torch.randperm(len(which), generator=generator).numpy()]
    total, right = 0.0, 0
    for part in _parts(order, batch_size):
        logits = model(source.batch(part), generator)
        target = labels[part].to(logits.device)
        loss = functional.cross_entropy(logits, target)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += loss.item() * len(part)
        right += int((logits.argmax(dim=1) == target).sum())
    return Score(total / len(which), right / len(which))


@torch.no_grad()
def calibrate(
    model: torch.nn.Module, source: Source, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> None:
    """Replace BatchNorm's running statistics by those of these graphs under the present weights.

    Running statistics lag behind the weights. Usually that is nothing beside the spread of the messages; but on regular
    graphs all nodes have one message before the first recoloring, the variance is 0, and the lag of the mean is
    divided by sqrt(eps) and then summed over all nodes: evaluation collapses after a good training."""
    norms = [module for module in model.modules() if isinstance(module, ClassBatchNorm)]
    if not norms:
        return  # GCN and GraphSAGE
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # torch: None is the plain average over the batches
    model.train()
    for part in _parts(which, batch_size):
        model(source.batch(part), generator)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum


@torch.no_grad()
def predict(
    model: torch.nn.Module, source: Source, which: NDArray[np.int64], batch_size: int, generator: Generator
) -> Tensor:
    """Logits [graphs, classes] in evaluation mode, in the order of `which`."""
    model.eval()
    return torch.cat([model(source.batch(part), generator) for part in _parts(which, batch_size)])


def evaluate(
    model: torch.nn.Module,
    source: Source,
    labels: Tensor,
    which: NDArray[np.int64],
    batch_size: int,
    generator: Generator,
) -> Score:
    """Score of the model on these graphs."""
    logits = predict(model, source, which, batch_size, generator)
    target = labels[which].to(logits.device)
    return Score(
        float(functional.cross_entropy(logits, target)), float((logits.argmax(dim=1) == target).double().mean())
    )


def _parts(which: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    return (which[i : i + size] for i in range(0, len(which), size))
