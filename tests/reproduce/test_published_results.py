"""results/: the page in the repository is what the stored curves give, and the curves are what training gives."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from wlt.cli import main
from wlt.data import load
from wlt.reproduce.environment import machine, versions
from wlt.reproduce.job import run_job
from wlt.reproduce.spec import table1
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


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["PROTEINS", "NCI1", "IMDB-BINARY", "IMDB-MULTI", "COLLAB", "REDDIT-BINARY"])
def test_a_stored_fold_is_what_it_was(data_dir: Path, dataset: str) -> None:
    """The whole curve where that is quick, else its first epochs. Bit by bit, which only the machine and the libraries
    that it was run with can promise; wlt itself may be another version, that is the point."""
    (spec,) = table1(dataset, "wlt")
    record = next(each for each in read(RESULTS).records if each.spec == spec)
    then, now = (text.partition(", ")[2] for text in (record.environment.versions, versions()))
    if (record.environment.machine, then) != (machine(), now):
        pytest.skip(f"run on {record.environment.machine} with {then}")
    epochs = spec.epochs if record.seconds < 30 else 2
    again = run_job(replace(spec, epochs=epochs), record.fold, load(dataset, data_dir, edge_labels=None))
    for name in ("train_loss", "validation_loss", "test_right"):
        assert getattr(again, name) == getattr(record.curve, name)[:epochs]
