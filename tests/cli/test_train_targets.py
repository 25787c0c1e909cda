"""`wlt train` and `wlt predict` of numbers, of several targets, by other splits; pages, JSON, cells of a CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from safetensors import safe_open

from wlt.cli import main
from wlt.data.folder import read_folder
from wlt.estimator.load import load
from wlt.wording import harmless

QUICK = ["--structure", "gg", "--hidden", "8", "--epochs", "3", "--folds", "3", "--workers", "1"]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0), *capsys.readouterr()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def contents(path: Path) -> tuple[dict[str, str], dict[str, bytes]]:
    """Of a model file; the library that writes it does not keep the order of its parts."""
    with safe_open(path, "numpy") as file:
        return file.metadata(), {name: file.get_tensor(name).tobytes() for name in file.keys()}  # noqa: SIM118


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rings and chains: what they are, their sizes, two yes-or-no columns with gaps, a split, and odd class names."""
    place = tmp_path / "graphs"
    place.mkdir()
    lines = ["file,kind,size,is_ring,is_big,part,odd"]
    for i in range(18):
        ring = bool(i % 3)
        nx.write_graphml(nx.cycle_graph(3 + i) if ring else nx.path_graph(3 + i), place / f"g{i}.graphml")
        part = "test" if i % 6 > 3 else "train"
        big = "" if i % 5 == 0 else int(i > 9)
        lines.append(
            f"g{i},{'ring' if ring else 'chain'},{3.5 + i},{int(ring)},{big},{part},{'=1+1' if ring else '@x'}"
        )
    (place / "labels.csv").write_text("\n".join(lines) + "\n")
    return place


def test_numbers(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "train", folder, "--target", "size", "--out", tmp_path / "m", *QUICK)
    words = " ".join(out.split())
    assert (code, "wlt: the values of 'size' are taken as numbers" in err) == (0, True)
    assert "graphs: 18 graphs; target 'size', 18 values MAE RMSE R2 Spearman" in words
    assert "mean ± standard deviation of 3 random folds (seed 0)" in words
    assert "smallest errors of WL, 2 rounds 0 0 of training errors" in words
    assert "WL kernel + linear model" in words
    code, out, _ = run(capsys, "predict", tmp_path / "m", folder, "--std")
    found = rows_of(out)
    graphs = read_folder(folder)
    answers, std = load(tmp_path / "m").predict(graphs, return_std=True)
    assert [float(row["prediction"]) for row in found] == pytest.approx(answers.tolist(), rel=1e-5)
    assert [float(row["std"]) for row in found] == pytest.approx(std.tolist(), rel=1e-2)
    for option in ("--proba", "--unseen=error"):
        assert run(capsys, "predict", tmp_path / "m", folder, option)[0] == (2 if option == "--proba" else 0)


