"""`wlt audit` and `wlt datasets`: their JSON, their tables, and one line with exit code 2 for every mistake."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from wlt.cli import main
from wlt.data import PAPER_DATASETS

Run = Callable[..., tuple[int, str, str]]

HEXAGON = "1, 2\n2, 3\n3, 4\n4, 5\n5, 6\n6, 1\n"
TRIANGLES = "7, 8\n8, 9\n9, 7\n10, 11\n11, 12\n12, 10\n"
RINGS = {"A": HEXAGON + TRIANGLES, "graph_indicator": "1\n" * 6 + "2\n" * 6, "graph_labels": "5\n7\n"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in this process; answers (exit code, stdout, stderr)."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WLT_DATA", raising=False)

    def run_it(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(exit.value.code, int)
        return exit.value.code, out, err

    return run_it


def write_set(folder: Path, parts: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for part, text in parts.items():
        (folder / f"RINGS_{part}.txt").write_text(text)
    return folder


@pytest.fixture
def rings(tmp_path: Path) -> Path:
    """A data folder with one dataset: C6 and two triangles, with different labels."""
    write_set(tmp_path / "data" / "tu" / "RINGS" / "raw", RINGS)
    return tmp_path / "data"


def last_json(answer: tuple[int, str, str]) -> dict[str, Any]:
    code, out, _ = answer
    assert code == 0
    parsed: dict[str, Any] = json.loads(out.splitlines()[-1])
    return parsed


def test_json_of_a_named_set(run: Run, rings: Path) -> None:
    answer = last_json(run("audit", "RINGS", "--data", rings, "--json"))
    assert (answer["name"], answer["graphs"], answer["structure"], answer["rounds"]) == ("RINGS", 2, "gggrgg", 5)
    assert (answer["distinct_wl"], answer["distinct_wlt"], answer["distinct_isomorphism"]) == (1, 2, 2)
    assert (answer["ceiling_wl"], answer["ceiling_wlt"], answer["ceiling_isomorphism"]) == (50, 100, 100)
    assert (answer["amenable"], answer["duplicates"], answer["contradictions"], answer["leaks"]) == (0, 0, 0, None)


@pytest.mark.parametrize("zipped", [False, True])
def test_edge_attributes_beside_edge_labels_are_said_to_be_unused(run: Run, tmp_path: Path, zipped: bool) -> None:
    lines = RINGS["A"].count("\n")
    about_edges = {"edge_labels": "0\n" * lines, "edge_attributes": "0.5\n" * lines}
    raw = write_set(tmp_path / "data" / "tu" / "RINGS" / "raw", RINGS | about_edges)
    source = raw
    if zipped:
        source = tmp_path / "RINGS.zip"
        with zipfile.ZipFile(source, "w") as archive:
            for file in raw.iterdir():
                archive.write(file, f"RINGS/{file.name}")
    code, _, err = run("audit", source, "--json")
    said = "RINGS: the edge attributes are not used; isomorphic copies may differ in them"
    assert (code, f"wlt: {said}\n" in err) == (0, True)


def test_edge_labels_can_be_chosen(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hexagons, one of them with alternating bonds: an attribute of files, the labels of a TU dataset."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g").mkdir()
    ring = nx.cycle_graph(6)
    for name, bonds in (("benzene", [1, 2, 2, 1, 1, 2]), ("cyclohexane", [1] * 6)):
        nx.set_edge_attributes(ring, dict(zip(ring.edges, bonds, strict=True)), "bond")
        nx.write_graphml(ring, tmp_path / "g" / f"{name}.graphml")
    named = last_json(run("audit", "g", "--edge-labels", "bond", "--json"))
    assert (named["distinct_isomorphism"], named["ignored"], named["amenable"]) == (2, [], None)
    unnamed = last_json(run("audit", "g", "--json"))
    assert (unnamed["distinct_isomorphism"], unnamed["ignored"]) == (1, ["the edge attribute 'bond'"])
    assert last_json(run("audit", "g", "--edge-labels", "none", "--json"))["distinct_isomorphism"] == 1
    code, _, err = run("audit", "g", "--edge-labels", "bnd", "--json")
    assert (code, "no edge has such an attribute" in err) == (2, True)
    hexagons = {"A": HEXAGON + HEXAGON.translate(str.maketrans({str(i): str(i + 6) for i in range(1, 7)}))}
    alternating = {"edge_labels": "0\n1\n" * 3 + "0\n" * 6}
    write_set(tmp_path / "R", {**RINGS, **hexagons, **alternating})
    found = [last_json(run("audit", "R", "--edge-labels", kind, "--json")) for kind in ("auto", "labels", "none")]
    assert [each["distinct_isomorphism"] for each in found] == [2, 2, 1]
    assert found[2]["ignored"] == ["the labels of edges"]
    code, _, err = run("audit", "R", "--edge-labels", "bond")
    assert (code, "use 'auto', 'labels', 'features' or 'none'" in err) == (2, True)


def test_a_path_and_the_options(run: Run, rings: Path) -> None:
    path = rings / "tu" / "RINGS" / "raw"
    answer = last_json(run("audit", path, "--structure", "rg", "--rounds", 2, "--folds", 3, "--json"))
    assert (answer["structure"], answer["rounds"], answer["folds"]) == ("rg", 2, 3)
    assert (answer["distinct_wlt"], len(answer["rows_kept"])) == (1, 1)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's own folder `g` of graph files: two rings of six atoms, of the same kind or not, and two triangles."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g").mkdir()
    for name, graph, atom in (
        ("carbon", nx.cycle_graph(6), "C"),
        ("nitrogen", nx.cycle_graph(6), "N"),
        ("triangles", nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), "C"),
    ):
        nx.set_node_attributes(graph, atom, "atom")
        nx.write_graphml(graph, tmp_path / "g" / f"{name}.graphml")
    (tmp_path / "g" / "labels.csv").write_text("file,kind\ncarbon,a\nnitrogen,b\ntriangles,a\n")
    return tmp_path / "g"


def test_a_folder_is_called_by_its_name(run: Run, own: Path) -> None:
    assert last_json(run("audit", own, "--target", "kind", "--json"))["name"] == own.name


def test_a_folder_of_ones_own(run: Run, own: Path) -> None:
    by_atom = last_json(run("audit", "g", "--target", "kind", "--node-labels", "atom", "--json"))
    assert (by_atom["graphs"], by_atom["distinct_isomorphism"], by_atom["ceiling_isomorphism"]) == (3, 3, 100)
    by_degree = last_json(run("audit", own, "--target", "kind", "--node-labels", "degrees", "--json"))
    assert (by_degree["distinct_isomorphism"], by_degree["contradictions"]) == (2, 2)
    assert by_degree["notes"] == ["leaks: class 'b' has 1 graph, too few for 10 folds"]
    code, out, err = run("audit", "g")
    assert (code, "3 graphs" in out) == (0, True)
    assert [line.split(":")[0] for line in err.splitlines()] == ["wlt"] * 2
    assert "no labels, and so no ceilings: --target names their column" in err
    assert "the graphs' node attributes ('atom') are not used" in err


@pytest.mark.skipif(not find_spec("rdkit"), reason="rdkit is not installed: pip install 'wlt[mol]'")
def test_a_table_of_molecules(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "molecules.csv").write_text("smiles,amine\nCCO,no\nCCN,yes\nOCC,no\nNCC,yes\n")
    by_atom = last_json(run("audit", "molecules.csv", "--target", "amine", "--folds", 2, "--json"))
    assert (by_atom["name"], by_atom["distinct_wl"], by_atom["contradictions"]) == ("molecules.csv", 2, 0)
    degrees = ["--target", "amine", "--folds", 2, "--node-labels", "degrees", "--json"]
    assert last_json(run("audit", "molecules.csv", *degrees))["contradictions"] == 4


def test_a_path_that_exists_is_not_downloaded(
    run: Run, own: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("this would be a download")

    monkeypatch.setattr("wlt.data.tu.fetch", no_network)
    (own / "labels.csv").unlink()
    for path in own.iterdir():
        path.unlink()
    for command in (["audit", "g"], ["train", "g", "--target", "y", "--out", "m"]):
        code, _, err = run(*command)
        assert (code, err.count("\n")) == (2, 1)
        assert "no files in this folder" in err or "no CSV file of labels" in err
    assert not (tmp_path / "cache").exists()


def test_options_for_ones_own_graphs_do_not_go_with_fullerenes(run: Run) -> None:
    code, out, err = run("audit", "--fullerenes", "--target", "kind")
    assert (code, out, "are for graphs of your own" in err) == (2, "", True)


def test_the_folder_may_come_from_the_environment(run: Run, rings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WLT_DATA", str(rings))
    assert last_json(run("audit", "RINGS", "--json"))["graphs"] == 2


def test_fullerenes(run: Run) -> None:
    answer = last_json(run("audit", "--fullerenes", "--structure", "rgggg", "--json"))
    assert (answer["graphs"], answer["distinct_wl"], answer["distinct_isomorphism"]) == (206, 5, 206)
    assert answer["ceiling_wl"] == pytest.approx(55.8, abs=0.05)


def test_table(run: Run, rings: Path) -> None:
    code, out, err = run("audit", "RINGS", "--data", rings)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["WL,", "any", "depth", "1", "50.00", "%"] in lines
    assert ["gggrgg,", "one", "draw", "100.00", "%"] in lines
    assert ["isomorphism", "2", "100.00", "%"] in lines
    assert ["5", "8.33", "%", "4.17", "%", "8.33", "%", "4.17", "%"] in lines  # one class of twelve nodes
    assert "Not known: leaks: class 5 has 1 graph, too few for 10 folds." in out
    assert out.endswith(
        "WL sees 2 different graphs as 1: recoloring one node (gggrgg) can raise the ceiling from 50.00 % to 100.00 % "
        "over many draws (100.00 % with recolor all, 100.00 % with one draw).\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["audit"], "one thing to audit is needed", id="nothing"),
        pytest.param(["audit", "RINGS", "--fullerenes"], "one thing to audit is needed", id="two-things"),
        pytest.param(["audit", "no/such/path"], "there is no file or folder no/such/path", id="no-file"),
        pytest.param(["audit", "missing.g6"], "there is no file or folder missing.g6", id="no-dataset"),
        pytest.param(["audit", "x" * 300], "File name too long", id="long-name"),
        pytest.param(["audit", "RINGS", "--structure", "gxg"], "unknown layer 'x'", id="structure"),
        pytest.param(["audit", "RINGS", "--folds", "1"], "--folds", id="folds"),
        pytest.param(["audit", "RINGS", "--rounds", "-1"], "--rounds", id="rounds"),
        pytest.param(["audit", "RINGS", "--rounds", "many"], "--rounds", id="rounds-word"),
    ],
)
def test_mistakes(run: Run, rings: Path, arguments: list[str], words: str) -> None:
    code, out, err = run(*arguments, "--data", rings)
    assert (code, out) == (2, "")
    assert err.startswith("wlt: ")
    assert words in err
    assert err.count("\n") == 1


def test_a_broken_file(run: Run, tmp_path: Path) -> None:
    folder = write_set(tmp_path / "broken", {**RINGS, "graph_labels": "5\nx\n"})
    code, out, err = run("audit", folder)
    assert (code, out) == (2, "")
    assert "RINGS_graph_labels.txt, line 2" in err
    assert err.count("\n") == 1


def test_datasets(run: Run, rings: Path) -> None:
    with (rings / "tu" / "RINGS" / "raw" / "RINGS_A.txt").open("a") as file:
        file.write("1, 1\n1, 2\n")
    answer = last_json(run("datasets", "--data", rings, "--json"))
    assert list(answer) == [*PAPER_DATASETS, "RINGS"]
    found = answer["RINGS"]["counts"]
    assert (found["graphs"], found["nodes"], found["edges"], found["class_sizes"]) == (2, 12, 12, [1, 1])
    assert answer["NCI1"]["counts"] is None
    assert answer["NCI1"]["published"]["graphs"] == 4110
    code, out, err = run("datasets", "--data", rings)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["RINGS", "2", "2", "6.00", "6.00", "-"] in lines
    assert lines[lines.index(["NCI1", *"-----"]) + 1] == ["published", "4110", "2", "29.87", "32.30"]
    assert "RINGS: 1 loop and 1 repeated edge left out" in out
    assert f"NCI1: not in {rings / 'tu'}" in out
