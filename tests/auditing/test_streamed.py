"""The audit of files, chunk by chunk: the same answers as of the whole set in memory, and `wlt audit` of many files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from strategies import equivalent_pairs, shuffled
from wlt import Graph, as_graph, audit
from wlt.auditing.streamed import audit_streams
from wlt.cli import main
from wlt.data import load, molecules, stream
from wlt.data.stream import Reading, Stream
from wlt.work.ray import RayCluster

SMILES = ["CCO", "OCC", "c1ccccc1", "CC(=O)O", "CCN", "C1CCCCC1", "C1CC1.C1CC1", "C1CCCCC1", "CC(C)O", "OC(C)C"]
LABELS = ["1", "0", "1", "1", "0", "0", "1", "0", "0", "0"]


def graphs() -> list[Graph]:
    """Graphs that WL cannot tell apart, copies of them, and others."""
    pairs = [graph for pair in equivalent_pairs()[:6] for graph in pair]
    others = [as_graph(nx.gnp_random_graph(8, 0.4, seed=i)) for i in range(30)]
    return pairs + others + [shuffled(graph, i) for i, graph in enumerate(pairs[::2] + others[::3])]


def written(path: Path, some: list[Graph]) -> Path:
    lines = (nx.to_graph6_bytes(graph.to_networkx(), header=False).decode() for graph in some)
    path.write_text("".join(lines))
    return path


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNK_GRAPHS", 7)


def without_batches(answer: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on which graphs are batches, nor on the name."""
    return {name: value for name, value in answer.items() if name not in ("rows_kept", "edges_kept", "name")}


@pytest.mark.parametrize("options", [{}, {"structure": "rggg", "rounds": 2}, {"structure": "g", "rounds": 9}], ids=str)
@pytest.mark.parametrize("files", [1, 3])
def test_like_the_audit_in_memory(tmp_path: Path, files: int, options: dict[str, Any]) -> None:
    some = graphs()
    size = -(-len(some) // files)
    parts = [written(tmp_path / f"{i}.g6", some[i * size : (i + 1) * size]) for i in range(files)]
    found, told = audit_streams([Stream("graph6 lines", str(part)) for part in parts], name="files", **options)
    together = audit(some, **options)
    assert without_batches(found.to_dict()) == without_batches(together.to_dict())
    assert found.isomorphism_classes.tolist() == together.isomorphism_classes.tolist()
    assert found.wl_classes.tolist() == together.wl_classes.tolist()
    assert found.conclusion == together.conclusion
    assert told.problems == []


def test_labels_of_nodes_and_edges_mean_the_same_in_every_chunk(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    rows = [f"{text},{label}\n" for text, label in zip(SMILES, LABELS, strict=True)]
    tables = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for table, part in zip(tables, (rows[:4], rows[4:]), strict=True):
        table.write_text("smiles,active\n" + "".join(part))
    reading = Reading(target="active")
    found, _ = audit_streams([Stream("SMILES", str(table), reading) for table in tables], name="tables", folds=2)
    together = audit(molecules(SMILES), [int(label) for label in LABELS], folds=2)
    assert without_batches(found.to_dict()) == without_batches(together.to_dict())
    assert found.copies.contradictions == 2
    assert found.isomorphism_classes.tolist() == together.isomorphism_classes.tolist() == [0, 0, 1, 2, 3, 4, 5, 4, 6, 6]


def test_tu_dataset(data_dir: Path) -> None:
    reading = Reading(root=str(data_dir))
    found, _ = audit_streams([Stream("TU dataset", "MUTAG", reading)], name="MUTAG")
    assert without_batches(found.to_dict()) == without_batches(audit(load("MUTAG", data_dir)).to_dict())


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    assert isinstance(ended.value.code, int)
    return ended.value.code, *capsys.readouterr()


@pytest.fixture
def two_files(tmp_path: Path) -> tuple[Path, Path]:
    some = graphs()
    return written(tmp_path / "a.g6", some[:20]), written(tmp_path / "b.g6", some[20:])


def test_command(two_files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, told = run(capsys, "audit", *two_files, "--json")
    assert code == 0
    answer, expected = json.loads(out), json.loads(json.dumps(audit(graphs()).to_dict()))
    assert {name: answer[name] for name in without_batches(expected)} == without_batches(expected)
    assert answer["name"] == "a.g6, b.g6"
    assert "no labels, and so no ceilings" in told
    code, out, _ = run(capsys, "audit", *two_files)
    assert code == 0
    assert f"{len(graphs())} graphs" in out


def test_processes_give_the_same_answer(two_files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    answers = [run(capsys, "audit", *two_files, "--json", "--workers", workers)[1] for workers in (1, 2)]
    assert answers[0] == answers[1]
    assert json.loads(answers[0])["graphs"] == len(graphs())


def test_unreadable_graphs_are_listed_and_skipped_only_when_asked(
    two_files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = two_files[1].read_text().splitlines()
    two_files[1].write_text("\n".join([*lines[:3], "I!not graph6", *lines[3:]]))
    code, _, told = run(capsys, "audit", *two_files)
    assert code == 2
    assert f"{two_files[1]}, line 4: graph6 text: illegal character '!'" in told
    assert told.count("\n") == 1
    code, out, told = run(capsys, "audit", *two_files, "--skip-unreadable", "--json")
    assert code == 0
    assert "1 graph left out" in told
    assert json.loads(out)["graphs"] == len(graphs())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.g6", "b.g6", "--html", "page.html"], "--fullerenes and --html are for one set in memory"),
        (
            ["a.g6", "b.g6", "--target", "x"],
            "a.g6 was taken for a file of graphs (.g6), by its name, which has no",
        ),
        (["a.g6", "a.g6"], "the same DATA twice"),
        (["a.g6", "c.g6"], "there is no file or folder c.g6"),
        (["a.g6", "b.g6", "--structure", "gxg"], "unknown layer 'x'"),
        (["a.g6", "--skip-unreadable"], "--skip-unreadable is for several DATA"),
        (["a.g6", "tables/t.csv"], "a.g6 has node degrees and tables/t.csv has node labels; one kind is needed"),
        (["a.g6", "--workers", "2", "--time-limit", "-1"], "Invalid value for '--time-limit'"),
    ],
)
def test_mistakes_are_one_line(
    two_files: tuple[Path, Path],
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = two_files[0].parent
    (folder / "tables").mkdir()
    (folder / "tables" / "t.csv").write_text("smiles\nCCO\n")
    if "tables/t.csv" in arguments:
        pytest.importorskip("rdkit")
    monkeypatch.chdir(folder)
    code, _, told = run(capsys, "audit", *arguments)
    assert code == 2
    assert message in told
    assert told.count("\n") == 1


@pytest.fixture
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'wlt[ray]'")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield cluster
    cluster.shutdown()


@pytest.mark.slow  # Ray takes long to notice that a node is gone
def test_a_node_killed_during_the_run_and_the_same_answer(
    cluster: Any, two_files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    streams = [Stream("graph6 lines", str(file)) for file in two_files]
    expected, _ = audit_streams(streams, name="files")
    chunks = 0

    def kill(size: int, done: int) -> None:
        nonlocal chunks
        chunks += 1
        if chunks == 2:
            cluster.remove_node(doomed, allow_graceful=False)

    found, _ = audit_streams(streams, name="files", place=RayCluster(cluster.address), advance=kill)
    assert chunks > 5
    assert found.to_dict() == expected.to_dict()
    assert found.isomorphism_classes.tolist() == expected.isomorphism_classes.tolist()
