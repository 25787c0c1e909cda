"""`evaluate`: an estimator on graphs that it was not trained on, beside what is trivial, what is known and what the
data allow. Nothing is chosen by looking at test graphs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wlt.auditing import Audit, Bound, audit, bound_of_model
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor
from wlt.evaluation import metrics
from wlt.evaluation.baseline import MORGAN, WL_KERNEL, baseline_answers, fingerprints, quietly, wl_features
from wlt.evaluation.metrics import Scores
from wlt.evaluation.splits import Fold, Splits
from wlt.graphs import Graphs
from wlt.progress import progress_bar
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.targets import Kind, target_table
from wlt.train.fit import Score
from wlt.wording import count, listed
from wlt.work.calls import Call, Place, Report, results

Estimator = WLTClassifier | WLTRegressor
Who = Literal["model", "trivial", "baseline"]


class Tested(NamedTuple):
    """What a model that was trained on one fold says about the others."""

    answers: NDArray[np.float64]  # [test graphs, classes or columns]
    uncalibrated: NDArray[np.float64]
    """Probabilities before calibration; of numbers, the standard deviation that the model says its error has."""
    history: list[Score]
    unseen: bool
    """Have the test graphs labels that no training graph has?"""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The answers of `evaluate`. Graphs that are in no test fold have NaN for an answer."""

    name: str
    model: str
    """Its structure, what an r recolours if that is not one node, and the rounds of views if there are any."""
    kind: Kind
    columns: tuple[str, ...]
    """Of the targets; one column without a name is ""."""
    classes: tuple[Any, ...]
    """Where one of several classes is to be predicted."""
    truth: NDArray[Any]
    """[graphs] class numbers, or [graphs, columns] with NaN in gaps."""
    splits: Splits
    answers: dict[Who, NDArray[np.float64]]
    """[graphs, classes or columns] of the model, of the majority class or the mean, and of the baseline."""
    uncalibrated: NDArray[np.float64]
    """Probabilities before calibration; of numbers, the standard deviation of the model's error as it says itself."""
    baseline: str
    histories: list[list[Score]]
    """Of the training, epoch by epoch, for each fold."""
    audit: Audit
    limit: Bound | None
    """What this model cannot exceed in training, as far as that is known."""
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line: the first score in the first column, over the folds."""
        (name, (mean, spread)), *_ = self.mean_and_spread("model", 0).items()
        folds = count(len(self.splits.folds), "fold")
        return f"Evaluation({self.name}, {self.model}: {name} {mean:.4g} ± {spread:.2g} in {folds})"

    @property
    def tested(self) -> NDArray[np.int64]:
        """The graphs that are in a test fold, in their order."""
        return np.sort(np.concatenate([fold.test for fold in self.splits.folds]))

    def fold_scores(self, who: Who) -> list[list[Scores]]:
        """Of every fold, in every column."""
        return [self._scores(who, fold.test) for fold in self.splits.folds]

    def scores(self, who: Who) -> list[Scores]:
        """Of all answers together, in every column."""
        return self._scores(who, self.tested)

    def mean_and_spread(self, who: Who, column: int) -> dict[str, tuple[float, float]]:
        """The mean and the standard deviation of each score over the folds in which it is defined."""
        folds = [each[column] for each in self.fold_scores(who)]
        found = {}
        for name in folds[0]:
            values = np.array([each[name] for each in folds])
            known = values[~np.isnan(values)]
            found[name] = (float(known.mean()), float(known.std())) if len(known) else (np.nan, np.nan)
        return found

    def confusion(self) -> NDArray[np.int64]:
        """[classes, classes] tested graphs of each class, by the class that the model takes them for."""
        return metrics.confusion(self.truth[self.tested], self.answers["model"][self.tested])

    def _scores(self, who: Who, which: NDArray[np.int64]) -> list[Scores]:
        return metrics.scores(self.kind, self.truth[which], self.answers[who][which])

    def to_dict(self) -> dict[str, Any]:
        """The numbers as a JSON object; what is not defined is null."""
        who: tuple[Who, ...] = ("model", "trivial", "baseline")
        told = {
            each: {
                "folds": [dict(zip(self.columns, fold, strict=True)) for fold in self.fold_scores(each)],
                "all": dict(zip(self.columns, self.scores(each), strict=True)),
            }
            for each in who
        }
        told_plain: dict[str, Any] = _plain(
            {
                "name": self.name,
                "structure": self.model,
                "graphs": len(self.truth),
                "kind": self.kind,
                "columns": self.columns,
                "classes": self.classes,
                "split": self.splits.described,
                "fold_sizes": [[len(fold.train), len(fold.test)] for fold in self.splits.folds],
                "baseline": self.baseline,
                "scores": told,
                "confusion": None if self.kind != "classes" else self.confusion().tolist(),
                "bounds": {name: bound._asdict() for name, bound in self.audit.bounds.items()},
                "bound_of_model": None if self.limit is None else self.limit._asdict(),
                "conclusion": self.audit.conclusion,
                "ignored": self.audit.ignored,
                "remarks": self.remarks,
            }
        )
        return told_plain


def evaluate(
    estimator: Estimator,
    graphs: Graphs,
    splits: Splits,
    *,
    seed: int = 0,
    place: Place | None = None,
    smiles: Sequence[str] | None = None,
    show: Literal["always", "on terminal", "never"] = "never",
) -> Evaluation:
    """Train the estimator on each fold's training graphs, and ask it about the others.

    graphs: with targets. splits: what `wlt.evaluation.splits.split` makes of them. seed: of the baseline. place: where
    folds are computed, such as `wlt.work.processes.Processes(4)`; the answers are the same everywhere. smiles: of the
    molecules, where the graphs are such; without them the baseline is that of graphs. show: a progress bar."""
    kind: Kind = "numbers"
    if isinstance(estimator, WLTClassifier):
        assert graphs.targets is not None
        kind = "classes" if graphs.targets.ndim == 1 else "binaries"
    truth = graphs.class_numbers if kind == "classes" else _table(graphs)
    classes = tuple(graphs.classes.tolist()) if kind == "classes" else ()
    features = wl_features(graphs) if smiles is None else fingerprints(smiles)
    shared = {
        "model": (clone(estimator), graphs),
        "baseline": (kind, smiles is not None, features, truth, len(classes)),
    }
    calls = [Call(_tested, (fold, kind, classes), "model") for fold in splits.folds]
    calls += [Call(_baseline, (fold, seed), "baseline") for fold in splits.folds]
    found: list[Any] = []
    with progress_bar("cross-validation", len(calls), show) as advance:
        for each in results(calls, shared, place):
            found.append(each)
            advance(1, "model" if len(found) <= len(splits.folds) else "baseline")
    models, others = found[: len(splits.folds)], found[len(splits.folds) :]
    width = len(classes) or truth.shape[1]
    trivial = [_trivial(fold, kind, truth, width) for fold in splits.folds]
    answers: dict[Who, NDArray[np.float64]] = {
        "model": _spread_out(splits, [each.answers for each in models], len(graphs), width),
        "trivial": _spread_out(splits, trivial, len(graphs), width),
        "baseline": _spread_out(splits, others, len(graphs), width),
    }
    structure, recolor = estimator.bounded_as()
    audited = audit(graphs, structure=str(structure), folds=max(2, len(splits.folds)), seed=seed)
    return Evaluation(
        graphs.name,
        _told(estimator),
        kind,
        graphs.target_names if len(graphs.target_names) == (1 if kind == "classes" else truth.shape[1]) else ("",),
        classes,
        truth,
        splits,
        answers,
        _spread_out(splits, [each.uncalibrated for each in models], len(graphs), width),
        WL_KERNEL if smiles is None else MORGAN,
        [each.history for each in models],
        audited,
        bound_of_model(audited, graphs.union, recolor),
        (*splits.remarks, *_remarks(splits, kind, truth, classes, models)),
    )


def _told(estimator: Estimator) -> str:
    """Its layers, and what an r recolours if that is not one node."""
    told = str(Structure(estimator.structure))
    if "r" in told and Recolor(estimator.recolor) != Recolor(1):
        told += f", recolor {estimator.recolor}"
    return told + (f", views {estimator.views}" if estimator.views else "")


def _table(graphs: Graphs) -> NDArray[np.float64]:
    return target_table(graphs.targets, len(graphs))


def _tested(
    report: Report, shared: tuple[Estimator, Graphs], fold: Fold, kind: Kind, classes: tuple[Any, ...]
) -> Tested:
    estimator, graphs = shared
    known, asked = graphs.take(fold.train), graphs.take(fold.test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the command and the driver say once what is to be said
        fitted = clone(estimator).set_params(audit=False, verbose=0).fit_at(None, known)
        unseen = bool(fitted.table_.unseen(asked.without_loops()) or fitted.edge_table_.unseen(asked.union))
        if isinstance(fitted, WLTRegressor):
            answers, uncalibrated = _with_std(fitted, asked)
        else:
            answers, uncalibrated = (fitted.predict_proba(asked, calibrated=each) for each in (True, False))
            if kind == "classes":
                place = np.searchsorted(np.array(classes), fitted.classes_)
                answers, uncalibrated = (_widened(each, place, len(classes)) for each in (answers, uncalibrated))
    return Tested(answers, uncalibrated, fitted.history_, unseen)


def _with_std(fitted: WLTRegressor, asked: Graphs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if fitted.noise_ is None:
        answers = fitted.predict(asked)
        return answers.reshape(len(asked), -1), np.full((len(asked), fitted.target_.outputs), np.nan)
    answers, std = fitted.predict(asked, return_std=True)
    return answers.reshape(len(asked), -1), std.reshape(len(asked), -1)


def _widened(shares: NDArray[np.float64], place: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """With a column of zeros for every class that no training graph has."""
    wide = np.zeros((len(shares), classes))
    wide[:, place] = shares
    return wide


def _baseline(report: Report, shared: Any, fold: Fold, seed: int) -> NDArray[np.float64]:
    kind, forest, features, truth, classes = shared
    answers: NDArray[np.float64] = quietly(
        baseline_answers, kind, forest, features, truth, classes, fold.train, fold.test, seed
    )
    return answers


def _trivial(fold: Fold, kind: Kind, truth: NDArray[Any], width: int) -> NDArray[np.float64]:
    """The shares of the classes among the training graphs, or the mean."""
    if kind == "classes":
        row = np.bincount(truth[fold.train], minlength=width) / len(fold.train)
    else:
        row = np.nan_to_num(np.nanmean(truth[fold.train], axis=0))
    return np.repeat(row[np.newaxis], len(fold.test), axis=0)


def _spread_out(splits: Splits, parts: list[NDArray[np.float64]], graphs: int, width: int) -> NDArray[np.float64]:
    """The answers for the folds, at the places of the graphs."""
    whole = np.full((graphs, width), np.nan)
    for fold, part in zip(splits.folds, parts, strict=True):
        whole[fold.test] = part
    return whole


def _remarks(
    splits: Splits, kind: Kind, truth: NDArray[Any], classes: tuple[Any, ...], models: list[Tested]
) -> list[str]:
    found = []
    folds = len(splits.folds)
    if with_unseen := sum(each.unseen for each in models):
        lacking = f"in {with_unseen} of {folds} folds the test graphs have labels that no training graph has"
        found.append(f"{lacking}; such nodes send an empty message, such edges are edges without a label")
    if kind == "classes":
        missing = [np.setdiff1d(truth[fold.test], truth[fold.train]) for fold in splits.folds]
        if number := sum(len(each) > 0 for each in missing):
            names = listed([classes[kind] for kind in np.unique(np.concatenate(missing))])
            where = f"in {number} of {folds} folds no training graph has a class of the test graphs ({names})"
            found.append(f"{where}; there it cannot be right")
    return found


def _plain(value: Any) -> Any:
    """As JSON knows it."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
