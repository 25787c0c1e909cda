"""`wlt keys` and `wlt duplicates`: every kind of data, interruptions, bad input, and several processes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from strategies import shuffled
from wlt import as_graph, key, keys
from wlt.bulk import keys as bulk_keys
from wlt.bulk.journal import Journal, JournalError, fingerprint
from wlt.bulk.work import Result, Row, results
from wlt.cli import main
from wlt.cli.streams import streams_of
from wlt.data import molecules, stream
from wlt.data.stream import Reading, Stream
from wlt.work.calls import GivenUp
from wlt.work.processes import Processes


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The exit code, what was printed, and what was said on stderr."""
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    code = ended.value.code
    assert isinstance(code, int)
    return code, *capsys.readouterr()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def graph6(graph: Any) -> str:
    return nx.to_graph6_bytes(graph, header=False).decode().strip()


GRAPHS = [nx.path_graph(4), nx.cycle_graph(5), nx.petersen_graph(), nx.star_graph(3), nx.path_graph(4)]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A graph6 file: the last graph is a relabelled copy of the first, after an empty line."""
    copy = shuffled(as_graph(GRAPHS[-1]), 3).to_networkx()
    path = tmp_path / "graphs.g6"
    path.write_text("\n".join([*map(graph6, GRAPHS[:-1]), "", graph6(copy)]) + "\n")
    return path


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNK_GRAPHS", 2)


@pytest.mark.parametrize("name", ["graphs.g6", "graphs.g6.gz", "stdin"])
def test_keys_of_lines(
    lines: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lines.with_name(name)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(lines.read_bytes()))
    if name == "stdin":
        told = subprocess.run(
            [sys.executable, "-m", "wlt", "keys", "-"], input=lines.read_bytes(), capture_output=True, check=True
        )
        rows = rows_of(told.stdout.decode())
    else:
        code, out, _ = run(capsys, "keys", path)
        assert code == 0
        rows = rows_of(out)
    assert [row["place"] for row in rows] == ["1", "2", "3", "4", "6"]
    assert [row["key"] for row in rows] == [key(graph) for graph in GRAPHS]


def test_sparse6_and_digraph6(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    multi: Any = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    (tmp_path / "a.s6").write_bytes(nx.to_sparse6_bytes(multi) + nx.to_sparse6_bytes(nx.path_graph(3), header=False))
    (tmp_path / "b.d6").write_text("&B?_\n")
    code, out, _ = run(capsys, "keys", tmp_path / "a.s6", tmp_path / "b.d6")
    assert code == 0
    assert [row["key"] for row in rows_of(out)] == [key(multi), key(nx.path_graph(3)), key("&B?_")]


def test_keys_of_molecules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    smiles = ["CCO", "OCC", "c1ccccc1", "CC(=O)O"]
    table, plain = tmp_path / "table.csv", tmp_path / "plain.smi"
    table.write_text("name;SMILES\n" + "".join(f'"a\nb{i}";{text}\n' for i, text in enumerate(smiles)))
    plain.write_text("".join(f"{text} name {i}\n" for i, text in enumerate(smiles)))
    code, out, told = run(capsys, "keys", table, plain)
    assert code == 0
    assert "compared without isotopes" in told
    rows = rows_of(out)
    expected = keys(molecules(smiles))
    assert [row["key"] for row in rows] == expected * 2
    assert expected[0] == expected[1]
    assert [row["place"] for row in rows] == ["2", "4", "6", "8", "1", "2", "3", "4"]
    code, out, _ = run(capsys, "keys", plain, "--edge-labels", "none")
    assert [row["key"] for row in rows_of(out)] == keys(molecules(smiles, edge_labels=None))
    code, out, told = run(capsys, "keys", plain, "--atoms", "element")
    assert [row["key"] for row in rows_of(out)] == keys(molecules(smiles, atoms="element"))
    assert "by elements and bonds, without charges, hydrogens and stereochemistry" in told


def test_keys_of_a_folder(tmp_path: Path, lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    labelled = nx.path_graph(3)
    nx.set_node_attributes(labelled, {0: "a", 1: "b", 2: "a"}, "kind")
    nx.write_graphml(labelled, folder / "deeper" / "p.graphml")
    lines.rename(folder / "graphs.g6")
    (folder / "labels.csv").write_text("file,label\np.graphml,1\n")
    (folder / "triangle.edges").write_text("0 1\n1 2\n2 0\n")
    code, out, told = run(capsys, "keys", folder)
    assert code == 0
    rows = rows_of(out)
    places = [f"graphs.g6:{i}" for i in (1, 2, 3, 4, 6)]
    assert [row["place"] for row in rows] == ["deeper/p.graphml", *places, "triangle.edges"]
    assert rows[0]["key"] == key(nx.path_graph(3))
    assert "node attributes ('kind') are not used" in told


def test_names_of_files_are_no_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spreadsheet would run what a cell of a .csv file begins with = for."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / '=HYPERLINK("x").edges').write_text("0 1\n")
    code, out, _ = run(capsys, "keys", folder)
    assert code == 0
    assert rows_of(out)[0]["place"].startswith("'=")
    assert run(capsys, "keys", folder, "--out", tmp_path / "keys.csv")[0] == 0
    assert "'=HYPERLINK" in (tmp_path / "keys.csv").read_text()


def test_keys_of_a_tu_dataset(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "duplicates", "MUTAG", "--data", data_dir, "--json")
    assert code == 0
    assert json.loads(out)["of"][0] == {"data": "MUTAG", "graphs": 188, "distinct": 188, "in_shared_groups": 0}
    code, out, told = run(capsys, "duplicates", "MUTAG", "--data", data_dir, "--json", "--edge-labels", "none")
    assert json.loads(out)["of"][0]["distinct"] == 175
    assert "not looked at: the labels of edges" in told


def test_keys_of_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """DATA is what it is for every other command: also a graph or a molecule that is written down."""
    pytest.importorskip("rdkit")
    code, out, _ = run(capsys, "keys", "Bw", "CCO")
    assert code == 0
    rows = [(row["data"], row["place"], row["key"]) for row in rows_of(out)]
    assert rows == [("Bw", "1", key(nx.complete_graph(3))), ("CCO", "1", keys(molecules(["CCO"]))[0])]
    code, _, _ = run(capsys, "duplicates", "Bw", "--out", tmp_path / "copies.csv")
    assert code == 0


def test_keys_of_molecules_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "molecules").mkdir()
    (tmp_path / "molecules" / "freesolv.csv").write_text("smiles,expt\nCCO,1.5\nOCC,1.5\nCC,2\n")
    code, out, _ = run(capsys, "duplicates", "FreeSolv", "--data", tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["of"][0] == {"data": "FreeSolv", "graphs": 3, "distinct": 2, "in_shared_groups": 2}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files(
    lines: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str], small_chunks: None
) -> None:
    out = tmp_path / f"keys{suffix}"
    if suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
    assert run(capsys, "keys", lines, "--out", out)[0] == 0
    rows = parquet.read_table(out).to_pylist() if suffix == ".parquet" else rows_of(out.read_text())
    assert [(row["data"], row["key"]) for row in rows] == [(str(lines), key(graph)) for graph in GRAPHS]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graphs.g6", out.name]
    before = out.read_bytes()
    code, _, told = run(capsys, "keys", lines, "--out", out)
    assert code == 2
    assert told == f"wlt: --out {out}: it exists; --overwrite replaces it\n"
    assert out.read_bytes() == before
    assert run(capsys, "keys", lines, "--out", out, "--overwrite")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["keys", "graphs.g6", "--out", "keys.txt"], "the name must end in .csv or .parquet"),
        (["keys", "graphs.g6", "--out", "nowhere/keys.csv"], "there is no folder"),
        (["keys", "graphs.g7"], "there is no file or folder graphs.g7; do you mean graphs.g6?"),
        (["keys", "graphs.g6", "graphs.g6"], "the same DATA twice"),
        (["keys", "graphs.g6", "--ray", "127.0.0.1:1"], "no Ray cluster at '127.0.0.1:1'"),
        (["duplicates", "graphs.g6", "--out", "graphs.g6"], "the name must end in"),
    ],
)
def test_mistakes_are_one_line(
    lines: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "--ray" in arguments:
        pytest.importorskip("ray")
    monkeypatch.chdir(lines.parent)
    code, _, told = run(capsys, *arguments)
    assert code == 2
    assert message in told
    assert told.count("\n") == 1


def test_one_unreadable_line(lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = lines.read_text().splitlines()
    text[2] = "I!not graph6"
    lines.write_text("\n".join(text))
    out = tmp_path / "keys.csv"
    code, _, told = run(capsys, "keys", lines, "--out", out)
    assert code == 2
    assert f"{lines}, line 3: graph6 text: illegal character '!'" in told
    assert "--skip-unreadable goes on without them, and lists them" in told
    assert not out.exists()
    code, _, told = run(capsys, "keys", lines, "--out", out, "--skip-unreadable")
    assert code == 0
    assert f"{lines}, line 3: graph6 text: illegal character '!'" in told
    assert "1 graph left out" in told
    assert [row["place"] for row in rows_of(out.read_text())] == ["1", "2", "4", "6"]


def test_many_unreadable_lines_are_counted(
    lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], small_chunks: None
) -> None:
    """The first of them are listed, however many there are, on all ways alike."""
    text = [each for line in lines.read_text().split() for each in ("not graph6", line, "nor this")]
    lines.write_text("\n".join(text * 3))
    _, out, told = run(capsys, "keys", lines, "--skip-unreadable")
    _, _, of_file = run(capsys, "keys", lines, "--skip-unreadable", "--out", tmp_path / "keys.csv")
    _, found, of_duplicates = run(capsys, "duplicates", lines, "--skip-unreadable", "--json")
    assert rows_of(out) == rows_of((tmp_path / "keys.csv").read_text())
    assert json.loads(found)["unreadable"] == 30
    for each in (told, of_file, of_duplicates):
        assert each.count(f"{lines}, line ") == 20
        assert each.splitlines()[20:22] == ["wlt: and 10 more", "wlt: 30 graphs left out"]


def test_a_graph_without_a_key_is_listed_too(
    lines: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wlt.bulk.work.keys_of_chunk.__defaults__", (10,))
    code, out, told = run(capsys, "keys", lines, "--skip-unreadable")
    assert code == 0
    assert "line 3: colour refinement does not decide, and the search did not end within its budget" in told
    assert [row["place"] for row in rows_of(out)] == ["1", "2", "4", "6"]


def test_duplicates(lines: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "duplicates", lines)
    assert code == 0
    assert "1 group of copies" in out
    train = tmp_path / "train.g6"
    train.write_text("\n".join(map(graph6, [nx.star_graph(3), nx.cycle_graph(7)])))
    table = tmp_path / "leaks.csv"
    code, out, _ = run(capsys, "duplicates", train, lines, "--out", table)
    assert code == 0
    leaks = [(row["group"], row["data"], row["place"]) for row in rows_of(table.read_text())]
    assert leaks == [("1", str(train), "1"), ("1", str(lines), "4")]
    code, out, _ = run(capsys, "duplicates", train)
    assert "No graph is there twice." in out


def test_what_was_interrupted_goes_on(
    lines: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    small_chunks: None,
) -> None:
    """Interrupted behind every chunk but the last, and in the end the same file."""
    whole, out = tmp_path / "whole.csv", tmp_path / "keys.csv"
    run(capsys, "keys", lines, "--out", whole)
    asked: list[int] = []

    def once(tasks: Iterator[Any], place: Any) -> Iterator[Result]:
        for i, result in enumerate(results(tasks, place)):
            if i:
                raise KeyboardInterrupt
            asked.append(len(result.rows))
            yield result

    with monkeypatch.context() as patch:
        patch.setattr(bulk_keys, "results", once)
        for kept in (2, 4):
            with pytest.raises(KeyboardInterrupt, match=f"{kept} keys are kept in"):
                main(["keys", str(lines), "--out", str(out)])
            assert not out.exists()
    code, _, told = run(capsys, "keys", lines, "--out", out)
    assert code == 0
    assert "4 keys of an earlier run are taken from" in told
    assert asked == [2, 2]
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graphs.g6", "keys.csv", "whole.csv"]


@pytest.mark.parametrize("command", ["keys", "duplicates"])
def test_a_file_that_appears_meanwhile_is_not_overwritten(
    command: str, lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.csv"

    def meanwhile(tasks: Iterator[Any], place: Any) -> Iterator[Result]:
        yield from results(tasks, place)
        out.write_text("of somebody else")

    with monkeypatch.context() as patch:
        patch.setattr(bulk_keys, "results", meanwhile)
        code, _, told = run(capsys, command, lines, "--out", out)
    assert code == 2
    assert f"--out {out}: it exists; --overwrite replaces it" in told
    assert "5 keys are kept in" in told
    assert out.read_text() == "of somebody else"
    assert run(capsys, command, lines, "--out", out, "--overwrite")[0] == 0
    assert "key" in out.read_text()


def test_unfinished_work_on_other_data_is_not_continued(lines: Path, tmp_path: Path) -> None:
    streams = [Stream("graph6 lines", str(lines))]
    about = fingerprint(streams)
    journal = Journal(tmp_path / "journal", about)
    with pytest.raises(JournalError, match="another wlt is at work on this"):
        Journal(tmp_path / "journal", about)
    journal.close()
    Journal(tmp_path / "journal", about).close()
    os.utime(lines, (1, 1))
    assert fingerprint(streams) != about
    with pytest.raises(JournalError, match="the data have changed since; remove it to begin anew"):
        Journal(tmp_path / "journal", fingerprint(streams))
    (tmp_path / "other").write_text("no database" * 100)
    with pytest.raises(JournalError, match="no journal can be kept there: file is not a database"):
        Journal(tmp_path / "other", about)


def test_a_full_disk_loses_nothing(lines: Path, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", "about")
    full = Result([Row(str(i), f"wlt1:{i:032x}") for i in range(5000)], [], [], 0)
    journal.add(0, 0, Result([Row("1", "wlt1:00")], [], [], 0))
    journal._base.execute("pragma max_page_count = 10")  # what SQLite then says is what it says of a full disk
    with pytest.raises(JournalError, match="database or disk is full; nothing that was done before is lost"):
        journal.add(0, 1, full)
    assert journal.count() == 1
    assert not journal.has(0, 1)
    journal._base.execute("pragma max_page_count = 100000")
    journal.add(0, 1, full)
    assert journal.count() == 5001
    journal.close()


def test_the_output_disk_is_full(
    lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """/dev/full stands for a disk without room: the keys are kept, and no half file appears."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    out = tmp_path / "keys.csv"

    def full(path: Path) -> Any:
        return Path("/dev/full").open("wb", buffering=0)

    with monkeypatch.context() as patch:
        patch.setattr("wlt.bulk.write.replacing", full)
        code, _, told = run(capsys, "keys", lines, "--out", out)
    assert code == 2
    assert "5 keys are kept in" in told
    assert "cannot be written: No space left on device" in told
    code, _, told = run(capsys, "keys", lines, "--out", out)
    assert code == 0
    assert "5 keys of an earlier run" in told


