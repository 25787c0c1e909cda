"""Probabilities that mean what they say: a temperature and a doubt, learned from graphs that were held out.

A network that fits its training graphs perfectly is far too sure of itself. Dividing its logits by a temperature keeps
the order of the classes and makes it less sure of all answers alike. But some of its surest answers are wrong as well,
and one temperature for all would have to make every answer vague because of them. So a share of all answers, the doubt,
counts as a mere guess. And m graphs cannot vouch for more than one error in m + 2 (Laplace's rule of succession): the
doubt is never smaller than that, however few errors there were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax

Logits = NDArray[np.float64]  # [graphs, draws, outputs]: of every draw of the recolorings

Shares = NDArray[np.float64]

LOG_TEMPERATURES = np.linspace(-3.0, 6.0, 19)
"""The best of these is the beginning of a finer search."""
MOST_DOUBT = 0.98
"""With more, classes could not be told apart any more."""


class Calibration(NamedTuple):
    """What is done to logits before they are probabilities."""

    temperature: float = 1.0
    held_out: int = 0
    """How many graphs it was learned from; 0: not calibrated."""
    doubt: float = 0.0
    """The share of answers that are no better than a guess; never less than the held-out graphs can exclude."""

    def probabilities(self, logits: Logits, columns: bool = False) -> Shares:
        """[graphs, outputs], the mean over the draws. columns: every output is a question of its own."""
        mean = _shares(logits / self.temperature, columns)
        if not self.held_out:
            return mean
        choices = 2 if columns else logits.shape[-1]
        doubt = max(self.doubt, _least_doubt(self.held_out, choices))
        return _doubted(mean, doubt, choices)


def learn(logits: Logits, truth: NDArray[np.int64]) -> Calibration:
    """From the logits of held-out graphs and their class numbers."""
    graphs = np.arange(len(truth))
    return _learned(lambda temperature: _shares(logits / temperature)[graphs, truth], len(truth), logits.shape[-1])


def learn_columns(logits: Logits, truth: Shares) -> Calibration:
    """The same for columns of 0 and 1 with gaps, [graphs, columns]."""
    there = ~np.isnan(truth)

    def of_truth(temperature: float) -> Shares:
        shares = _shares(logits / temperature, columns=True)
        return np.where(truth > 0.5, shares, 1 - shares)[there]

    return _learned(of_truth, len(truth), 2) if there.any() else Calibration()


def _shares(logits: Logits, columns: bool = False) -> Shares:
    shares: Shares = (expit(logits) if columns else softmax(logits, axis=-1)).mean(axis=1)
    return shares


def _doubted(shares: Shares, doubt: float, choices: int) -> Shares:
    return (1 - doubt) * shares + doubt / choices


def _least_doubt(held_out: int, choices: int) -> float:
    return choices / (held_out + choices)


def _learned(of_truth: Callable[[float], Shares], held_out: int, choices: int) -> Calibration:
    """The temperature and the doubt with which the truth is least surprising.

    of_truth: the shares that the networks give to what is true, at a temperature."""
    if not held_out:
        return Calibration()
    doubts = _least_doubt(held_out, choices), MOST_DOUBT

    def doubt_at(log_temperature: float) -> tuple[float, float]:
        """The best doubt at this temperature, and the surprise that is left."""
        shares = of_truth(float(np.exp(log_temperature)))
        found = minimize_scalar(
            lambda doubt: -float(np.log(_doubted(shares, doubt, choices)).mean()), bounds=doubts, method="bounded"
        )
        return float(found.x), float(found.fun)

    step = LOG_TEMPERATURES[1] - LOG_TEMPERATURES[0]
    start = LOG_TEMPERATURES[int(np.argmin([doubt_at(each)[1] for each in LOG_TEMPERATURES]))]
    found = minimize_scalar(lambda each: doubt_at(each)[1], bounds=(start - step, start + step), method="bounded")
    return Calibration(float(np.exp(found.x)), held_out, doubt_at(found.x)[0])


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
