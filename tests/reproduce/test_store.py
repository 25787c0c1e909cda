"""The store and its text form: what goes in comes out, and nothing else is touched."""

from __future__ import annotations

import errno
import json
import os
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import FULLERENES, specs, trees

from wlt.data import Statistics
from wlt.reproduce import textform
from wlt.reproduce.environment import Environment
from wlt.reproduce.record import Curve, Facts, Record, Results, digest, loss_units
from wlt.reproduce.spec import Spec
from wlt.reproduce.store import Store, StoreError, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.one_of(TEXT, st.sampled_from(["../../x", "<script>", "a/b", "..", "", "%2F", "x" * 60, "é $_$ |"]))
FACTS = Facts("d" * 32, Statistics(30, 300, 400, (10, 20), 0, 1, 2), {"ceiling_wl": 99.5})


@st.composite
def curves(draw: st.DrawFn, epochs: int, whole: bool) -> Curve:
    sizes = draw(st.tuples(*[st.integers(1, 50)] * 3))

    def losses() -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(-1, 10**7), min_size=epochs, max_size=epochs)))

    def right(size: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(0, size), min_size=epochs, max_size=epochs)))

    middle = ((), (), losses()) if whole else (losses(), right(sizes[1]), ())
    return Curve(sizes, losses(), right(sizes[0]), *middle, right(sizes[2]))


@st.composite
def all_results(draw: st.DrawFn) -> Results:
    environments = st.builds(Environment, TEXT, TEXT, TEXT)
    seconds = st.floats(0, 1e6).map(lambda value: round(value, 2))
    some = draw(st.lists(st.tuples(NAMES, st.booleans(), st.integers(1, 5), st.integers(0, 3)), max_size=5))
    records = {}
    for name, whole, epochs, fold in some:
        spec = Spec(
            name, "wlt", "WLT", "gggrgg", draw(st.sampled_from([1, 0.5])), epochs=epochs, folds=0 if whole else 10
        )
        record = Record(spec, fold, draw(curves(epochs, whole)), draw(environments), draw(seconds), draw(TEXT))
        records[record.job] = record
    return Results(list(records.values()), dict.fromkeys({r.spec.dataset for r in records.values()}, FACTS))


def in_order(results: Results) -> tuple[list[Record], dict[str, Facts]]:
    return sorted(results.records, key=lambda record: record.job), results.datasets


@given(all_results())
def test_store_and_text_form_keep_everything(tmp_path_factory: pytest.TempPathFactory, results: Results) -> None:
    folder = tmp_path_factory.mktemp("store")
    with Store(folder / "store") as store:
        store.add_all(results.records, results.datasets)
        assert store.jobs() == {record.job for record in results.records}
    assert in_order(read(folder / "store")) == in_order(results)
    written = textform.write(folder / "text", results)
    assert in_order(textform.read(folder / "text")) == in_order(results)
    assert {path.parent for path in written} == {folder / "text"}, "no name leads out of the folder"
    texts = {path: path.read_bytes() for path in written}
    textform.write(folder / "text", Results(results.records[::-1], results.datasets))
    assert {path: path.read_bytes() for path in (folder / "text").iterdir()} == texts, "equal stores are equal files"
    assert sorted(path.name for path in folder.iterdir()) == ["store", "text"]


def record(fold: int = 0, spec: Spec | None = None, right: int = 5) -> Record:
    spec = spec or specs(epochs=1)[0]
    columns = [(value,) * spec.epochs for value in (100, 3, 200, 4, right)]
    curve = Curve((8, 6, 6), *columns[:4], (), columns[4])
    return Record(spec, fold, curve, Environment("m", "v", "c"), 1.5, "2026-01-01 00:00:00")


