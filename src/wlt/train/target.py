"""What is to be predicted, as one value: the outputs that a model needs, its loss and its score, and what outputs mean.

There are three kinds: one of several classes (`Classes`), several yes-or-no questions (`Binaries`), and one or more
numbers (`Numbers`). In the last two a cell may be a gap, NaN: it counts neither in the loss nor in the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Loss = Literal["huber", "absolute", "squared"]
LOSSES: tuple[Loss, ...] = ("huber", "absolute", "squared")


class Target(Protocol):
    """What the training loop and the estimators know about what is to be predicted."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns of the targets are called; empty where they are one plain list."""

    @property
    def outputs(self) -> int:
        """Numbers that a model gives for every graph."""

    @property
    def score_name(self) -> str:
        """What `score` adds up."""

    def like(self, other: Target) -> bool:
        """Does a network for the other target have outputs with the same meaning, but for their scale?"""

    def encode(self, targets: NDArray[Any]) -> Tensor:
        """What `loss` and `score` compare outputs with, one entry or row for every graph."""

    def loss(self, outputs: Tensor, truth: Tensor, weights: Tensor | None = None) -> Tensor:
        """The mean loss; a graph of weight 2 counts as two graphs."""

    def score(self, outputs: Tensor, truth: Tensor) -> tuple[float, int]:
        """The sum of what is told to users, and of how many cells."""

    def decode(self, outputs: Tensor) -> Tensor:
        """Outputs as answers: probabilities, or numbers in the units of the targets."""


@dataclass(frozen=True, eq=False)
class Classes:
    """One class for every graph: softmax and cross-entropy, scored by accuracy."""

    classes: NDArray[Any]  # ascending
    columns: tuple[str, ...] = ()
    score_name = "accuracy"

    @property
    def outputs(self) -> int:
        return len(self.classes)

    def like(self, other: Target) -> bool:
        return isinstance(other, Classes) and np.array_equal(self.classes, other.classes)

    def encode(self, targets: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.searchsorted(self.classes, targets).astype(np.int64))

    def loss(self, outputs: Tensor, truth: Tensor, weights: Tensor | None = None) -> Tensor:
        if weights is None:
            return functional.cross_entropy(outputs, truth)
        return _mean(functional.cross_entropy(outputs, truth, reduction="none"), weights)

    def score(self, outputs: Tensor, truth: Tensor) -> tuple[float, int]:
        return int((outputs.argmax(dim=1) == truth).sum()), len(truth)

    def decode(self, outputs: Tensor) -> Tensor:
        return outputs.softmax(dim=-1)


@dataclass(frozen=True, eq=False)
class Binaries:
    """Several columns of 0 and 1: a logit and its cross-entropy each, scored by the accuracy of all cells."""

    columns: tuple[str, ...]
    score_name = "accuracy"

    @property
    def outputs(self) -> int:
        return len(self.columns)

    def like(self, other: Target) -> bool:
        return isinstance(other, Binaries) and self.columns == other.columns

    def encode(self, targets: NDArray[Any]) -> Tensor:
        return torch.from_numpy(targets.astype(np.float64))

    def loss(self, outputs: Tensor, truth: Tensor, weights: Tensor | None = None) -> Tensor:
        known, cells = _known(truth, weights, outputs)
        losses = functional.binary_cross_entropy_with_logits(outputs, known, reduction="none")
        return _mean(losses, cells)

    def score(self, outputs: Tensor, truth: Tensor) -> tuple[float, int]:
        there = ~truth.isnan()
        return int(((outputs > 0) == (truth > 0.5))[there].sum()), int(there.sum())

    def decode(self, outputs: Tensor) -> Tensor:
        return outputs.sigmoid()


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, one or more columns, which the model sees shifted and divided; scored by the mean absolute error."""

    shift: NDArray[np.float64]  # [columns]
    scale: NDArray[np.float64]  # [columns]
    kind: Loss = "huber"
    columns: tuple[str, ...] = ()
    score_name = "mean absolute error"

    @classmethod
    def learn(cls, targets: NDArray[np.float64], kind: Loss = "huber", columns: tuple[str, ...] = ()) -> Numbers:
        """With the mean and the standard deviation of each column of these targets, [graphs, columns]."""
        spread = np.nanstd(targets, axis=0)
        return cls(np.nanmean(targets, axis=0), np.where(spread > 0, spread, 1.0), kind, columns)

    @property
    def outputs(self) -> int:
        return len(self.shift)

    def like(self, other: Target) -> bool:
        return isinstance(other, Numbers) and self.columns == other.columns

    def encode(self, targets: NDArray[Any]) -> Tensor:
        return torch.from_numpy(targets.astype(np.float64).reshape(len(targets), -1))

    def loss(self, outputs: Tensor, truth: Tensor, weights: Tensor | None = None) -> Tensor:
        scaled = (truth - _like(truth, self.shift)) / _like(truth, self.scale)
        known, cells = _known(scaled, weights, outputs)
        compare: dict[Loss, Any] = {
            "huber": functional.huber_loss,
            "absolute": functional.l1_loss,
            "squared": functional.mse_loss,
        }
        return _mean(compare[self.kind](outputs, known, reduction="none"), cells)

    def score(self, outputs: Tensor, truth: Tensor) -> tuple[float, int]:
        there = ~truth.isnan()
        return float((self.decode(outputs.detach()) - truth).abs()[there].sum()), int(there.sum())

    def decode(self, outputs: Tensor) -> Tensor:
        return outputs.double() * _like(outputs, self.scale) + _like(outputs, self.shift)


class Task(NamedTuple):
    """A target, and what it is for every graph. This is all that the training loop knows about it."""

    target: Target
    truth: Tensor  # [graphs] or [graphs, columns]
    weights: Tensor | None = None  # [graphs], or [graphs, columns]

    @classmethod
    def classify(cls, class_numbers: NDArray[np.int64]) -> Task:
        """Classes that are numbers already."""
        return cls(Classes(np.arange(int(class_numbers.max()) + 1)), torch.tensor(class_numbers))

    @property
    def gaps(self) -> int:
        """Cells without a value."""
        return int(self.truth.isnan().sum()) if self.truth.is_floating_point() else 0

    def loss(self, outputs: Tensor, which: NDArray[np.int64]) -> Tensor:
        """Of the outputs for these graphs."""
        weights = None if self.weights is None else self.weights[which].to(outputs)
        return self.target.loss(outputs, self.truth[which].to(outputs.device), weights)

    def score(self, outputs: Tensor, which: NDArray[np.int64]) -> tuple[float, int]:
        return self.target.score(outputs, self.truth[which].to(outputs.device))


def _like(tensor: Tensor, numbers: NDArray[np.float64]) -> Tensor:
    return torch.from_numpy(numbers).to(tensor.device)


def _known(truth: Tensor, weights: Tensor | None, outputs: Tensor) -> tuple[Tensor, Tensor]:
    """The truth with 0 in its gaps, and the weight of every cell, which is 0 there."""
    there = ~truth.isnan()
    cells = there.to(outputs)
    if weights is not None:
        cells = cells * weights.reshape(len(weights), -1)
    return truth.nan_to_num(0.0).to(outputs), cells


def _mean(losses: Tensor, weights: Tensor) -> Tensor:
    """Weighted; 0 where nothing counts."""
    return (losses * weights).sum() / weights.sum().clamp(min=torch.finfo(losses.dtype).tiny)
