"""`plot_training`: the curves of a training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wlt.drawing.palette import OKABE_ITO
from wlt.estimator.base import WLTEstimator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wlt.train.fit import Score


def plot_training(model: Any) -> Figure:
    """A figure of matplotlib: the loss and the score of every epoch of `fit`, for each network of an ensemble.

    With early stopping, also those of the graphs that were held out, and the epoch that was kept. The score is the
    accuracy, or the mean absolute error of a regressor. A model that was loaded from a file has no curves.

    >>> import networkx as nx
    >>> from wlt import WLTClassifier
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 9)] + [nx.path_graph(n) for n in range(4, 9)]
    >>> model = WLTClassifier("gg", hidden=8, epochs=3, random_state=0).fit(graphs, [1] * 5 + [0] * 5)
    >>> [axes.get_ylabel() for axes in plot_training(model).axes]
    ['loss', 'accuracy']
    """
    if not isinstance(model, WLTEstimator):
        raise TypeError(f"a fitted WLTClassifier or WLTRegressor is needed, not {type(model).__name__}")
    check_is_fitted(model, "models_")
    if not hasattr(model, "history_"):
        raise ValueError("a model that was loaded from a file has no curves; they are in the model that was fitted")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    names = {"loss": "loss", "value": model.target_.score_name}
    for axes, (field, name) in zip(figure.subplots(1, 2), names.items(), strict=True):
        for number, history in enumerate(model.histories_):
            several = f", network {number}" if len(model.histories_) > 1 else ""
            color = OKABE_ITO[5] if not several else OKABE_ITO[number % len(OKABE_ITO)]
            axes.plot(_epochs(history), _curve(history, field), color=color, label=f"training{several}")
        if hasattr(model, "validation_history_"):
            held_out = model.validation_history_
            axes.plot(_epochs(held_out), _curve(held_out, field), color=OKABE_ITO[6], label="held out")
            axes.axvline(model.best_epoch_, color=OKABE_ITO[7], linestyle=":", label="epoch that was kept")
        axes.set(xlabel="epoch", ylabel=name)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize="small")
    return figure


def _epochs(history: list[Score]) -> Any:
    return np.arange(1, len(history) + 1)


def _curve(history: list[Score], field: str) -> list[float]:
    return [getattr(score, field) for score in history]