def test_job_is_stored_once(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add(record())
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add_all([record(1), record(0, right=3)], {})
        assert store.jobs() == {record().job}, "all or nothing"
    assert [found.curve.test_right for found in read(tmp_path).records] == [(5,)]


def test_changed_spec_is_another_job(tmp_path: Path) -> None:
    base = specs()[0]
    changed = [replace(base, **{name: value}) for name, value in {"epochs": 3, "seed": 1, "hidden": 5}.items()]  # type: ignore[arg-type]
    changed += [replace(base, dropout=0.25), replace(base, recolor=1.0), replace(base, dataset="other")]
    changed += [replace(base, degrees="normalized")]
    with Store(tmp_path) as store:
        store.add_all([record(spec=spec) for spec in [base, *changed]], {})
        assert len(store.jobs()) == 8


@pytest.mark.parametrize("change", ["PRAGMA user_version = 3", "PRAGMA user_version = 0"], ids=["newer", "older"])
def test_store_of_another_version(tmp_path: Path, change: str) -> None:
    with Store(tmp_path) as store:
        store.add(record())
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute(change)
    connection.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for attempt in (Store, read):
        with pytest.raises(StoreError, match=r"runs\.sqlite was written by another version of wlt"):
            attempt(tmp_path)
    assert (tmp_path / "runs.sqlite").read_bytes() == before
    with pytest.raises(StoreError, match="another version"):
        Store(tmp_path)  # the lock was given back


@pytest.mark.parametrize("content", ["database", "text"])
def test_file_that_is_no_store(tmp_path: Path, content: str) -> None:
    path = tmp_path / "runs.sqlite"
    if content == "database":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE mine (x)")
        connection.close()
    else:
        path.write_text("This is my diary. " * 1000)
    before = path.read_bytes()
    for attempt in (Store, read):
        with pytest.raises(StoreError, match=r"runs\.sqlite.*was not changed"):
            attempt(tmp_path)
    assert path.read_bytes() == before


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write in"):
        Store(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot write in"):
        Store(tmp_path / "file" / "below")
    with pytest.raises(StoreError, match="nothing was run in"):
        read(tmp_path)
    with pytest.raises(StoreError, match="no runs here"):
        textform.read_any(tmp_path)
    with pytest.raises(StoreError, match="cannot be written"):
        textform.write(tmp_path / "file", Results([], {}))


def test_merging(tmp_path: Path) -> None:
    facts = {specs()[0].dataset: FACTS}
    textform.write(tmp_path, Results([record(0)], facts))
    textform.write(tmp_path, Results([record(0), record(1)], facts))
    assert len(textform.read(tmp_path).records) == 2
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="different curves for the same job, 'fullerenes' wlt fold 1"):
        textform.write(tmp_path, Results([record(1, right=2), record(2)], facts))
    with pytest.raises(StoreError, match="have different data named 'fullerenes'"):
        textform.write(tmp_path, Results([], {specs()[0].dataset: replace(FACTS, digest="e" * 32)}))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def damaged(name: str, value: object) -> str:
    line = {"spec": 0, "environment": 0, "fold": 0, "seconds": 1.0, "finished": "", **record().curve.to_json()}
    line[name] = value
    return json.dumps(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2"),
        (damaged("spec", 7), "line 2"),
        (damaged("train_loss", [1.5]), "train_loss is not a list of whole numbers"),
        (damaged("train_loss", [1, 2]), "not all of one length"),
        (damaged("test_right", [7]), "correct predictions among 6 graphs go up to 7"),
        (damaged("sizes", [8, 6]), "sizes must be three numbers"),
        (damaged("surprise", [1]), "a curve has the columns"),
        (damaged("fold", "x"), "there is no fold 'x'"),
        (damaged("fold", -3), "there is no fold -3"),
        (damaged("fold", 77), "there is no fold 77"),
        (damaged("spec", -1), "the first line has no entry -1"),
        (damaged("validation_loss", []), "with 10 folds a curve has validation columns"),
        (damaged("test_loss", [1]), "no test_loss"),
        (damaged("seconds", float("nan")), "the time it took is not a number"),
        ("[1]", "line 2"),
        (json.dumps({"spec": 0}), "'environment' is missing"),
    ],
    ids=lambda value: value[:60],
)
def test_damaged_text(tmp_path: Path, line: str, message: str) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n{line}\n")
    with pytest.raises(StoreError, match=message) as caught:
        textform.read(tmp_path)
    assert path.name in str(caught.value)


