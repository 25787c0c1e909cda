"""WLTRegressor: WLT-GNN as a scikit-learn regressor, for graphs of any kind."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from wlt.estimator.base import Outputs, WLTEstimator
from wlt.estimator.calibration import Calibration
from wlt.estimator.label_table import Unseen
from wlt.graphs import Graphs
from wlt.recolor import Recolor
from wlt.targets import target_table
from wlt.train.target import LOSSES, Loss, Numbers, Task


class WLTRegressor(RegressorMixin, WLTEstimator):  # type: ignore[misc]
    """Prediction of numbers for graphs by WLT-GNN, with scikit-learn's conventions.

    Targets are a number for each graph, or a row of numbers; NaN and None are gaps, which count neither in training nor
    in the score. The networks see each column shifted to mean 0 and divided by its standard deviation.

    residual: as in `WLTClassifier`, and the default: in most comparisons it lowered the error (docs/molecules.md).
    loss: "huber" is squared for small errors and absolute for large ones, so that single wild values do little harm;
        "absolute", for the smallest mean absolute error; or "squared".
    calibrate: learn from held-out graphs how far predictions are off, for `predict(graphs, return_std=True)`.
    All others are told in `WLTClassifier`.

    After fit: models_, model_, table_, edge_table_, target_ (with shift and scale), noise_ (the standard deviation of
    the error on held-out graphs, in each column), history_, n_iter_ and, with early stopping, validation_history_ and
    best_epoch_.

    >>> import networkx as nx
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 24)]
    >>> model = WLTRegressor("gg", hidden=16, epochs=60, dropout=0, random_state=0).fit(graphs, range(4, 24))
    >>> bool(abs(model.predict([nx.cycle_graph(15)])[0] - 15) < 2)
    True
    """

    def __init__(
        self,
        structure: str = "gggrgg",
        recolor: float | str | Recolor = 1,
        hidden: int = 128,
        epochs: int = 100,
        learning_rate: float = 0.01,
        batch_size: int = 128,
        dropout: float = 0.0,
        residual: bool = True,
        views: int = 0,
        loss: Loss = "huber",
        node_labels: str = "auto",
        edge_labels: Hashable = "auto",
        unseen: Unseen = "ignore",
        prediction_draws: int = 8,
        ensemble: int = 1,
        calibrate: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 20,
        warm_start: bool = False,
        audit: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ):
        super().__init__(
            structure=structure,
            recolor=recolor,
            hidden=hidden,
            epochs=epochs,
            learning_rate=learning_rate,
            batch_size=batch_size,
            dropout=dropout,
            residual=residual,
            views=views,
            node_labels=node_labels,
            edge_labels=edge_labels,
            unseen=unseen,
            prediction_draws=prediction_draws,
            ensemble=ensemble,
            calibrate=calibrate,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            patience=patience,
            warm_start=warm_start,
            audit=audit,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )
        self.loss = loss

    def _task(self, targets: Any, names: tuple[str, ...], graphs: int, weights: NDArray[np.float64] | None) -> Task:
        table = target_table(targets, graphs)
        for column, values in enumerate(table.T):
            known = values[~np.isnan(values)]
            if (known == known[0]).all():
                name = repr(names[column]) if names else str(column)
                which = f"target {name}" if names or table.shape[1] > 1 else "the target"
                raise ValueError(f"{which} is {known[0]:g} for every graph that has a value: there is nothing to learn")
        names = names or tuple(map(str, range(table.shape[1])))
        target = Numbers.learn(table, self.loss, () if np.asarray(targets).ndim == 1 else names)
        return Task(target, target.encode(table), None if weights is None else torch.from_numpy(weights))

    def _strata(self, task: Task) -> NDArray[np.int64] | None:
        return None

    def _limits(self, data: Graphs, targets: Any) -> str | None:
        return None

    def _learn(self, task: Task, outputs: Outputs | None, held_out: NDArray[np.int64]) -> None:
        self.calibration_, self.noise_ = Calibration(), None
        if outputs is not None:
            answers = self._decoded(outputs).mean(axis=(1, 2))
            squares = (answers - task.truth.numpy()[held_out]) ** 2
            there = ~np.isnan(squares)
            counts = there.sum(axis=0)
            sums = np.where(there, squares, 0.0).sum(axis=0)
            assert isinstance(task.target, Numbers)
            # of a column without a value among the held-out graphs nothing is known but its spread
            self.noise_ = np.where(counts > 0, np.sqrt(sums / np.maximum(counts, 1)), task.target.scale)

    def _decoded(self, outputs: Outputs) -> Outputs:
        answers: Outputs = self.target_.decode(torch.from_numpy(outputs)).numpy()
        return answers

    def predict(self, graphs: Any, return_std: bool = False) -> Any:
        """The numbers of every graph, [graphs] or [graphs, columns]; return_std: and how far they may be off.

        That is the standard deviation of the error on held-out graphs and, in an ensemble, how far its networks differ
        about this graph: the mean of the squares is that of the held-out errors."""
        answers = self._decoded(self._outputs(graphs)).mean(axis=2)  # [graphs, networks, columns]
        mean = answers.mean(axis=1)
        shape = (len(mean),) if not self.target_.columns else mean.shape
        if not return_std:
            return mean.reshape(shape)
        if self.noise_ is None:
            raise ValueError("return_std: the model was fitted with calibrate=False, so nothing is known about errors")
        spread = answers.var(axis=1, ddof=1) if answers.shape[1] > 1 else np.zeros_like(mean)
        return mean.reshape(shape), np.sqrt(self.noise_**2 + spread).reshape(shape)

    def score(self, graphs: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The coefficient of determination, R2; of several columns, their mean, each without its gaps."""
        answers = self.predict(graphs)
        answers = answers.reshape(len(answers), -1)
        truth = target_table(y, len(answers))
        weights = None if sample_weight is None else np.asarray(sample_weight)
        found = []
        for column in range(truth.shape[1]):
            there = ~np.isnan(truth[:, column])
            counted = None if weights is None else weights[there]
            found.append(r2_score(truth[there, column], answers[there, column], sample_weight=counted))
        return float(np.mean(found))

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be {', '.join(map(repr, LOSSES))}, not {self.loss!r}")
