"""Probabilities that mean what they say: temperatures, and a floor, learned from graphs that were held out.

A network that fits its training graphs perfectly is far too sure of itself. Dividing its logits by a temperature keeps
the order of the classes and makes it as sure as it was right on held-out graphs. And m graphs cannot vouch for more
than one error in m + 2 (Laplace's rule of succession): no probability is nearer to 0 or 1 than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax

Logits = NDArray[np.float64]  # [graphs, draws, outputs]: of every draw of the recolorings

LOG_TEMPERATURES = (-3.0, 6.0)


class Calibration(NamedTuple):
    """What is done to logits before they are probabilities."""

    temperature: float = 1.0
    held_out: int = 0
    """How many graphs it was learned from; 0: not calibrated."""

    def probabilities(self, logits: Logits, columns: bool = False) -> NDArray[np.float64]:
        """[graphs, outputs], the mean over the draws. columns: every output is a question of its own."""
        scaled = logits / self.temperature
        mean: NDArray[np.float64] = (expit(scaled) if columns else softmax(scaled, axis=-1)).mean(axis=1)
        if not self.held_out:
            return mean
        choices = 2 if columns else logits.shape[-1]
        share = choices / (self.held_out + choices)
        floored: NDArray[np.float64] = (1 - share) * mean + share / choices
        return floored


def learn(logits: Logits, truth: NDArray[np.int64]) -> Calibration:
    """From the logits of held-out graphs and their class numbers."""

    def surprise(log_temperature: float) -> float:
        shares = Calibration(float(np.exp(log_temperature)), len(truth)).probabilities(logits)
        return -float(np.log(shares[np.arange(len(truth)), truth]).mean())

    return _smallest(surprise, len(truth))


def learn_columns(logits: Logits, truth: NDArray[np.float64]) -> Calibration:
    """The same for columns of 0 and 1 with gaps, [graphs, columns]."""
    there = ~np.isnan(truth)

    def surprise(log_temperature: float) -> float:
        shares = Calibration(float(np.exp(log_temperature)), len(truth)).probabilities(logits, columns=True)
        return -float(np.log(np.where(truth > 0.5, shares, 1 - shares)[there]).mean())

    return _smallest(surprise, len(truth)) if there.any() else Calibration()


def _smallest(surprise: object, graphs: int) -> Calibration:
    if not graphs:
        return Calibration()
    found = minimize_scalar(surprise, bounds=LOG_TEMPERATURES, method="bounded")
    return Calibration(float(np.exp(found.x)), graphs)


def expected_calibration_error(probabilities: NDArray[np.float64], truth: NDArray[np.int64], bins: int = 10) -> float:
    """Mean distance between how sure the answers are and how often they are right, over equal ranges of sureness.

    probabilities: [graphs, classes]; truth: class numbers.

    >>> expected_calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1]))
    0.4
    """
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    place = np.minimum((sure * bins).astype(int), bins - 1)
    sums = [np.bincount(place, values, bins) for values in (sure, right.astype(float))]
    return float(np.abs(sums[0] - sums[1]).sum() / len(truth))