SPECS = {
    "unknown-method": ({"method": "gat"}, "there is no method 'gat'"),
    "other-kind": ({"kind": "GCN"}, "there is no method 'wlt' of kind 'GCN'"),
    "baseline-in-table2": ({"folds": 0, "method": "gcn", "kind": "GCN"}, "Table 2 has no GCN"),
    "hidden-text": ({"hidden": "x"}, "hidden is 'x', not a whole number"),
    "hidden-list": ({"hidden": [1]}, "hidden is [1], not a whole number"),
    "structure-number": ({"structure": 5}, "a structure is a string"),
    "other-epochs": ({"epochs": 7}, "the curve has 1 epochs, its spec has 7"),
    "whole-set": ({"folds": 0}, "with 0 folds a curve has test_loss"),
    "decay-text": ({"decay": "x"}, "decay is 'x', not a number"),
    "name-number": ({"dataset": 5}, "the dataset's name is 5"),
    "new-field": ({"surprise": 5}, "unknown field 'surprise': it was written by a newer version of wlt"),
}
FACTS_CHANGES = {
    "audit-text": ({"audit": "x"}, "the audit is not an object"),
    "ceiling-text": ({"audit": {"ceiling_wl": "x"}}, "ceiling_wl of the audit is 'x', not a number"),
    "no-graphs": ({"statistics": {**FACTS.to_json()["statistics"], "graphs": 0}}, "statistics of no graphs"),
    "half-a-graph": ({"statistics": {**FACTS.to_json()["statistics"], "graphs": 0.5}}, "not whole numbers"),
    "no-statistics": ({"statistics": None}, "digest and statistics must be given together"),
}


@pytest.mark.parametrize(("change", "message"), SPECS.values(), ids=SPECS)
def test_specs_are_checked_in_both_forms(tmp_path: Path, change: dict[str, object], message: str) -> None:
    """Else a report would fail on them later, or show a figure that they do not stand for."""
    written = textform.write(tmp_path / "text", Results([record()], {"fullerenes": FACTS}))
    (path,) = [p for p in written if p.suffix == ".jsonl"]
    header, line = path.read_text().splitlines()
    parsed = json.loads(header)
    parsed["specs"][0] |= change
    path.write_text(f"{json.dumps(parsed)}\n{line}\n")
    with Store(tmp_path / "store") as store:
        store.add(record())
    with sqlite3.connect(tmp_path / "store" / "runs.sqlite") as connection:
        connection.execute("UPDATE run SET spec = ?", [json.dumps(parsed["specs"][0])])
    connection.close()
    for reading, folder in ((textform.read, "text"), (read, "store")):
        with pytest.raises(StoreError, match=re.escape(message)) as caught:
            reading(tmp_path / folder)
        assert str(tmp_path / folder) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("change", "message"), FACTS_CHANGES.values(), ids=FACTS_CHANGES)
def test_facts_are_checked_in_both_forms(tmp_path: Path, change: dict[str, object], message: str) -> None:
    textform.write(tmp_path / "text", Results([], {"fullerenes": FACTS}))
    damaged_facts = {**FACTS.to_json(), **change}
    (tmp_path / "text" / "datasets.json").write_text(json.dumps({"fullerenes": damaged_facts}))
    with Store(tmp_path / "store") as store:
        store.describe("fullerenes", FACTS)
    with sqlite3.connect(tmp_path / "store" / "runs.sqlite") as connection:
        connection.execute("UPDATE dataset SET facts = ?", [json.dumps(damaged_facts)])
    connection.close()
    for reading, folder in ((textform.read, "text"), (read, "store")):
        with pytest.raises(StoreError, match=re.escape(message)):
            reading(tmp_path / folder)


@pytest.mark.parametrize("curve", ["{}", "", "[]", '{"sizes": 5}'])
def test_damaged_row(tmp_path: Path, curve: str) -> None:
    with Store(tmp_path) as store:
        store.add(record(fold=3))
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("UPDATE run SET curve = ?", [curve])
    connection.close()
    with pytest.raises(StoreError, match=r"runs\.sqlite: fold 3 of .*fullerenes.* is damaged: .*was not changed"):
        read(tmp_path)
    with Store(tmp_path) as store, pytest.raises(StoreError, match="is damaged"):
        store.results()


