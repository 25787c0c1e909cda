"""What a fitted estimator says about many graphs, computed anywhere, as the columns of a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.label_table import UnseenLabelWarning
from wlt.estimator.regressor import WLTRegressor
from wlt.graphs import Graphs
from wlt.progress import progress_bar
from wlt.targets import Kind
from wlt.work.calls import Call, Place, Report, results

Estimator = WLTClassifier | WLTRegressor


@dataclass(frozen=True)
class Answers:
    """Of one estimator for many graphs."""

    kind: Kind
    names: tuple[str, ...]
    """Of the columns that are predicted; one without a name is ""."""
    classes: tuple[Any, ...]
    """Where one of several classes is predicted."""
    values: NDArray[np.float64]  # [graphs, classes or columns] probabilities, or numbers
    std: NDArray[np.float64] | None = None
    """[graphs, columns] Of numbers: how far they may be off, if that is known."""

    @property
    def labels(self) -> list[Any] | None:
        """The most probable class of every graph, where there are classes."""
        return [self.classes[i] for i in self.values.argmax(axis=1)] if self.classes else None

    def columns(self, proba: bool = False, std: bool = False) -> tuple[list[str], list[list[str]]]:
        """The names of the columns of a table, and its cells. proba, std: also how sure the answers are."""
        of = [f"({name})" if name else "" for name in self.names]
        shares = [[f"{share:.6g}" for share in row] for row in self.values.tolist()]
        if self.kind == "classes":
            first, more, names = (
                [[str(label)] for label in self.labels or []],
                shares,
                [f"p({c})" for c in self.classes],
            )
        elif self.kind == "binaries":
            first, more, names = (
                (self.values > 0.5).astype(int).astype(str).tolist(),
                shares,
                [f"p{name}" for name in of],
            )
        else:
            first, more, names = shares, [], [f"std{name}" for name in of]
            if self.std is not None:
                more = [[f"{each:.3g}" for each in row] for row in self.std.tolist()]
        titles = [f"prediction{name}" for name in of]
        if not (std if self.kind == "numbers" else proba):
            return titles, first
        return titles + names, [[*one, *two] for one, two in zip(first, more, strict=True)]


def answers_of(estimator: Estimator, graphs: Graphs, place: Place | None = None) -> Answers:
    """The same answers, bit by bit, wherever they are computed: graphs are asked about in parts of the same size."""
    size = estimator.predicted_at_once
    parts = [np.arange(begin, min(begin + size, len(graphs))) for begin in range(0, len(graphs), size)]
    calls = (Call(_part, (graphs.take(part),), "estimator") for part in parts)
    show: Literal["always", "never"] = (
        "always" if estimator.verbose and len(parts) > 1 else "never"
    )  # else it is done before anyone could look
    asked = estimator.set_params(verbose=0)
    values, stds = [], []
    with progress_bar("predict", len(graphs), show) as advance:
        for part, std in results(calls, {"estimator": asked}, place):
            values.append(part)
            stds.append(std)
            advance(len(part), "")
    together = np.concatenate(values)
    if isinstance(estimator, WLTRegressor):
        std = None if stds[0] is None else np.concatenate(stds)
        return Answers("numbers", estimator.target_.columns or ("",), (), together, std)
    if estimator.target_.columns:
        return Answers("binaries", estimator.target_.columns, (), together)
    return Answers("classes", ("",), tuple(estimator.classes_.tolist()), together)


def _part(report: Report, estimator: Estimator, graphs: Graphs) -> tuple[NDArray[np.float64], Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLabelWarning)  # for whoever asks to say, once and not for every part
        return _answered(estimator, graphs)


def _answered(estimator: Estimator, graphs: Graphs) -> tuple[NDArray[np.float64], Any]:
    if isinstance(estimator, WLTClassifier):
        return estimator.predict_proba(graphs), None
    rows = len(graphs)
    if estimator.noise_ is None:
        return estimator.predict(graphs).reshape(rows, -1), None
    answers, std = estimator.predict(graphs, return_std=True)
    return answers.reshape(rows, -1), std.reshape(rows, -1)
