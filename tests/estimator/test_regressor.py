"""WLTRegressor, and what both estimators do with columns, gaps, weights, ensembles and held-out graphs."""

from __future__ import annotations

import math
import pickle
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from torch_geometric.data import Data

from wlt import WLTClassifier, WLTRegressor, as_graphs
from wlt.estimator import calibration
from wlt.estimator.calibration import Calibration, expected_calibration_error
from wlt.estimator.modelfile import ModelFileError
from wlt.targets import target_table
from wlt.train import fit

SMALL: dict[str, Any] = {"structure": "gg", "hidden": 8, "epochs": 5, "calibrate": False, "random_state": 0}


@cache
def sample(count: int = 40) -> tuple[list[Any], np.ndarray]:
    """Random graphs, and their numbers of edges and of triangles."""
    random = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(int(random.integers(4, 12)), 0.4, seed=i) for i in range(count)]
    edges = [graph.number_of_edges() for graph in graphs]
    triangles = [sum(nx.triangles(graph).values()) // 3 for graph in graphs]
    return graphs, np.column_stack([edges, triangles]).astype(float)


def gaps_in(table: np.ndarray) -> np.ndarray:
    holes = table.copy()
    holes[::3, 0] = np.nan
    holes[1::4, 1] = np.nan
    return holes


# ---------------------------------------------------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["huber", "absolute", "squared"])
def test_numbers_are_learned(loss: str) -> None:
    graphs, table = sample(240)
    given: dict[str, Any] = {"hidden": 16, "epochs": 60, "batch_size": 32, "random_state": 0}
    model = WLTRegressor("gg", loss=loss, calibrate=False, **given).fit(graphs[:200], table[:200, 0])
    assert model.score(graphs[200:], table[200:, 0]) > 0.9
    assert model.predict(graphs).shape == (240,)
    assert model.history_[-1].loss < model.history_[0].loss / 5


def test_the_units_of_the_targets_do_not_matter() -> None:
    """A thousand times the numbers and a million more: the same model, but for its scale."""
    graphs, table = sample()
    model = WLTRegressor(**SMALL).fit(graphs, table[:, 0])
    other = WLTRegressor(**SMALL).fit(graphs, 1000 * table[:, 0] + 1e6)
    np.testing.assert_allclose(other.predict(graphs), 1000 * model.predict(graphs) + 1e6, rtol=1e-6)


def test_a_wild_value_does_less_harm_than_with_squares() -> None:
    graphs, table = sample(100)
    wild = table[:, 0].copy()
    wild[7] = 1e4
    errors = {}
    for loss in ("huber", "squared"):
        model = WLTRegressor("gg", hidden=16, epochs=40, loss=loss, calibrate=False, random_state=0).fit(graphs, wild)
        errors[loss] = np.median(np.abs(model.predict(graphs) - table[:, 0]))
    assert errors["huber"] < errors["squared"]


def test_several_columns_with_gaps() -> None:
    graphs, table = sample(100)
    holes = gaps_in(table)
    with pytest.warns(UserWarning, match="59 of 200 cells of the targets are empty; they count neither in the loss"):
        model = WLTRegressor("ggg", hidden=16, epochs=60, random_state=0).fit(graphs, holes)
    answers = model.predict(graphs)
    assert (answers.shape, model.target_.columns) == ((100, 2), ("0", "1"))
    there = ~np.isnan(holes)
    expected = [r2_score(holes[there[:, i], i], answers[there[:, i], i]) for i in (0, 1)]
    assert model.score(graphs, holes) == pytest.approx(np.mean(expected))
    assert model.score(graphs, table) > 0.8  # the cells that were empty are predicted too


def test_what_pyg_data_bring_along() -> None:
    data = [
        Data(x=torch.ones(n, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([[float(n), -1.0 * n]]))
        for n in range(2, 12)
    ]
    assert WLTRegressor(**SMALL).fit(data).predict(data).shape == (10, 2)
    for graph in data:
        graph.y = graph.y[0, :1]
    assert WLTRegressor(**SMALL).fit(data).predict(data).shape == (10,)


def test_cross_validation_and_grid_search() -> None:
    graphs, table = sample()
    model = WLTRegressor(**SMALL)
    assert np.isfinite(cross_val_score(model, as_graphs(graphs), table[:, 0], cv=3)).all()
    assert cross_val_predict(model, graphs, table, cv=3).shape == (40, 2)
    search = GridSearchCV(model, {"loss": ["huber", "absolute"]}, cv=2).fit(graphs, table[:, 0])
    assert search.best_params_["loss"] in ("huber", "absolute")
    again = pickle.loads(pickle.dumps(search))  # as joblib sends it to other processes
    assert np.array_equal(again.predict(graphs), search.predict(graphs))


# ---------------------------------------------------------------------------------------------------------------------
# Columns of 0 and 1
# ---------------------------------------------------------------------------------------------------------------------


def test_several_columns_of_classes_with_gaps() -> None:
    graphs, table = sample(100)
    classes = (table > np.median(table, axis=0)).astype(float)
    holes = gaps_in(classes)
    with pytest.warns(UserWarning, match="cells of the targets are empty"):
        model = WLTClassifier("ggg", hidden=16, epochs=40, dropout=0.0, random_state=0).fit(graphs, holes)
    shares, answers = model.predict_proba(graphs), model.predict(graphs)
    assert shares.shape == answers.shape == (100, 2)
    assert np.array_equal(answers, (shares > 0.5).astype(int))
    there = ~np.isnan(holes)
    assert model.score(graphs, holes) == pytest.approx((answers == holes)[there].mean())
    assert model.score(graphs, classes) > 0.9
    assert model.calibration_.held_out == 80
    assert model.classes_.tolist() == [0, 1]


# ---------------------------------------------------------------------------------------------------------------------
# Weights
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [WLTClassifier, WLTRegressor])
def test_a_graph_of_weight_zero_has_no_part_in_the_loss(kind: Any) -> None:
    """With other targets for such graphs the weights are the same; its size still counts in BatchNorm."""
    graphs, table = sample()
    y = table[:, 0] > 8 if kind is WLTClassifier else table[:, 0]
    other = y.copy()
    other[:10] = y[10:20] if kind is WLTClassifier else y[:10][::-1]
    weights = np.r_[np.zeros(10), np.ones(30)]
    models = [kind(**SMALL).fit(graphs, each, sample_weight=weights).model_.state_dict() for each in (y, other)]
    for name, tensor in models[0].items():
        assert torch.equal(tensor, models[1][name]), name
    plain = kind(**SMALL).fit(graphs, y).model_.state_dict()
    ones = kind(**SMALL).fit(graphs, y, sample_weight=np.ones(40)).model_.state_dict()
    for name, tensor in plain.items():
        torch.testing.assert_close(tensor, ones[name], rtol=1e-3, atol=1e-4)


def test_class_weights_move_the_answers() -> None:
    graphs = [nx.path_graph(5)] * 40  # all alike: the answer is the share of the classes, by weight
    classes = ["rare"] * 8 + ["often"] * 32
    given: dict[str, Any] = {"structure": "g", "hidden": 4, "epochs": 60, "dropout": 0.0, "random_state": 0}
    shares = {
        name: WLTClassifier(**given, class_weight=weight, calibrate=False, audit=False)
        .fit(graphs, classes)
        .predict_proba(graphs[:1])[0, 1]
        for name, weight in (("none", None), ("balanced", "balanced"), ("dict", {"rare": 12, "often": 1}))
    }
    assert shares["none"] == pytest.approx(0.2, abs=0.03)
    assert shares["balanced"] == pytest.approx(0.5, abs=0.03)
    assert shares["dict"] == pytest.approx(0.75, abs=0.03)
    columns = np.column_stack([np.r_[np.ones(8), np.zeros(32)], np.r_[np.ones(20), np.zeros(20)]])
    columns[39, 0] = np.nan
    model = WLTClassifier(**given, class_weight="balanced", calibrate=False, audit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the gap
        model.fit(graphs, columns)
    assert model.predict_proba(graphs[:1])[0] == pytest.approx([0.5, 0.5], abs=0.03)


# ---------------------------------------------------------------------------------------------------------------------
# Ensembles, warm starts, embeddings, model files
# ---------------------------------------------------------------------------------------------------------------------


def test_an_ensemble_is_the_mean_of_its_networks() -> None:
    graphs, table = sample()
    model = WLTRegressor(**{**SMALL, "structure": "grg", "calibrate": True}, ensemble=3).fit(graphs, table[:, 0])
    assert len(model.models_) == 3
    each = []
    for network in model.models_:
        alone = clone(model)
        alone.__dict__ |= {**model.__dict__, "models_": [network]}
        each.append(alone.predict(graphs))
    np.testing.assert_allclose(model.predict(graphs), np.mean(each, axis=0))
    mean, spread = model.predict(graphs, return_std=True)
    assert np.array_equal(mean, model.predict(graphs))
    np.testing.assert_allclose(spread, np.sqrt(model.noise_[0] ** 2 + np.var(each, axis=0, ddof=1)))
    assert len({tuple(answers.round(6)) for answers in each}) == 3


def test_networks_of_an_ensemble_hold_out_different_graphs() -> None:
    graphs, table = sample()
    model = WLTClassifier(**{**SMALL, "calibrate": True}, ensemble=4, audit=False).fit(graphs, table[:, 0] > 8)
    assert model.calibration_.held_out == 16  # a tenth each
    parts = model._parts(model._task(table[:, 0] > 8, (), 40, None), np.random.RandomState(0))
    held_out = np.concatenate([part.held_out for part in parts])
    assert len(held_out) == len(set(held_out.tolist())) == 16
    for part in parts:
        assert sorted([*part.which, *part.held_out]) == list(range(40))


def test_the_network_that_is_kept_has_seen_all_graphs_and_calibration_does_not_change_it() -> None:
    graphs, table = sample()
    models = [
        WLTRegressor(**{**SMALL, "structure": "grg", "calibrate": calibrate}).fit(graphs, table[:, 0])
        for calibrate in (True, False)
    ]
    assert np.array_equal(*(model.predict(graphs) for model in models))
    with pytest.raises(ValueError, match="fitted with calibrate=False, so nothing is known about errors"):
        models[1].predict(graphs, return_std=True)


@pytest.mark.parametrize(("graphs", "held_out"), [(9, 0), (20, 20), (100, 80), (250, 100), (400, 80), (500, 100)])
def test_small_sets_are_calibrated_by_more_of_their_graphs(graphs: int, held_out: int) -> None:
    """A fifth of few graphs would say little."""
    sizes = 3 + np.arange(graphs) % 9
    paths = as_graphs([nx.path_graph(size) for size in sizes])
    given = {"structure": "g", "hidden": 2, "epochs": 1, "audit": False, "random_state": 0}
    model = WLTClassifier(**given).fit(paths, sizes > 6)
    assert model.calibration_.held_out == held_out


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize(("batch_size", "measured"), [(300, (201, 180)), (50, (200, 150))])
def test_statistics_are_those_of_all_training_graphs(
    early_stopping: bool, batch_size: int, measured: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One graph in two hundred is unlike the others, and a sample may lack it. A smaller batch at the end is left out:
    it would count as much as a whole one."""
    graphs = [nx.path_graph(3 + i % 9) for i in range(200)] + [nx.complete_graph(12)]
    seen = []
    calibrate = fit.calibrate
    monkeypatch.setattr(
        fit,
        "calibrate",
        lambda model, source, which, *rest: seen.append(set(which)) or calibrate(model, source, which, *rest),
    )
    given = {**SMALL, "epochs": 2, "batch_size": batch_size}
    model = WLTRegressor(**given, early_stopping=early_stopping).fit(graphs, [len(graph) for graph in graphs])
    assert len(seen) == 3
    assert len(seen[-1]) == measured[early_stopping]
    assert np.isfinite(model.predict(graphs)).all()


def test_the_regressor_has_residual_layers_unless_told_otherwise() -> None:
    graphs, table = sample()
    assert WLTRegressor(**SMALL).fit(graphs, table[:, 0]).model_.embedding is not None
    assert WLTRegressor(**SMALL, residual=False).fit(graphs, table[:, 0]).model_.embedding is None


def test_a_warm_start_goes_on() -> None:
    graphs, table = sample()
    model = WLTRegressor(**{**SMALL, "epochs": 20}, warm_start=True).fit(graphs, table[:, 0])
    first, weights = model.history_, model.model_.state_dict()
    model.fit(graphs, table[:, 0])
    assert model.n_iter_ == 40
    assert model.history_[0].loss < first[0].loss / 2
    assert not torch.equal(weights["head.linear1.weight"], model.model_.state_dict()["head.linear1.weight"])
    for change, message in (
        ({"hidden": 4}, "the model has hidden=8, and now it is 4"),
        ({"structure": "g"}, "the model has structure='gg', and now it is 'g'"),
        ({"ensemble": 2}, "there are 1 networks, and now ensemble=2"),
    ):
        with pytest.raises(ValueError, match=f"warm_start: {message}"):
            _copied(model).set_params(**change).fit(graphs, table[:, 0])
    with pytest.raises(ValueError, match="targets are of another kind"):
        _copied(model).fit(graphs, table)


def _copied(model: Any) -> Any:
    other = clone(model)
    other.__dict__ |= model.__dict__
    return other


def test_embeddings() -> None:
    graphs, table = sample()
    model = WLTRegressor(**{**SMALL, "structure": "grg"}, ensemble=2).fit(graphs, table[:, 0])
    rows = model.transform(graphs)
    assert rows.shape == (40, 16)
    assert len(model.get_feature_names_out()) == 16
    np.testing.assert_allclose(rows[3:4], model.transform(graphs[3:4]), atol=1e-9)
    plain = WLTRegressor(**SMALL).fit(graphs, table[:, 0])
    head = plain.model_.head
    outputs = head(torch.from_numpy(plain.transform(graphs))).detach()
    np.testing.assert_allclose(plain.target_.decode(outputs)[:, 0], plain.predict(graphs))


@pytest.mark.parametrize(
    ("kind", "columns"),
    [(WLTRegressor, 1), (WLTRegressor, 2), (WLTClassifier, 1), (WLTClassifier, 2)],
)
def test_model_files_hold_all_of_it(tmp_path: Path, kind: Any, columns: int) -> None:
    graphs, table = sample()
    y = table if kind is WLTRegressor else (table > np.median(table, axis=0)).astype(int)
    given = {**SMALL, "structure": "grg", "calibrate": True}
    model = kind(**given, ensemble=2, audit=False).fit(graphs, y if columns == 2 else y[:, 0])
    model.save(tmp_path / "model")
    again = kind.load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict(graphs), model.predict(graphs))
    if kind is WLTRegressor:
        assert np.array_equal(again.predict(graphs, return_std=True), model.predict(graphs, return_std=True))
    else:
        assert np.array_equal(again.predict_log_proba(graphs), np.log(model.predict_proba(graphs)))
    other = WLTClassifier if kind is WLTRegressor else WLTRegressor
    with pytest.raises(ModelFileError, match=f"holds a {kind.__name__}; load it with {kind.__name__}.load"):
        other.load(tmp_path / "model")


# ---------------------------------------------------------------------------------------------------------------------
# Probabilities that mean what they say
# ---------------------------------------------------------------------------------------------------------------------


def test_a_temperature_undoes_an_exaggeration() -> None:
    """Of logits from which the classes were drawn, seven times too large."""
    random = np.random.default_rng(0)
    logits = random.normal(size=(4000, 1, 3))
    shares = Calibration().probabilities(logits)
    truth = np.array([random.choice(3, p=row) for row in shares])
    learned = calibration.learn(7 * logits, truth)
    assert learned.temperature == pytest.approx(7, rel=0.1)
    assert expected_calibration_error(Calibration().probabilities(7 * logits), truth) > 0.2
    assert expected_calibration_error(learned.probabilities(7 * logits), truth) < 0.04
    binary = logits[:, :, :2]
    shares = Calibration().probabilities(binary, columns=True)
    truth_of_columns = (random.random((4000, 2)) < shares).astype(float)
    truth_of_columns[:500, 0] = np.nan
    learned = calibration.learn_columns(5 * binary, truth_of_columns)
    # so little is sure here that a lower temperature and some doubt say nearly the same as a higher temperature
    assert np.abs(learned.probabilities(5 * binary, columns=True) - shares).mean() < 0.02
    assert np.abs(Calibration().probabilities(5 * binary, columns=True) - shares).mean() > 0.2


@pytest.mark.parametrize("columns", [False, True])
def test_answers_that_are_sure_and_wrong_do_not_make_all_others_vague(columns: bool) -> None:
    """Of logits twice too large, and a third of all classes replaced by random ones."""
    random = np.random.default_rng(1)
    logits = 6 * random.normal(size=(4000, 1, 2))
    shares = Calibration(2.0).probabilities(logits, columns)
    truth = (random.random(shares.shape) < shares).astype(int) if columns else (random.random(4000) < shares[:, 1]) * 1
    guessed = random.random(truth.shape) < 1 / 3
    truth[guessed] = random.integers(0, 2, guessed.sum())
    learned = calibration.learn_columns(logits, truth.astype(float)) if columns else calibration.learn(logits, truth)
    assert learned.temperature == pytest.approx(2, rel=0.25)
    assert learned.doubt == pytest.approx(1 / 3, abs=0.05)
    told = 2 / 3 * shares + 1 / 3 * 0.5
    np.testing.assert_allclose(learned.probabilities(logits, columns), told, atol=0.05)


@given(st.integers(1, 1000), st.integers(0, 2**31 - 1))
def test_the_order_of_the_classes_stays(held_out: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    logits = random.normal(size=(held_out, 1, 3)) * 10 ** random.uniform(-2, 3)
    learned = calibration.learn(logits, random.integers(0, 3, held_out))
    assert learned.doubt < 1
    answers = learned.probabilities(logits)
    assert (answers[np.arange(held_out), logits[:, 0].argmax(axis=1)] >= answers.max(axis=1) - 1e-12).all()


@given(st.integers(1, 1000), st.integers(2, 5), st.floats(-1e4, 1e4))
def test_no_answer_is_surer_than_the_held_out_graphs_can_vouch_for(held_out: int, classes: int, logit: float) -> None:
    logits = np.zeros((1, 2, classes))
    logits[:, :, 0] = logit
    shares = Calibration(1.0, held_out).probabilities(logits)
    assert shares.sum() == pytest.approx(1)
    assert shares.min() >= 1 / (held_out + classes) - 1e-12
    assert Calibration(1.0, held_out).probabilities(logits, columns=True).max() <= 1 - 1 / (held_out + 2) + 1e-12


def test_calibrated_probabilities_are_nearer_to_the_truth() -> None:
    """On labels of which one in five is wrong, after long training."""
    random = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(int(random.integers(6, 12)), 0.4, seed=i) for i in range(400)]
    y = np.array([graph.number_of_edges() > 15 for graph in graphs]) ^ (random.random(400) < 0.2)
    given = {"structure": "gg", "hidden": 32, "epochs": 80, "dropout": 0.0, "audit": False, "random_state": 0}
    errors = {}
    for calibrate in (False, True):
        model = WLTClassifier(**given, calibrate=calibrate).fit(graphs[:200], y[:200])
        shares = model.predict_proba(graphs[200:])
        errors[calibrate] = expected_calibration_error(shares, y[200:].astype(int))
        assert np.isfinite(model.predict_log_proba(graphs)).all()
    assert errors[True] < errors[False] / 2


def test_errors_are_as_large_as_the_standard_deviation_says() -> None:
    graphs, _ = sample(300)
    random = np.random.default_rng(1)
    y = np.array([graph.number_of_edges() for graph in graphs]) + 3 * random.normal(size=300)
    model = WLTRegressor("gg", hidden=8, epochs=20, ensemble=3, random_state=0).fit(graphs[:200], y[:200])
    mean, spread = model.predict(graphs[200:], return_std=True)
    ratio = np.sqrt(np.mean(((y[200:] - mean) / spread) ** 2))
    assert 0.7 < ratio < 1.3


# ---------------------------------------------------------------------------------------------------------------------
# Warnings once, and bad input
# ---------------------------------------------------------------------------------------------------------------------


def test_warnings_come_once_and_not_once_for_every_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, table = sample()
    monkeypatch.setattr("wlt.wording._said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cross_val_score(WLTRegressor(**SMALL), graphs, gaps_in(table), cv=4)
        cross_val_score(WLTClassifier(**{**SMALL, "structure": "grg"}), graphs, table[:, 0] > 8, cv=4)
    said = [str(warning.message) for warning in caught if "wlt" in str(warning.filename) or "cells" in str(warning)]
    assert sum("cells of the targets are empty" in sentence for sentence in said) == 1
    texts = [str(warning.message) for warning in caught]
    assert sum("recoloring cannot help" in sentence for sentence in texts) == 1


GRAPHS = [nx.path_graph(3), nx.cycle_graph(3), nx.path_graph(4), nx.cycle_graph(4)]


@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        pytest.param(["a", "b", "c", "d"], None, "graph 0: the target 'a' is no number; classes are", id="text"),
        pytest.param([1, "2", 3, 4], None, "graph 1: the target '2' is no number", id="a text"),
        pytest.param([1, math.inf, 3, 4], None, "graph 1: the target is inf; it must be finite", id="infinite"),
        pytest.param([None] * 4, None, "target has no values: all of its cells are empty", id="all gaps"),
        pytest.param([[1, None]] * 4, None, "target 1 has no values", id="a column of gaps"),
        pytest.param([2, 2, None, 2], None, "the target is 2 for every graph that has a value", id="constant"),
        pytest.param([[1, 5], [2, 5], [3, 5], [4, 5]], None, "target 1 is 5 for every graph", id="constant column"),
        pytest.param([1, 2, 3], None, "4 graphs and 3 targets; one for every graph is needed", id="lengths"),
        pytest.param([1, 2, 3, 4], [1, -1, 1, 1], "sample_weight of graph 1 is -1.0; weights are", id="negative"),
        pytest.param([1, 2, 3, 4], [1, math.nan, 1, 1], "sample_weight of graph 1 is nan", id="weight NaN"),
        pytest.param([1, 2, 3, 4], [1, 1], r"sample_weight of shape \(2,\) for 4 graphs", id="weights' length"),
        pytest.param([1, 2, 3, 4], [0] * 4, "all of sample_weight is zero", id="no weight"),
        pytest.param([1, 2, 3, 4], ["a"] * 4, "sample_weight must be numbers", id="weights that are text"),
    ],
)
def test_bad_input_is_one_clear_line(y: Any, weights: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        WLTRegressor(**SMALL).fit(GRAPHS, y, sample_weight=weights)
    assert "\n" not in str(caught.value)


def test_other_bad_input() -> None:
    with pytest.raises(ValueError, match=r"one graph \(n_samples=1\) is too few to learn from"):
        WLTRegressor(**SMALL).fit(GRAPHS[:1], [1.0])
    with pytest.raises(ValueError, match="loss must be 'huber', 'absolute', 'squared', not 'l1'"):
        WLTRegressor(**SMALL, loss="l1").fit(GRAPHS, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="class_weight"):
        WLTClassifier(**SMALL, class_weight="some").fit(GRAPHS, [0, 1, 0, 1])
    with pytest.raises(TypeError, match="calibrate must be True or False, not 'yes'"):
        WLTClassifier(**{**SMALL, "calibrate": "yes"}).fit(GRAPHS, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="ensemble must be at least 1, not 0"):
        WLTRegressor(**SMALL, ensemble=0).fit(GRAPHS, [1, 2, 3, 4])


class Table:
    """As pandas' DataFrame, as far as it matters here."""

    def __init__(self, columns: list[str], values: np.ndarray):
        self.columns, self.values = columns, values
        self.iloc = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return iter(self.columns)


def test_tables_of_targets_have_names_and_tables_of_graphs_are_refused() -> None:
    graphs, table = sample()
    model = WLTRegressor(**SMALL).fit(graphs, Table(["edges", "triangles"], table))
    assert model.target_.columns == ("edges", "triangles")
    with pytest.raises(ValueError, match="target 'b' has no values"):
        target_table(Table(["a", "b"], np.array([[1, np.nan], [2, np.nan]])), 2)
    with pytest.raises(TypeError, match=r"a table, not graphs; write table\[COLUMN\] for the column with the graphs"):
        model.predict(Table(["graph"], np.array(graphs, object).reshape(-1, 1)))


def test_the_first_answers_are_near_the_mean() -> None:
    """Readouts are sums over nodes and layers: as they are drawn, the weights of large graphs would answer anything."""
    graphs = [nx.gnp_random_graph(size, 0.1, seed=size) for size in range(40, 80, 2)]
    targets = np.linspace(-1, 1, len(graphs))
    model = WLTRegressor("ggggg", hidden=32, epochs=1, calibrate=False, learning_rate=1e-6, random_state=0)
    assert np.abs(model.fit(graphs, targets).predict(graphs)).max() < 1
