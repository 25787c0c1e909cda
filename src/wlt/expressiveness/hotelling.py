"""Hotelling's T-squared: is the mean of q difference vectors in d dimensions zero? As BREC needs it (arXiv:2304.07702).

The published code computes T² = mean' S⁺ mean and compares it with 72.34 = (q-1) d / (q-d) F(0.95; d, q-d) for q = 32
and d = 16. Hotelling's statistic has a factor q that is missing there, which makes the test far too cautious for
models that draw at random; and S⁺ of a covariance that is exactly zero is zero, so that T² is 0 however far the graphs
are apart. `hotelling` has the factor, and treats directions without any spread as what they are: exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PUBLISHED_THRESHOLD = 72.34

ROUNDING = 1e-12
"""A spread below this, relative to the length of the vectors that were subtracted, is rounding; a mean counts if it is
1000 times as large."""
SINGLE_ROUNDING = 1e-6
"""The same for vectors that were computed in float32; there a mean counts if it is 100 times as large."""


class HotellingTest(NamedTuple):
    statistic: float
    """T² in the directions that have a spread."""
    threshold: float
    separated: bool
    """T² is above the threshold, or the mean is not zero in a direction without spread."""


def hotelling(differences: NDArray[np.float64], length: float, level: float, *, single: bool = False) -> HotellingTest:
    """The test at this level, for differences [q, d] of vectors of about this length. single: they are of float32.

    >>> same = np.zeros((32, 2))
    >>> hotelling(same, 1.0, 0.05).separated, hotelling(same + [1, 0], 1.0, 0.05).separated
    (False, True)
    """
    from scipy import stats

    q = len(differences)
    mean = differences.mean(axis=0)
    # Singular values instead of the covariance's eigenvalues: squaring would lose half of the digits.
    _, singular, directions = np.linalg.svd(differences - mean)
    spread = np.zeros(len(mean))
    spread[: len(singular)] = singular / np.sqrt(q - 1)
    along = directions @ mean
    rounding, times = (SINGLE_ROUNDING, 100) if single else (ROUNDING, 1000)
    live = spread > rounding * length
    rank = int(live.sum())
    exact = float(np.linalg.norm(along[~live])) > times * rounding * length
    if rank == 0 or q <= rank:
        return HotellingTest(0.0, 0.0, exact)
    statistic = float(q * ((along[live] / spread[live]) ** 2).sum())
    threshold = float((q - 1) * rank / (q - rank) * stats.f.isf(level, rank, q - rank))
    return HotellingTest(statistic, threshold, exact or statistic > threshold)


def published_statistic(vectors: NDArray[np.float32]) -> float:
    """T² of the differences between rows 2i and 2i + 1, as the published code computes it: by torch, in float32.

    The covariance of a model without randomness is that of its rounding errors, so another order of the same sums
    would give another verdict."""
    import torch

    rows = torch.from_numpy(vectors)
    differences = rows[0::2].T - rows[1::2].T
    mean = torch.mean(differences, dim=1).reshape(-1, 1)
    inverse = torch.linalg.pinv(torch.cov(differences).reshape(len(differences), -1))
    return float(torch.mm(torch.mm(mean.T, inverse), mean))


def published_threshold(relabellings: int, dims: int) -> float:
    """72.34 for 32 relabellings and 16 dimensions; otherwise by the formula that it comes from.

    >>> published_threshold(32, 16), round(published_threshold(32, 8), 2)
    (72.34, 24.34)
    """
    if (relabellings, dims) == (32, 16):
        return PUBLISHED_THRESHOLD
    from scipy import stats

    rest = relabellings - dims
    return float((relabellings - 1) * dims / rest * stats.f.isf(0.05, dims, rest))
