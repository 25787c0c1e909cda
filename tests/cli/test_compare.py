"""The command line: its JSON, its tables, and one line with exit code 2 for every mistake."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse

import wlt
from strategies import maps_edges_onto_edges, shrikhande_graph, shuffled, two_triangles
from wlt.cli import COMPILING, main

HEXAGON = nx.to_graph6_bytes(nx.cycle_graph(6), header=False).decode().strip()
TRIANGLES = nx.to_graph6_bytes(two_triangles(), header=False).decode().strip()


class Wlt:
    """Runs the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]):
        self.capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit:
            main([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        assert isinstance(exit.value.code, int)
        return exit.value.code, out, err

    def json(self, *arguments: object) -> dict[str, Any]:
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, "")
        answer: dict[str, Any] = json.loads(out)
        return answer

    def text(self, *arguments: object) -> str:
        code, out, err = self(*arguments)
        assert (code, err) == (0, "")
        return out


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Wlt:
    return Wlt(capsys)


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_g6(path: Path, *graphs: Any) -> Path:
    path.write_bytes(b"".join(nx.to_graph6_bytes(graph, header=False) for graph in graphs))
    return path


class TestCompare:
    def test_graphs_that_only_exact_search_tells_apart(self, run: Wlt) -> None:
        answer = run.json("compare", HEXAGON, TRIANGLES)
        assert (
            answer.items()
            >= {
                "schema": 1,
                "g": {"source": HEXAGON, "nodes": 6, "edges": 6, "counted_from": 0},
                "h": {"source": TRIANGLES, "nodes": 6, "edges": 6, "counted_from": 0},
                "verdict": "non-isomorphic",
                "certain": True,
                "decided_by": "exact search",
                "wl_certain": False,
                "tinhofer_certain": False,
                "recolorings": 1,
                "trials": 1,
                "time_limit": 60.0,
                "wl": "possibly isomorphic",
                "tinhofer": "possibly non-isomorphic",
                "isomorphic": False,
                "rounds": 0,
                "mapping": None,
                "share_accepted": 0.0,
                "named_mapping": None,
                "ignored": [],
            }.items()
        )
        assert answer["meaning"].startswith("Not isomorphic, for certain, by exact search")
        text = run.text("compare", HEXAGON, TRIANGLES)
        assert re.search(r"WL +possibly isomorphic +0 rounds +not certain", text)
        assert re.search(r"Tinhofer +possibly non-isomorphic +1 recoloring +not certain", text)
        assert re.search(r"exact +non-isomorphic +by exact search +certain", text)
        assert "Not isomorphic, for certain, by exact search" in text

    def test_isomorphic_graphs_in_files(self, run: Wlt, tmp_path: Path) -> None:
        graph = wlt.as_graph(nx.petersen_graph())
        copy = shuffled(graph, 1)
        g = write_g6(tmp_path / "petersen.g6", graph.to_networkx())
        h = tmp_path / "copy.edges"
        h.write_text("\n".join(f"{u} {v}" for u, v in copy.edges()))
        answer = run.json("compare", g, h, "--seed", 4)
        assert (answer["wl"], answer["tinhofer"]) == ("possibly isomorphic", "isomorphic")
        assert answer["isomorphic"] is True
        assert maps_edges_onto_edges(graph, copy, answer["mapping"])
        assert answer == run.json("compare", g, h, "--seed", 4)
        text = run.text("compare", g, h)
        assert "Isomorphic, for certain: the mapping was checked" in text
        assert re.search(r"Mapping: 0 -> \d", text)

    def test_what_tinhofer_misses(self, run: Wlt, tmp_path: Path) -> None:
        graph = wlt.as_graph(shrikhande_graph())
        copy = shuffled(graph, 2)
        seed = next(seed for seed in range(50) if wlt.tinhofer_test(graph, copy, seed=seed).mapping is None)
        both = write_g6(tmp_path / "both.g6", graph.to_networkx(), copy.to_networkx())
        answer = run.json("compare", f"{both}:0", f"{both}:1", "--seed", seed)
        assert (answer["tinhofer"], answer["isomorphic"]) == ("possibly non-isomorphic", True)
        assert maps_edges_onto_edges(graph, copy, answer["mapping"])
        assert "so neither graph is compact" in run.text("compare", f"{both}:0", f"{both}:1", "--seed", seed)
        share = run.json("compare", f"{both}:0", f"{both}:1", "--trials", 50)["share_accepted"]
        assert share == wlt.tinhofer_test(graph, copy, seed=0, trials=50).share_accepted
        assert 0 < share < 1
        assert f"{round(50 * share)} of 50 runs accepted" in run.text(
            "compare", f"{both}:0", f"{both}:1", "--trials", 50
        )

    def test_what_wl_tells_apart(self, run: Wlt) -> None:
        answer = run.json("compare", HEXAGON, "E???")
        assert (answer["wl"], answer["isomorphic"], answer["rounds"]) == ("non-isomorphic", False, 1)
        assert "differ after 1 round," in run.text("compare", HEXAGON, "E???")

    @pytest.mark.parametrize(
        ("g", "h", "isomorphic", "sentence"),
        [
            pytest.param("?", "?", True, "Isomorphic, for certain", id="empty"),
            pytest.param("@", "@", True, "Isomorphic, for certain", id="one-node"),
            pytest.param("?", "@", False, "for certain: 0 nodes against 1", id="empty-and-one-node"),
            pytest.param(HEXAGON, "@", False, "for certain: 6 nodes against 1", id="different-size"),
            pytest.param(":Fa@x^", ">>sparse6<<:Fa@x^", True, "Isomorphic, for certain", id="sparse6"),
        ],
    )
    def test_small_and_unequal_graphs(self, run: Wlt, g: str, h: str, isomorphic: bool, sentence: str) -> None:
        assert run.json("compare", g, h)["isomorphic"] is isomorphic
        assert sentence in run.text("compare", g, h)

    def test_a_million_isolated_nodes(self, run: Wlt, in_folder: Path) -> None:
        (in_folder / "isolated.edges").write_text("# nodes: 1000000\n")
        text = run.text("compare", "isolated.edges", "isolated.edges")
        assert "1000000 nodes, 0 edges" in text
        assert "(1000000 in all; --json has them)" in text

    def test_colours(self, run: Wlt, tmp_path: Path) -> None:
        files = []
        for i, atoms in enumerate(["HOH", "OHH", "HHO"]):
            path = nx.path_graph(3)
            nx.set_node_attributes(path, dict(enumerate(atoms)), "atom")
            files.append(tmp_path / f"{i}.graphml")
            nx.write_graphml(path, files[-1])
        assert run.json("compare", files[0], files[1])["isomorphic"] is True
        assert run.json("compare", files[0], files[1], "--node-labels", "atom")["isomorphic"] is False
        assert run.json("compare", files[1], files[2], "--node-labels", "atom")["mapping"] == [2, 1, 0]

    def test_what_was_left_out_is_said(self, run: Wlt, in_folder: Path) -> None:
        (in_folder / "loops.edges").write_text("0 0\n0 1\n0 1\n0 1\n")
        code, out, err = run("compare", "loops.edges", "A_", "--json")
        assert (code, json.loads(out)["isomorphic"]) == (0, True)
        assert err == "wlt: loops.edges: 1 loop and 2 repeated edges left out\n"

    def test_an_edge_list_that_counts_from_one(self, run: Wlt, in_folder: Path) -> None:
        (in_folder / "one.edges").write_text("1 2\n2 3\n3 1\n")
        code, out, err = run("compare", "one.edges", "Bw", "--json")
        assert (code, json.loads(out)["isomorphic"]) == (0, True)
        assert err == "wlt: nodes are counted from 1: every number from 1 on occurs, and 0 does not\n"
        assert [json.loads(out)[graph]["counted_from"] for graph in "gh"] == [1, 0]
        assert list(json.loads(out)["named_mapping"]) == ["1", "2", "3"]
        assert "one.edges (3 nodes, counted from 1, 3 edges)" in run("compare", "one.edges", "Bw")[1]
        (in_folder / "gap.edges").write_text("1 2\n2 4\n")
        code, _, err = run("compare", "gap.edges", "Bw", "--json")
        (line,) = err.splitlines()
        assert line.startswith("wlt: an edge list without node 0, which is taken to be isolated; where nodes are numb")

    def test_a_file_beats_graph6_text_of_the_same_name(self, run: Wlt, in_folder: Path) -> None:
        (in_folder / "A_").write_text("0 1\n1 2\n")
        assert run.json("compare", "A_", "A_")["g"] == {"source": "A_", "nodes": 3, "edges": 2, "counted_from": 0}
        assert run.json("compare", ">>graph6<<A_", ">>graph6<<A_")["g"]["nodes"] == 2


class TestInspect:
    @pytest.mark.parametrize(
        ("graph", "expected", "sentence"),
        [
            pytest.param(
                nx.path_graph(7),
                [7, 6, 4, False, True, True, True, True],
                "WL and Tinhofer's algorithm are right",
                id="path",
            ),
            pytest.param(
                nx.petersen_graph(),
                [10, 15, 1, False, False, False, True, True],
                "it is a Tinhofer graph",
                id="Petersen",
            ),
            pytest.param(nx.cycle_graph(7), [7, 7, 1, False, False, True, True, True], "it is compact", id="C7"),
            pytest.param(
                shrikhande_graph(), [16, 48, 1, False, False, False, False, True], "may reject a copy", id="Shrikhande"
            ),
            pytest.param(
                nx.frucht_graph(), [12, 18, 1, False, False, False, False, False], "may reject a copy", id="Frucht"
            ),
            pytest.param(nx.empty_graph(1), [1, 0, 1, True, True, True, True, True], "are right", id="one-node"),
            pytest.param(nx.empty_graph(0), [0, 0, 0, True, True, True, True, True], "are right", id="empty"),
        ],
    )
    def test_named_graphs(self, run: Wlt, in_folder: Path, graph: Any, expected: list[Any], sentence: str) -> None:
        write_g6(in_folder / "graph.g6", graph)
        keys = ["nodes", "edges", "colors", "discrete", "amenable", "compact", "tinhofer", "refinable"]
        answer = run.json("inspect", "graph.g6")
        assert answer.items() >= {"schema": 1, **dict(zip(keys, expected, strict=True)), "ignored": []}.items()
        assert set(answer["reasons"]) == {"discrete", "amenable", "compact", "tinhofer", "refinable"}
        assert answer["classes"] == [name for name in answer["reasons"] if answer[name]]
        assert answer["undecided"] == [name for name in answer["reasons"] if answer[name] is None]
        text = run.text("inspect", "graph.g6")
        for name, answer in zip(keys[3:], expected[3:], strict=True):
            assert re.search(rf"{name} +{'yes' if answer else 'no'}", text)
        assert sentence in text

    def test_colours(self, run: Wlt, tmp_path: Path) -> None:
        ring = nx.cycle_graph(6)  # plain, all nodes look alike; with one atom that differs only mirror images do
        nx.set_node_attributes(ring, dict(enumerate("NCCCCC")), "atom")
        nx.write_graphml(ring, tmp_path / "pyridine.graphml")
        plain = run.json("inspect", tmp_path / "pyridine.graphml")
        colored = run.json("inspect", tmp_path / "pyridine.graphml", "--node-labels", "atom")
        assert (plain["colors"], plain["amenable"]) == (1, False)
        assert (colored["colors"], colored["amenable"]) == (4, True)

    def test_a_million_isolated_nodes(self, run: Wlt, in_folder: Path) -> None:
        (in_folder / "isolated.edges").write_text("# nodes: 1000000\n")
        assert run.json("inspect", "isolated.edges")["amenable"] is True


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    demo = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "demo.py"))
    demo["classic_pairs"]()
    demo["famous_graphs"]()
    shown = capsys.readouterr().out
    assert re.search(r"C6 and two triangles +possibly isomorphic +0 of 100 +non-isomorphic", shown)
    assert re.search(r"Petersen and a copy +possibly isomorphic +100 of 100 +isomorphic", shown)
    assert re.search(r"Frucht +12 +1 +no +no +no +no", shown)


