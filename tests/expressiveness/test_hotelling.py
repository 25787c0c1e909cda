"""Hotelling's test against scipy, its definition and its false alarms; the published form and what it lacks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wlt.expressiveness.hotelling import PUBLISHED_THRESHOLD, hotelling, published_statistic, published_threshold


def sample(seed: int, q: int = 32, d: int = 16, shift: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(q, d)) @ random.normal(size=(d, d)) + shift


def in_turn(differences: np.ndarray) -> np.ndarray:
    """Vectors g h g h ... in float32 with these differences."""
    rows = np.zeros((2 * len(differences), differences.shape[1]), np.float32)
    rows[0::2] = differences
    return rows


def test_one_dimension_is_students_test() -> None:
    for seed in range(20):
        values = sample(seed, d=1, shift=0.3)
        student = stats.ttest_1samp(values[:, 0], 0.0)
        found = hotelling(values, 1.0, 0.05)
        assert found.statistic == pytest.approx(student.statistic**2)
        assert found.separated == (student.pvalue < 0.05)


def test_the_statistic_is_q_times_mahalanobis() -> None:
    values = sample(1, shift=0.5)
    mean = values.mean(axis=0)
    assert hotelling(values, 1.0, 0.05).statistic == pytest.approx(32 * mean @ np.linalg.inv(np.cov(values.T)) @ mean)


def test_the_threshold_is_the_published_one_at_its_level() -> None:
    assert hotelling(sample(0), 1.0, 0.05).threshold == pytest.approx(PUBLISHED_THRESHOLD, abs=0.05)


def test_false_alarms_have_the_level() -> None:
    alarms = np.mean([hotelling(sample(seed, d=4), 1.0, 0.05).separated for seed in range(2000)])
    assert 0.035 < alarms < 0.065


@given(st.integers(0, 10**6), st.floats(1e-6, 1e6))
def test_units_do_not_matter(seed: int, unit: float) -> None:
    values = sample(seed, d=3, shift=0.2)
    mixed = values @ sample(seed + 1, 3, 3) * unit
    length = float(np.linalg.norm(mixed, axis=1).max())
    assert hotelling(mixed, length, 0.05).statistic == pytest.approx(hotelling(values, 1.0, 0.05).statistic, rel=1e-4)


def test_without_any_spread_every_difference_is_exact() -> None:
    constant = np.tile(np.arange(16.0), (32, 1))
    assert hotelling(constant, 1.0, 1e-6).separated
    assert not hotelling(0 * constant, 1.0, 0.5).separated
    assert published_statistic(in_turn(constant)) == 0.0  # the published form takes them for equal


def test_rounding_errors_are_no_difference() -> None:
    noise = 1e-14 * sample(0)
    assert not hotelling(noise + 1e-13, 1.0, 0.05).separated


def test_spread_in_some_directions_only() -> None:
    values = np.zeros((32, 4))
    values[:, :2] = sample(3, d=2)
    assert not hotelling(values, 1.0, 1e-4).separated
    values[:, 3] = 1.0
    assert hotelling(values, 1.0, 1e-4).separated


def test_the_published_form_lacks_the_factor_q() -> None:
    values = sample(5, shift=0.4)
    assert 32 * published_statistic(in_turn(values)) == pytest.approx(hotelling(values, 1.0, 0.05).statistic, rel=1e-2)


def test_the_published_form_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    values = sample(7, shift=0.4)
    values[:, 5] = values[:, 4]  # singular
    d = torch.tensor(values, dtype=torch.float32).T  # as in BREC's code: vectors are columns
    mean = d.mean(dim=1).reshape(-1, 1)
    expected = (mean.T @ torch.linalg.pinv(torch.cov(d)) @ mean).item()
    assert published_statistic(in_turn(values)) == expected


def test_the_threshold_for_other_sizes_comes_from_the_same_formula() -> None:
    assert published_threshold(32, 16) == PUBLISHED_THRESHOLD
    for q, d in ((32, 8), (16, 4), (40, 16)):
        assert published_threshold(q, d) == pytest.approx(hotelling(sample(0, q, d), 1.0, 0.05).threshold)