def test_runs_without_facts_about_their_dataset(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add(record())
    with pytest.raises(StoreError, match=r"runs\.sqlite says nothing about the dataset 'fullerenes', which has runs"):
        textform.read_any(tmp_path)


def test_store_without_tables_is_empty(tmp_path: Path) -> None:
    """As a driver leaves it that was killed in its first moment."""
    (tmp_path / "runs.sqlite").touch()
    with pytest.raises(StoreError, match=r"runs\.sqlite is empty: no run has been stored yet"):
        read(tmp_path)
    with Store(tmp_path) as store:
        assert store.jobs() == set()


def test_runs_without_their_datasets_are_not_written_over(tmp_path: Path) -> None:
    textform.write(tmp_path, Results([record(5)], {"fullerenes": FACTS}))
    (tmp_path / "datasets.json").unlink()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match=r"has \.jsonl files and no datasets\.json"):
        textform.write(tmp_path, Results([record(0)], {"fullerenes": FACTS}))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_text_of_another_format(tmp_path: Path) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    path.write_text(path.read_text().replace('"format":2', '"format":9'))
    with pytest.raises(StoreError, match="format 9"):
        textform.read(tmp_path)
    path.write_text("")
    with pytest.raises(StoreError, match="format None"):
        textform.read(tmp_path)


def test_digest_tells_data_apart() -> None:
    paths = trees()
    others = [
        paths.take(range(len(paths) - 1)),
        replace(paths, targets=1 - paths.targets),
        replace(paths, codes=paths.codes[::-1].copy()),
        FULLERENES,
    ]
    assert digest(replace(paths, name="another name")) == digest(paths)
    assert len({digest(paths), *map(digest, others)}) == 5


def test_losses_that_are_no_numbers() -> None:
    assert [loss_units(loss) for loss in (0.5, 0.0, float("nan"), float("inf"), 1e300)] == [50000, 0, -1, -1, -1]
    curve = Curve((1, 1, 1), (-1, 7), (1, 1), (3, 4), (0, 1), (), (0, 1))
    assert str(curve.loss("train").tolist()) == "[nan, 7.000000000000001e-05]"


def small_store(folder: Path) -> Results:
    results = Results([record(0), record(1, right=3), record(7)], {"fullerenes": FACTS, "other": Facts()})
    with Store(folder) as store:
        store.add_all(results.records[:2], results.datasets)
        store.add(results.records[2])
    return results


@pytest.mark.parametrize("part", range(4))
def test_no_flipped_bit_goes_unnoticed(tmp_path: Path, part: int) -> None:
    """Either nothing that is read has changed, or the store is refused; `make fuzz` tries many more."""
    expected = in_order(small_store(tmp_path))
    path = tmp_path / "runs.sqlite"
    sound = path.read_bytes()
    refused = 0
    positions = np.random.default_rng(part).integers(0, 8 * len(sound), 150)
    written = np.flatnonzero(np.frombuffer(sound, np.uint8))  # most of a small store is empty pages
    positions = np.append(positions, [8 * written[p % len(written)] + p % 8 for p in positions])
    for position in positions.tolist():
        damaged = bytearray(sound)
        damaged[position // 8] ^= 1 << position % 8
        path.write_bytes(damaged)
        try:
            assert in_order(read(tmp_path)) == expected, f"bit {position}"
        except StoreError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET fold = 5 WHERE fold = 7",
        "UPDATE run SET seconds = 2 WHERE fold = 0",
        "DELETE FROM run WHERE fold = 1",
        "DELETE FROM dataset WHERE name = 'other'",
        "DELETE FROM whole",
        "INSERT INTO whole SELECT * FROM whole",
        "UPDATE run SET git_commit = x'ff00'",
        "UPDATE dataset SET facts = replace(facts, '300', '301')",
        "UPDATE run SET checksum = 5",
    ],
)
def test_what_something_else_has_changed_is_not_believed(tmp_path: Path, statement: str) -> None:
    small_store(tmp_path)
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute(statement)
    connection.close()
    for attempt in (read, textform.read_any):
        with pytest.raises(StoreError, match=r"runs\.sqlite: .*damaged: .*it was not changed"):
            attempt(tmp_path)
    with Store(tmp_path) as store, pytest.raises(StoreError, match="damaged"):
        store.jobs()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TRIGGER t BEFORE INSERT ON run BEGIN SELECT RAISE(IGNORE); END", "has a foreign trigger 't'"),
        ("CREATE VIEW v AS SELECT 1", "has a foreign view 'v'"),
        ("CREATE TABLE mine (x)", "has a foreign table 'mine'"),
        ("CREATE INDEX i ON run (fold)", "has a foreign index 'i'"),
        ("ALTER TABLE run ADD COLUMN x DEFAULT 1", "has another table 'run'"),
        ("DROP TABLE whole", "lacks the table 'whole'"),
        (
            "ALTER TABLE run RENAME TO kept; CREATE VIEW run AS WITH RECURSIVE f(x) AS (SELECT 1 UNION ALL "
            "SELECT x FROM f) SELECT x AS spec, x AS fold FROM f",
            "has a foreign index",
        ),
    ],
)
def test_a_store_with_foreign_parts_is_refused(tmp_path: Path, statement: str, message: str) -> None:
    """A trigger lost rows of `wlt import-runs` that ended with exit code 0; a recursive view hung `wlt report`."""
    small_store(tmp_path)
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.executescript(statement)
    connection.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for attempt in (Store, read):
        with pytest.raises(StoreError, match=message):
            attempt(tmp_path)
    assert (tmp_path / "runs.sqlite").read_bytes() == before


