"""Record: what is stored of a finished job. Curves are whole numbers, so that equal runs are equal texts."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.data import Statistics
from wlt.graphs import Graphs
from wlt.reproduce.environment import Environment
from wlt.reproduce.spec import LARGEST, Spec

LOSS_UNIT = 1e-5
NOT_FINITE = -1
"""Stands for a loss that is infinite, huge or not a number."""

Part = Literal["train", "validation", "test"]

DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)
"""What is raised when a record is read that something other than wlt has written or changed."""


WRONG = "its checksum is wrong: a part of it was changed or lost"


def reason(error: Exception) -> str:
    """The error in one line. (The text of a KeyError is only the key.)"""
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error)[:400].split())


class Curve(NamedTuple):
    """Scores after every epoch: numbers of correct predictions, and losses in units of 1e-5.

    `train` is the score during the training passes, with dropout on and weights changing. A cross-validation has no
    test loss, since no rule may look at it. If the whole set trains, there is no validation, and `test` is the training
    set in evaluation mode."""

    sizes: tuple[int, int, int]  # graphs that train, validate and test
    train_loss: tuple[int, ...]
    train_right: tuple[int, ...]
    validation_loss: tuple[int, ...]
    validation_right: tuple[int, ...]
    test_loss: tuple[int, ...]
    test_right: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Curve({self.epochs} epochs; {', '.join(map(str, self.sizes))} graphs to train, validate, test)"

    @property
    def epochs(self) -> int:
        return len(self.train_loss)

    def accuracy(self, part: Part) -> NDArray[np.float64]:
        """Share of correct predictions after every epoch."""
        right = {"train": self.train_right, "validation": self.validation_right, "test": self.test_right}[part]
        size = dict(zip(("train", "validation", "test"), self.sizes, strict=True))[part]
        return np.array(right, np.float64) / max(size, 1)

    def loss(self, part: Part) -> NDArray[np.float64]:
        """Mean cross-entropy after every epoch; NaN if it was not finite."""
        loss = {"train": self.train_loss, "validation": self.validation_loss, "test": self.test_loss}[part]
        return np.array([math.nan if value == NOT_FINITE else value * LOSS_UNIT for value in loss])

    def to_json(self) -> dict[str, Any]:
        """The columns that are not empty."""
        return {name: list(column) for name, column in self._asdict().items() if column}

    @classmethod
    def from_json(cls, columns: Any) -> Curve:
        """The curve with these columns; ValueError if they are no curve."""
        if not isinstance(columns, dict) or not set(columns) <= set(cls._fields):
            raise ValueError(f"a curve has the columns {', '.join(cls._fields)}")
        for name, column in columns.items():
            if not isinstance(column, list) or not all(
                type(value) is int and NOT_FINITE <= value <= LARGEST for value in column
            ):
                raise ValueError(f"{name} is not a list of whole numbers from {NOT_FINITE} to {LARGEST}")
        curve = cls(**{name: tuple(columns.get(name, ())) for name in cls._fields})
        if len(curve.sizes) != 3:
            raise ValueError("sizes must be three numbers: graphs that train, validate and test")
        lengths = {len(column) for column in curve[1:] if column}
        if len(lengths) != 1 or not curve.train_loss or not curve.train_right or not curve.test_right:
            raise ValueError("the columns are not all of one length, or one is missing")
        for size, right in zip(curve.sizes, (curve.train_right, curve.validation_right, curve.test_right), strict=True):
            if right and not (0 <= min(right) <= max(right) <= size and size > 0):
                raise ValueError(f"counts of correct predictions among {size} graphs go up to {max(right)}")
        return curve


def loss_units(loss: float) -> int:
    """A loss as it is stored."""
    return round(loss / LOSS_UNIT) if math.isfinite(loss) and loss < 1e10 else NOT_FINITE


class Record(NamedTuple):
    """A finished job."""

    spec: Spec
    fold: int
    """The test fold; where the whole set trains, the number of the run."""
    curve: Curve
    environment: Environment
    seconds: float
    """Processor time."""
    finished: str
    """Date and time, UTC."""

    def __repr__(self) -> str:
        spec = self.spec
        return f"Record({spec.dataset}, {spec.method}, {spec.structure}, fold {self.fold}: {self.curve!r})"

    @property
    def job(self) -> tuple[str, int]:
        """The key of the store: no two records share it."""
        return self.spec.key(), self.fold

    def checked(self) -> Record:
        """This record; ValueError if its parts do not belong together."""
        spec, curve = self.spec, self.curve
        if type(self.fold) is not int or self.fold < 0 or (spec.folds and self.fold >= spec.folds):
            raise ValueError(f"there is no fold {self.fold!r}")
        if curve.epochs != spec.epochs:
            raise ValueError(f"the curve has {curve.epochs} epochs, its spec has {spec.epochs}")
        present = tuple(bool(column) for column in (curve.validation_loss, curve.validation_right, curve.test_loss))
        if present != ((True, True, False) if spec.folds else (False, False, True)):
            columns = "validation columns and no test_loss" if spec.folds else "test_loss and no validation columns"
            raise ValueError(f"with {spec.folds} folds a curve has {columns}")
        if not abs(self.seconds) <= LARGEST or not all(isinstance(word, str) for word in self.environment):
            raise ValueError("the time it took is not a number, or the environment is not text")
        if not isinstance(self.finished, str):
            raise ValueError(f"it was finished {self.finished!r}")
        for word in (*self.environment, self.finished):
            word.encode()  # UnicodeEncodeError for half a character
        return self

    def columns(self) -> tuple[Any, ...]:
        """All of it as a row of the store."""
        return (self.spec.key(), self.fold, compact(self.curve.to_json()), *self.environment, *self[-2:])


@dataclass(frozen=True)
class Facts:
    """What is known about a dataset of a run; everything is empty if its data could not be loaded."""

    digest: str = ""
    """Digest of graphs, colours and labels."""
    statistics: Statistics | None = None
    audit: dict[str, Any] = field(default_factory=dict)
    """`wlt.Audit.to_dict()` and the conclusion; empty until the dataset is audited."""
    asked: dict[str, int] = field(default_factory=dict)
    """Folds or runs that were asked for, by table and method ("table1 wlt"); of others, as many as the paper has."""

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value}

    def columns(self, name: str) -> tuple[str, str]:
        """The facts about the dataset of this name as a row of the store."""
        return name, compact(self.to_json())

    @classmethod
    def from_json(cls, facts: Any) -> Facts:
        """The facts with these fields; ValueError if they make no sense."""
        digest, statistics, audit = facts.get("digest", ""), facts.get("statistics"), facts.get("audit", {})
        asked = facts.get("asked", {})
        if statistics is not None:
            statistics = Statistics(**{**statistics, "class_sizes": tuple(statistics["class_sizes"])})
            counts = [value for name, value in asdict(statistics).items() if name != "class_sizes"]
            if not all(type(count) is int and 0 <= count <= LARGEST for count in (*counts, *statistics.class_sizes)):
                raise ValueError(f"statistics are not whole numbers from 0 to {LARGEST}")
            if not statistics.graphs or not statistics.class_sizes:
                raise ValueError("statistics of no graphs")
        if not isinstance(digest, str) or bool(digest) != (statistics is not None):
            raise ValueError("digest and statistics must be given together, or neither")
        if not isinstance(audit, dict):
            raise ValueError("the audit is not an object")
        for name, value in audit.items():
            if name.startswith("ceiling") and value is not None and type(value) not in (int, float):
                raise ValueError(f"{name} of the audit is {value!r}, not a number")
        if not isinstance(audit.get("conclusion", ""), str) or type(audit.get("seed", 0)) is not int:
            raise ValueError("the conclusion or the seed of the audit is of a wrong type")
        _check_numbers(audit)
        if not isinstance(asked, dict) or not all(type(n) is int and 0 < n <= LARGEST for n in asked.values()):
            raise ValueError("what was asked for is not a whole number of folds or runs for each method")
        compact([digest, audit, asked], as_text=True).encode()  # UnicodeEncodeError for half a character
        return cls(digest, statistics, audit, asked)

    def asked_too(self, asked: Mapping[str, int]) -> Facts:
        """These facts, and what else was asked for: who asks for fewer folds later takes none back."""
        largest = {name: max(self.asked.get(name, 0), number) for name, number in asked.items()}
        return replace(self, asked={**self.asked, **largest})


def _check_numbers(value: Any) -> None:
    """ValueError if a number anywhere in it is too large to be counted or written."""
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
        raise ValueError(f"the audit has the number {str(value)[:40]}")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_numbers(each)


def compact(value: object, as_text: bool = False) -> str:
    """JSON without blanks. as_text: letters beyond ASCII as they are."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=not as_text)


def checksum(columns: Sequence[Any]) -> str:
    """Of a row of the store; TypeError if it has something that no row has."""
    return hashlib.sha256(compact(columns).encode()).hexdigest()[:32]


class Results(NamedTuple):
    """All that a report needs, from a store or from its text form."""

    records: list[Record]
    datasets: dict[str, Facts]

    def __repr__(self) -> str:
        return f"Results({len(self.records)} records of {', '.join(sorted(self.datasets)) or 'no datasets'})"


def digest(dataset: Graphs) -> str:
    """Equal for equal data: everything about a dataset that curves depend on."""
    graphs = dataset.union
    total = hashlib.sha256(json.dumps([len(dataset.values), len(dataset.classes), dataset.kind]).encode())
    edges = (graphs.arcs, graphs.loops) if len(graphs.tokens) else ()
    if edges:
        total.update(repr((graphs.arc_labels, graphs.loop_labels)).encode())
    for array in (graphs.offsets, graphs.neighbors, graphs.starts, dataset.codes, dataset.class_numbers, *edges):
        total.update(f"{array.dtype.str}{array.shape}".encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()[:32]
