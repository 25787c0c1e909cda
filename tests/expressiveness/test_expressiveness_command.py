"""`wlt expressiveness`: its JSON, its table, its page, and one line with exit code 2 for every mistake."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wlt.cli import main
from wlt.data import DataError
from wlt.expressiveness import Outcome, Part, Separation
from wlt.expressiveness.survey import RUNS, survey

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in this process, without data; answers (exit code, stdout, stderr)."""
    monkeypatch.delenv("WLT_DATA", raising=False)
    monkeypatch.setattr(sys, "path", sys.path.copy())  # --model adds folders to it

    def run_it(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit:
            main(["expressiveness", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert isinstance(exit.value.code, int)
        return exit.value.code, out, err

    return run_it


def test_the_last_line_is_an_object(run: Run) -> None:
    code, out, _ = run("csl", "--json")
    found = json.loads(out.splitlines()[-1])
    assert code == 0
    assert (found["pairs"], found["separated"], found["control_failures"]) == (45, 45, 0)
    assert found["seconds"] > 0
    assert (found["mode"], found["model"], found["structure"]) == ("colors", "canonical", "unlimited depth")


def test_short_notation_on_the_command_line(run: Run) -> None:
    code, out, _ = run("csl", "--structure", "g3(rg4)2", "--mode", "untrained", "--json")
    found = json.loads(out.splitlines()[-1])
    assert code == 0
    assert found["structure"] == "gggrggggrgggg"
    assert (found["separated"], found["control_failures"]) == (45, 0)


def test_the_table(run: Run) -> None:
    code, out, _ = run("csl", "--policy", "none")
    assert code == 0
    assert out.startswith("csl: pairs told apart\n")
    assert re.search(r"^csl +45 +0$", out, re.MULTILINE)
    assert out.splitlines()[-1].endswith(" s")


def test_data_from_a_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "expressiveness").mkdir()
    lines = "E`ow\nEhEG\nE{Sw\n"  # three graphs on six nodes
    (tmp_path / "expressiveness" / "sr251256.g6").write_text(lines)
    code, out, _ = run("sr25", "--data", tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["pairs"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["petersen"], "unknown benchmark 'petersen'; there are ladder, csl, exp", id="unknown benchmark"),
        pytest.param(
            ["csl", "--mode", "guess"], "unknown mode 'guess'; there are colors, untrained", id="unknown mode"
        ),
        pytest.param(["csl", "--policy", "best"], "unknown policy 'best'; there are none, one, half", id="policy"),
        pytest.param(["csl", "--policy", "draws:0"], "unknown policy 'draws:0'", id="no draws"),
        pytest.param(["csl", "--policy", "half"], "half has too many draws to enumerate", id="half in mode colors"),
        pytest.param(["csl", "--structure", "ggx"], "unknown layer 'x' at position 2", id="structure"),
        pytest.param(
            ["sr25", "--mode", "trained"],
            "sr25 has neither pairs nor labels",
            id="nothing to train on",
        ),
        pytest.param([], "one benchmark is needed", id="no benchmark"),
        pytest.param(["csl", "--all"], "one benchmark is needed", id="a benchmark and all"),
        pytest.param(["csl", "--markdown", "x.md"], "--markdown belongs to --all", id="page of one run"),
        pytest.param(["csl", "--seed", "-1"], "--seed", id="seed"),
    ],
)
def test_mistakes(run: Run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


def test_a_users_model(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def sizes(graphs: 'list[networkx.Graph]'):\n"
        "    return np.array([[len(graph), graph.size()] for graph in graphs])\n"
        "def broken(graphs: 'list[networkx.Graph]'):\n"
        "    raise RuntimeError('no room')\n"
    )
    first, page, store = (tmp_path / name for name in ("first.json", "page.html", "store.jsonl"))
    code, out, err = run("csl", "--model", f"{tmp_path / 'mine.py'}:sizes", "--save", first, "--results", store)
    assert (code, err) == (0, "")
    assert re.search(r"^csl +45 +0$", out, re.MULTILINE)
    assert len(store.read_text().splitlines()) == 2
    code, out, _ = run("csl", "--policy", "2-FWL", "--compare", first, "--save", page)
    assert code == 0
    assert re.search(r"^csl +45 +45 +0$", out, re.MULTILINE)
    assert page.read_text().startswith("<!DOCTYPE html>")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("csl", "--model", "mine:broken")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "broken failed on group 0 of csl (csl): RuntimeError: no room" in err


def test_a_model_that_fails_on_pair_200_leaves_what_was_decided_before(run: Run, tmp_path: Path) -> None:
    """In a file with the name of a module of Python's."""
    (tmp_path / "json.py").write_text(
        "calls = []\n"
        "def fails(graphs: 'list[wlt.Graph]'):\n"
        "    calls.append(graphs)\n"
        "    if len(calls) > 2 * 200:\n"
        "        raise RuntimeError('no room')\n"
        "    return [[graph.num_edges] for graph in graphs]\n"
    )
    saved, store = tmp_path / "result.json", tmp_path / "store.jsonl"
    model = f"{tmp_path / 'json.py'}:fails"
    first = sys.path[0]
    code, out, err = run("ladder", "--model", model, "--save", saved)
    assert (code, len(err.splitlines())) == (2, 1)
    assert sys.path[0] == first  # in a process that begins later, Python's own json is found first
    assert re.search(r"^all +200 +0$", out, re.MULTILINE)
    assert "failed on pair 200 of ladder (rung 3: CFI" in err
    assert "RuntimeError: no room; 200 outcomes before it shown above" in err
    assert json.loads(saved.read_text())["complete"] is False
    code, out, err = run("ladder", "--model", model, "--results", store, "--json")
    assert f"200 outcomes before it kept in {store}" in err
    assert json.loads(out)["pairs"] == 200
    text = (tmp_path / "json.py").read_text()
    (tmp_path / "json.py").write_text(text.replace("len(calls) >", "False and len(calls) >"))
    code, _, err = run("ladder", "--model", model, "--results", store)
    assert code == 2
    assert "holds outcomes of another evaluation (identity differ)" in err


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nothing", "it is package.module:name or file.py:name"),
        ("no_such_module:name", "no_such_module cannot be imported: ModuleNotFoundError"),
        ("no_such_file.py:name", "there is no file no_such_file.py"),
        ("json:no_such_name", "json has no no_such_name"),
        ("json:dumps", "which graphs does dumps take"),
    ],
)
def test_models_that_are_not_there(run: Run, model: str, said: str) -> None:
    code, out, err = run("csl", "--model", model)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize("name", ["brec", "sr25", "graph8c", "exp"])
