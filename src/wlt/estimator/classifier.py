"""WLTClassifier: WLT-GNN as a scikit-learn estimator, for graphs of any kind."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wlt.auditing.limits import limits
from wlt.estimator import modelfile
from wlt.estimator.label_table import LabelTable, Unseen, UnseenLabelWarning
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs
from wlt.nn import GIN, WLTGNN, Batch, Collection
from wlt.nn.recolor import Recoloring
from wlt.progress import progress_bar
from wlt.recolor import MOST_DRAWS, Recolor
from wlt.recoloring import kernels as recoloring_kernels
from wlt.refine import round_kernels
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.threads import torch_threads
from wlt.wording import level_of_caller

ARCHITECTURE = ("structure", "recolor", "hidden", "dropout")
"""Parameters that a fitted model keeps, whatever set_params says afterwards."""

SESSION = ("n_jobs", "verbose")
"""Parameters that belong to whoever runs the model, and not into a model file."""


class UnusedEdgesWarning(UserWarning):
    """Edges carry something that the classifier does not look at."""


class FitError(ValueError):
    """Graphs, labels and parameters that are sound, and with which the training does not work."""


class WLTClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Graph classification by WLT-GNN, with scikit-learn's conventions.

    Graphs are `wlt.Graphs`, a list of anything `wlt.as_graph` takes, a PyG dataset, or a `wlt.Graph` that is a
    disjoint union. Labels are strings, numbers or booleans.

    structure: 'g' is a GIN layer, 'r' a recoloring layer (`wlt.structure.Structure`). "ggggg" is a plain GNN.
    recolor: nodes of the largest class that an r recolours, as `wlt.Recolor` reads it: a number (1), a share (0.5),
        "all", "canonical", or, in training too, the mean over several draws ("draws:8").
    hidden, epochs, learning_rate, batch_size: of the training by Adam; the rate is halved every 50 epochs.
    dropout: in the classifier behind the readout. It helps small sets; with graphs that are large and dense, try 0.
    node_labels: "auto" is what the graphs bring along, such as PyG's x, else degrees; "degrees"; or the name of a node
        attribute of networkx, igraph or PyG graphs. Rows of numbers, and numbers that are not whole, are features: each
        column is divided by its largest absolute value in training. All other values are labels, with a weight vector
        each.
    unseen: what prediction does about a node label that was not in the training data: "ignore" lets such nodes send an
        empty message, and warns; "error" refuses it. A degree that was not there counts as the nearest one that was.
    prediction_draws: an r is random, so a prediction is the mean of the probabilities over so many draws.
    early_stopping: hold out `validation_fraction` of the graphs, stop when their loss has not improved for `patience`
        epochs, and go back to the best epoch.
    audit: warn, in one sentence, where no weights can fit the labels well or where recoloring cannot help.
    n_jobs: threads of fit and predict; None is 1 and -1 one for each core. More than one only pays with large graphs
        or many hidden units, and costs dearly where other processes want the same cores.
    verbose: 1 shows a progress bar in fit and predict.
    random_state: an int makes fit, and with it every prediction, repeatable: bit by bit on one machine with the same
        n_jobs. Which nodes are recoloured in a prediction depends on this seed and on the graph, not on the other
        graphs: predict gives a graph the same answer alone and in any batch (probabilities up to rounding, in double
        precision: 1e-9).

    After fit: classes_, model_ (the `wlt.nn.WLTGNN`, in double precision), table_ (the node labels it knows), history_
    (the score of every epoch), n_iter_ (epochs that were run) and, with early stopping, validation_history_ and
    best_epoch_. A model file holds the first three of these, not the story of the training; nor n_jobs and verbose.

    >>> import networkx as nx
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 16)] + [nx.path_graph(n) for n in range(4, 16)]
    >>> classes = ["ring"] * 12 + ["chain"] * 12
    >>> model = WLTClassifier("gg", hidden=8, epochs=20, audit=False, random_state=0).fit(graphs, classes)
    >>> model.predict([nx.path_graph(16), nx.cycle_graph(16)]).tolist()
    ['chain', 'ring']
    """

    predicted_at_once = 2048
    """Graphs whose colours are computed together in prediction; it bounds the memory and moves the progress bar."""

    def __init__(
        self,
        structure: str = "gggrgg",
        recolor: float | str | Recolor = 1,
        hidden: int = 128,
        epochs: int = 100,
        learning_rate: float = 0.01,
        batch_size: int = 128,
        dropout: float = 0.5,
        node_labels: str = "auto",
        unseen: Unseen = "ignore",
        prediction_draws: int = 8,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 20,
        audit: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ):
        self.structure = structure
        self.recolor = recolor
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.dropout = dropout
        self.node_labels = node_labels
        self.unseen = unseen
        self.prediction_draws = prediction_draws
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.audit = audit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, graphs: Any, y: ArrayLike | None = None) -> WLTClassifier:
        """Train on these graphs. y: a label for every graph; `wlt.Graphs` and PyG's datasets may have their own."""
        self.check_parameters()
        graphs = list(graphs) if isinstance(graphs, Iterator) else graphs
        data = self._read(graphs)
        if y is not None or data.targets is None:
            data = data.with_targets(_labels(graphs) if y is None else y)
        classes, targets = data.classes, data.class_numbers
        if len(classes) < 2:
            raise ValueError(f"all {len(data)} graphs have the label {classes.tolist()[0]!r}; two classes are needed")
        random = check_random_state(self.random_state)
        weight_seed, training_seed, draw_seed = (int(seed) for seed in random.randint(2**31 - 1, size=3))
        which, held_out = np.arange(len(data)), np.arange(0)
        if self.early_stopping:
            which, held_out = self._split(targets, random)
        table = LabelTable.learn(data.take(which))
        rows, features = table.apply(data, "ignore")
        if self.audit:
            sentence = limits(data, self.structure, Recolor(self.recolor))
            if sentence:
                warnings.warn(sentence, stacklevel=2)
        model = self._new_model(table, len(classes), weight_seed)
        rounds = Structure(self.structure).known_rounds
        source = Collection(data.union, rows, rounds, None if features is None else torch.from_numpy(features))
        with torch_threads(self.n_jobs):
            self._train(model, source, torch.from_numpy(targets), which, held_out, training_seed)
        self.classes_, self.table_, self.seed_ = classes, table, draw_seed
        self.architecture_ = {name: _plain(getattr(self, name)) for name in ARCHITECTURE}
        self.model_ = model.double().eval()
        return self

    def _read(self, graphs: Any) -> Graphs:
        """The graphs as the model sees them: what edges carry is left out, with a warning."""
        data = as_graphs(graphs, node_labels=self.node_labels, empty=False)
        if len(data.union.arcs):
            warnings.warn(
                "WLTClassifier does not look at what edges carry (labels, directions, parallel edges); "
                "edge_labels=None in the loader leaves it out",
                UnusedEdgesWarning,
                stacklevel=level_of_caller(),
            )
        return data.without_edge_labels()

    def _new_model(self, table: LabelTable, num_classes: int, seed: int) -> WLTGNN:
        generator = torch.Generator().manual_seed(seed)
        model = WLTGNN(
            table.num_inputs,
            self.hidden,
            num_classes,
            structure=self.structure,
            recolor=self.recolor,
            dropout=_plain(self.dropout),
            generator=generator,
        )
        if table.kind == "labels":
            first = next(layer for layer in model.layers if isinstance(layer, GIN))
            with torch.no_grad():
                first.weight1[-1] = 0  # unseen labels: no training graph has any, so this row has no gradient
        return model

    def _train(
        self,
        model: WLTGNN,
        source: Collection,
        targets: torch.Tensor,
        which: NDArray[np.int64],
        held_out: NDArray[np.int64],
        seed: int,
    ) -> None:
        schedule = fit.Schedule(self.epochs, self.learning_rate, batch_size=self.batch_size)
        generator = torch.Generator().manual_seed(seed)
        history: list[fit.Score] = []
        held_out_history: list[fit.Score] = []
        best_epoch = 0
        best: dict[str, torch.Tensor] = {}
        with progress_bar("fit", self.epochs, "always" if self.verbose else "never") as advance:
            for score in fit.train(model, source, targets, which, schedule, generator):
                history.append(score)
                if not isfinite(score.loss):
                    when = f"in epoch {len(history)}: the loss is {score.loss}"
                    raise FitError(f"training diverged {when}; a smaller learning_rate may help")
                shown = f"loss {score.loss:.3f}, accuracy {100 * score.accuracy:.1f} %"
                if len(held_out):
                    same_draws = torch.Generator().manual_seed(seed)  # epochs differ by their weights only
                    held = fit.evaluate(model, source, targets, held_out, self.batch_size, same_draws)
                    held_out_history.append(held)
                    shown += f"; held out: loss {held.loss:.3f}"
                    losses = [past.loss if isfinite(past.loss) else inf for past in held_out_history]
                    best_epoch = int(np.argmin(losses)) + 1
                    if best_epoch == len(losses):
                        best = copy.deepcopy(model.state_dict())
                    if len(losses) - best_epoch >= self.patience:
                        break
                advance(1, shown)
        if len(held_out) and not isfinite(held_out_history[best_epoch - 1].loss):
            raise FitError("early stopping: no epoch has a finite loss on the graphs held out (huge features?)")
        if best:
            model.load_state_dict(best)
        for of_an_earlier_fit in ("validation_history_", "best_epoch_"):
            self.__dict__.pop(of_an_earlier_fit, None)
        self.history_, self.n_iter_ = history, len(history)
        if len(held_out):
            self.validation_history_, self.best_epoch_ = held_out_history, best_epoch

    def _split(self, targets: NDArray[np.int64], random: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        everything = np.arange(len(targets))
        try:
            which, held_out = train_test_split(
                everything, test_size=self.validation_fraction, stratify=targets, random_state=random
            )
        except ValueError as error:
            share = f"validation_fraction={self.validation_fraction}"
            raise FitError(f"early stopping cannot hold out graphs with {share}: {error}") from None
        return np.sort(which), np.sort(held_out)

    def predict_proba(self, graphs: Any) -> NDArray[np.float64]:
        """The probability of every class, [graphs, classes], columns in the order of classes_."""
        check_is_fitted(self, "model_")
        self.check_parameters()
        data = self._read(graphs)
        rows_of_nodes, features = self.table_.apply(data, self.unseen)
        if sentence := self.table_.unseen(data):
            warnings.warn(sentence, UnseenLabelWarning, stacklevel=2)
        rows = None if features is None else torch.from_numpy(features)
        rounds = self.model_.structure.known_rounds
        recolorings = [layer for layer in self.model_.layers if isinstance(layer, Recoloring)]
        draws = self.prediction_draws if any(layer.recolor.is_random for layer in recolorings) else 1
        out = np.empty((len(data), len(self.classes_)))
        seen = self.verbose and len(data) > self.predicted_at_once  # else it is done before anyone could look
        with torch_threads(self.n_jobs), progress_bar("predict", len(data), "always" if seen else "never") as advance:
            for begin in range(0, len(data), self.predicted_at_once):
                which = np.arange(begin, min(begin + self.predicted_at_once, len(data)))
                nodes = data.union.nodes_of(which)
                part = Collection(data.union.take(which), rows_of_nodes[nodes], rounds, rows)
                source = _Draws(part, draws, self.seed_)
                copies = np.arange(len(which) * draws)
                logits = fit.predict(self.model_, source, copies, self.batch_size * draws, torch.Generator())
                out[which] = logits.softmax(1).view(len(which), draws, -1).mean(1).numpy()
                advance(len(which), "")
        return out

    def predict(self, graphs: Any) -> NDArray[Any]:
        """The most probable class of every graph, in the order of the graphs."""
        chosen = self.predict_proba(graphs).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a model file (safetensors); `load` gives it back, bit by bit."""
        check_is_fitted(self, "model_")
        parameters = {name: _plain(value) for name, value in self.get_params().items()} | self.architecture_
        for name in SESSION:
            del parameters[name]
        if not isinstance(parameters["random_state"], (int, type(None))):
            parameters["random_state"] = None  # what a generator drew is in the model
        modelfile.write(path, modelfile.Stored(parameters, self.classes_, self.table_, self.seed_, self.model_))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WLTClassifier:
        """The fitted classifier in a model file. No code of the file is run; a file that is not sound is refused."""
        stored = modelfile.read(path)
        try:
            classifier = cls(**{name: value for name, value in stored.parameters.items() if name not in SESSION})
            classifier.check_parameters()
        except (ValueError, TypeError) as error:
            raise modelfile.ModelFileError(f"{path}: the description of the model is wrong: {error}") from None
        classifier.classes_, classifier.table_, classifier.seed_ = stored.classes, stored.table, stored.seed
        classifier.architecture_ = {name: stored.parameters[name] for name in ARCHITECTURE}
        classifier.model_ = stored.model
        return classifier

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, in one line, for a parameter that is wrong; `fit` begins with this."""
        Structure(self.structure)
        Recolor(self.recolor)
        for name in ("hidden", "epochs", "batch_size", "prediction_draws", "patience"):
            value = getattr(self, name)
            if not _is_whole(value):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.prediction_draws > MOST_DRAWS:
            raise ValueError(f"prediction_draws must be at most {MOST_DRAWS}, not {self.prediction_draws}")
        for name, high in (("learning_rate", np.inf), ("validation_fraction", 1)):
            value = getattr(self, name)
            if not _is_number(value):
                raise TypeError(f"{name} must be a number, not {value!r}")
            if not 0 < value < high:
                raise ValueError(f"{name} must be more than 0 and less than {high}, not {value}")
        if not _is_number(self.dropout) or not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be a number in [0, 1), not {self.dropout!r}")
        if not isinstance(self.node_labels, str):
            raise TypeError(f"node_labels must be 'auto', 'degrees' or an attribute's name, not {self.node_labels!r}")
        for name in ("early_stopping", "audit"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.n_jobs is not None and (not _is_whole(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"n_jobs must be None, a number of threads or -1, not {self.n_jobs!r}")
        if not _is_whole(self.verbose) and not isinstance(self.verbose, (bool, np.bool_)):
            raise TypeError(f"verbose must be 0 or 1, not {self.verbose!r}")
        check_random_state(self.random_state)
        if self.unseen not in ("error", "ignore"):
            raise ValueError(f"unseen must be 'error' or 'ignore', not {self.unseen!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, (float, np.floating))


def _plain(value: Any) -> Any:
    """A parameter as JSON knows it: numpy's scalars, which come out of parameter grids, as Python's."""
    if isinstance(value, Recolor):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value


class _Draws:
    """`draws` copies of every graph, each with a seed that depends on the graph and on nothing else in the batch.

    Copies cost little: they share their classes, and with them all rows, until they are recoloured differently."""

    def __init__(self, graphs: Collection, draws: int, seed: int):
        self.graphs, self.draws = graphs, draws
        everything = np.arange(graphs.graphs.num_graphs)
        whole = graphs.batch(everything)
        union, no_candidates = whole.graph, np.zeros(len(everything) + 1, np.int64)
        arrays = (union.adjacency, union.arc_words, union.starts, whole.names, no_candidates, np.zeros(0, np.int32))
        words = recoloring_kernels.content_words(*arrays, everything)[:, 0] + np.uint64(seed)
        draw = np.tile(np.arange(draws, dtype=np.uint64), len(everything))
        self.seeds: NDArray[np.uint64] = round_kernels.color_words(
            np.repeat(round_kernels.color_words(words), draws) + draw
        )

    def batch(self, which: NDArray[np.int64]) -> Batch:
        return replace(self.graphs.batch(which // self.draws), seeds=self.seeds[which])


def _labels(graphs: Any) -> ArrayLike:
    """PyG's `y`."""
    if hasattr(graphs, "edge_index") and getattr(graphs, "y", None) is not None:  # a Batch of PyG's
        return np.asarray(graphs.y)
    if not hasattr(graphs, "__iter__") or not all(getattr(graph, "y", None) is not None for graph in graphs):
        raise ValueError("y is needed: a label for every graph")
    return np.array([np.asarray(graph.y).reshape(-1) for graph in graphs])
