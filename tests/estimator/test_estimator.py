"""WLTClassifier: scikit-learn's conventions, what it learns, and that answers depend on nothing but model and graph."""

from __future__ import annotations

import math
import os
import pickle
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from torch_geometric.data import Batch as PyGBatch
from torch_geometric.data import Data

from strategies import shuffled
from wlt import Graph, as_graph
from wlt.data import csl, fullerenes, load
from wlt.estimator import base
from wlt.estimator.classifier import FitError, WLTClassifier
from wlt.estimator.label_table import UnseenLabelWarning
from wlt.graphs import Graphs
from wlt.io import as_graphs
from wlt.nn import GIN, Batch, Recoloring
from wlt.train import fit
from wlt.train.fit import predict, train

SMALL: dict[str, Any] = {"hidden": 8, "epochs": 3, "calibrate": False, "audit": False, "random_state": 0}


@cache
def molecules(count: int = 40, seed: int = 0) -> tuple[list[nx.Graph[int]], list[str]]:
    """Random trees with an attribute `atom`; their class is whether they have more N than O."""
    random = np.random.default_rng(seed)
    graphs, labels = [], []
    for i in range(count):
        graph = nx.random_labeled_tree(int(random.integers(4, 14)), seed=seed * 1000 + i)
        atoms = random.choice(list("CNO"), len(graph), p=[0.5, 0.25, 0.25]).tolist()
        nx.set_node_attributes(graph, dict(enumerate(atoms)), "atom")
        graphs.append(graph)
        labels.append("more N" if atoms.count("N") > atoms.count("O") else "no more N")
    return graphs, labels


@cache
def fitted(**parameters: Any) -> WLTClassifier:
    graphs, labels = molecules()
    return WLTClassifier(**{**SMALL, "node_labels": "atom", **parameters}).fit(graphs, labels)


def two_kinds_that_wl_sees_alike(copies: int) -> tuple[Graph, list[str]]:
    """Relabelled copies of a decagon and of two pentagons."""
    ring = as_graph(nx.cycle_graph(10))
    two = as_graph(nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5)))
    graphs = [shuffled(graph, seed) for seed in range(copies) for graph in (ring, two)]
    return Graph.union(graphs), ["one", "two"] * copies


# ---------------------------------------------------------------------------------------------------------------------
# scikit-learn
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_parameters_default_constructible,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learns_own_checks_that_need_no_matrix(check: Any) -> None:
    check("WLTClassifier", WLTClassifier())


def test_nothing_works_before_fit(tmp_path: Path) -> None:
    for use in (
        lambda model: model.predict(["Bw"]),
        lambda model: model.predict_proba(["Bw"]),
        lambda model: model.score(["Bw"], [0]),
        lambda model: model.save(tmp_path / "m"),
    ):
        with pytest.raises(NotFittedError):
            use(WLTClassifier())


def test_a_fit_that_fails_leaves_no_model() -> None:
    model = WLTClassifier(**{**SMALL, "learning_rate": 1e30})
    with pytest.raises(
        ValueError, match=r"training diverged in epoch \d: the loss is (nan|inf); a smaller learning_rate"
    ):
        model.fit(csl())
    with pytest.raises(NotFittedError):
        model.predict(["Bw"])


def test_a_second_fit_that_fails_leaves_the_first() -> None:
    model = WLTClassifier(**SMALL).fit(csl())
    history, before = list(model.history_), model.predict_proba(csl())
    with pytest.raises(ValueError, match="training diverged"):
        model.set_params(learning_rate=1e30).fit(csl())
    assert (model.history_, model.n_iter_) == (history, len(history))
    assert np.array_equal(model.predict_proba(csl()), before)


def test_a_clone_has_the_parameters_and_nothing_learned() -> None:
    model = clone(fitted(structure="gr2g", recolor=0.5))
    assert (model.structure, model.recolor, model.node_labels) == ("gr2g", 0.5, "atom")
    assert not hasattr(model, "classes_")


def test_cross_validation_of_a_union_of_graphs() -> None:
    """Each fold's score is that of a model which was trained on the others, and not all are alike."""
    data = fullerenes([36, 38])
    model = WLTClassifier("rgggg", **{**SMALL, "epochs": 10})
    scores = cross_val_score(model, data.union, data.class_numbers, cv=StratifiedKFold(3))
    expected = [
        clone(model)
        .fit(data.union.take(train), data.class_numbers[train])
        .score(data.union.take(test), data.class_numbers[test])
        for train, test in StratifiedKFold(3).split(data.class_numbers, data.class_numbers)
    ]
    assert scores.tolist() == expected
    assert len(set(expected)) > 1