def test_data_that_is_not_there(run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(url: str, *_: object) -> None:
        raise DataError(f"{url} could not be reached")

    monkeypatch.setattr("wlt.data.tu.fetch", no_network)
    code, _, err = run(name, "--data", tmp_path / "nowhere")
    assert (code, len(err.splitlines())) == (2, 1)
    assert str(tmp_path / "nowhere") in err
    assert not (tmp_path / "nowhere").exists()


def test_pairs_that_are_not_whole(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "expressiveness" / "brec"
    folder.mkdir(parents=True)
    for part in ("basic", "regular", "str", "extension", "cfi", "4vtx", "dr"):
        (folder / f"{part}.g6").write_text("Bw\nBw\nBw\n")
    code, _, err = run("brec", "--data", tmp_path)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "basic.g6: 3 graphs; every two are a pair" in err


def made_up(mode: str, published: tuple[int, int] | None = None, **details: object) -> Separation:
    outcome = Outcome("cfi", Part(100, 99, 200, 1), "distance", 3, published)
    return Separation("brec", mode, "canonical", "gggrggg", (outcome,), 1, 1.25, details=details)


def test_the_page_holds_every_run(run: Run, tmp_path: Path) -> None:
    """With a made-up result stored for every run, so that none is made."""
    results = [made_up(mode, (98, 3) if mode == "trained" else None).to_dict() for _, mode, _, _ in RUNS]
    lines = [{"run": json.dumps([*key, 0]), **result} for key, result in zip(RUNS, results, strict=True)]
    (tmp_path / "results").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run("--all", "--results", tmp_path / "results", "--markdown", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert code == 0
    assert len(out.splitlines()) == len(RUNS)
    not_trained = sum(mode != "trained" for _, mode, _, _ in RUNS)
    assert text.count("| brec | canonical | gggrggg | 99 of 100 | 1 of 200 | 1.2 |") == not_trained
    assert "99 of 100 (as published: 98) | 1 of 200 (3)" in text
    code, _, _ = run("--all", "--results", tmp_path / "results", "--markdown", tmp_path / "page.md")
    assert (code, (tmp_path / "page.md").read_text()) == (0, text), "the tables take the place of the old ones"
    (tmp_path / "page.md").write_text("Before.\n<!-- untrained -->\nold\n<!-- end of untrained -->\nBehind.\n")
    run("--all", "--results", tmp_path / "results", "--markdown", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert re.fullmatch(
        r"Before\.\n<!-- untrained -->\n\| bench.*<!-- end of untrained -->\nBehind\.\n.*", text, re.DOTALL
    )


def test_a_page_that_cannot_be_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found out before the runs, not after them."""
    monkeypatch.setattr("wlt.expressiveness.evaluation.evaluate", None)  # it must not be called
    for option in ("--markdown", "--results"):
        code, out, err = run("--all", option, tmp_path / "no" / "file")
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert f"{option} {tmp_path / 'no' / 'file'}: there is no folder" in err


def test_results_are_stored_and_not_run_again(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [("csl", "colors", "none", None), ("csl", "colors", "all", None)]
    store = tmp_path / "results.jsonl"
    first = list(survey(store=store, runs=runs))
    monkeypatch.setattr("wlt.expressiveness.evaluation.evaluate", None)  # it must not be called
    assert list(survey(store=store, runs=runs)) == first
    assert len(store.read_text().splitlines()) == 2
    store.write_text("nonsense\n")
    code, _, err = run("--all", "--results", store)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "line 1 is no result" in err
    store.write_bytes(b"\xff\xfe")
    code, _, err = run("--all", "--results", store)
    assert (code, len(err.splitlines()), "is not text" in err) == (2, 1, True)


@pytest.mark.parametrize("details", [{}, {"accuracy": 50.0, "accuracy_of_folds": [40.0, 60.0], "seed": 1}])
def test_results_survive_json(details: dict[str, object]) -> None:
    result = made_up("untrained", **details)
    assert Separation.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    """As a full disk or a killed process leaves it."""
    store = tmp_path / "results"
    runs = [("csl", "colors", "none", None), ("csl", "colors", "all", None)]
    whole = [result.to_dict() for result in survey(None, 0, store, runs=runs)]
    first, second = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(first + second[: len(second) // 2])
    again = [result.to_dict() for result in survey(None, 0, store, runs=runs)]
    for one, other in zip(whole, again, strict=True):
        assert {**one, "seconds": 0, "cpu_seconds": 0} == {**other, "seconds": 0, "cpu_seconds": 0}
    assert store.read_bytes().startswith(first)
    assert store.read_bytes().count(b"\n") == 2
