"""WLTClassifier on graphs whose edges carry something: labels, directions, parallel edges, loops, rows of numbers."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from labelled import Drawn, drawn_graphs
from wlt import Graphs, as_graphs
from wlt.data import molecules
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.edge_table import EdgeTable
from wlt.estimator.label_table import UnseenLabel, UnseenLabelWarning
from wlt.nn import GIN

SMALL: dict[str, Any] = {
    "structure": "grg",
    "hidden": 8,
    "epochs": 3,
    "calibrate": False,
    "audit": False,
    "random_state": 0,
}


def ring(size: int, labels: Any, directed: bool = False) -> Any:
    """A ring whose edges have these labels, in turn, as their attribute "bond"."""
    graph: Any = nx.cycle_graph(size, create_using=nx.DiGraph if directed else nx.Graph)
    for i, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["bond"] = labels[i % len(labels)]
    return graph


def pyg(size: int, row: float) -> Data:
    edges = torch.tensor([[i, (i + 1) % size] for i in range(size)]).T
    return Data(
        x=torch.ones(size, 1),
        edge_index=torch.cat([edges, edges.flip(0)], 1),
        edge_attr=torch.full((2 * size, 1), row),
        y=torch.tensor([int(row > 1)]),
    )


@cache
def bonds() -> tuple[list[Any], list[int]]:
    """Rings of single and double bonds; the class says which there are more of."""
    random = np.random.default_rng(0)
    rings, classes = [], []
    for _ in range(40):
        labels = random.choice(["single", "double"], random.integers(5, 12)).tolist()
        rings.append(ring(len(labels), labels))
        classes.append(int(2 * labels.count("double") > len(labels)))
    return rings, classes


@cache
def fitted(**parameters: Any) -> WLTClassifier:
    return WLTClassifier(**{**SMALL, "edge_labels": "bond", **parameters}).fit(*bonds())


# ---------------------------------------------------------------------------------------------------------------------
# What edges carry is learned
# ---------------------------------------------------------------------------------------------------------------------

LEARNING: dict[str, Any] = {"hidden": 16, "epochs": 40, "dropout": 0.0, "audit": False, "random_state": 0}


def test_graphs_that_differ_in_edge_attr_alone_are_told_apart() -> None:
    graphs = [pyg(size, row) for size in range(5, 15) for row in (1.0, 2.0)]
    model = WLTClassifier("gg", **LEARNING).fit(graphs)
    assert (model.edge_table_.kind, model.edge_table_.scale) == ("features", (2.0,))
    assert model.score(graphs, [int(graph.y) for graph in graphs]) == 1.0
    blind = WLTClassifier("gg", **LEARNING, edge_labels=None).fit(graphs)
    assert blind.edge_table_.kind == "none"
    assert blind.score(graphs, [int(graph.y) for graph in graphs]) == 0.5


def test_labels_are_learned_and_hold_for_new_graphs() -> None:
    rings, classes = bonds()
    model = WLTClassifier("gg", **LEARNING, edge_labels="bond").fit(rings[:30], classes[:30])
    assert model.score(rings[30:], classes[30:]) == 1.0
    assert model.edge_table_.tokens == (("both", "double"), ("both", "single"))


def test_directions_are_learned() -> None:
    """A directed ring, and the same ring with every other arc reversed."""
    graphs, classes = [], []
    for size in range(4, 16, 2):
        there = nx.cycle_graph(size, create_using=nx.DiGraph)
        back = nx.DiGraph((u, v) if i % 2 else (v, u) for i, (u, v) in enumerate(there.edges))
        graphs += [there, back]
        classes += ["one way", "back and forth"]
    model = WLTClassifier("gg", **LEARNING).fit(graphs, classes)
    assert model.edge_table_.tokens == (("in", None), ("out", None))
    assert model.score(graphs, classes) == 1.0


def test_parallel_edges_and_loops_are_learned() -> None:
    single = [nx.MultiGraph(nx.path_graph(size)) for size in range(3, 13)]
    double = [nx.MultiGraph([*graph.edges(), (0, 1)]) for graph in single]
    looped = [nx.MultiGraph([*graph.edges(), (0, 0)]) for graph in single]
    classes = np.repeat(["single", "double", "looped"], 10)
    model = WLTClassifier("ggg", **{**LEARNING, "epochs": 80}).fit([*single, *double, *looped], classes)
    assert model.edge_table_.tokens == (("both", None), ("loop", None))
    assert model.table_.kind == "degrees"  # loops are edges, and degrees stay degrees
    assert model.score([*single, *double, *looped], classes) == 1.0
    assert model.predict(single[:1]).tolist() == ["single"]  # alone it has neither


def test_the_weights_for_what_was_never_seen_stay_zero() -> None:
    layers = [layer for layer in fitted(epochs=4).model_.layers if isinstance(layer, GIN)]
    for layer in layers:
        assert layer.edges is not None
        assert (layer.edges.weight[-1] == 0).all()
        assert (layer.edges.weight[:-1] != 0).any(dim=1).all()
    graphs = [pyg(size, row) for size in range(5, 15) for row in (1.0, 2.0)]
    for layer in WLTClassifier(**SMALL).fit(graphs).model_.layers:
        if isinstance(layer, GIN):
            trained = layer.edges.weight.flatten(1).abs().sum(1) > 0
            assert trained.tolist() == [True, False, False, False]  # both ways; out, in, loop


def test_features_are_scaled_by_what_training_had() -> None:
    """Four times the numbers, exactly the same model."""
    graphs = [pyg(size, row) for size in range(5, 12) for row in (0.3, 1.7)]
    larger = [graph.clone() for graph in graphs]
    for graph in larger:
        graph.edge_attr = 4 * graph.edge_attr
    model, other = (WLTClassifier(**{**SMALL, "structure": "gg"}).fit(data) for data in (graphs, larger))
    assert np.array_equal(model.predict_proba(graphs), other.predict_proba(larger))
    new = pyg(8, 0.35)
    assert model.edge_table_.unseen(as_graphs([new]).union) == ""  # numbers need not have been seen
    assert not np.array_equal(model.predict_proba([new]), model.predict_proba([pyg(8, 0.3)]))


def test_bonds_of_molecules_are_seen() -> None:
    smiles = ["CC", "CCC", "CCCC", "CCCCC", "C=C", "CC=C", "CC=CC", "CCC=CC"]
    classes = ["alkane"] * 4 + ["alkene"] * 4
    model = WLTClassifier("gg", **LEARNING).fit(molecules(smiles), classes)
    assert model.score(molecules(smiles), classes) == 1.0
    assert WLTClassifier("gg", **LEARNING).fit(molecules(smiles, edge_labels=None), classes).edge_table_.kind == "none"


# ---------------------------------------------------------------------------------------------------------------------
# Predictions depend on the model and the graph
# ---------------------------------------------------------------------------------------------------------------------


@cache
def of_all_kinds(directed: bool, structure: str) -> WLTClassifier:
    """Trained with labels 0 and 1, parallel edges and loops."""
    random = np.random.default_rng(0)
    graphs = []
    for _ in range(20):
        edges = tuple((int(u), int(v)) for u, v in random.integers(0, 5, (7, 2)))
        graphs.append(Drawn(5, edges, tuple(random.integers(0, 2, 7).tolist()), directed).networkx())
    return WLTClassifier(**{**SMALL, "structure": structure}, edge_labels="label").fit(graphs, [0, 1] * 10)


@settings(max_examples=40, deadline=None)
@given(st.lists(drawn_graphs(), min_size=2, max_size=5))
def test_a_graph_alone_gets_the_answer_it_gets_among_others(drawn: list[Drawn]) -> None:
    """Labels, directions, parallel edges and loops are numbered by the model, not by the batch."""
    graphs = [graph.networkx() for graph in drawn if graph.directed == drawn[0].directed]
    model = of_all_kinds(drawn[0].directed, "grg")
    together = model.predict_proba(graphs)
    alone = np.concatenate([model.predict_proba([graph]) for graph in graphs])
    assert np.abs(together - alone).max() < 1e-9


@settings(max_examples=40, deadline=None)
@given(drawn_graphs(), st.randoms())
def test_relabelled_graphs_get_the_same_answer(drawn: Drawn, random: Any) -> None:
    """Without recoloring, whose draw depends on how nodes are numbered."""
    model = of_all_kinds(drawn.directed, "gg")
    moved = drawn.relabelled(random.sample(range(drawn.nodes), drawn.nodes))
    first, second = (model.predict_proba([graph.networkx()]) for graph in (drawn, moved))
    assert np.abs(first - second).max() < 1e-9


def test_labels_never_seen_are_refused_or_taken_as_no_label() -> None:
    rings, _ = bonds()
    model = fitted()
    strange, stranger = ring(6, ["single", "triple"]), ring(6, ["single", "aromatic"])
    said = "the edge label 'aromatic', the edge label 'triple' were never seen in training: 6 edges are taken as edges"
    with pytest.warns(UnseenLabelWarning, match=said):
        both = model.predict_proba([strange, stranger])
    assert np.array_equal(both[0], both[1])
    refusing = fitted(unseen="error")
    known = r"\(known: 'double', 'single'\)"
    message = rf"graph 1, edge \(0, 5\): the edge label 'triple' was never seen in training {known}; if unseen is"
    with pytest.raises(UnseenLabel, match=message):
        refusing.predict([rings[0], strange])
    loop = nx.Graph(ring(5, ["single"]))
    loop.add_edge(3, 3, bond="single")
    with pytest.raises(UnseenLabel, match=r"graph 0, edge \(3, 3\): the edge label 'single' with the direction 'loop'"):
        refusing.predict([loop])
    with pytest.warns(UnseenLabelWarning, match="with the direction 'loop' was never seen in training: 1 edge is"):
        model.predict([loop])


def test_a_warning_about_nodes_does_not_silence_the_one_about_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    def molecule(atom: str, bond: str, size: int) -> nx.Graph:
        graph = ring(size, [bond])
        nx.set_node_attributes(graph, atom, "atom")
        return graph

    graphs = [molecule(atom, "single", size) for atom in "CN" for size in range(4, 10)]
    model = WLTClassifier(**{**SMALL, "structure": "gg"}, node_labels="atom", edge_labels="bond")
    model.fit(graphs, [0] * 6 + [1] * 6)
    monkeypatch.setattr("wlt.wording._said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for new in (molecule("O", "single", 5), molecule("C", "double", 5), molecule("S", "triple", 5)):
            model.predict([new])
    said = [str(warning.message) for warning in caught if warning.category is UnseenLabelWarning]
    assert len(said) == 2
    assert "5 nodes send empty messages" in said[0]
    assert "5 edges are taken as edges without a label" in said[1]


def test_an_edge_never_seen_sends_the_message_of_an_edge_without_a_label() -> None:
    """With all edge weights zero, whatever edges carry is the same."""
    model = WLTClassifier(**{**SMALL, "structure": "gg"}, edge_labels="bond").fit(*bonds())
    for layer in model.model_.layers:
        torch.nn.init.zeros_(layer.edges.weight)
    with pytest.warns(UnseenLabelWarning):
        strange = model.predict_proba([ring(7, ["triple"])])
    assert np.array_equal(strange, model.predict_proba([ring(7, ["single"])]))


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        pytest.param([nx.cycle_graph(4)], "edge_labels='bond': no edge has such an attribute", id="no attribute"),
        pytest.param([(4, [(0, 1)])], "edge_labels='bond': no edge has such", id="no attributes at all"),
    ],
)
def test_graphs_without_the_attribute_are_refused(graphs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted().predict(graphs)


def test_edges_that_carry_something_else_are_refused() -> None:
    labelled = WLTClassifier(**SMALL).fit(as_graphs(bonds()[0], edge_labels="bond"), bonds()[1])
    with pytest.raises(ValueError, match="trained with edge labels, and the edges of these graphs have none"):
        labelled.predict([nx.cycle_graph(4)])
    assert labelled.predict([nx.empty_graph(3)]).shape == (1,)  # without edges there is nothing to miss
    rows = [pyg(size, row) for size in range(5, 15) for row in (1.0, 2.0)]
    model = WLTClassifier(**SMALL).fit(rows)
    wide = rows[0].clone()
    wide.edge_attr = torch.ones(len(wide.edge_attr), 2)
    with pytest.raises(ValueError, match="trained with 1 numbers on every edge, not 2"):
        model.predict([wide])
    bare = rows[0].clone()
    bare.edge_attr = None
    with pytest.raises(ValueError, match="trained with edge features, and the edges of these graphs have none"):
        model.predict([bare])
    infinite = rows[0].clone()
    infinite.edge_attr = torch.full_like(infinite.edge_attr, torch.inf)
    for use in (model.predict, WLTClassifier(**SMALL).fit):
        with pytest.raises(ValueError, match="edge features must be finite numbers"):
            use([infinite, rows[1]])


def test_a_model_of_plain_edges_says_that_it_does_not_look_at_labels() -> None:
    model = WLTClassifier(**SMALL).fit([nx.cycle_graph(n) for n in range(3, 11)], [0, 1] * 4)
    labelled = as_graphs([ring(6, ["single"])], edge_labels="bond")
    with pytest.warns(UnseenLabelWarning, match="trained on edges that carry nothing: what these edges carry is not"):
        found = model.predict_proba(labelled)
    assert np.array_equal(found, model.predict_proba([nx.cycle_graph(6)]))


def test_edge_labels_must_be_a_name() -> None:
    with pytest.raises(TypeError, match=r"edge_labels must be 'auto', an attribute's name or None, not \['bond'\]"):
        WLTClassifier(**SMALL, edge_labels=["bond"]).fit(*bonds())
    with pytest.raises(ValueError, match="edge_labels='bund': no edge has such an attribute; there are: 'bond'"):
        WLTClassifier(**SMALL, edge_labels="bund").fit(*bonds())


# ---------------------------------------------------------------------------------------------------------------------
# The sentence of fit is about what the model sees
# ---------------------------------------------------------------------------------------------------------------------


def said_by_fit(graphs: Any, classes: Any, **parameters: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WLTClassifier(**{**SMALL, "audit": True, "structure": "gg", **parameters}).fit(graphs, classes)
    return [str(warning.message) for warning in caught if warning.category is UserWarning]


def test_ceilings_are_those_of_what_the_model_sees() -> None:
    graphs = [ring(size, [bond]) for size in range(3, 13) for bond in ("single", "double")]
    assert said_by_fit(graphs, [0, 1] * 10, edge_labels="bond") == []
    low = "no model can fit more than 50.0 % of these graphs, because isomorphic graphs have different labels"
    without = f"{low}; all this is about the graphs without the edge attribute 'bond'"
    assert said_by_fit(graphs, [0, 1] * 10, edge_labels=None) == [without]
    assert said_by_fit(graphs, [0, 1] * 10) == [without]
    read = as_graphs(graphs, edge_labels="bond")
    of_read = f"{low}; all this is about the graphs without the labels of edges"
    assert said_by_fit(read, [0, 1] * 10, edge_labels=None) == [of_read]


# ---------------------------------------------------------------------------------------------------------------------
# The table, and model files
# ---------------------------------------------------------------------------------------------------------------------


def test_only_labels_that_occur_are_known() -> None:
    both = as_graphs([ring(4, ["a"]), ring(4, ["b", "c"])], edge_labels="bond")
    assert EdgeTable.learn(both.take([0]).union).tokens == (("both", "a"),)
    assert EdgeTable.learn(both.take([1]).union).tokens == (("both", "b"), ("both", "c"))


@given(st.lists(drawn_graphs(), min_size=1, max_size=4))
def test_what_was_learned_is_seen_as_it_is(drawn: list[Drawn]) -> None:
    """Of the graphs that a table was learned from nothing is unseen, and no two different labels become one."""
    union = as_graphs([graph.graph() for graph in drawn]).union
    table = EdgeTable.learn(union)
    assert table.unseen(union) == ""
    seen, tokens = table.apply(union, "error")
    assert len(tokens) == table.num_edge_labels
    if table.kind == "labels":
        assert seen.arc_labels == (union.arc_labels or ((("both", None),),) * bool(len(union.neighbors)))
        assert [tokens.tokens[code] for code in tokens.codes] == [
            union.tokens.tokens[code] for code in union.tokens.codes
        ]


@pytest.mark.parametrize(
    "graphs",
    [
        pytest.param(as_graphs([ring(n, ["a", ("b", 2)]) for n in range(3, 15)], edge_labels="bond"), id="labels"),
        pytest.param([ring(n, [0, 1, 7]) for n in range(3, 15)], id="numbers"),
        pytest.param([ring(n, [0.5, 1.25]) for n in range(3, 15)], id="features"),
        pytest.param([ring(n, ["a", "b"], directed=True) for n in range(3, 15)], id="directed"),
        pytest.param([nx.MultiGraph([(0, 0), (0, 1), (0, 1), (1, n)]) for n in range(2, 14)], id="loops"),
    ],
)
def test_predictions_survive_save_and_load_bit_for_bit(tmp_path: Path, graphs: Any) -> None:
    named = isinstance(graphs, list) and not graphs[0].is_multigraph()
    parameters = {**SMALL, "edge_labels": "bond" if named else "auto"}
    model = WLTClassifier(**parameters).fit(graphs, [0, 1] * 6)
    model.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert again.edge_table_ == model.edge_table_
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict_proba(graphs), model.predict_proba(graphs))


def test_node_features_and_loops() -> None:
    """Loops are edges; the node's own row stays as wide as it was."""

    def looped(size: int, loop: bool) -> Data:
        data = pyg(size, 1.0)
        if loop:
            data.edge_index = torch.cat([data.edge_index, torch.zeros(2, 1, dtype=torch.long)], 1)
            data.edge_attr = torch.cat([data.edge_attr, torch.tensor([[1.0]])])
        return data

    graphs = [looped(size, loop) for size in range(5, 15) for loop in (False, True)]
    classes = [0, 1] * 10
    model = WLTClassifier("ggg", **LEARNING).fit(graphs, classes)
    assert (model.table_.scale, model.edge_table_.tokens) == ((1.0,), (("both", None), ("loop", None)))
    assert model.score(graphs, classes) == 1.0
    assert model.predict(graphs[:1]).tolist() == [0]


def test_loops_beside_node_labels() -> None:
    graphs = [nx.path_graph(n) for n in range(3, 13)]
    for i, graph in enumerate(graphs):
        nx.set_node_attributes(graph, {v: "CN"[v % 2] for v in graph}, "atom")
        if i % 2:
            graph.add_edge(0, 0)
    model = WLTClassifier("ggg", **LEARNING, node_labels="atom").fit(graphs, [0, 1] * 5)
    assert model.table_.values == ("C", "N")
    assert model.score(graphs, [0, 1] * 5) == 1.0
    read_once = as_graphs(graphs, node_labels="atom")
    assert isinstance(read_once, Graphs)
    assert np.array_equal(model.predict_proba(read_once), model.predict_proba(graphs))
