"""The figure of a training has the numbers of its story."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import wlt

GRAPHS = [nx.cycle_graph(n) for n in range(4, 16)] + [nx.path_graph(n) for n in range(4, 16)]
OPTIONS: dict[str, Any] = {"hidden": 8, "audit": False, "random_state": 0}


def lines(axes: Any) -> dict[str, list[float]]:
    return {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in axes.get_lines()}


def test_loss_and_score_of_every_epoch(tmp_path: Path) -> None:
    model = wlt.WLTRegressor("gg", epochs=6, **OPTIONS).fit(GRAPHS, range(24))
    figure = wlt.plot_training(model)
    loss, score = figure.axes
    assert lines(loss) == {"training": [each.loss for each in model.history_]}
    assert lines(score) == {"training": [each.value for each in model.history_]}
    assert score.get_ylabel() == "mean absolute error"
    figure.savefig(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 5000


def test_early_stopping_and_ensembles() -> None:
    labels = [0] * 12 + [1] * 12
    model = wlt.WLTClassifier("gg", epochs=8, ensemble=2, early_stopping=True, **OPTIONS).fit(GRAPHS, labels)
    loss = lines(wlt.plot_training(model).axes[0])
    assert loss["training, network 1"] == [each.loss for each in model.histories_[1]]
    assert loss["held out"] == [each.loss for each in model.validation_history_]
    assert "epoch that was kept" in loss


def test_there_must_be_a_training(tmp_path: Path) -> None:
    model = wlt.WLTClassifier("g", epochs=1, calibrate=False, **OPTIONS).fit(GRAPHS, [0] * 12 + [1] * 12)
    model.save(tmp_path / "model.wlt")
    with pytest.raises(ValueError, match="loaded from a file has no curves"):
        wlt.plot_training(wlt.WLTClassifier.load(tmp_path / "model.wlt"))
    with pytest.raises(TypeError, match="a fitted WLTClassifier or WLTRegressor is needed, not int"):
        wlt.plot_training(3)
    with pytest.raises(Exception, match="not fitted"):
        wlt.plot_training(wlt.WLTClassifier())
