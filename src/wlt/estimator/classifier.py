"""WLTClassifier: WLT-GNN as a scikit-learn classifier, for graphs of any kind."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from wlt.auditing.limits import limits
from wlt.estimator import calibration
from wlt.estimator.base import FitError, Outputs, WLTEstimator
from wlt.estimator.calibration import Calibration
from wlt.estimator.label_table import Unseen
from wlt.graphs import Graphs
from wlt.recolor import Recolor
from wlt.targets import classes_of, target_column, target_table
from wlt.train.target import Binaries, Classes, Task

__all__ = ["FitError", "WLTClassifier"]


class WLTClassifier(ClassifierMixin, WLTEstimator):  # type: ignore[misc]
    """Graph classification by WLT-GNN, with scikit-learn's conventions.

    Graphs are `wlt.Graphs`, a list of anything `wlt.as_graph` takes, a PyG dataset, or a `wlt.Graph` that is a
    disjoint union. Labels are strings, numbers or booleans, one for each graph; or several columns of 0 and 1, in which
    NaN and None are gaps that count neither in training nor in the score.

    structure: 'g' is a GIN layer, 'r' a recoloring layer (`wlt.structure.Structure`). "ggggg" is a plain GNN.
    recolor: nodes of the largest class that an r recolours, as `wlt.Recolor` reads it: a number (1), a share (0.5),
        "all", "nodes", "canonical", or, in training too, the mean over several draws ("draws:8").
    hidden, epochs, learning_rate, batch_size: of the training by Adam; the rate is halved every 50 epochs.
    dropout: in the classifier behind the readout. It helps small sets; with graphs that are large and dense, try 0.
    residual: every 'g' adds to the messages that it takes, and labels have learned rows before the first. Where graphs
        are many, deep structures then learn faster.
    views: before the first layer, so many rounds (2 is a good choice) look at every node recoloured in turn, so that
        nodes know the rings that they are on (`wlt.nn.NodeViews`); 0 for none. Needs residual=True, and more time.
    node_labels: "auto" is what the graphs bring along, such as PyG's x, else degrees; "degrees"; or the name of a node
        attribute of networkx, igraph or PyG graphs. Rows of numbers, and numbers that are not whole, are features: each
        column is divided by its largest absolute value in training. All other values are labels, with a weight vector
        each.
    edge_labels: "auto" is what the graphs bring along: PyG's edge_attr, the edge labels of a dataset, the bonds of
        molecules; an edge attribute of networkx, igraph or PyG graphs, by its name; None leaves labels out. Directions,
        parallel edges and loops always count. Rows of numbers, and numbers that are not whole, are features, as those
        of nodes. Where edges carry something, 'g' is GINE.
    unseen: what prediction does about a label that was not in the training data: "ignore" lets nodes with such a label
        send an empty message, and takes edges with such a label as edges without one, and warns; "error" refuses it.
        A degree that was not there counts as the nearest one that was.
    class_weight: None; "balanced", by which all classes weigh the same together; or a weight for each class, by a dict.
        Of columns of 0 and 1, likewise in each column.
    prediction_draws: an r is random, so a prediction is the mean of the probabilities over so many draws.
    ensemble: networks that are trained, on other graphs each where some are held out; predictions are their mean.
    calibrate: learn from held-out graphs how sure predictions may be. Without an ensemble and without early stopping
        a second network is trained for this, without a fifth of the graphs: fit takes almost twice as long. Of less
        than 400 graphs a fifth says too little: then there are up to five such networks. Which class is predicted does
        not depend on it (but for ties, and the mean of several draws).
    early_stopping: hold out `validation_fraction` of the graphs, stop when their loss has not improved for `patience`
        epochs, and go back to the best epoch.
    warm_start: a second fit goes on from the weights of the first.
    audit: warn, in one sentence, where no weights can fit the labels well or where recoloring cannot help.
    n_jobs: cores; None is 1 and -1 all of them. Where fit trains several networks (an ensemble, or those of
        `calibrate`) each is trained in a process of its own, and these processes stay for the next fit. Otherwise, and
        in predict, it is the number of threads: more than one only pays with large graphs or many hidden units.
    verbose: 1 shows a progress bar in fit and predict.
    random_state: an int makes fit, and with it every prediction, repeatable: bit by bit on one machine with the same
        n_jobs. Which nodes are recoloured in a prediction depends on this seed and on the graph, not on the other
        graphs: predict gives a graph the same answer alone and in any batch (probabilities up to rounding, in double
        precision: 1e-9).

    After fit: classes_, models_ (each a `wlt.nn.WLTGNN`, in double precision; model_ is the first), table_ and
    edge_table_ (the labels of nodes and edges that it knows), target_, calibration_, history_ (the score of every
    epoch), n_iter_ (epochs that were run) and, with early stopping, validation_history_ and best_epoch_. A model file
    holds all of these but the story of the training, and neither n_jobs nor verbose.

    >>> import networkx as nx
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 16)] + [nx.path_graph(n) for n in range(4, 16)]
    >>> classes = ["ring"] * 12 + ["chain"] * 12
    >>> model = WLTClassifier("gg", hidden=8, epochs=20, audit=False, random_state=0).fit(graphs, classes)
    >>> model.predict([nx.path_graph(16), nx.cycle_graph(16)]).tolist()
    ['chain', 'ring']
    """

    def __init__(
        self,
        structure: str = "gggrgg",
        recolor: float | str | Recolor = 1,
        hidden: int = 128,
        epochs: int = 100,
        learning_rate: float = 0.01,
        batch_size: int = 128,
        dropout: float = 0.5,
        residual: bool = False,
        views: int = 0,
        node_labels: str = "auto",
        edge_labels: Hashable = "auto",
        unseen: Unseen = "ignore",
        class_weight: str | Mapping[Any, float] | None = None,
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
        self.class_weight = class_weight

    def _task(self, targets: Any, names: tuple[str, ...], graphs: int, weights: NDArray[np.float64] | None) -> Task:
        if _is_table(targets):
            return self._columns(targets, names, graphs, weights)
        labels = target_column(targets, graphs)
        classes, _ = classes_of(labels)
        if len(classes) < 2:
            raise ValueError(f"all {graphs} graphs have the label {classes.tolist()[0]!r}; two classes are needed")
        if self.class_weight is not None:
            weights = (1.0 if weights is None else weights) * compute_sample_weight(self.class_weight, labels)
        target = Classes(classes)
        return Task(target, target.encode(labels), None if weights is None else torch.from_numpy(weights))

    def _columns(self, targets: Any, names: tuple[str, ...], graphs: int, weights: NDArray[np.float64] | None) -> Task:
        table = target_table(targets, graphs)
        names = names or tuple(map(str, range(table.shape[1])))
        wrong = np.argwhere(~(np.isnan(table) | (table == 0) | (table == 1)))
        if len(wrong):
            graph, column = wrong[0]
            raise ValueError(
                f"graph {graph}, column {names[column]!r}: {table[graph, column]:g}; several columns of classes are "
                "columns of 0 and 1 (and gaps); WLTRegressor is for numbers"
            )
        cells = None if weights is None else np.repeat(weights[:, np.newaxis], table.shape[1], axis=1)
        if self.class_weight is not None:
            cells = (1.0 if cells is None else cells) * _cell_weights(self.class_weight, table)
        target = Binaries(names)
        return Task(target, target.encode(table), None if cells is None else torch.from_numpy(cells))

    def _strata(self, task: Task) -> NDArray[np.int64] | None:
        return task.truth.numpy() if isinstance(task.target, Classes) else None

    def _limits(self, data: Graphs, targets: Any) -> str | None:
        if _is_table(targets):
            return None
        return limits(data.with_targets(targets), *self.bounded_as())

    def _learn(self, task: Task, outputs: Outputs | None, held_out: NDArray[np.int64]) -> None:
        self.calibration_, self.noise_ = Calibration(), None
        if outputs is None:
            return
        truth, logits = task.truth.numpy()[held_out], _all_draws(outputs)
        learn: Any = calibration.learn_columns if task.target.columns else calibration.learn
        self.calibration_ = learn(logits, truth)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, ascending; of several columns, their numbers."""
        if "target_" not in self.__dict__:
            raise AttributeError("not fitted")
        target = self.target_
        return target.classes if isinstance(target, Classes) else np.arange(target.outputs)

    def predict_proba(self, graphs: Any, calibrated: bool = True) -> NDArray[np.float64]:
        """The probability of every class, [graphs, classes] in the order of classes_; of several columns, that of 1.

        calibrated=False gives what the networks themselves say, which is far too sure."""
        logits = _all_draws(self._outputs(graphs))
        learned = self.calibration_ if calibrated else Calibration()
        return learned.probabilities(logits, columns=bool(self.target_.columns))

    def predict_log_proba(self, graphs: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`."""
        logarithms: NDArray[np.float64] = np.log(self.predict_proba(graphs))
        return logarithms

    def predict(self, graphs: Any) -> NDArray[Any]:
        """The most probable class of every graph; of several columns, 0 or 1 in each."""
        shares = self.predict_proba(graphs)
        if self.target_.columns:
            return (shares > 0.5).astype(np.int64)
        labels: NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return labels

    def score(self, graphs: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy; of several columns, that of all cells but the gaps."""
        if not _is_table(y):
            return float(super().score(graphs, y, sample_weight))
        answers = self.predict(graphs)
        truth = target_table(y, len(answers))
        there = ~np.isnan(truth)
        weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight)
        cells = np.where(there, weights[:, np.newaxis], 0.0)
        return float((cells * (answers == truth)).sum() / cells.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _is_table(targets: Any) -> bool:
    """Are there several columns?"""
    shape = np.asarray(targets).shape
    return len(shape) == 2 and shape[1] > 1


def _all_draws(outputs: Outputs) -> NDArray[np.float64]:
    """[graphs, draws of all networks, outputs]"""
    return outputs.reshape(len(outputs), -1, outputs.shape[-1])


def _cell_weights(class_weight: Any, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of every cell by its class, 0 or 1; of gaps, 1."""
    weights = np.ones_like(table)
    for column in range(table.shape[1]):
        there = ~np.isnan(table[:, column])
        weights[there, column] = compute_sample_weight(class_weight, table[there, column].astype(np.int64))
    return weights
