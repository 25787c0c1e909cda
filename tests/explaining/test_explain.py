"""Contributions against brute force: the graph without the node or edge, made by networkx, asked about one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

import wlt
from browser import browser, watched
from wlt.cli import main
from wlt.nn import Batch


def labelled(seed: int, nodes: int = 9) -> nx.Graph[int]:
    """A connected graph with labels on its nodes and edges."""
    random = np.random.default_rng(seed)
    graph = nx.connected_watts_strogatz_graph(nodes, 4, 0.5, seed=seed)
    nx.set_node_attributes(graph, {v: "abc"[random.integers(3)] for v in graph}, "kind")
    nx.set_edge_attributes(graph, {edge: "xy"[random.integers(2)] for edge in graph.edges}, "bond")
    return graph


GRAPHS = [labelled(seed, 7 + seed % 4) for seed in range(30)]


def fitted(estimator: type[Any], targets: Any, structure: str = "ggg", **others: Any) -> Any:
    options = {"hidden": 8, "epochs": 5, "node_labels": "kind", "edge_labels": "bond", "calibrate": False}
    return estimator(structure, **(options | {"audit": False, "random_state": 0} | others)).fit(GRAPHS, targets)


def without_node(graph: nx.Graph[int], node: int) -> nx.Graph[int]:
    return graph.subgraph([v for v in graph if v != node])


def without_edge(graph: nx.Graph[int], edge: tuple[int, int]) -> nx.Graph[int]:
    less = graph.copy()
    less.remove_edge(*edge)
    return less


def variants(graph: nx.Graph[int]) -> list[nx.Graph[int]]:
    edges = wlt.as_graph(graph).edges().tolist()
    return [without_node(graph, v) for v in graph] + [without_edge(graph, edge) for edge in edges]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ensemble", [1, 2])
def test_a_classifier_answers_as_for_the_graphs_themselves(classes: int, ensemble: int) -> None:
    model = fitted(wlt.WLTClassifier, [seed % classes for seed in range(30)], ensemble=ensemble)
    graph = GRAPHS[4]
    evidence = wlt.explain(model, graph, 1)

    def log_odds(graph: Any) -> float:
        with torch.no_grad():
            logits = [network(inputs(model, graph)).numpy()[0] for network in model.models_]
        return float(np.mean([each[1] - np.logaddexp.reduce(np.delete(each, 1)) for each in logits]))

    expected = [log_odds(graph) - log_odds(each) for each in variants(graph)]
    np.testing.assert_allclose([*evidence.nodes, *evidence.edge_contributions], expected, rtol=1e-9, atol=1e-9)
    assert evidence.score == pytest.approx(log_odds(graph))
    assert evidence.edges.tolist() == wlt.as_graph(graph).edges().tolist()
    if ensemble == 1:
        chances = model.predict_proba([graph])[0]
        assert evidence.score == pytest.approx(np.log(chances[1] / (1 - chances[1])))


def inputs(model: Any, graph: Any) -> Batch:
    """One graph as the networks see it."""
    from wlt.estimator.inputs import Inputs

    data = wlt.as_graphs([graph], node_labels=model.node_labels, edge_labels=model.edge_labels)
    return Inputs.of(data, model.table_, model.edge_table_, "error").collection(0).batch([0])


def test_a_regressor_answers_as_for_the_graphs_themselves() -> None:
    model = fitted(wlt.WLTRegressor, np.arange(60.0).reshape(30, 2))
    graph = GRAPHS[7]
    evidence = wlt.explain(model, graph, 1)
    whole, *others = model.predict([graph, *variants(graph)])[:, 1]
    assert evidence.score == pytest.approx(whole)
    np.testing.assert_allclose([*evidence.nodes, *evidence.edge_contributions], whole - np.array(others), atol=1e-9)


def test_degrees_stay_what_they_were() -> None:
    """The oracle writes degrees down as labels, which do not change when a neighbour is gone."""
    graphs = [nx.random_labeled_tree(8, seed=seed) for seed in range(20)]
    for graph in graphs:
        nx.set_node_attributes(graph, {v: f"degree {d}" for v, d in graph.degree}, "kind")
    targets = [seed % 2 for seed in range(20)]
    options = {"hidden": 8, "epochs": 5, "calibrate": False, "audit": False, "random_state": 0}
    by_degree = wlt.WLTClassifier("ggg", node_labels="degrees", **options).fit(graphs, targets)
    by_label = wlt.WLTClassifier("ggg", node_labels="kind", **options).fit(graphs, targets)
    # the same network but for the row of labels never seen
    state = by_degree.model_.state_dict()
    state["layers.0.weight1"] = torch.cat([state["layers.0.weight1"], torch.zeros(1, 8, dtype=torch.float64)])
    by_label.model_.load_state_dict(state)
    one, other = wlt.explain(by_degree, graphs[3], 1), wlt.explain(by_label, graphs[3], 1)
    np.testing.assert_allclose(one.nodes, other.nodes, atol=1e-9)
    np.testing.assert_allclose(one.edge_contributions, other.edge_contributions, atol=1e-9)


def test_all_recolours_the_same_nodes_in_every_graph() -> None:
    """On a regular graph every node is recoloured in turn; node by node, without any class rows."""
    graphs = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))] * 5
    options = {"hidden": 8, "epochs": 5, "calibrate": False, "audit": False, "random_state": 0}
    model = wlt.WLTClassifier("grgg", recolor="all", **options).fit(graphs, [0, 1] * 5)
    prism = nx.circular_ladder_graph(4)
    evidence = wlt.explain(model, prism, 1)
    network = model.model_
    row = model.table_.apply(wlt.as_graphs([prism]))[0][0]

    @torch.no_grad()
    def log_odds(graph: nx.Graph[int], recolored: list[int]) -> float:
        """The mean of the readouts over these nodes."""
        place = {v: i for i, v in enumerate(graph)}
        batch = Batch.from_graphs([graph], [row] * len(graph), compress=False)
        embedded = [network.embed(batch, chosen=[np.array([place[v]])]) for v in recolored]
        logits = network.head(torch.cat(embedded).mean(dim=0, keepdim=True))[0]
        return float(logits[1] - logits[0])

    whole = log_odds(prism, list(prism))
    nodes = [whole - log_odds(without_node(prism, v), [u for u in prism if u != v]) for v in prism]
    edges = [whole - log_odds(without_edge(prism, edge), list(prism)) for edge in evidence.edges.tolist()]
    assert evidence.score == pytest.approx(whole)
    np.testing.assert_allclose(evidence.nodes, nodes, atol=1e-9)
    np.testing.assert_allclose(evidence.edge_contributions, edges, atol=1e-9)
    np.testing.assert_allclose(evidence.nodes, evidence.nodes[0], atol=1e-9, err_msg="all nodes of a prism are alike")


@pytest.mark.parametrize("recolor", [1, 0.5, "draws:3", "canonical", "all"])
@pytest.mark.parametrize("structure", ["grg", "grgrg", "rgg"])
def test_what_is_explained_is_the_prediction(structure: str, recolor: Any) -> None:
    """Of random models, too: the same draws, and a node that is recoloured stays so."""
    model = fitted(wlt.WLTRegressor, np.arange(30.0), structure, recolor=recolor)
    evidence = wlt.explain(model, GRAPHS[2])
    assert evidence.score == pytest.approx(float(model.predict([GRAPHS[2]])[0]))
    assert np.isfinite(evidence.nodes).all()
    assert np.ptp(evidence.nodes) > 0
    again = wlt.explain(model, GRAPHS[2])
    assert np.array_equal(again.nodes, evidence.nodes)


@pytest.mark.parametrize("recolor", [1, "all"])
def test_residual_layers_are_explained_too(recolor: Any) -> None:
    model = fitted(wlt.WLTRegressor, np.arange(30.0), "grg", recolor=recolor, residual=True)
    assert wlt.explain(model, GRAPHS[2]).score == pytest.approx(float(model.predict([GRAPHS[2]])[0]))


@pytest.mark.parametrize("recolor", ["all", "none"])
def test_names_of_nodes_play_no_part(recolor: str) -> None:
    structure, options = ("ggg", {}) if recolor == "none" else ("ggrg", {"recolor": recolor})
    model = fitted(wlt.WLTClassifier, [seed % 2 for seed in range(30)], structure, **options)
    graph = GRAPHS[5]
    order = np.random.default_rng(1).permutation(len(graph)).tolist()
    moved = nx.Graph()
    moved.add_nodes_from((v, graph.nodes[v]) for v in order)
    moved.add_edges_from(graph.edges(data=True))
    one, other = wlt.explain(model, graph), wlt.explain(model, moved)
    np.testing.assert_allclose(one.nodes[order], other.nodes, atol=1e-9)


# -----------------------------------------------------------------------------------------------------------------
# Tasks whose answer is known
# -----------------------------------------------------------------------------------------------------------------


def test_which_ring() -> None:
    """Trees with a ring of five or of six: the ring is what tells them apart."""
    random = np.random.default_rng(0)

    def with_ring(size: int) -> tuple[nx.Graph[int], set[int]]:
        tree = nx.random_labeled_tree(int(random.integers(8, 16)), seed=int(random.integers(10**9)))
        n, joint = len(tree), int(random.integers(len(tree)))
        graph = nx.disjoint_union(tree, nx.cycle_graph(size))
        graph.add_edge(joint, n)
        return graph, set(range(n, n + size))

    known = [with_ring(5 + i % 2) for i in range(200)]
    model = wlt.WLTClassifier("gggg", hidden=32, epochs=50, dropout=0, audit=False, calibrate=False, random_state=0)
    model.fit([graph for graph, _ in known], [5 + i % 2 for i in range(200)])
    asked = [with_ring(5 + i % 2) for i in range(40)]
    assert model.score([graph for graph, _ in asked], [5 + i % 2 for i in range(40)]) > 0.9
    nodes = edges = 0
    for graph, ring in asked:
        evidence = wlt.explain(model, graph)
        nodes += int(np.abs(evidence.nodes).argmax()) in ring
        strongest = evidence.edges[np.abs(evidence.edge_contributions).argmax()].tolist()
        edges += set(strongest) <= ring
    assert nodes >= 36  # of 40; chance is below 14
    assert edges >= 36


def test_which_functional_group() -> None:
    """Nitriles among amines, imines and alkynes: the evidence is C#N, not the nitrogen or the triple bond alone."""
    chem = pytest.importorskip("rdkit.Chem")
    random = np.random.default_rng(0)
    groups, pattern = ["C#N", "C#C", "N", "O", "C=N", "C=O", "Cl", "C"], chem.MolFromSmarts("C#N")

    def a_molecule() -> str:
        sides = [f"({random.choice(groups)})" if random.random() < 0.35 else "" for _ in range(random.integers(3, 9))]
        return "".join(f"C{side}" for side in sides) + str(random.choice(groups))

    def found(smiles: str) -> tuple[tuple[int, ...], ...]:
        return tuple(chem.MolFromSmiles(smiles).GetSubstructMatches(pattern))

    known, asked = ([a_molecule() for _ in range(number)] for number in (400, 100))
    model = wlt.WLTClassifier("ggg", hidden=32, epochs=40, dropout=0, audit=False, calibrate=False, random_state=0)
    model.fit(wlt.data.molecules(known), [len(found(smiles)) > 0 for smiles in known])
    assert model.score(wlt.data.molecules(asked), [len(found(smiles)) > 0 for smiles in asked]) > 0.95
    with_one = [smiles for smiles in asked if len(found(smiles)) == 1]
    nodes = bonds = 0
    for smiles in with_one:
        evidence = wlt.explain(model, wlt.data.molecules([smiles]), True)
        group = set(found(smiles)[0])
        nodes += set(np.argsort(-evidence.nodes)[:2].tolist()) == group
        bonds += set(evidence.edges[evidence.edge_contributions.argmax()].tolist()) == group
    assert len(with_one) > 15
    assert min(nodes, bonds) >= 0.9 * len(with_one)


