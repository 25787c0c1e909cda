"""results/: the page in the repository is what the stored curves give, and the curves are what training gives."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from wlt.cli import main
from wlt.data import load
from wlt.graphs import Graphs
from wlt.reproduce.environment import machine, versions
from wlt.reproduce.job import run_job
from wlt.reproduce.record import Record
from wlt.reproduce.spec import WITH_EDGE_LABELS
from wlt.reproduce.textform import read

RESULTS = Path(__file__).parents[2] / "results"


def test_the_page_is_made_from_the_stored_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(RESULTS, tmp_path / "results")
    (tmp_path / "results" / "README.md").unlink()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["report", "results", "--markdown", "results/README.md"])
    assert ended.value.code == 0
    assert (tmp_path / "results" / "README.md").read_text("utf-8") == (RESULTS / "README.md").read_text("utf-8")


@lru_cache(1)
def quickest_runs() -> dict[str, Record]:
    """Of every cell of the tables, by the name of its file, the run that took the least time."""
    quickest: dict[str, Record] = {}
    for record in read(RESULTS).records:
        spec = record.spec
        cell = f"table{1 if spec.folds else 2}-{spec.dataset}-{spec.method}"
        quickest[cell] = min(quickest.get(cell, record), record, key=lambda each: each.seconds)
    return quickest


@lru_cache(1)  # cells of one dataset come one after the other
def dataset_of(name: str, root: Path) -> Graphs:
    labels = "labels" if name.endswith(WITH_EDGE_LABELS) else None
    return load(name.removesuffix(WITH_EDGE_LABELS), root, edge_labels=labels)


@pytest.mark.slow
@pytest.mark.parametrize("cell", sorted(unquote(path.stem) for path in RESULTS.glob("table*.jsonl")))
def test_a_stored_run_is_what_it_was(data_dir: Path, cell: str) -> None:
    """The whole curve where that is quick, else its first epochs. Bit by bit, which only the machine and the libraries
    that it was run with can promise; wlt itself may be another version, that is the point."""
    record = quickest_runs()[cell]
    then, now = (text.partition(", ")[2] for text in (record.environment.versions, versions()))
    if (record.environment.machine, then) != (machine(), now):
        pytest.skip(f"run on {record.environment.machine} with {then}")
    epochs = record.spec.epochs if record.seconds < 30 else 2
    dataset = dataset_of(record.spec.dataset, data_dir)
    again = run_job(replace(record.spec, epochs=epochs), record.fold, dataset)
    for name in ("train_loss", "validation_loss", "test_right"):
        assert getattr(again, name) == getattr(record.curve, name)[:epochs]