def bad_files(folder: Path) -> None:
    """Files with one mistake each."""
    (folder / "graph.pdf").write_text("0 1\n")
    (folder / "nothing.g6").write_text("")
    (folder / "truncated.g6").write_text("D\n")
    (folder / "two.g6").write_text("A_\nA_\n")
    (folder / "range.edges").write_text("# nodes: 2\n0 1\n1 2\n")
    (folder / "negative.edges").write_text("0 1\n1 -2\n")
    (folder / "nan.edges").write_text("0 nan\n")
    (folder / "binary.edges").write_bytes(b"0 1\n\xff\xfe\n")
    (folder / "broken.graphml").write_text("<graphml><graph>")
    (folder / "folder.g6").mkdir()
    for name, matrix in {
        "nan": [[0, np.nan], [np.nan, 0]],
        "negative": [[0, -1], [-1, 0]],
        "oblong": [[0, 1, 0], [1, 0, 0]],
    }.items():
        scipy.io.mmwrite(folder / f"{name}.mtx", scipy.sparse.coo_array(np.array(matrix, float)), symmetry="general")
    nx.write_graphml(nx.path_graph(2), folder / "plain.graphml")


MISTAKES = [
    pytest.param(["absent.g6"], "there is no file absent.g6", id="missing-file"),
    pytest.param(["absent/graph"], "there is no file absent/graph", id="missing-file-without-suffix"),
    pytest.param(["graph.pdf"], "unknown suffix '.pdf'", id="unknown-suffix"),
    pytest.param(["folder.g6"], "directory", id="a-folder"),
    pytest.param(["nothing.g6"], "empty", id="empty-file"),
    pytest.param(["truncated.g6"], "line 1: truncated graph6", id="truncated-graph6-file"),
    pytest.param(["D"], "'D' is no file, and as text: truncated graph6", id="truncated-graph6"),
    pytest.param(["Oc1ccccc1"], "Oc1ccccc1 is a molecule, and G and H are graphs without atoms; wlt keys", id="smiles"),
    pytest.param(["hello"], "'hello' is no file", id="no-graph6"),
    pytest.param([""], "an empty path", id="empty-argument"),
    pytest.param(["two.g6"], "2 graphs in this file", id="several-graphs"),
    pytest.param(["two.g6:2"], "no graph 2", id="no-such-graph"),
    pytest.param(["range.edges"], "line 3: edge (1, 2) is out of range", id="node-out-of-range"),
    pytest.param(["negative.edges"], "line 2: '-2'", id="negative-node"),
    pytest.param(["nan.edges"], "line 1: 'nan'", id="nan-node"),
    pytest.param(["binary.edges"], "line 2: byte 0xff", id="binary"),
    pytest.param(["broken.graphml"], "not readable as GraphML", id="broken-graphml"),
    pytest.param(["nan.mtx"], "missing numbers", id="nan-matrix"),
    pytest.param(["negative.mtx"], "negative counts", id="negative-counts"),
    pytest.param(["oblong.mtx"], "square", id="oblong-matrix"),
]
USAGE = [
    pytest.param(["compare", "A_"], "Missing argument 'H'", id="one-graph"),
    pytest.param(["compare", "A_", "A_", "A_"], "unexpected extra argument", id="three-graphs"),
    pytest.param(["compare", "A_", "A_", "--sed", "1"], "No such option: --sed", id="unknown-option"),
    pytest.param(["compare", "A_", "A_", "--seed", "x"], "'--seed'", id="seed-is-no-number"),
    pytest.param(["compare", "A_", "A_", "--seed", "-1"], "'--seed'", id="negative-seed"),
    pytest.param(["compare", "A_", "A_", "--trials", "0"], "'--trials'", id="no-trials"),
    pytest.param(["compare", "A_", "A_", "--trials"], "--trials", id="trials-without-number"),
    pytest.param(["compare", "A_", "A_", "--node-labels", "atom"], "--node-labels atom", id="graph6-has-no-attributes"),
    pytest.param(
        ["compare", "plain.graphml", "plain.graphml", "--node-labels", "atom"],
        "no node has an attribute 'atom'",
        id="unknown-attribute",
    ),
    pytest.param(
        ["inspect", "A_", "--node-labels", "atom"],
        "has no named node attributes",
        id="inspect-graph6-has-no-attributes",
    ),
    pytest.param(
        ["inspect", "plain.graphml", "--node-labels", "atom"],
        "no node has an attribute 'atom'",
        id="inspect-unknown-attribute",
    ),
    pytest.param(["inspect"], "Missing argument 'G'", id="inspect-nothing"),
    pytest.param(["nonsense"], "No such command 'nonsense'", id="unknown-command"),
    pytest.param(["--nonsense"], "No such option: --nonsense", id="unknown-global-option"),
]