def test_how_much_each_node_adds() -> None:
    """What is counted are the nodes called b: each contributes one, the others nothing."""
    random = np.random.default_rng(0)

    def a_graph() -> nx.Graph[int]:
        graph = nx.gnp_random_graph(int(random.integers(3, 12)), 0.2, seed=int(random.integers(10**9)))
        nx.set_node_attributes(graph, {v: "abc"[random.integers(3)] for v in graph}, "kind")
        return graph

    def is_b(graph: nx.Graph[int]) -> list[bool]:
        return [graph.nodes[v]["kind"] == "b" for v in graph]

    known, asked = ([a_graph() for _ in range(number)] for number in (300, 10))
    model = wlt.WLTRegressor("g", hidden=32, epochs=60, node_labels="kind", calibrate=False, random_state=0)
    model.fit(known, [sum(is_b(graph)) for graph in known])
    contributions = np.concatenate([wlt.explain(model, graph).nodes for graph in asked])
    truth = np.concatenate([is_b(graph) for graph in asked])
    assert np.abs(contributions - truth).mean() < 0.25
    assert roc_auc_score(truth, contributions) > 0.97


def test_which_arrow_of_a_directed_multigraph() -> None:
    """Rings of arrows called y, some of them doubled; half of the graphs have one arrow called x, from anywhere to
    anywhere: it is the evidence."""
    random = np.random.default_rng(0)

    def a_graph(with_x: bool) -> tuple[nx.MultiDiGraph[int], tuple[int, int]]:
        n = int(random.integers(5, 12))
        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
        for v in range(n):
            for _ in range(random.integers(1, 3)):
                graph.add_edge(v, (v + 1) % n, bond="y")
        u = int(random.integers(n))
        v = (u + int(random.integers(2, n - 1))) % n
        graph.add_edge(u, v, bond="x" if with_x else "y")
        return graph, (min(u, v), max(u, v))

    known, asked = ([a_graph(i % 2 == 1) for i in range(number)] for number in (120, 30))
    options = {"dropout": 0, "audit": False, "calibrate": False, "random_state": 0, "edge_labels": "bond"}
    model = wlt.WLTClassifier("gg", hidden=16, epochs=30, **options)
    model.fit([graph for graph, _ in known], [i % 2 for i in range(120)])
    right = 0
    for graph, arrow in asked[1::2]:
        evidence = wlt.explain(model, graph, 1)
        right += tuple(evidence.edges[evidence.edge_contributions.argmax()].tolist()) == arrow
        assert evidence.svg.count('class="arrow"') == graph.number_of_edges()
    assert right >= 14  # of 15; chance is below 3