@pytest.mark.parametrize("embedded", [fullerenes, csl])
def test_grid_search_on_embedded_datasets_as_they_are(embedded: Any) -> None:
    """`Graphs` are a list of graphs, also for scikit-learn's splitters."""
    data = embedded()
    assert [graph.union.num_edges for graph in data] == [graph.num_edges for graph in data.union]
    assert (data[-1].targets[0], len(data[3])) == (data.targets[-1], 1)
    with pytest.raises(IndexError, match=f"graph {len(data)} of {len(data)}"):
        data[len(data)]
    assert data[:5].targets.tolist() == data.targets[:5].tolist()
    mask = data.class_numbers == data.class_numbers[7]
    assert data[mask].union.same_edges(data[np.flatnonzero(mask)].union)
    assert data[[7, 0]].union.same_edges(data.take([7, 0]).union)
    grid = {"structure": ["gg", "rg"], "hidden": [2, 4]}
    search = GridSearchCV(WLTClassifier(**{**SMALL, "epochs": 1}), grid, cv=2).fit(data, data.class_numbers)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(data).shape == (len(data),)


def test_grid_search_over_structure_and_hidden_units() -> None:
    graphs, labels = two_kinds_that_wl_sees_alike(15)
    grid = {"structure": ["gggg", "grggg"], "hidden": np.array([4, 16])}
    model = WLTClassifier(epochs=30, dropout=0.0, audit=False, calibrate=False, random_state=0)
    search = GridSearchCV(model, grid, cv=StratifiedKFold(3)).fit(graphs, labels)
    assert len(search.cv_results_["mean_test_score"]) == 4
    assert search.best_params_["structure"] == "grggg"  # without an r both kinds are the same
    assert search.score(graphs, labels) == 1.0


def test_a_pipeline_makes_the_graphs_first() -> None:
    graphs, labels = molecules()
    make = FunctionTransformer(lambda given: as_graphs(given, node_labels="atom"))
    model = make_pipeline(make, WLTClassifier("gg", **SMALL)).fit(graphs, labels)
    expected = WLTClassifier("gg", **SMALL, node_labels="atom").fit(graphs, labels)
    assert np.array_equal(model.predict_proba(graphs), expected.predict_proba(graphs))
    assert cross_val_score(model, graphs, labels, cv=2).shape == (2,)


def test_cross_validation_of_coloured_graphs_keeps_their_colors() -> None:
    graphs, labels = molecules(120)
    model = WLTClassifier("gg", hidden=16, epochs=40, dropout=0.0, audit=False, unseen="ignore", random_state=0)
    by_atom = cross_val_score(model, as_graphs(graphs, node_labels="atom"), labels, cv=4).mean()
    by_degree = cross_val_score(model, as_graphs(graphs, node_labels="degrees"), labels, cv=4).mean()
    assert by_atom > 0.85 > by_degree


# ---------------------------------------------------------------------------------------------------------------------
# Learning
# ---------------------------------------------------------------------------------------------------------------------


def test_recoloring_tells_apart_what_wl_cannot() -> None:
    graphs, labels = two_kinds_that_wl_sees_alike(20)
    parameters: dict[str, Any] = {
        "hidden": 16,
        "epochs": 30,
        "dropout": 0.0,
        "audit": False,
        "calibrate": False,
        "random_state": 0,
    }
    blind = WLTClassifier("ggggg", **parameters).fit(graphs, labels)
    assert len(np.unique(blind.predict_proba(graphs).round(12), axis=0)) == 1
    seeing = WLTClassifier("grggg", **parameters).fit(graphs, labels)
    fresh = [shuffled(graph, 1000 + i) for i, graph in enumerate(graphs)]
    assert seeing.score(fresh, labels) == 1.0
    with_views = WLTClassifier("gg", residual=True, views=2, **parameters).fit(graphs, labels)
    assert with_views.score(fresh, labels) == 1.0


