"""Rows of several labels, as atoms and bonds have them: one weight vector per column, and the sum of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from wlt import Graphs, as_graphs
from wlt.data import molecules
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.label_table import UnseenLabel, UnseenLabelWarning
from wlt.nn import Batch

pytest.importorskip("rdkit", reason="rdkit is not installed: pip install 'wlt[mol]'")

SMILES = ["CCO", "CCN", "c1ccccc1O", "c1ccncc1", "CC(=O)O", "CC(=O)[O-]", "C[NH3+]", "CC=CC", "C#CC", "C1CCCCC1"]
CLASSES = [0, 1] * 5
SMALL: dict[str, Any] = {"hidden": 8, "epochs": 3, "calibrate": False, "audit": False, "random_state": 0}


def fitted(structure: str = "gg", **parameters: Any) -> WLTClassifier:
    return WLTClassifier(structure, **{**SMALL, **parameters}).fit(molecules(SMILES), CLASSES)


def multi_hot(rows: list[Any], columns: Any) -> np.ndarray[Any, Any]:
    """By hand."""
    return np.array([[float(row[i] == label) for i, column in enumerate(columns) for label in column] for row in rows])


def test_every_column_has_weights_of_its_own() -> None:
    """The model on rows of labels is the model on the multi-hot rows, nodes one by one, without the estimator."""
    model, graphs = fitted(), molecules(SMILES)
    nodes, edges = model.table_.columns.labels, model.edge_table_.columns.labels
    assert [len(column) for column in nodes] == [len({row[i] for row in graphs.values}) for i in range(6)]
    features = multi_hot([graphs.values[code] for code in graphs.codes], nodes)
    rows, columns = graphs.union.edge_index()
    bonds = multi_hot([graphs.union.arc_labels[code][0][1] for code in graphs.union.arcs], edges)
    once = rows < columns
    starts = graphs.union.starts
    pieces = []
    for low, high in pairwise(starts):
        inside = once & (rows >= low) & (rows < high)
        ends = np.stack([rows[inside] - low, columns[inside] - low], axis=1)
        pieces.append((int(high - low), ends, bonds[inside]))
    batch = Batch.from_graphs(as_graphs(pieces).union, features=torch.from_numpy(features), compress=False)
    with torch.no_grad():
        logits = model.model_(batch).numpy()
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert np.abs(shares - model.predict_proba(graphs)).max() < 1e-9


def test_a_combination_never_seen_still_has_weights(recwarn: pytest.WarningsRecorder) -> None:
    """A carbon of a ring with one hydrogen is new as a whole; all of these are known one by one."""
    model = fitted(unseen="error")
    new = molecules(["CC1CCCCC1", "OC1CCCCC1"])
    assert not set(new.values) <= set(molecules(SMILES).values)
    assert model.predict(new).shape == (2,)
    assert not [warning for warning in recwarn if issubclass(warning.category, UnseenLabelWarning)]


def test_a_strange_label_leaves_the_others_of_its_row() -> None:
    model = fitted()
    with pytest.warns(
        UnseenLabelWarning, match=r"^element='Br', element='Cl' were never seen .*: 2 nodes send a message"
    ):
        bromine, chlorine, nothing = model.predict_proba(molecules(["CCBr", "CCCl", "CC"]))
    assert np.array_equal(bromine, chlorine)
    assert not np.array_equal(bromine, nothing)
    refusing = fitted(unseen="error")
    with pytest.raises(
        UnseenLabel, match=r"graph 0, node 2: element='Br' was never seen in training \(known: 'C', 'N', 'O'"
    ):
        refusing.predict(molecules(["CCBr"]))
    stereo = r"graph 0, edge \(1, 2\): stereo='E' of an edge was never seen in training \(known: 'none'\)"
    with pytest.raises(UnseenLabel, match=stereo):
        refusing.predict(molecules(["C/C=C/C"]))
    said = model.edge_table_.unseen(molecules(["C/C=C/C", "C/C=C\\C"]).union)
    both = "stereo='E' of an edge, stereo='Z' of an edge were never seen in training"
    assert said == f"{both}: 2 edges are taken as edges without them"


@pytest.mark.parametrize("structure", ["gg", "grg"])
def test_model_files_keep_the_columns(structure: str, tmp_path: Path) -> None:
    model = fitted(structure)
    model.save(tmp_path / "m")
    read = WLTClassifier.load(tmp_path / "m")
    assert (read.table_, read.edge_table_) == (model.table_, model.edge_table_)
    new = molecules([*SMILES, "CCBr", "C/C=C/C"])
    assert np.array_equal(read.predict_proba(new), model.predict_proba(new))


def test_rows_and_single_labels_do_not_mix() -> None:
    elements = molecules(SMILES, atoms="element")
    message = "trained with rows of 6 labels on every node, and these nodes carry one label; atoms='element'"
    with pytest.raises(ValueError, match=message):
        fitted().predict(elements)
    model = WLTClassifier("gg", **SMALL).fit(elements, CLASSES)
    assert (model.table_.kind, model.edge_table_.kind) == ("labels", "labels")
    with pytest.raises(ValueError, match="trained with one label on every node, and these nodes carry rows of 6"):
        model.predict(molecules(SMILES))
    without = WLTClassifier("gg", **SMALL, node_labels="degrees").fit(elements, CLASSES)
    with pytest.raises(ValueError, match="trained with one label on every edge, and these edges carry rows of 4"):
        without.predict(molecules(SMILES))


def test_rows_of_labels_of_other_graphs() -> None:
    """Tuples that are not numbers alone are rows; a model of directed rows knows directions apart from columns."""
    graphs = []
    for size in range(4, 12):
        graph = nx.path_graph(size, create_using=nx.DiGraph)
        nx.set_node_attributes(graph, {node: ("ab"[node % 2], size % 2) for node in graph}, "label")
        nx.set_edge_attributes(graph, ("road", size % 3), "kind")
        graphs.append(graph)
    parameters = {**SMALL, "node_labels": "label", "edge_labels": "kind", "epochs": 60, "dropout": 0.0}
    model = WLTClassifier("gg", **parameters).fit(graphs, [size % 2 for size in range(4, 12)])
    assert model.table_.columns.labels == (("a", "b"), (0, 1))
    assert model.edge_table_.columns.labels == (("road",), (0, 1, 2))
    assert model.edge_table_.tokens == (("in", None), ("out", None))
    assert model.score(graphs, [size % 2 for size in range(4, 12)]) == 1.0
    both_ways = nx.path_graph(3)
    nx.set_node_attributes(both_ways, ("a", 7), "label")
    nx.set_edge_attributes(both_ways, ("rail", 0), "kind")
    data = as_graphs([both_ways], node_labels="label", edge_labels="kind")
    assert model.edge_table_.unseen(data.union).startswith(
        "the edge without a label, the label 'rail' in place 0 of an edge were never seen"
    )
    assert model.table_.unseen(data) == (
        "the label 7 in place 1 was never seen in training: 3 nodes send a message without it"
    )


@pytest.mark.parametrize("atoms", ["all", "element"])
def test_a_network_that_never_saw_a_label_is_not_changed_by_it(atoms: Any) -> None:
    """Of an ensemble, each network is trained without some graphs. Bromine takes no part in training without it."""
    graphs = molecules([*["CC", "CCC", "CCO", "CCCC"] * 5, "CCBr"], atoms=atoms)
    model = WLTClassifier("gg", ensemble=3, **{**SMALL, "calibrate": True, "validation_fraction": 1 / 3})
    model.fit(graphs, [0, 1] * 10 + [1])
    table = model.table_
    place = (table.columns.labels[0] if atoms == "all" else table.values).index("Br")
    dead = 0
    for network in model.models_:
        layer: Any = network.layers[0]
        if (layer.weight1[place] == 0).all():
            assert (layer.edges.weight[..., place] == 0).all()
            dead += 1
    assert dead == 1


def test_the_colour_is_the_whole_row() -> None:
    """Two atoms of one element are told apart by everything else that they carry."""
    graphs: Graphs = molecules(["CC", "[CH2]C"])
    assert len({int(code) for code in graphs.codes}) == 2
    assert len({int(code) for code in molecules(["CC", "[CH2]C"], atoms="element").codes}) == 1