def test_several_targets(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--target", "is_ring", "--target", "is_big"]
    code, out, err = run(capsys, "train", folder, *both, "--out", tmp_path / "m", *QUICK, "--json")
    told = json.loads(out)
    assert (code, told["kind"], told["columns"]) == (0, "binaries", ["is_ring", "is_big"])
    assert (told["model"], told["structure"]) == (str(tmp_path / "m"), "gg")
    assert set(told["scores"]["model"]["all"]["is_big"]) >= {"accuracy", "balanced accuracy", "ROC AUC", "PR AUC", "F1"}
    assert "4 of 36 cells of the targets are empty; they count neither in the loss nor in the score" in err
    code, out, _ = run(capsys, "predict", tmp_path / "m", folder, "--proba")
    (first, *_), shares = rows_of(out), load(tmp_path / "m").predict_proba(read_folder(folder))
    assert list(first)[-4:] == ["prediction(is_ring)", "prediction(is_big)", "p(is_ring)", "p(is_big)"]
    assert float(first["p(is_big)"]) == pytest.approx(shares[0, 1], rel=1e-5)
    code, out, _ = run(
        capsys, "train", folder, "--target", "size", "--target", "is_big", "--out", tmp_path / "n", *QUICK
    )
    assert (code, "Target 'is_big'" in out) == (0, True)


def test_a_column_as_the_split_and_an_ensemble(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--target", "kind", "--split", "part", "--ensemble", "2", "--out", tmp_path / "m"]
    code, out, _ = run(capsys, "train", folder, *options, *QUICK, "--json")
    told = json.loads(out)
    assert (code, told["fold_sizes"], told["split"]) == (0, [[12, 6]], "1 split, column 'part'")
    assert sum(map(sum, told["confusion"])) == 6
    assert len(load(tmp_path / "m").models_) == 2


def test_what_is_there_is_not_replaced_without_force(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m").write_text("precious")
    (tmp_path / "r.html").write_text("precious")
    arguments = ["train", folder, "--target", "kind", *QUICK]
    assert "m: it exists; --force replaces it" in run(capsys, *arguments, "--out", tmp_path / "m")[2]
    more = ["--out", tmp_path / "new", "--report", tmp_path / "r.html"]
    assert "r.html: it exists; --force replaces it" in run(capsys, *arguments, *more)[2]
    assert (tmp_path / "m").read_text() == (tmp_path / "r.html").read_text() == "precious"
    assert run(capsys, *arguments, *more, "--force")[0] == 0
    assert "The worst predictions" in (tmp_path / "r.html").read_text()


def test_class_names_that_a_spreadsheet_would_run(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "train", folder, "--target", "odd", "--out", tmp_path / "m", *QUICK)
    code, out, _ = run(capsys, "predict", tmp_path / "m", folder, "--proba")
    found = rows_of(out)
    assert code == 0
    assert {row["prediction"] for row in found} <= {"'=1+1", "'@x"}
    assert list(found[0])[-2:] == ["p(=1+1)", "p(@x)"]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=A1", "'=A1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("-1", "-1"),
        ("+1.5e3", "+1.5e3"),
        ("", ""),
    ],
)
def test_only_formulas_get_an_apostrophe(cell: str, written: str) -> None:
    assert harmless(cell) == written


def test_two_processes_give_the_same_model_figures_and_predictions(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a worker is killed at its work."""
    from wlt.estimator.base import WLTEstimator
    from wlt.work import processes

    found: list[Any] = []
    begin = processes._Worker.begin
    begun = 0

    def kill_some(self: Any, *arguments: Any) -> None:
        nonlocal begun
        begin(self, *arguments)
        begun += 1
        if begun in (2, 9, 12):
            self.process.kill()

    for workers in ("1", "2"):
        options = ["--target", "kind", *QUICK[:-1], workers, "--ensemble", "3", "--json"]
        _, out, _ = run(capsys, "train", folder, *options, "--out", tmp_path / "m", "--force")
        monkeypatch.setattr(WLTEstimator, "predicted_at_once", 4)
        _, told, _ = run(capsys, "predict", tmp_path / "m", folder, "--proba", "--workers", workers)
        found.append((json.loads(out), contents(tmp_path / "m"), told))
        monkeypatch.setattr(processes._Worker, "begin", kill_some)
    assert begun > 12
    assert found[0] == found[1]


def test_rows_without_a_graph_stay(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "train", folder, "--target", "size", "--out", tmp_path / "m", *QUICK)
    (folder / "g4.graphml").write_text("no graph")
    code, out, _ = run(capsys, "predict", tmp_path / "m", folder)
    found = rows_of(out)
    assert code == 0
    assert [row["file"] for row in found] == [f"g{i}" for i in range(18)]
    assert [i for i, row in enumerate(found) if not row["prediction"]] == [4]
    assert np.isfinite([float(row["prediction"]) for i, row in enumerate(found) if i != 4]).all()


@pytest.mark.parametrize(
    ("target", "options", "residual"),
    [
        pytest.param("size", [], True, id="numbers"),
        pytest.param("size", ["--no-residual"], False, id="numbers without"),
        pytest.param("kind", [], False, id="classes"),
        pytest.param("kind", ["--views", "1"], True, id="views"),
    ],
)
def test_residual_layers_by_default(
    tmp_path: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    target: str,
    options: list[str],
    residual: bool,
) -> None:
    code, _, err = run(capsys, "train", folder, "--target", target, "--out", tmp_path / "m", *QUICK, *options)
    assert code == 0, err
    assert load(tmp_path / "m").residual is residual


def test_views_without_residual_layers(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--views", "1", "--no-residual"]
    code, _, err = run(capsys, "train", folder, "--target", "size", "--out", tmp_path / "m", *QUICK, *options)
    assert (code, "views=1 needs residual=True" in err) == (2, True)