FORMAT_1 = """CREATE TABLE dataset (name TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE run (
    spec TEXT NOT NULL,
    fold INTEGER NOT NULL,
    curve TEXT NOT NULL,
    machine TEXT NOT NULL,
    versions TEXT NOT NULL,
    git_commit TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,
    PRIMARY KEY (spec, fold)
);
PRAGMA application_id = 1464620114;
PRAGMA user_version = 1;"""
"""As wlt 0.1 made it."""


def old_store(folder: Path, records: list[Record]) -> None:
    with sqlite3.connect(folder / "runs.sqlite") as connection:
        connection.executescript(FORMAT_1)
        connection.executemany("INSERT INTO run VALUES (?,?,?,?,?,?,?,?)", [each.columns() for each in records])
        connection.execute("INSERT INTO dataset VALUES (?, ?)", ["fullerenes", json.dumps(FACTS.to_json())])
    connection.close()


def test_a_store_of_wlt_0_1_is_read_and_gets_checksums_when_it_is_written(tmp_path: Path) -> None:
    records = [record(0), record(1)]
    old_store(tmp_path, records)
    before = (tmp_path / "runs.sqlite").read_bytes()
    assert read(tmp_path).records == records
    assert (tmp_path / "runs.sqlite").read_bytes() == before
    with Store(tmp_path) as store:
        assert store.jobs() == {each.job for each in records}
        store.add(record(2))
    assert in_order(read(tmp_path)) == ([*records, record(2)], {"fullerenes": FACTS})
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("DELETE FROM run WHERE fold = 1")
    connection.close()
    with pytest.raises(StoreError, match="rows were lost"):
        read(tmp_path)