def test_each_of_several_columns_has_its_own_evidence() -> None:
    """One column counts the nodes called a, the other those called b."""
    graphs = [labelled(seed, 6 + seed % 6) for seed in range(200)]
    counted = np.array([[sum(kind == letter for _, kind in g.nodes(data="kind")) for letter in "ab"] for g in graphs])
    options = {"node_labels": "kind", "edge_labels": "bond", "calibrate": False, "audit": False, "random_state": 0}
    model = wlt.WLTRegressor("g", hidden=32, epochs=40, **options).fit(graphs[:190], counted[:190])
    for column, letter in enumerate("ab"):
        contributions = np.concatenate([wlt.explain(model, graph, column).nodes for graph in graphs[190:]])
        truth = [kind == letter for graph in graphs[190:] for _, kind in graph.nodes(data="kind")]
        assert roc_auc_score(truth, contributions) > 0.9


# -----------------------------------------------------------------------------------------------------------------
# What users see
# -----------------------------------------------------------------------------------------------------------------


def test_wrong_input_is_refused_in_one_line() -> None:
    model = fitted(wlt.WLTClassifier, [seed % 2 for seed in range(30)])
    with pytest.raises(TypeError, match="a fitted WLTClassifier or WLTRegressor is needed, not str"):
        wlt.explain("model", GRAPHS[0])
    with pytest.raises(ValueError, match="one graph is explained at a time, not 2"):
        wlt.explain(model, wlt.as_graphs(GRAPHS[:2], node_labels="kind", edge_labels="bond"))
    with pytest.raises(ValueError, match="there is no class 'x'; the model knows 0, 1"):
        wlt.explain(model, GRAPHS[0], "x")
    one = nx.Graph()
    one.add_node(0, kind="a")
    with pytest.raises(ValueError, match="a graph of one node"):
        wlt.explain(model, one)
    with pytest.raises(Exception, match="not fitted"):
        wlt.explain(wlt.WLTClassifier(), GRAPHS[0])
    several = fitted(wlt.WLTRegressor, np.arange(60.0).reshape(30, 2))
    with pytest.raises(ValueError, match="the model has 2 columns; target: which of"):
        wlt.explain(several, GRAPHS[0])
    with pytest.raises(ValueError, match="there is no column 'third'"):
        wlt.explain(several, GRAPHS[0], "third")


