"""Graphs and targets in pandas' Series and DataFrames: like lists and arrays, by position and not by index."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score

from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.regressor import WLTRegressor

pd = pytest.importorskip("pandas")

SMALL: dict[str, Any] = {"structure": "gg", "hidden": 8, "epochs": 8, "audit": False, "random_state": 0}
GRAPHS = [nx.gnp_random_graph(8, 0.4, seed=i) for i in range(24)]
EDGES = np.array([graph.number_of_edges() for graph in GRAPHS])


@pytest.fixture
def frame() -> Any:
    """Its index counts down, so that taking rows by index and by position are different things."""
    table = pd.DataFrame({"dense": EDGES > 11, "edges": EDGES / 2}, index=np.arange(24)[::-1])
    table["graph"] = GRAPHS
    return table


@pytest.mark.parametrize(("estimator", "column"), [(WLTClassifier, "dense"), (WLTRegressor, "edges")])
def test_series_are_lists(frame: Any, estimator: Any, column: str) -> None:
    model = estimator(**SMALL)
    listed = clone(model).fit(GRAPHS, frame[column].tolist()).predict(GRAPHS)
    model.fit(frame["graph"], frame[column], sample_weight=pd.Series(np.ones(24)))
    assert np.array_equal(model.predict(frame["graph"]), listed)
    assert model.score(frame["graph"], frame[column]) == model.score(GRAPHS, frame[column].tolist())
    by_lists = cross_val_predict(clone(model), GRAPHS, frame[column].tolist(), cv=3)
    assert np.array_equal(cross_val_predict(clone(model), frame["graph"], frame[column], cv=3), by_lists)


@pytest.mark.parametrize("dtype", ["bool", "boolean", "int64", "Int64", "float64", "string", "object", "category"])
def test_labels_of_every_type(frame: Any, dtype: str) -> None:
    labels = frame["dense"]
    if dtype in ("string", "object", "category"):
        labels = labels.map({False: "sparse", True: "dense"})
    labels = labels.astype(dtype)
    model = WLTClassifier(**SMALL).fit(GRAPHS, labels)
    assert set(model.classes_.tolist()) == set(labels)
    assert set(model.predict(GRAPHS).tolist()) <= set(labels)


@pytest.mark.parametrize("dtype", ["Int64", "string", "object", "category", "boolean"])
def test_a_missing_label_is_named(frame: Any, dtype: str) -> None:
    labels = frame["dense"].map({False: "sparse", True: "dense"}) if dtype != "Int64" else frame["dense"]
    labels = (frame["dense"] if dtype == "boolean" else labels).astype(dtype).copy()
    labels.iloc[3] = None
    with pytest.raises(ValueError, match="graph 3 has no label"):
        WLTClassifier(**SMALL).fit(GRAPHS, labels)


@pytest.mark.parametrize("dtype", ["float64", "Float64", "object"])
def test_gaps_of_numbers(frame: Any, dtype: str) -> None:
    targets = frame[["edges", "dense"]].astype("Float64")
    targets.iloc[1, 0] = pd.NA
    numbers = targets.to_numpy(float, na_value=np.nan)
    if dtype == "float64":
        targets = pd.DataFrame(numbers, columns=targets.columns)
    targets = targets.astype(dtype)
    with pytest.warns(UserWarning, match="1 of 48 cells"):
        model = WLTRegressor(**SMALL).fit(frame["graph"], targets)
    assert model.target_.columns == ("edges", "dense")
    with pytest.warns(UserWarning, match="1 of 48 cells"):
        assert np.array_equal(model.predict(GRAPHS), WLTRegressor(**SMALL).fit(GRAPHS, numbers).predict(GRAPHS))
    assert model.score(GRAPHS, targets) == model.score(GRAPHS, numbers)


def test_columns_of_zeros_and_ones_with_gaps(frame: Any) -> None:
    targets = pd.DataFrame({"dense": frame["dense"], "sparse": ~frame["dense"]}).astype("Int64")
    targets.iloc[2, 1] = pd.NA
    model = WLTClassifier(**SMALL).fit(frame["graph"], targets)
    assert model.target_.columns == ("dense", "sparse")
    assert 0 <= model.score(frame["graph"], targets) <= 1
    assert len(cross_val_score(WLTClassifier(**SMALL), frame["graph"], targets, cv=KFold(2))) == 2


def test_a_whole_table_is_refused_and_its_columns_are_named(frame: Any) -> None:
    message = (
        r"a table, not graphs; write table\[COLUMN\] for the column with the graphs, one of 'dense', 'edges', 'graph'"
    )
    for estimator in (WLTClassifier(**SMALL), WLTRegressor(**SMALL)):
        with pytest.raises(TypeError, match=message):
            estimator.fit(frame, frame["edges"])
    with pytest.raises(TypeError, match=r"write table\[COLUMN\]"):
        WLTClassifier(**SMALL).fit(GRAPHS, frame["dense"]).predict(frame[["graph"]])


def test_embeddings_in_a_table(frame: Any) -> None:
    model = WLTClassifier(**SMALL).set_output(transform="pandas").fit(frame["graph"], frame["dense"])
    rows = model.transform(frame["graph"])
    assert rows.columns.tolist() == model.get_feature_names_out().tolist()
    assert rows.shape == (24, 8)


def test_molecules_of_rdkit() -> None:
    chem = pytest.importorskip("rdkit.Chem")
    table = pd.DataFrame({"smiles": ["CCO", "CCN", "c1ccccc1", "CC"] * 4, "y": [0, 1] * 8})
    table["molecule"] = [chem.MolFromSmiles(smiles) for smiles in table["smiles"]]
    from wlt.data import molecules

    model = WLTClassifier(**SMALL).fit(table["molecule"], table["y"])
    assert np.array_equal(model.predict(table["molecule"]), model.predict(molecules(table["smiles"])))
    with pytest.raises(TypeError, match=r"a table, not SMILES; write table\[COLUMN\]"):
        molecules(table)
    with pytest.raises(ValueError, match=r"wlt\.data\.molecules"):
        model.predict(table["smiles"])
