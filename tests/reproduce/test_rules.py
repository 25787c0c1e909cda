"""Epoch selection, against plain Python and PyG's way of doing it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wlt.reproduce.record import Curve
from wlt.reproduce.report.rules import (
    RuleScore,
    best_epoch,
    best_mean_epoch,
    difference,
    last,
    lowest_validation_loss,
    score,
    validation,
)


@st.composite
def folds(draw: st.DrawFn) -> list[Curve]:
    epochs, count = draw(st.integers(1, 8)), draw(st.integers(1, 5))

    def column(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(low, high), min_size=epochs, max_size=epochs)))

    return [
        Curve((8, 9, 10), column(0, 99), column(0, 8), column(1, 60), column(0, 9), (), column(0, 10))
        for _ in range(count)
    ]


@given(folds())
def test_validation_is_the_rule_of_pygs_benchmark(curves: list[Curve]) -> None:
    """The last lines of benchmark/kernel/train_eval.py: losses and accuracies as [folds, epochs] tensors."""
    loss = torch.tensor([curve.validation_loss for curve in curves]).double()
    accuracy = torch.tensor([curve.test_right for curve in curves]).double() / 10
    low, argmin = loss.min(dim=1)
    theirs = accuracy[torch.arange(len(curves)), argmin]
    ours = score(curves, validation)
    assert ours.mean == pytest.approx(100 * theirs.mean().item())
    if len(curves) > 1:
        assert ours.std == pytest.approx(100 * theirs.std().item())
    else:
        assert np.isnan(ours.std)
    assert lowest_validation_loss(curves) == pytest.approx(low.mean().item() * 1e-5)


@given(folds())
def test_the_other_rules(curves: list[Curve]) -> None:
    epochs = curves[0].epochs
    right = [[curve.test_right[epoch] for curve in curves] for epoch in range(epochs)]
    assert score(curves, last).accuracies.tolist() == pytest.approx([10 * value for value in right[-1]])
    best = score(curves, best_mean_epoch)
    assert len(set(best.epochs.tolist())) == 1
    assert best.mean == pytest.approx(max(10 * sum(row) / len(curves) for row in right))
    assert score(curves, best_epoch).best == pytest.approx(10 * max(max(row) for row in right))
    assert score(curves, last).mean <= best.mean + 1e-9  # validation may choose an epoch for each fold, and be better


@given(folds())
def test_only_best_mean_epoch_looks_at_the_test_fold(curves: list[Curve]) -> None:
    hidden = [curve._replace(test_right=curve.test_right[::-1]) for curve in curves]
    assert np.array_equal(validation(curves), validation(hidden))
    assert np.array_equal(last(curves), last(hidden))


def test_losses_that_are_no_numbers_are_never_chosen() -> None:
    curve = Curve((1, 1, 1), (1, 1), (1, 1), (-1, 70000), (0, 0), (), (0, 1))
    assert validation([curve]).tolist() == [1]
    nothing = curve._replace(validation_loss=(-1, -1))
    assert lowest_validation_loss([curve, nothing]) == float("inf")


def test_difference_is_the_corrected_t_interval() -> None:
    """By hand: k = 4 folds, differences 1, 2, 3, 6; t(0.975, 3) = 3.182446; variance 14/3."""
    first, second = (RuleScore(np.array(values), np.zeros(4, np.int64)) for values in ([5.0, 5, 5, 9], [4.0, 3, 2, 3]))
    found = difference(first, second, train=80, test=10)
    assert found is not None
    half = 3.182446 * ((1 / 4 + 10 / 80) * 14 / 3) ** 0.5
    assert found == pytest.approx((3.0, 3 - half, 3 + half, 4), rel=1e-6)
    two = RuleScore(np.array([1.0, 2]), np.zeros(2, np.int64))
    assert difference(two, two, 80, 10) is None