def test_a_damaged_store_of_wlt_0_1_is_not_changed(tmp_path: Path) -> None:
    old_store(tmp_path, [record(0)])
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("UPDATE run SET curve = '{}'")
    connection.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for attempt in (Store, read):
        with pytest.raises(StoreError, match="is damaged"):
            attempt(tmp_path)
    assert (tmp_path / "runs.sqlite").read_bytes() == before


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def without_locks(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", without_locks)
    with pytest.raises(StoreError, match=r"has no locks .*; choose a folder on a local disk"):
        Store(tmp_path)


def hostile_line(**changes: object) -> str:
    return damaged(*next(iter(changes.items())))


HOSTILE_FACTS = {
    "nested": '{"fullerenes": {"audit": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    "surrogate-name": json.dumps({"\ud800": {}}),
    "surrogate-conclusion": json.dumps({"fullerenes": {**FACTS.to_json(), "audit": {"conclusion": "\udfff"}}}),
    "long-name": json.dumps({"x" * 5000: {}}),
    "graphs-10^30": json.dumps(
        {"f": {"digest": "d", "statistics": {**FACTS.to_json()["statistics"], "nodes": 10**30}}}
    ),
    "ceiling-10^400": json.dumps({"f": {"audit": {"ceiling_wl": 10**400}}}),
    "ceiling-1e400": '{"f": {"audit": {"ceiling_wl": 1e400}}}',
    "leaks-10^400": json.dumps({"f": {"audit": {"leaks": 10**400}}}),
    "digits": '{"f": {"audit": {"leaks": ' + "9" * 10_000 + "}}}",
    "conclusion-list": json.dumps({"f": {"audit": {"conclusion": [1]}}}),
    "seed-list": json.dumps({"f": {"audit": {"seed": [1]}}}),
}
HOSTILE_LINES = {
    "nested": "[" * 100_000 + "]" * 100_000,
    "surrogate": hostile_line(finished="\ud800"),
    "fold-10^30": hostile_line(fold=10**30),
    "loss-10^30": hostile_line(train_loss=[10**30]),
    "loss-10^400": hostile_line(train_loss=[10**400]),
    "sizes-10^400": hostile_line(sizes=[10**400, 6, 6]),
    "seconds-10^30": hostile_line(seconds=10**30),
    "seconds-10^400": hostile_line(seconds=10**400),
    "finished-list": hostile_line(finished=[1]),
}
HOSTILE_SPECS: dict[str, dict[str, object]] = {
    "surrogate": {"dataset": "\ud800"},
    "long-name": {"dataset": "x" * 5000},
    "long-name-in-bytes": {"dataset": "é" * 60},
    "hidden-10^30": {"hidden": 10**30},
    "decay-10^400": {"decay": 10**400},
    "recolor-long": {"recolor": "x" * 5000},
    "recolor-10^400": {"recolor": 10**400},
    "structure-long": {"structure": "g" * 10**6},
}


def refused_in_one_line(folder: Path) -> None:
    with pytest.raises(StoreError) as caught:
        textform.read(folder)
    message = str(caught.value)
    assert str(folder) in message
    assert "\n" not in message
    assert len(message) < 1000
    message.encode()


@pytest.mark.parametrize("text", HOSTILE_FACTS.values(), ids=HOSTILE_FACTS)
def test_hostile_facts(tmp_path: Path, text: str) -> None:
    (tmp_path / "datasets.json").write_text(text)
    refused_in_one_line(tmp_path)


@pytest.mark.parametrize("line", HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_hostile_lines(tmp_path: Path, line: str) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    path.write_text(f"{path.read_text().splitlines()[0]}\n{line}\n")
    refused_in_one_line(tmp_path)


@pytest.mark.parametrize("change", HOSTILE_SPECS.values(), ids=HOSTILE_SPECS)
def test_hostile_specs(tmp_path: Path, change: dict[str, object]) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    header, line = path.read_text().splitlines()
    parsed = json.loads(header)
    parsed["specs"][0] |= change
    path.write_text(f"{json.dumps(parsed)}\n{line}\n")
    refused_in_one_line(tmp_path)


def test_text_that_was_changed_or_lost_is_noticed(tmp_path: Path) -> None:
    (path,) = [
        p
        for p in textform.write(tmp_path, Results([record(0), record(1)], {"fullerenes": FACTS}))
        if p.suffix == ".jsonl"
    ]
    sound = path.read_text()
    path.write_text(sound.replace('"test_right":[5]', '"test_right":[4]', 1))
    with pytest.raises(StoreError, match="line 2: its checksum is wrong"):
        textform.read(tmp_path)
    path.write_text("".join(sound.splitlines(keepends=True)[:2]))
    with pytest.raises(StoreError, match="it has 1 runs, and its first line says 2: some are lost"):
        textform.read(tmp_path)
    path.write_text(sound)
    datasets = tmp_path / "datasets.json"
    datasets.write_text(datasets.read_text().replace("300", "301"))
    with pytest.raises(StoreError, match="dataset 'fullerenes': its checksum is wrong"):
        textform.read(tmp_path)


def test_text_of_wlt_0_1_has_no_checksums(tmp_path: Path) -> None:
    results = Results([record(0), record(1)], {"fullerenes": FACTS})
    for path in textform.write(tmp_path, results):
        text = path.read_text().replace('"format":2', '"format":1').replace('"runs":2,', "")
        path.write_text(re.sub(r', ?"checksum": ?"[0-9a-f]{32}"', "", text))
        assert "checksum" not in path.read_text()
    assert in_order(textform.read(tmp_path)) == in_order(results)