def test_what_fit_says_of_limits_holds_for_views() -> None:
    graphs, labels = two_kinds_that_wl_sees_alike(3)
    parameters: dict[str, Any] = {**SMALL, "audit": True, "residual": True}
    with pytest.warns(UserWarning, match="gg cannot fit more than 50.0 %"):
        WLTClassifier("gg", **parameters).fit(graphs, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WLTClassifier("gg", views=2, **parameters).fit(graphs, labels)
    with pytest.warns(UserWarning, match="no model can fit more than 66.7 %"):
        WLTClassifier("gg", views=2, **parameters).fit(graphs, [*labels[:3], *labels[:3]])


def test_the_same_random_state_gives_the_same_model() -> None:
    graphs, labels = molecules()
    first, again, other = (
        WLTClassifier("grg", **{**SMALL, "node_labels": "atom", "random_state": seed}).fit(graphs, labels)
        for seed in (5, 5, 6)
    )
    for name, tensor in first.model_.state_dict().items():
        assert torch.equal(tensor, again.model_.state_dict()[name]), name
    assert np.array_equal(first.predict_proba(graphs), again.predict_proba(graphs))
    assert not np.array_equal(first.predict_proba(graphs), other.predict_proba(graphs))
    assert first.history_ == again.history_


def test_global_random_numbers_play_no_part() -> None:
    graphs, labels = molecules()
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = torch.get_rng_state()
    model = WLTClassifier("grg", **SMALL, node_labels="atom").fit(graphs, labels)
    assert np.array_equal(model.predict_proba(graphs), fitted(structure="grg").predict_proba(graphs))
    assert torch.equal(torch.get_rng_state(), before)


def test_threads_are_as_asked_for_while_it_works_and_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, labels = molecules()
    before = torch.get_num_threads()
    seen = []

    def watched(function: Any) -> Any:
        def call(*given: Any) -> Any:
            seen.append(torch.get_num_threads())
            return function(*given)

        return call

    monkeypatch.setattr("wlt.estimator.base.fit.train", watched(train))
    monkeypatch.setattr("wlt.estimator.base.fit.predict", watched(predict))
    for n_jobs in (None, 3, -1):
        model = WLTClassifier("g", **{**SMALL, "calibrate": False}, node_labels="atom", n_jobs=n_jobs)
        model.fit(graphs, labels).predict(graphs)
    assert seen == [1, 1, 3, 3, os.cpu_count(), os.cpu_count()]
    assert torch.get_num_threads() == before


def test_random_state_may_be_a_generator_or_nothing() -> None:
    graphs, labels = molecules()
    given = {**SMALL, "node_labels": "atom", "structure": "g"}
    a, b = (WLTClassifier(**{**given, "random_state": np.random.RandomState(3)}).fit(graphs, labels) for _ in "ab")
    assert np.array_equal(a.predict_proba(graphs), b.predict_proba(graphs))
    WLTClassifier(**{**given, "random_state": None}).fit(graphs, labels)


def test_early_stopping_goes_back_to_the_best_epoch() -> None:
    graphs, labels = molecules(60)
    given: dict[str, Any] = {**SMALL, "node_labels": "atom", "structure": "grg", "early_stopping": True}
    model = WLTClassifier(**{**given, "epochs": 60, "patience": 3, "validation_fraction": 0.3}).fit(graphs, labels)
    losses = [score.loss for score in model.validation_history_]
    assert model.best_epoch_ == int(np.argmin(losses)) + 1
    assert model.n_iter_ == len(losses) == len(model.history_) == model.best_epoch_ + 3 < 60
    until_then = WLTClassifier(**{**given, "epochs": model.best_epoch_, "validation_fraction": 0.3}).fit(graphs, labels)
    assert np.array_equal(model.predict_proba(graphs), until_then.predict_proba(graphs))


def test_an_epoch_without_a_finite_loss_is_never_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, labels = molecules(60)
    model = WLTClassifier(**{**SMALL, "epochs": 4}, node_labels="atom", structure="g", early_stopping=True)
    losses: Iterator[float]

    def evaluate(*_: Any) -> fit.Score:
        return fit.Score(next(losses), 0.5)

    monkeypatch.setattr(fit, "evaluate", evaluate)
    losses = iter([math.nan, 2.0, math.inf, 3.0])
    assert model.fit(graphs, labels).best_epoch_ == 2
    losses = iter([math.nan] * 4)
    with pytest.raises(FitError, match="no epoch has a finite loss on the graphs held out"):
        model.fit(graphs, labels)


def test_objects_that_are_numbers_are_numbers() -> None:
    graphs, _ = molecules()
    model = WLTClassifier("g", **SMALL, node_labels="atom").fit(graphs, np.array([3, 1] * 20, dtype=object))
    assert model.classes_.tolist() == [1, 3]


def test_held_out_graphs_do_not_train(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the opposite labels for the held-out graphs the weights after an epoch are the same."""
    graphs, labels = molecules(60)
    monkeypatch.setattr(base, "train_test_split", lambda everything, **_: (everything[:45], everything[45:]))
    opposite = {"more N": "no more N", "no more N": "more N"}
    flipped = labels[:45] + [opposite[label] for label in labels[45:]]
    model, other = (
        WLTClassifier("grg", **{**SMALL, "epochs": 1}, node_labels="atom", early_stopping=True).fit(graphs, y)
        for y in (labels, flipped)
    )
    for name, tensor in model.model_.state_dict().items():
        assert torch.equal(tensor, other.model_.state_dict()[name]), name
    assert model.validation_history_ != other.validation_history_


def test_labels_of_held_out_graphs_are_not_learned() -> None:
    graphs, labels = molecules(60)
    marked = [graph.copy() for graph in graphs]
    for i, graph in enumerate(marked):
        graph.nodes[0]["atom"] = f"X{i}"
    model = WLTClassifier("gg", **SMALL, node_labels="atom", early_stopping=True, validation_fraction=0.25)
    model.fit(marked, labels)
    assert sum(str(value).startswith("X") for value in model.table_.values) == 45


def test_a_new_fit_forgets_the_early_stopping_of_an_earlier_one() -> None:
    graphs, labels = molecules()
    model = WLTClassifier("g", **SMALL, node_labels="atom", early_stopping=True, validation_fraction=0.25)
    model.fit(graphs, labels)
    assert (model.best_epoch_ >= 1, len(model.validation_history_)) == (True, 3)
    model.set_params(early_stopping=False).fit(graphs, labels)
    assert not hasattr(model, "best_epoch_")
    assert not hasattr(model, "validation_history_")


def test_weights_for_unseen_labels_stay_zero() -> None:
    for structure in ("gg", "rgg"):
        first = next(layer for layer in fitted(structure=structure).model_.layers if isinstance(layer, GIN))
        assert first.weight1.shape == (4, 8)
        assert (first.weight1[-1] == 0).all()
        assert (first.weight1[:-1] != 0).any(dim=1).all()
        embedding = fitted(structure=structure, residual=True).model_.embedding
        assert embedding.shape == (4, 8)
        assert (embedding[-1] == 0).all()
        assert (embedding[:-1] != 0).any(dim=1).all()


@pytest.mark.slow
def test_mutag_by_ten_folds_is_within_what_is_published_for_gin(data_dir: Path) -> None:
    """Mean accuracy of ten stratified folds (seed 0) with all defaults, last epoch: nothing is chosen by the folds."""
    data = load("MUTAG", data_dir)
    graphs, labels = as_graphs(data), data.targets
    model = WLTClassifier(random_state=0, audit=False, calibrate=False)  # which does not change the classes
    scores = cross_val_score(model, graphs, labels, cv=StratifiedKFold(10, shuffle=True, random_state=0))
    assert 0.85 <= scores.mean() <= 0.92


# ---------------------------------------------------------------------------------------------------------------------
# Predictions depend on the model and the graph
# ---------------------------------------------------------------------------------------------------------------------

VARIANTS = [
    pytest.param({"structure": "grg"}, id="one node"),
    pytest.param({"structure": "grgrg", "recolor": 0.5}, id="two shares"),
    pytest.param({"structure": "rgrg", "recolor": "2,draws:3"}, id="replicas"),
    pytest.param({"structure": "grg", "recolor": "all"}, id="all"),
    pytest.param({"structure": "grg", "recolor": "nodes"}, id="nodes"),
    pytest.param({"structure": "grg", "recolor": "canonical"}, id="canonical"),
    pytest.param({"structure": "gg"}, id="no recoloring"),
]


@pytest.mark.parametrize("parameters", VARIANTS)
def test_a_graph_alone_gets_the_answer_it_gets_among_others(parameters: dict[str, Any]) -> None:
    model = fitted(**parameters)
    graphs, _ = molecules(30, seed=1)
    together = model.predict_proba(graphs)
    alone = np.concatenate([model.predict_proba([graph]) for graph in graphs])
    assert np.abs(together - alone).max() < 1e-9
    assert np.array_equal(model.predict(graphs), np.concatenate([model.predict([graph]) for graph in graphs]))


@pytest.mark.parametrize("parameters", VARIANTS)
def test_predictions_come_in_the_order_of_the_graphs(parameters: dict[str, Any]) -> None:
    model = fitted(**parameters)
    graphs, _ = molecules(30, seed=1)
    expected = model.predict_proba(graphs)
    order = np.random.default_rng(0).permutation(len(graphs))
    assert np.abs(model.predict_proba([graphs[i] for i in order]) - expected[order]).max() < 1e-9
    assert len(np.unique(expected.round(9), axis=0)) > 20  # else any order would do


def test_graphs_that_recoloring_must_guess_about_get_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fullerenes, where the draw decides much, in any company and in portions of any size."""
    data = fullerenes([36, 38])
    model = WLTClassifier("rgggg", **SMALL).fit(data)
    expected = model.predict_proba(data.union)
    assert np.array_equal(model.predict_proba(data.union), expected)
    alone = np.concatenate([model.predict_proba([graph]) for graph in data.union])
    assert np.abs(alone - expected).max() < 1e-9
    model.set_params(batch_size=5)
    assert np.abs(model.predict_proba(data.union) - expected).max() < 1e-9
    monkeypatch.setattr(WLTClassifier, "predicted_at_once", 7)
    assert np.abs(model.predict_proba(data.union) - expected).max() < 1e-9
    model.set_params(prediction_draws=1)
    assert np.abs(model.predict_proba(data.union) - expected).max() > 1e-6


def test_more_draws_come_closer_to_the_mean_of_all_draws() -> None:
    data = fullerenes([36, 38])
    model = WLTClassifier("rgggg", **{**SMALL, "epochs": 20}).fit(data)
    mean = model.set_params(prediction_draws=500).predict_proba(data.union)
    far, near = (
        np.abs(model.set_params(prediction_draws=draws).predict_proba(data.union) - mean).mean() for draws in (1, 50)
    )
    assert near < far / 3


def test_seeds_of_a_batch_decide_what_is_recoloured() -> None:
    graphs = [nx.cycle_graph(30)] * 6
    for layer in (Recoloring(1), Recoloring(0.2), Recoloring("draws:4"), Recoloring("all", max_replicas=5)):
        batch = Batch.from_graphs(graphs)
        batch.seeds = np.array([1, 2, 3, 1, 2, 2**64 - 1], np.uint64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of max_replicas
            after = layer(batch)
        marked = [_marked(after, i) for i in range(6)]
        assert marked[0] == marked[3]
        assert marked[1] == marked[4]
        assert len({*marked[:3], marked[5]}) == 4
        assert after.seeds is not None
        assert len(np.unique(after.seeds)) == 4 * len(after.seeds) // 6


def _marked(batch: Batch, owner: int) -> tuple[tuple[int, ...], ...]:
    """The recoloured nodes in each of a graph's replicas, counted from the replica's first."""
    starts = batch.graph.starts
    return tuple(
        tuple(np.flatnonzero(batch.row[batch.colors[starts[i] : starts[i + 1]]] < 0).tolist())
        for i in np.flatnonzero(batch.owner == owner)
    )


def test_changed_parameters_do_not_touch_a_fitted_model(tmp_path: Path) -> None:
    graphs, labels = molecules()
    model = WLTClassifier("grg", **SMALL, node_labels="atom").fit(graphs, labels)
    expected = model.predict_proba(graphs)
    model.set_params(structure="gggg", hidden=99, recolor="all", dropout=0.1)
    assert np.array_equal(model.predict_proba(graphs), expected)
    model.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert (again.structure, again.hidden) == ("grg", 8)
    assert np.array_equal(again.predict_proba(graphs), expected)


# ---------------------------------------------------------------------------------------------------------------------
# Graphs and labels of any kind
# ---------------------------------------------------------------------------------------------------------------------


def in_igraph(graph: nx.Graph[int]) -> igraph.Graph:
    other = igraph.Graph(n=len(graph), edges=list(graph.edges))
    other.vs["atom"] = [graph.nodes[v]["atom"] for v in graph]
    return other


def in_pyg(graph: nx.Graph[int], label: str) -> Data:
    edges = torch.from_numpy(as_graph(graph).edge_index())
    atoms = [graph.nodes[v]["atom"] for v in graph]
    x = torch.tensor([[float(atom == each) for each in "CNO"] for atom in atoms])
    return Data(x=x, edge_index=edges, atom=atoms, y=torch.tensor([int(label == "more N")]))


def in_dataset(graphs: list[nx.Graph[int]], labels: list[str]) -> Graphs:
    read = as_graphs(graphs, node_labels="atom")
    return Graphs(read.union, read.codes, np.array(read.values), "labels", np.array(labels))


def test_the_same_graphs_of_any_library_give_the_same_model() -> None:
    graphs, labels = molecules()
    expected = fitted(structure="grg").predict_proba(graphs)
    pyg = [in_pyg(graph, label) for graph, label in zip(graphs, labels, strict=True)]
    dataset = in_dataset(graphs, labels)
    for given, parameters in (
        ([in_igraph(graph) for graph in graphs], {"node_labels": "atom"}),
        (pyg, {"node_labels": "atom"}),
        (dataset, {}),
        (as_graphs(graphs, node_labels="atom"), {}),
        (list(as_graphs(graphs, node_labels="atom")), {}),
        (iter(graphs), {"node_labels": "atom"}),
    ):
        model = WLTClassifier("grg", **SMALL, **parameters).fit(given, labels)
        assert np.array_equal(model.predict_proba(as_graphs(graphs, node_labels="atom")), expected)


def test_datasets_bring_their_labels_along() -> None:
    graphs, labels = molecules()
    dataset = in_dataset(graphs, labels)
    assert WLTClassifier("g", **SMALL).fit(dataset).classes_.tolist() == ["more N", "no more N"]
    pyg = [in_pyg(graph, label) for graph, label in zip(graphs, labels, strict=True)]
    assert WLTClassifier("g", **SMALL).fit(pyg).classes_.tolist() == [0, 1]
    batch = PyGBatch.from_data_list(
        [Data(edge_index=data.edge_index, num_nodes=data.num_nodes, y=data.y) for data in pyg]
    )
    assert WLTClassifier("g", **SMALL).fit(batch).classes_.tolist() == [0, 1]


def test_features_need_not_have_been_seen() -> None:
    graphs, labels = molecules()
    pyg = [in_pyg(graph, label) for graph, label in zip(graphs, labels, strict=True)]
    model = WLTClassifier("ggrg", hidden=16, epochs=30, dropout=0.0, audit=False, calibrate=False, random_state=0).fit(
        pyg
    )
    assert model.table_.kind == "features"
    assert model.score(pyg, [int(data.y) for data in pyg]) > 0.95
    new = pyg[0].clone()
    new.x = new.x + 0.01
    assert np.abs(model.predict_proba([new]) - model.predict_proba([pyg[0]])).max() < 0.2
    alone = np.concatenate([model.predict_proba([data]) for data in pyg])
    assert np.abs(alone - model.predict_proba(pyg)).max() < 1e-9


def test_one_hot_features_say_what_labels_say() -> None:
    """Equal weights, equal answers: a row of features is multiplied, a label is looked up."""
    graphs, labels = molecules()
    pyg = [in_pyg(graph, label) for graph, label in zip(graphs, labels, strict=True)]
    by_label = fitted(structure="ggg")
    by_feature = WLTClassifier("ggg", **SMALL).fit(pyg)
    state = by_label.model_.state_dict()
    state["layers.0.weight1"] = state["layers.0.weight1"][:-1]
    by_feature.model_.load_state_dict(state)
    assert np.abs(by_feature.predict_proba(pyg) - by_label.predict_proba(graphs)).max() < 1e-9


def test_larger_degrees_than_in_training_are_no_obstacle() -> None:
    graphs, labels = molecules()
    model = WLTClassifier("grg", **SMALL, node_labels="degrees").fit(graphs, labels)
    assert model.predict([nx.star_graph(200), nx.complete_graph(30)]).shape == (2,)


def test_unseen_labels_are_refused_unless_they_are_to_be_ignored() -> None:
    graphs, _ = molecules()
    model = clone(fitted()).set_params(structure="g", unseen="error").fit(*molecules())
    strange = graphs[3].copy()
    strange.nodes[2]["atom"] = "Xe"
    with pytest.raises(
        ValueError, match=r"graph 1, node 2: the label 'Xe' was never seen in training \(known: 'C', 'N'"
    ):
        model.predict([graphs[0], strange])
    with pytest.raises(ValueError) as caught:  # noqa: PT011 whatever it is
        model.predict([graphs[0], strange])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # it may come from another process
    ignoring = model.set_params(unseen="ignore")
    stranger = strange.copy()
    stranger.nodes[2]["atom"] = "Rn"
    said = "the labels 'Rn', 'Xe' were never seen in training: 2 nodes send empty messages"
    with pytest.warns(UnseenLabelWarning, match=said):
        both = ignoring.predict_proba([strange, stranger])
    assert np.array_equal(both[0], both[1])
    assert not np.array_equal(both[0], ignoring.predict_proba([graphs[3]])[0])


def test_a_label_in_one_fold_only_does_not_stop_cross_validation() -> None:
    """By default: nothing of scikit-learn's becomes NaN, and what happened is said."""
    graphs, labels = molecules()
    rare = [graph.copy() for graph in graphs]
    rare[0].nodes[0]["atom"] = "Xe"
    model = WLTClassifier("g", **SMALL, node_labels="atom")
    with pytest.warns(UnseenLabelWarning, match="the label 'Xe' was never seen in training: 1 node sends an empty"):
        scores = cross_val_score(model, rare, labels, cv=3)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(["b", "a"], id="strings"),
        pytest.param([7, -2], id="integers"),
        pytest.param([True, False], id="booleans"),
        pytest.param([2.0, 1.0], id="floats"),
        pytest.param(np.array(["x", "yyy"], dtype=object), id="objects"),
        pytest.param(torch.tensor([3, 1]), id="tensor"),
    ],
)
def test_labels_of_any_kind_come_back_as_they_were(labels: Any) -> None:
    graphs, _ = molecules()
    y = np.asarray(labels)[np.arange(len(graphs)) % 2]
    model = WLTClassifier("g", **SMALL, node_labels="atom").fit(graphs, y)
    assert model.classes_.tolist() == sorted(np.asarray(labels).tolist())
    predicted = model.predict(graphs)
    assert predicted.dtype == y.dtype
    assert set(predicted.tolist()) <= set(np.asarray(labels).tolist())
    assert 0 <= model.score(graphs, y) <= 1


def test_probabilities_are_probabilities() -> None:
    graphs, _ = molecules()
    model = fitted(structure="grg")
    shares = model.predict_proba(graphs)
    assert shares.shape == (40, 2)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert np.array_equal(model.predict(graphs), model.classes_[shares.argmax(axis=1)])


# ---------------------------------------------------------------------------------------------------------------------
# Warnings before training
# ---------------------------------------------------------------------------------------------------------------------


def warnings_of(graphs: Any, labels: Any, **parameters: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WLTClassifier(**{**SMALL, "audit": True, "epochs": 1, **parameters}).fit(graphs, labels)
    return [str(warning.message) for warning in caught if warning.category is UserWarning]


def test_fit_says_when_recoloring_cannot_help() -> None:
    graphs, labels = molecules()
    (said,) = warnings_of(graphs, labels, node_labels="atom")
    assert said == "WL tells all graphs with different labels apart: recoloring cannot help to fit them"
    assert warnings_of(graphs, labels, node_labels="atom", structure="ggggg") == []
    assert warnings_of(graphs, labels, node_labels="atom", audit=False) == []


def test_fit_says_when_the_ceiling_is_low() -> None:
    data = csl()
    (said,) = warnings_of(data.union, data.class_numbers)
    assert said == "gggrgg cannot fit more than 30.0 % of these graphs; more g behind the r may help, up to 100.0 %"
    (said,) = warnings_of(data.union, data.class_numbers, structure="gg")
    assert said == "gg cannot fit more than 10.0 % of these graphs; more g, or an r, may help, up to 100.0 %"
    paths = [nx.path_graph(n) for n in (3, 4, 5, 6)] * 10
    (said,) = warnings_of(paths, [0] * 20 + [1] * 20, structure="ggg")
    assert said == "no model can fit more than 50.0 % of these graphs, because isomorphic graphs have different labels"


def test_a_ceiling_is_stated_only_where_it_bounds_what_the_r_does() -> None:
    """On BREC's pair 240, for one, a canonical gggrgg fits what one random node cannot."""
    data = csl()
    stated = ["gggrgg cannot fit more than 30.0 % of these graphs; more g behind the r may help, up to 100.0 %"]
    for parameters in ({}, {"recolor": "draws:2"}, {"recolor": "all"}, {"recolor": np.int64(1)}):
        assert warnings_of(data.union, data.class_numbers, **parameters) == stated
    for parameters in ({"recolor": "canonical"}, {"recolor": 2}, {"recolor": 0.5}, {"recolor": "100%"}):
        assert warnings_of(data.union, data.class_numbers, **parameters) == []
    paths = [nx.path_graph(n) for n in (3, 4, 5, 6)] * 10
    (said,) = warnings_of(paths, [0] * 20 + [1] * 20, recolor="canonical")
    assert said.endswith(
        "no model can fit more than 50.0 % of these graphs, because isomorphic graphs have different labels"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Progress and bad input
# ---------------------------------------------------------------------------------------------------------------------


def test_verbose_shows_progress_and_only_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WLTClassifier, "predicted_at_once", 7)
    graphs, labels = molecules()
    model = WLTClassifier("g", **SMALL, node_labels="atom").fit(graphs, labels)
    model.predict(graphs)
    assert capsys.readouterr() == ("", "")
    model.set_params(verbose=1).fit(graphs, labels)
    out, err = capsys.readouterr()
    assert (out, "fit" in err, "3/3" in err, "loss" in err) == ("", True, True, True)
    model.predict(graphs)
    assert "40/40" in capsys.readouterr().err


GRAPHS = [nx.path_graph(3), nx.cycle_graph(3), nx.path_graph(4), nx.cycle_graph(4)]


@pytest.mark.parametrize(
    ("graphs", "labels", "parameters", "message"),
    [
        pytest.param(GRAPHS, [0, 1, 0], {}, "4 graphs and 3 labels; one label for every graph", id="lengths"),
        pytest.param(GRAPHS, [1, 1, 1, 1], {}, "all 4 graphs have the label 1; two classes", id="one class"),
        pytest.param(GRAPHS, None, {}, "y is needed: a label for every graph", id="no labels"),
        pytest.param(GRAPHS, [0, 1, None, 1], {}, r"graph 2 has no label \(None\)", id="missing label"),
        pytest.param(GRAPHS, [0, 1, np.nan, 1], {}, r"graph 2 has no label \(nan\)", id="NaN"),
        pytest.param(GRAPHS, ["a", "b", float("nan"), "b"], {}, r"graph 2 has no label \(nan\)", id="NaN in strings"),
        pytest.param(GRAPHS, ["a", "b", np.float32("nan"), "b"], {}, r"graph 2 has no label", id="short NaN"),
        pytest.param(GRAPHS, ["a", 1, "a", 1], {}, "some are not, as 1; make all", id="strings and numbers"),
        pytest.param(GRAPHS, np.array(["a", 1, "a", 1], object), {}, "some are not, as 1; make all", id="objects"),
        pytest.param(GRAPHS, [0.5, 1.25, 0.1, 1], {}, "continuous", id="regression"),
        pytest.param(GRAPHS, np.arange(4).astype("datetime64[D]"), {}, "not of type datetime64", id="dates"),
        pytest.param(GRAPHS, [[0, 1], [1, 2], [1, 1], [0, 0]], {}, "graph 1, column '1': 2; several", id="columns"),
        pytest.param([*GRAPHS[:3], nx.empty_graph(0)], [0, 1, 0, 1], {}, "graph 3 has no nodes", id="no nodes"),
        pytest.param([], [], {}, "no graphs", id="no graphs"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"structure": "gxg"}, "unknown layer 'x' at position 1", id="structure"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"recolor": 0}, "recolor must be a number of nodes", id="recolor"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"hidden": 0}, "hidden must be at least 1, not 0", id="hidden"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"epochs": 2.5}, "epochs must be a whole number, not 2.5", id="epochs"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"batch_size": True}, "batch_size must be a whole", id="batch size"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"prediction_draws": 0}, "prediction_draws must be at", id="draws"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"prediction_draws": 5000}, "must be at most 4096", id="too many draws"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"recolor": 1.0}, "write 1 for one node or '100%'", id="ambiguous recolor"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"recolor": "draws:1.5"}, "draws must be a whole number", id="half draws"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"recolor": "draws:a"}, "draws must be a whole number", id="draws kind"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"recolor": "draws:9999"}, "from 1 to 4096", id="endless draws"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"early_stopping": "no"}, "early_stopping must be True or", id="stopping"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"verbose": "x"}, "verbose must be 0 or 1, not 'x'", id="verbose"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"n_jobs": True}, "n_jobs must be None, a number", id="threads kind"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"random_state": [1]}, "cannot be used to seed", id="random state"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"learning_rate": -1}, "learning_rate must be more than 0", id="rate"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"learning_rate": "x"}, "learning_rate must be a number", id="rate kind"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"dropout": 1.0}, r"dropout must be a number in \[0, 1\)", id="dropout"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"unseen": "skip"}, "unseen must be 'error' or 'ignore'", id="unseen"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"n_jobs": 0}, "n_jobs must be None, a number of threads", id="threads"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"node_labels": 3}, "node_labels must be 'auto'", id="node colors"),
        pytest.param(GRAPHS, [0, 1, 0, 1], {"node_labels": "atom"}, "no node has an attribute 'atom'", id="attribute"),
        pytest.param(
            GRAPHS, [0, 1, 1, 1], {"early_stopping": True}, "early stopping cannot hold out graphs", id="too few"
        ),
    ],
)
def test_bad_input_is_one_clear_line(graphs: Any, labels: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        WLTClassifier(**{**SMALL, **parameters}).fit(graphs, labels)
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        pytest.param([], "no graphs", id="no graphs"),
        pytest.param([nx.empty_graph(0)], "graph 0 has no nodes", id="no nodes"),
        pytest.param(["Bw"], "graph 0, a str, has no named node attributes", id="no attributes"),
        pytest.param(csl().union, "node_labels='atom': this wlt.Graph has no such attribute", id="union"),
    ],
)
def test_what_cannot_be_predicted_is_refused(graphs: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        fitted(structure="g").predict(graphs)


def test_graphs_that_carry_something_else_are_refused() -> None:
    graphs, labels = molecules()
    model = WLTClassifier("g", **SMALL).fit(as_graphs(graphs, node_labels="atom"), labels)
    with pytest.raises(ValueError, match="trained with node labels, and these graphs have none"):
        model.predict(csl())
    with pytest.raises(ValueError, match=r"node_labels='atom': this wlt\.Graphs has no such attribute"):
        fitted(structure="g").predict(csl())


def test_a_class_with_one_member_does_not_stop_scikit_learns_cross_validation() -> None:
    graphs, labels = molecules()
    lonely = ["alone", *labels[1:]]
    model = WLTClassifier("g", **SMALL, node_labels="atom")
    with pytest.warns(UserWarning, match="least populated class"):
        assert cross_val_score(model, graphs, lonely, cv=3).shape == (3,)
