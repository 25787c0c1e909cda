"""The store and its text form: what goes in comes out, and nothing else is touched."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

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


@pytest.mark.parametrize("change", ["PRAGMA user_version = 2", "PRAGMA user_version = 0"], ids=["newer", "older"])
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
    path.write_text(path.read_text().replace('"format":1', '"format":9'))
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
