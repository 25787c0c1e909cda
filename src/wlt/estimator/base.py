"""What WLTClassifier and WLTRegressor share: parameters, training, draws, ensembles and model files."""

from __future__ import annotations

import copy
import os
import warnings
from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wlt.estimator import modelfile
from wlt.estimator.calibration import Calibration
from wlt.estimator.edge_table import EdgeTable
from wlt.estimator.inputs import Inputs
from wlt.estimator.label_table import LabelTable, Unseen
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs
from wlt.nn import WLTGNN, Batch, Collection
from wlt.nn.recolor import Recoloring
from wlt.progress import Advance, progress_bar
from wlt.recolor import MOST_DRAWS, Recolor
from wlt.recoloring import kernels as recoloring_kernels
from wlt.refine import round_kernels
from wlt.structure import Structure
from wlt.targets import column_names
from wlt.train import fit
from wlt.train.target import Numbers, Target, Task
from wlt.train.threads import number_of_threads, torch_threads
from wlt.wording import shortened, warn_once
from wlt.work.calls import Call, Place, Report, results
from wlt.work.joblib import register
from wlt.work.places import place_for

register()

ARCHITECTURE = ("structure", "recolor", "hidden", "dropout", "residual", "views")
"""Parameters that a fitted model keeps, whatever set_params says afterwards."""

SESSION = ("n_jobs", "verbose")
"""Parameters that belong to whoever runs the model, and not into a model file."""

PROBED = 5
"""A network that only calibrates is trained without every fifth graph."""

VOUCHING = 80
"""So many held-out graphs, or more, tell how sure predictions may be. Where a fifth of the graphs are fewer, several
networks calibrate, each without another fifth."""

MEASURED = 4096
"""Graphs, at most, from which BatchNorm's statistics are taken at the end of a training."""

Outputs = NDArray[np.float64]  # [graphs, networks, draws, outputs]


class FitError(ValueError):
    """Graphs, targets and parameters that are sound, and with which the training does not work."""


class Part(NamedTuple):
    """The graphs that one network is trained on, and those that it never sees."""

    which: NDArray[np.int64]
    held_out: NDArray[np.int64]
    kept: bool = True
    """Or is it there to calibrate the others only?"""


class Trained(NamedTuple):
    """A network, and the story of its training."""

    model: WLTGNN
    history: list[fit.Score]
    held_out_history: list[fit.Score]
    best_epoch: int


class WLTEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The parameters are told in `WLTClassifier` and `WLTRegressor`."""

    models_: list[WLTGNN]
    target_: Target
    table_: LabelTable
    edge_table_: EdgeTable
    calibration_: Calibration
    noise_: NDArray[np.float64] | None

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
        residual: bool = False,
        views: int = 0,
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
        self.structure = structure
        self.recolor = recolor
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.dropout = dropout
        self.residual = residual
        self.views = views
        self.node_labels = node_labels
        self.edge_labels = edge_labels
        self.unseen = unseen
        self.prediction_draws = prediction_draws
        self.ensemble = ensemble
        self.calibrate = calibrate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.audit = audit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    # -----------------------------------------------------------------------------------------------------------------
    # What an estimator says about its target
    # -----------------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _task(self, targets: Any, names: tuple[str, ...], graphs: int, weights: NDArray[np.float64] | None) -> Task:
        """The targets of so many graphs, checked and encoded. names: of their columns, where they have names."""

    @abstractmethod
    def _strata(self, task: Task) -> NDArray[np.int64] | None:
        """Classes whose shares a split keeps, if there are any."""

    @abstractmethod
    def _limits(self, data: Graphs, targets: Any) -> str | None:
        """One sentence about what these graphs do not allow, if there is something to say."""

    @abstractmethod
    def _learn(self, task: Task, outputs: Outputs | None, held_out: NDArray[np.int64]) -> None:
        """Set what predictions need besides the networks. outputs: of one network each for these held-out graphs."""

    # -----------------------------------------------------------------------------------------------------------------
    # Training
    # -----------------------------------------------------------------------------------------------------------------

    def fit(self, graphs: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Train on these graphs. y: what to predict of every graph; `wlt.Graphs` and PyG's datasets may have their own.

        sample_weight: a graph of weight 2 counts in the loss as two graphs."""
        return self._fit(graphs, y, sample_weight, None)

    def fit_at(self, place: Place | None, graphs: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """`fit`, whose networks are trained at this place, such as `wlt.work.ray.RayCluster`, on one thread each.

        None is this process. The model is the same, bit by bit, as after `fit` on a machine of the same kind."""
        return self._fit(graphs, y, sample_weight, (place,))

    def _fit(self, graphs: Any, y: Any, sample_weight: ArrayLike | None, where: tuple[Place | None] | None) -> Self:
        """where: a place, if it is not for `n_jobs` to say."""
        self.check_parameters()
        graphs = list(graphs) if isinstance(graphs, Iterator) else graphs
        data = self._read(graphs)
        targets, names = y, column_names(y)
        if y is None:
            targets, names = (data.targets, data.target_names) if data.targets is not None else _targets_of_pyg(graphs)
        if len(data) < 2:
            raise ValueError("one graph (n_samples=1) is too few to learn from")
        task = self._task(targets, names, len(data), _checked_weights(sample_weight, len(data)))
        if gaps := task.gaps:
            cells = f"{gaps} of {task.truth.numel()} cells of the targets are empty"
            warn_once(f"{cells}; they count neither in the loss nor in the score", UserWarning, "gaps")
        random = check_random_state(self.random_state)
        weight_seed, training_seed, draw_seed = (int(seed) for seed in random.randint(2**31 - 1, size=3))
        parts = self._parts(task, random)
        going_on = self.warm_start and hasattr(self, "models_")
        if going_on:
            self._check_same(task.target)
            task = task._replace(target=self.target_)
            table, edge_table = self.table_, self.edge_table_
        else:
            known = data.take(np.unique(np.concatenate([part.which for part in parts])))
            table, edge_table = LabelTable.learn(known.without_loops()), EdgeTable.learn(known.union)
        if self.audit and (sentence := self._limits(data, targets)):
            warn_once(sentence, UserWarning, "limits")
        inputs = Inputs.of(data, table, edge_table, "ignore")
        before = getattr(self, "n_iter_", 0) if going_on else 0
        epochs = [self.epochs if part.kept else self.epochs + before for part in parts]
        cores = number_of_threads(self.n_jobs)
        place = where[0] if where else place_for(min(cores, len(parts)))
        training = _Training(clone(self), inputs, table, edge_table, task, (weight_seed, training_seed, draw_seed))
        states = [self.models_[i].state_dict() if going_on and part.kept else None for i, part in enumerate(parts)]
        calls = [
            Call(_trained, (i, part, epochs[i], states[i], 1 if where or place else cores), "training")
            for i, part in enumerate(parts)
        ]
        with progress_bar("fit", sum(epochs), "always" if self.verbose else "never") as advance:
            networks = list(results(calls, {"training": training}, place, lambda _, remark: advance(1, remark)))
        trained = [each for part, (each, _) in zip(parts, networks, strict=True) if part.kept]
        outputs = [held_out for _, held_out in networks if held_out is not None]
        self.models_ = [each.model for each in trained]
        self.table_, self.edge_table_, self.seed_, self.target_ = table, edge_table, draw_seed, task.target
        self.architecture_ = {name: _plain(getattr(self, name)) for name in ARCHITECTURE}
        self._tell(trained, before)
        held_out = np.concatenate([part.held_out for part in parts])
        self._learn(task, np.concatenate(outputs) if outputs else None, held_out)
        return self

    def _read(self, graphs: Any) -> Graphs:
        return as_graphs(graphs, node_labels=self.node_labels, edge_labels=self.edge_labels, empty=False)

    def _parts(self, task: Task, random: Any) -> list[Part]:
        """What each network is trained on. Without an ensemble, the network that is kept sees all graphs, unless
        training is to stop early; others, trained without a fifth of them each, then tell how sure it may be."""
        everything = np.arange(len(task.truth))
        strata = self._strata(task)
        if self.ensemble > 1:
            if not self.early_stopping and not self.calibrate:
                return [Part(everything, everything[:0])] * self.ensemble
            folds = max(self.ensemble, round(1 / self.validation_fraction))
            return [Part(*part) for part in _folds(everything, folds, strata, random)[: self.ensemble]]
        if self.early_stopping:
            return [Part(*self._split(everything, strata, random))]
        whole = Part(everything, everything[:0])
        if not self.calibrate or len(everything) < 2 * PROBED:
            return [whole]
        probes = _folds(everything, PROBED, strata, np.random.RandomState(random.randint(2**31 - 1)))
        needed = -(-VOUCHING * PROBED // len(everything))
        return [whole, *(Part(*probe, kept=False) for probe in probes[:needed])]

    def _split(
        self, everything: NDArray[np.int64], strata: NDArray[np.int64] | None, random: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        try:
            which, held_out = train_test_split(
                everything, test_size=self.validation_fraction, stratify=strata, random_state=random
            )
        except ValueError as error:
            share = f"validation_fraction={self.validation_fraction}"
            raise FitError(f"early stopping cannot hold out graphs with {share}: {error}") from None
        return np.sort(which), np.sort(held_out)

    def _new_model(
        self,
        inputs: Inputs,
        table: LabelTable,
        edge_table: EdgeTable,
        target: Target,
        which: NDArray[np.int64],
        seed: int,
    ) -> WLTGNN:
        model = WLTGNN(
            table.num_inputs,
            self.hidden,
            target.outputs,
            num_edge_labels=edge_table.num_edge_labels,
            edge_features=edge_table.edge_features,
            structure=self.structure,
            recolor=self.recolor,
            dropout=_plain(self.dropout),
            residual=_plain(self.residual),
            views=_plain(self.views),
            generator=torch.Generator().manual_seed(seed),
        )
        inputs.take(which).erase_others(model)
        if isinstance(target, Numbers):  # sums over nodes and layers are large; so the first answers are near the mean
            with torch.no_grad():
                model.layer_weights.div_(float(inputs.union.graph_sizes.mean()) * len(model.layer_weights))
        return model

    def _train(
        self,
        model: WLTGNN,
        source: Collection,
        task: Task,
        part: Part,
        epochs: int,
        seed: int,
        report: Report,
    ) -> Trained:
        schedule = fit.Schedule(epochs, self.learning_rate, batch_size=self.batch_size)
        generator = torch.Generator().manual_seed(seed)
        history: list[fit.Score] = []
        held_out_history: list[fit.Score] = []
        best_epoch = 0
        best: dict[str, torch.Tensor] = {}
        stopping = self.early_stopping and len(part.held_out) > 0
        for score in fit.train(model, source, task, part.which, schedule, generator):
            history.append(score)
            if not isfinite(score.loss):
                when = f"in epoch {len(history)}: the loss is {score.loss}"
                raise FitError(f"training diverged {when}; a smaller learning_rate may help")
            shown = f"loss {score.loss:.3f}, {task.target.score_name} {_shown(task.target, score.value)}"
            if stopping:
                same_draws = torch.Generator().manual_seed(seed)  # epochs differ by their weights only
                held = fit.evaluate(model, source, task, part.held_out, self.batch_size, same_draws)
                held_out_history.append(held)
                shown += f"; held out: loss {held.loss:.3f}"
                losses = [past.loss if isfinite(past.loss) else inf for past in held_out_history]
                best_epoch = int(np.argmin(losses)) + 1
                if best_epoch == len(losses):
                    best = copy.deepcopy(model.state_dict())
                if len(losses) - best_epoch >= self.patience:
                    break
            report(shown)
        if stopping and not isfinite(held_out_history[best_epoch - 1].loss):
            raise FitError("early stopping: no epoch has a finite loss on the graphs held out (huge features?)")
        if best:
            model.load_state_dict(best)
        self._measure(model, source, part.which, seed)
        return Trained(model.double().eval(), history, held_out_history, best_epoch)

    def _measure(self, model: WLTGNN, source: Collection, which: NDArray[np.int64], seed: int) -> None:
        """Take BatchNorm's statistics from all training graphs: those of a batch, which an epoch ends with, shake
        answers that are numbers. In whole batches, because each counts the same."""
        generator = torch.Generator().manual_seed(seed)
        whole = len(which) // self.batch_size * self.batch_size or len(which)
        measured = which[torch.randperm(len(which), generator=generator)[: min(whole, MEASURED)].numpy()]
        fit.calibrate(model, source, measured, self.batch_size, generator)

    def _tell(self, trained: list[Trained], before: int) -> None:
        """The story of the training, of the first network where there are several."""
        first = trained[0]
        for of_an_earlier_fit in ("validation_history_", "best_epoch_"):
            self.__dict__.pop(of_an_earlier_fit, None)
        self.histories_ = [each.history for each in trained]
        self.history_, self.n_iter_ = first.history, before + len(first.history)
        if first.held_out_history:
            self.validation_history_, self.best_epoch_ = first.held_out_history, first.best_epoch

    def _check_same(self, target: Target) -> None:
        """Raise ValueError where warm_start has other weights to go on from than the parameters ask for."""
        for name in ARCHITECTURE:
            now, then = _plain(getattr(self, name)), self.architecture_[name]
            if now != then and name != "dropout":
                raise ValueError(f"warm_start: the model has {name}={then!r}, and now it is {now!r}")
        if self.ensemble != len(self.models_):
            raise ValueError(f"warm_start: there are {len(self.models_)} networks, and now ensemble={self.ensemble}")
        if not target.like(self.target_):
            raise ValueError("warm_start: the targets are of another kind than those that the model was trained for")

    # -----------------------------------------------------------------------------------------------------------------
    # Prediction
    # -----------------------------------------------------------------------------------------------------------------

    @property
    def model_(self) -> WLTGNN:
        """The network; of an ensemble, the first."""
        if "models_" not in self.__dict__:
            raise AttributeError("not fitted")
        first: WLTGNN = self.models_[0]
        return first

    def _outputs(self, graphs: Any, embed: bool = False) -> Outputs:
        """What the networks say in every draw."""
        check_is_fitted(self, "models_")
        self.check_parameters()
        data = self._read(graphs)
        inputs = Inputs.of(data, self.table_, self.edge_table_, self.unseen)
        inputs.warn_of_unseen()
        seen = self.verbose and len(data) > self.predicted_at_once  # else it is done before anyone could look
        steps = len(data) * len(self.models_)
        with torch_threads(self.n_jobs), progress_bar("predict", steps, "always" if seen else "never") as advance:
            networks = [self._outputs_of(model, inputs, self.seed_, embed, advance) for model in self.models_]
        return np.stack(networks, axis=1)

    def _outputs_of(
        self, model: WLTGNN, inputs: Inputs, seed: int, embed: bool = False, advance: Advance | None = None
    ) -> NDArray[np.float64]:
        """[graphs, draws, outputs] of one network; embed: of its last layer before the outputs."""
        rounds, graphs = model.structure.known_rounds, inputs.union.num_graphs
        draws = self._number_of_draws(model)
        out = []
        for begin in range(0, graphs, self.predicted_at_once):
            which = np.arange(begin, min(begin + self.predicted_at_once, graphs))
            source = _Draws(inputs.take(which).collection(rounds), draws, seed)
            copies = np.arange(len(which) * draws)
            found = fit.predict(
                _Embedding(model) if embed else model, source, copies, self.batch_size * draws, torch.Generator()
            )
            out.append(found.view(len(which), draws, -1).numpy())
            if advance is not None:
                advance(len(which), "")
        return np.concatenate(out)

    def _number_of_draws(self, model: WLTGNN) -> int:
        recolorings = [layer for layer in model.layers if isinstance(layer, Recoloring)]
        return self.prediction_draws if any(layer.recolor.is_random for layer in recolorings) else 1

    def draws_of(self, model: WLTGNN, inputs: Inputs) -> Batch:
        """One graph as this network sees it in a prediction: a copy for each draw, with its seed."""
        draws = self._number_of_draws(model)
        return _Draws(inputs.collection(0), draws, self.seed_).batch(np.arange(draws))

    def transform(self, graphs: Any) -> NDArray[np.float64]:
        """What the networks know of every graph before they answer, [graphs, hidden units of all networks]."""
        rows: NDArray[np.float64] = self._outputs(graphs, embed=True).mean(axis=2)
        return rows.reshape(len(rows), -1)

    @property
    def _n_features_out(self) -> int:
        return len(self.models_) * int(self.architecture_["hidden"])

    # -----------------------------------------------------------------------------------------------------------------
    # Model files
    # -----------------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a model file (safetensors); `load` gives it back, bit by bit."""
        check_is_fitted(self, "models_")
        parameters = {name: _plain(value) for name, value in self.get_params().items()} | self.architecture_
        for name in SESSION:
            del parameters[name]
        if not isinstance(parameters["random_state"], (int, type(None))):
            parameters["random_state"] = None  # what a generator drew is in the model
        stored = modelfile.Stored(
            type(self).__name__,
            parameters,
            self.target_,
            self.table_,
            self.edge_table_,
            self.seed_,
            self.models_,
            self.calibration_,
            self.noise_,
        )
        modelfile.write(path, stored)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The fitted model in a model file. No code of the file is run; a file that is not sound is refused."""
        stored = modelfile.read(path)
        if stored.estimator != cls.__name__:
            raise modelfile.ModelFileError(f"{path} holds a {stored.estimator}; load it with {stored.estimator}.load")
        try:
            estimator = cls(**{name: value for name, value in stored.parameters.items() if name not in SESSION})
            estimator.check_parameters()
        except (ValueError, TypeError) as error:
            raise modelfile.ModelFileError(
                f"{path}: the description of the model is wrong: {shortened(str(error), 200)}"
            ) from None
        estimator.target_, estimator.seed_ = stored.target, stored.seed
        estimator.table_, estimator.edge_table_ = stored.table, stored.edge_table
        estimator.architecture_ = {name: stored.parameters[name] for name in ARCHITECTURE}
        estimator.models_ = stored.models
        estimator.calibration_, estimator.noise_ = stored.calibration, stored.noise
        return estimator

    # -----------------------------------------------------------------------------------------------------------------
    # Parameters
    # -----------------------------------------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, in one line, for a parameter that is wrong; `fit` begins with this."""
        Structure(self.structure)
        Recolor(self.recolor)
        for name in ("hidden", "epochs", "batch_size", "prediction_draws", "ensemble", "patience"):
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
        try:
            hash(self.edge_labels)
        except TypeError:
            raise TypeError(
                f"edge_labels must be 'auto', an attribute's name or None, not {self.edge_labels!r}"
            ) from None
        for name in ("residual", "calibrate", "early_stopping", "warm_start", "audit"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not _is_whole(self.views) or self.views < 0:
            raise ValueError(f"views must be a number of rounds, 0 for none, not {self.views!r}")
        if self.views and not self.residual:
            raise ValueError(f"views={self.views} needs residual=True")
        if self.n_jobs is not None and (not _is_whole(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"n_jobs must be None, a number of threads or -1, not {self.n_jobs!r}")
        if not _is_whole(self.verbose) and not isinstance(self.verbose, (bool, np.bool_)):
            raise TypeError(f"verbose must be 0 or 1, not {self.verbose!r}")
        check_random_state(self.random_state)
        if self.unseen not in ("error", "ignore"):
            raise ValueError(f"unseen must be 'error' or 'ignore', not {self.unseen!r}")

    def bounded_as(self) -> tuple[Structure, Recolor]:
        """The layers and the recoloring by which an audit finds the bounds of this model.

        What views tell apart has no bound of its own, only that of all models, as with "canonical"."""
        structure, recolor = Structure(self.structure), Recolor(self.recolor)
        if self.views:
            structure, recolor = Structure(f"{'g' * self.views}r{structure}"), Recolor("canonical")
        return structure, recolor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.multi_output = True
        tags.no_validation = True
        return tags


@dataclass(frozen=True, eq=False)
class _Training:
    """What the networks of one fit have in common."""

    estimator: WLTEstimator
    inputs: Inputs
    table: LabelTable
    edge_table: EdgeTable
    task: Task
    seeds: tuple[int, int, int]  # of weights, training and draws

    @cached_property
    def source(self) -> Collection:
        return self.inputs.collection(Structure(self.estimator.structure).known_rounds)


def _trained(
    report: Report,
    training: _Training,
    number: int,
    part: Part,
    epochs: int,
    state: dict[str, torch.Tensor] | None,
    threads: int,
) -> tuple[Trained, Outputs | None]:
    """One network, and what it says about the graphs that were held out. state: weights that it goes on from."""
    estimator, inputs, table, edge_table, task, (weights, order, draws) = (
        getattr(training, field.name) for field in fields(training)
    )
    with torch_threads(threads):
        model = estimator._new_model(inputs, table, edge_table, task.target, part.which, (weights + number) % 2**31)
        if state is not None:
            model.load_state_dict(state)
        each = estimator._train(model, training.source, task, part, epochs, (order + number) % 2**31, report)
        if not estimator.calibrate or not len(part.held_out):
            return each, None
        outputs: Outputs = estimator._outputs_of(each.model, inputs.take(part.held_out), draws)[:, np.newaxis]
    return each, outputs


class _Embedding(torch.nn.Module):
    """A network without its last layers."""

    def __init__(self, model: WLTGNN):
        super().__init__()
        self.model = model

    def forward(self, batch: Batch, generator: torch.Generator) -> torch.Tensor:
        return self.model.embed(batch, generator)


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


def _folds(
    everything: NDArray[np.int64], folds: int, strata: NDArray[np.int64] | None, random: Any
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(training, held-out) graphs of each fold; as stratified as rare classes allow."""
    folds = min(folds, len(everything))
    if folds < 2:
        raise FitError("one graph is too few to hold some out; calibrate=False trains on it all the same")
    seed = random.randint(2**31 - 1)
    if strata is None:
        return list(KFold(folds, shuffle=True, random_state=seed).split(everything))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer members than there are folds
        try:
            return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(everything, strata))
        except ValueError:  # every class is rarer than that
            return list(KFold(folds, shuffle=True, random_state=seed).split(everything))


def _checked_weights(weights: ArrayLike | None, graphs: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    try:
        array = np.array(weights, np.float64)  # a copy: torch warns of arrays that may not be written
    except (ValueError, TypeError):
        raise TypeError("sample_weight must be numbers, one for every graph") from None
    if array.shape != (graphs,):
        raise ValueError(f"sample_weight of shape {array.shape} for {graphs} graphs; one number for every graph")
    bad = np.flatnonzero(~np.isfinite(array) | (array < 0))
    if len(bad):
        raise ValueError(f"sample_weight of graph {bad[0]} is {array[bad[0]]}; weights are finite and not negative")
    if not array.any():
        raise ValueError("all of sample_weight is zero: no graph would count")
    return array


def _targets_of_pyg(graphs: Any) -> tuple[Any, tuple[str, ...]]:
    """PyG's `y`, whose columns have no names."""
    if hasattr(graphs, "edge_index") and getattr(graphs, "y", None) is not None:  # a Batch of PyG's
        return np.asarray(graphs.y), ()
    if not hasattr(graphs, "__iter__") or not all(getattr(graph, "y", None) is not None for graph in graphs):
        raise ValueError(
            "y is needed: a label for every graph (the estimator requires y to be passed, but the target y is None)"
        )
    rows = np.array([np.asarray(graph.y).reshape(-1) for graph in graphs])
    return (rows[:, 0] if rows.ndim == 2 and rows.shape[1] == 1 else rows), ()


def _shown(target: Target, value: float) -> str:
    return f"{100 * value:.1f} %" if target.score_name == "accuracy" else f"{value:.4g}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, (float, np.floating))


def _plain(value: Any) -> Any:
    """A parameter as JSON knows it: numpy's scalars, which come out of parameter grids, as Python's."""
    if isinstance(value, Recolor):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value
