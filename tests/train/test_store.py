"""The store and its text form: what goes in comes out, and nothing else is touched."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import FULLERENES, labelled_paths, specs

from wlt.data import Statistics
from wlt.train import textform
from wlt.train.record import Curve, Environment, Facts, Record, Results, digest, loss_units
from wlt.train.spec import Spec
from wlt.train.store import Store, StoreError, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.one_of(TEXT, st.sampled_from(["../../x", "<script>", "a/b", "..", "", "%2F", "x" * 60, "é $_$ |"]))
FACTS = Facts("d" * 32, Statistics(30, 300, 400, (10, 20), 0, 1, 2), {"ceiling_wl": 99.5})


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    epochs = draw(st.integers(1, 5))
    sizes = draw(st.tuples(*[st.integers(1, 50)] * 3))
    whole = draw(st.booleans())

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
    some = draw(st.lists(st.tuples(NAMES, st.sampled_from(["wlt", "gcn"]), st.integers(1, 3)), max_size=5))
    records = {}
    for name, method, fold in some:
        spec = Spec(name, method, "WLT", "gggrgg", recolor=draw(st.sampled_from([1, 0.5])))
        record = Record(spec, fold, draw(curves()), draw(environments), draw(seconds), draw(TEXT))
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
    curve = Curve((8, 6, 6), (100,), (3,), (200,), (4,), (), (right,))
    return Record(spec or specs()[0], fold, curve, Environment("m", "v", "c"), 1.5, "2026-01-01 00:00:00")


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
    with Store(tmp_path) as store:
        store.add_all([record(spec=spec) for spec in [base, *changed]], {})
        assert len(store.jobs()) == 7


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
        with pytest.raises(StoreError, match=r"runs\.sqlite.*left as it is"):
            attempt(tmp_path)
    assert path.read_bytes() == before


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="nothing can be written in"):
        Store(tmp_path / "file")
    with pytest.raises(StoreError, match="nothing can be written in"):
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
    with pytest.raises(StoreError, match="different curves for one job, 'fullerenes' wlt fold 1"):
        textform.write(tmp_path, Results([record(1, right=2), record(2)], facts))
    with pytest.raises(StoreError, match="call different data 'fullerenes'"):
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
        (damaged("train_loss", [1, 2]), "not of one length"),
        (damaged("test_right", [7]), "right predictions among 6 graphs go up to 7"),
        (damaged("sizes", [8, 6]), "sizes must be three numbers"),
        (damaged("surprise", [1]), "a curve has the columns"),
        (damaged("fold", "x"), "line 2"),
    ],
    ids=["cut", "spec", "float", "length", "count", "sizes", "column", "fold"],
)
def test_damaged_text(tmp_path: Path, line: str, message: str) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n{line}\n")
    with pytest.raises(StoreError, match=message) as caught:
        textform.read(tmp_path)
    assert path.name in str(caught.value)


def test_text_of_another_format(tmp_path: Path) -> None:
    (path,) = [p for p in textform.write(tmp_path, Results([record()], {"fullerenes": FACTS})) if p.suffix == ".jsonl"]
    path.write_text(path.read_text().replace('"format":1', '"format":9'))
    with pytest.raises(StoreError, match="format 9"):
        textform.read(tmp_path)
    path.write_text("")
    with pytest.raises(StoreError, match="format None"):
        textform.read(tmp_path)


def test_digest_tells_data_apart() -> None:
    paths = labelled_paths()
    others = [
        paths.take(range(len(paths) - 1)),
        replace(paths, labels=1 - paths.labels),
        replace(paths, colors=paths.colors[::-1].copy()),
        replace(paths, graphs=FULLERENES.graphs.take(range(0)).union([FULLERENES.graphs]), **_sizes()),
    ]
    assert digest(replace(paths, name="another name")) == digest(paths)
    assert len({digest(paths), *map(digest, others)}) == 5


def _sizes() -> dict[str, object]:
    return {"colors": FULLERENES.colors, "labels": FULLERENES.labels}


def test_losses_that_are_no_numbers() -> None:
    assert [loss_units(loss) for loss in (0.5, 0.0, float("nan"), float("inf"), 1e300)] == [50000, 0, -1, -1, -1]
    curve = Curve((1, 1, 1), (-1, 7), (1, 1), (3, 4), (0, 1), (), (0, 1))
    assert str(curve.loss("train").tolist()) == "[nan, 7.000000000000001e-05]"