def hostile() -> nx.Graph[str]:
    graph = nx.path_graph(["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "&lt;", "</svg>"])
    nx.set_node_attributes(graph, "a", "kind")
    nx.set_edge_attributes(graph, "x", "bond")
    return graph


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_the_page_shows_every_contribution(scheme: str, width: int, tmp_path: Path) -> None:
    model = fitted(wlt.WLTClassifier, [seed % 2 for seed in range(30)])
    evidence = wlt.explain(model, hostile())
    evidence.save(tmp_path / "page.html")
    with (
        browser() as opened,
        watched(opened, viewport={"width": width, "height": 800}, color_scheme=scheme) as page,
    ):
        page.goto((tmp_path / "page.html").as_uri())
        titles = page.evaluate("[...document.querySelectorAll('.node title')].map(t => t.textContent)")
        assert titles == [f"node {name}: {value:+.3g}" for name, value in zip(hostile(), evidence.nodes, strict=True)]
        fills = page.evaluate("[...document.querySelectorAll('.node circle')].map(c => c.getAttribute('fill'))")
        blue = [int(fill[5:7], 16) > int(fill[1:3], 16) for fill in fills]
        assert blue == (evidence.nodes > 0).tolist()
        assert page.locator("main script, img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows = page.evaluate("[...document.querySelectorAll('tbody tr')].map(r => r.cells[1].textContent)")
        assert rows == [f"{value:+.3g}" for _, value in evidence.strongest(20)]


def test_a_molecule_is_drawn_as_one(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    smiles = ["CC#N", "CCN", "CCC#N", "CCCN"] * 3
    model = wlt.WLTClassifier("gg", hidden=8, epochs=3, audit=False, random_state=0)
    model.fit(wlt.data.molecules(smiles), [1, 0] * 6)
    evidence = wlt.explain(model, wlt.data.molecules(["CCCC#N"]))
    evidence.save(tmp_path / "nitrile.svg")
    drawn = (tmp_path / "nitrile.svg").read_text("utf-8")
    assert ElementTree.fromstring(drawn).get("class") == "wlt-molecule"
    assert evidence._repr_svg_() == drawn
    assert drawn.count("class='note'") == 5  # every atom has the number by which the evidence calls it
    with pytest.raises(ValueError, match=r"is written as \.svg or \.html"):
        evidence.save(tmp_path / "nitrile.png")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    smiles = ["CC#N", "CCN", "CCC#N", "CCCN"] * 3
    model = wlt.WLTClassifier("gg", hidden=8, epochs=3, audit=False, random_state=0)
    model.fit(wlt.data.molecules(smiles), ["yes", "no"] * 6).save(tmp_path / "model.wlt")
    expected = wlt.explain(model, wlt.data.molecules(["CCCC#N"]), "yes")
    code, out, _ = run(capsys, "explain", tmp_path / "model.wlt", "CCCC#N", "--target", "yes", "--json")
    assert code == 0
    told = json.loads(out)
    assert [node["contribution"] for node in told["nodes"]] == pytest.approx(expected.nodes.tolist())
    assert told["answer"] == "class 'yes'"
    (tmp_path / "table.csv").write_text("smiles\nCCO\nCCCC#N\n")
    page, which = tmp_path / "page.html", ("--graph", 1, "--target", "yes")
    code, out, _ = run(capsys, "explain", tmp_path / "model.wlt", tmp_path / "table.csv", *which, "--out", page)
    assert code == 0
    assert expected.strongest(1)[0][0] in out
    assert "wlt-molecule" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CC(", "--target", "yes"], "there is no file or folder CC(; as SMILES: not readable as SMILES"),
        (["CCO", "--target", "perhaps"], "there is no class 'perhaps'; the model knows 'no', 'yes'"),
        (["table.csv", "--graph", "5"], "--graph 5: table.csv has 1 graph, counted from 0"),
        (["tabel.csv"], "there is no file or folder tabel.csv; do you mean table.csv?"),
        (["table.csv:0", "--graph", "0"], "table.csv:0 says which graph, and --graph 0 too; leave one of them out"),
        (["CCO", "--out", "picture.png"], "--out picture.png: a picture is an .svg file, a page an .html file"),
    ],
)
def test_mistakes_of_users_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("rdkit")
    monkeypatch.chdir(tmp_path)
    model = wlt.WLTClassifier("g", hidden=4, epochs=1, audit=False, calibrate=False, random_state=0)
    model.fit(wlt.data.molecules(["CCO", "CCN", "CO", "CN"]), ["yes", "no"] * 2).save("model.wlt")
    Path("table.csv").write_text("smiles\nCCO\n")
    code, _, error = run(capsys, "explain", "model.wlt", *arguments)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("argument", "options", "expected"),
    [
        ("EhEG", [], 0),
        ("rings.g6", [], 0),
        ("rings.g6:1", [], 1),
        ("rings.g6", ["--graph", 1], 1),
        ("CC", [], 2),  # ethane as SMILES; the model knows no atoms, so it is graph6
    ],
)
def test_the_command_reads_what_predict_reads(
    argument: str,
    options: list[object],
    expected: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = [wlt.as_graph(each) for each in ("EhEG", "EwCW", "CC")]
    model = wlt.WLTClassifier("rg", hidden=4, epochs=1, audit=False, calibrate=False, random_state=0)
    model.fit(asked[:2] * 2, [0, 1] * 2).save("model.wlt")
    Path("rings.g6").write_text("EhEG\nEwCW\n")
    code, out, said = run(capsys, "explain", "model.wlt", argument, *options, "--json")
    assert code == 0
    told = json.loads(out)
    assert [node["contribution"] for node in told["nodes"]] == pytest.approx(
        wlt.explain(model, asked[expected]).nodes.tolist()
    )
    assert ("this is the first" in said) == (argument == "rings.g6" and not options)
