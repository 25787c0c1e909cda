"""Rules that choose the epoch to report, applied after the runs to the stored curves of all folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.reproduce.record import Curve, Record
from wlt.reproduce.spec import Spec

Epochs = NDArray[np.int64]  # [folds] the chosen epoch of each fold, counted from 0


def validation(curves: Sequence[Curve]) -> Epochs:
    """In each fold the epoch with the lowest validation loss, as in benchmark/kernel/train_eval.py of PyG."""
    return np.array([_lowest(curve) for curve in curves])


def last(curves: Sequence[Curve]) -> Epochs:
    """In each fold the last epoch."""
    return np.array([curve.epochs - 1 for curve in curves])


def best_mean_epoch(curves: Sequence[Curve]) -> Epochs:
    """The epoch with the highest mean test accuracy, for all folds: the GIN paper's rule, which looks at test folds."""
    mean = np.mean([curve.accuracy("test") for curve in curves], axis=0)
    return np.full(len(curves), int(np.argmax(mean)))


def best_epoch(curves: Sequence[Curve]) -> Epochs:
    """In each run the epoch with the highest accuracy: for Table 2, which asks for training accuracy."""
    return np.array([int(np.argmax(curve.accuracy("test"))) for curve in curves])


Rule = Callable[[Sequence[Curve]], Epochs]
TABLE1_RULES: dict[str, Rule] = {"validation": validation, "last": last, "best-mean-epoch": best_mean_epoch}
TABLE2_RULES: dict[str, Rule] = {"best-epoch": best_epoch, "last": last}

EXPLANATIONS = {
    "validation": "each fold's epoch with the lowest validation loss; the test fold is not looked at (the default)",
    "last": "the last epoch of training",
    "best-mean-epoch": "the epoch with the best mean test accuracy over the folds, the same for all folds, as in the "
    "GIN paper; this rule looks at the test folds, so its figures are biased upwards",
    "best-epoch": "the run's epoch with the highest training accuracy",
}


class RuleScore(NamedTuple):
    """The accuracies, in percent, of the epochs that a rule chooses."""

    accuracies: NDArray[np.float64]  # [folds]
    epochs: Epochs

    @property
    def mean(self) -> float:
        return float(self.accuracies.mean())

    @property
    def std(self) -> float:
        """The sample standard deviation, as in PyG's benchmark; NaN for a single fold."""
        return float(self.accuracies.std(ddof=1)) if len(self.accuracies) > 1 else float("nan")

    @property
    def best(self) -> float:
        return float(self.accuracies.max())


def score(curves: Sequence[Curve], rule: Rule) -> RuleScore:
    """The accuracies that the rule reports for these folds."""
    epochs = rule(curves)
    chosen = zip(curves, epochs, strict=True)
    return RuleScore(np.array([100 * curve.accuracy("test")[epoch] for curve, epoch in chosen]), epochs)


def lowest_validation_loss(curves: Sequence[Curve]) -> float:
    """The mean over the folds of the lowest validation loss, by which a grid point is chosen, as in
    benchmark/kernel/main.py of PyG."""
    return float(np.mean([_filled(curve)[_lowest(curve)] for curve in curves]))


def chosen_grid_point(records: Mapping[Spec, Sequence[Record]]) -> tuple[Spec, int]:
    """The spec that validation chooses, and how many it was chosen from: those with as many folds as any.

    Where the specs say that the choice is made on the first folds alone (`grid_on`), only these are looked at."""
    curves = {
        spec: [record.curve for record in of_spec if not spec.grid_on or record.fold < spec.grid_on]
        for spec, of_spec in records.items()
    }
    most = max(map(len, curves.values()))
    candidates = [spec for spec in curves if len(curves[spec]) == most]
    best = min(candidates, key=lambda spec: lowest_validation_loss(curves[spec]) if spec.folds else 0.0)
    return best, len(candidates)


def _filled(curve: Curve) -> NDArray[np.float64]:
    """The validation loss after every epoch, infinite if it was not a number."""
    return np.nan_to_num(curve.loss("validation"), nan=np.inf)


def _lowest(curve: Curve) -> int:
    return int(np.argmin(_filled(curve)))


class Difference(NamedTuple):
    """The accuracy of one method minus that of another, in percentage points, with a 95 % interval."""

    mean: float
    low: float
    high: float
    folds: int


def difference(first: RuleScore, second: RuleScore, train: int, test: int) -> Difference | None:
    """Compare two methods fold by fold; None for fewer than three folds. `train` and `test` are set sizes.

    The training sets of the folds overlap, which makes the plain t interval too narrow; the variance is corrected for
    that (Nadeau and Bengio, Inference for the Generalization Error, 2003)."""
    from scipy.stats import t

    deltas = first.accuracies - second.accuracies
    folds = len(deltas)
    if folds < 3:
        return None
    half = float(t.ppf(0.975, folds - 1) * np.sqrt((1 / folds + test / train) * deltas.var(ddof=1)))
    mean = float(deltas.mean())
    return Difference(mean, mean - half, mean + half, folds)