def test_processes_give_the_same_file(lines: Path, tmp_path: Path) -> None:
    """Through the command itself, in processes of its own."""
    many = tmp_path / "many.g6"
    many.write_text("\n".join(graph6(nx.gnp_random_graph(8, 0.4, seed=i)) for i in range(9000)) + "\n")
    for workers in (1, 2):
        command = [sys.executable, "-m", "wlt", "keys", str(many), "--out", str(tmp_path / f"{workers}.csv")]
        subprocess.run([*command, "--workers", str(workers)], check=True, capture_output=True)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert len(rows_of((tmp_path / "1.csv").read_text())) == 9000


class Deadly:
    """Ends the process that unpickles it."""

    def __reduce__(self) -> Any:
        return os._exit, (9,)


def test_a_dead_worker_is_one_line() -> None:
    deadly = [(stream.Chunk("graph6 lines", ["1"], Deadly()), Reading())]
    with pytest.raises(GivenUp, match="its worker ended with code 9, 3 times"):
        list(results(iter(deadly), Processes(2)))


def test_interrupt_of_the_command_ends_quickly(tmp_path: Path) -> None:
    many = tmp_path / "many.g6"
    many.write_text((graph6(nx.petersen_graph()) + "\n") * 200_000)
    out = tmp_path / "keys.csv"
    command = [sys.executable, "-m", "wlt", "keys", str(many), "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / ".keys.csv.unfinished"
    while process.poll() is None and not has_chunks(journal):
        pass
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "wlt: stopped; " in told
    assert "are kept in" in told
    assert len(told.splitlines()) == 1
    assert not out.exists()


def has_chunks(journal: Path) -> bool:
    """Has the command written more than its empty tables? (The journal is locked while it runs.)"""
    return journal.exists() and journal.stat().st_size > 200_000


def test_journal_is_a_database(tmp_path: Path) -> None:
    Journal(tmp_path / "journal", "about").close()
    assert sqlite3.connect(tmp_path / "journal").execute("select fingerprint from meta").fetchone() == ("about",)


def test_rows_that_nobody_wanted_do_not_matter_when_the_journal_is_closed(tmp_path: Path) -> None:
    """As when a command is stopped while it writes what the journal has."""
    journal = Journal(tmp_path / "journal", "about")
    journal.add(0, 0, Result([Row(str(i), "wlt1:00") for i in range(5)], [], [], 0))
    rows = journal.graphs()
    asked = journal._ask("select place from graphs")
    assert (next(rows).place, next(asked)) == ("0", ("0",))
    journal.close()
    asked.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("new", [True, False])
def test_an_interrupt_while_the_journal_is_opened(
    new: bool, lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal that was begun by this command goes; one that was there stays as it was."""
    path = tmp_path / ".keys.csv.unfinished"
    with streams_of([str(lines)], None, "auto", "auto", "all", None) as streams:
        about = fingerprint(streams)
    if not new:
        Journal(path, about).close()
    before = set(tmp_path.iterdir())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> Any:
            if sql == "commit":
                interrupted()
            return super().execute(sql, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *of, **how: connect(*of, **how, factory=Connection))
    with pytest.raises(KeyboardInterrupt):
        main(["keys", str(lines), "--out", str(tmp_path / "keys.csv")])
    assert set(tmp_path.iterdir()) == before