def assert_one_line(result: tuple[int, str, str], message: str) -> None:
    code, out, err = result
    assert (code, out) == (2, "")
    assert err.startswith("wlt: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("command", [["compare", "A_"], ["inspect"]], ids=["compare", "inspect"])
@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_bad_graphs(run: Wlt, in_folder: Path, command: list[str], arguments: list[str], message: str) -> None:
    bad_files(in_folder)
    assert_one_line(run(*command, *arguments), message)


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_bad_usage(run: Wlt, in_folder: Path, arguments: list[str], message: str) -> None:
    bad_files(in_folder)
    assert_one_line(run(*arguments), message)


def test_a_bug_is_not_called_a_users_mistake(run: Wlt, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(wlt, "isomorphism", broken)
    with pytest.raises(ValueError, match="a bug"):
        main(["compare", "A_", "A_"])


def test_k_wl_has_a_row_when_it_is_asked_for(run: Wlt) -> None:
    code, out, err = run("compare", HEXAGON, TRIANGLES, "--k", "2")
    (row,) = re.findall(r"^ *2-FWL .*$", out, re.MULTILINE)
    assert code == 0
    assert re.search("non-isomorphic +1 round, .* certain", row)
    assert "2-FWL colours 36 tuples a graph: 3 kB of memory" in err
    assert "FWL" not in run("compare", HEXAGON, TRIANGLES)[1]
    answer = run.json("compare", HEXAGON, TRIANGLES, "--k", "1")["kwl"]
    verdict = {"verdict": "possibly isomorphic", "certain": False}
    assert answer == {"k": 1, **verdict, "rounds": 0, "classes": 1, "memory": 384}
    code, _, err = run("compare", HEXAGON, TRIANGLES, "--k", "3", "--memory-limit", "0.00001")
    assert code == 2
    assert "give a larger --memory-limit; k=2 needs 3 kB" in err


def test_version_and_help(run: Wlt) -> None:
    assert run("--version") == (0, f"wlt {wlt.__version__}\n", "")
    assert run()[:2] == run("--help")[:2]
    assert all(command in run("--help")[1] for command in ("compare", "inspect"))
    assert "--trials" in run("compare", "--help")[1]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["compare", "A_", "A_", "--json"], 0, id="answer"),
        pytest.param(["compare", "A_", "x.g6"], 2, id="mistake"),
    ],
)
def test_the_installed_command(arguments: list[str], code: int) -> None:
    command = Path(sys.executable).parent / "wlt"
    done = subprocess.run([command, *arguments], capture_output=True, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if COMPILING not in line]
    assert len(said) == (1 if code else 0)
    if not code:
        assert json.loads(done.stdout)["isomorphic"] is True
