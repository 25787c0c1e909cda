"""Commands that work for some time, for the tests of faults."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

WLT = [sys.executable, "-m", "wlt_command"]


class Command(NamedTuple):
    """A command that works for some time, where it leaves what, and how to compare that."""

    arguments: list[str]
    outputs: tuple[str, ...]
    """What is there in the end, in the folder it works in."""
    kept: tuple[str, ...] = ()
    """What may be there besides when it was stopped."""
    content: Callable[[Path], Any] = Path.read_bytes
    needs: tuple[str, ...] = ()
    """What must be there before, of what `MADE` makes."""


def model(path: Path) -> Any:
    import safetensors.torch

    return {name: tensor.numpy().tobytes() for name, tensor in safetensors.torch.load_file(path).items()}


def curves(path: Path) -> Any:
    from wlt.reproduce.store import read

    if path.suffix != ".sqlite":
        return None
    return {record.job: record.curve for record in read(path.parent).records}


def page(path: Path) -> Any:
    text = path.read_text("utf-8")
    assert text.rstrip().endswith("</html>")
    return len(text) > 1000


COMMANDS = {  # those that take less long come first
    "report": Command(
        ["report", "runs", "--html", "out/report.html", "--markdown", "out/report.md"],
        ("report.html", "report.md"),
        content=Path.exists,
        needs=("runs",),
    ),
    "export-runs": Command(
        ["export-runs", "runs", "out"],
        ("datasets.json", "table1-CYCLES-wlt.jsonl", "table1-CYCLES-gin-sum.jsonl"),
        needs=("runs",),
    ),
    "import-runs": Command(
        ["import-runs", "text", "out"],
        ("runs.sqlite", "lock"),
        ("runs.sqlite-journal",),
        content=curves,
        needs=("runs", "text"),
    ),
    "audit": Command(["audit", "CYCLES", "--html", "out/page.html"], ("page.html",), content=page),
    "keys": Command(
        ["keys", "many.g6", "--out", "out/keys.csv", "--overwrite"],
        ("keys.csv",),
        (".keys.csv.unfinished", ".keys.csv.unfinished-journal"),
    ),
    "predict": Command(
        ["predict", "model", "CYCLES", "--out", "out/predictions.csv", "--force"],
        ("predictions.csv",),
        needs=("model",),
    ),
    "duplicates": Command(
        ["duplicates", "many.g6", "--out", "out/copies.csv", "--overwrite"],
        ("copies.csv",),
        (".copies.csv.unfinished", ".copies.csv.unfinished-journal"),
    ),
    "keys-workers": Command(
        ["keys", "many.g6", "--out", "out/keys.csv", "--overwrite", "--workers", "2"],
        ("keys.csv",),
        (".keys.csv.unfinished", ".keys.csv.unfinished-journal"),
    ),
    "expressiveness": Command(["expressiveness", "csl", "--mode", "untrained", "--policy", "all"], ()),
    "reproduce": Command(
        [
            *("reproduce", "table1", "--dataset", "CYCLES", "--method", "wlt", "--hidden", "4", "--epochs", "3"),
            *("--workers", "2", "--out", "out"),
        ],
        ("runs.sqlite", "lock"),
        ("runs.sqlite-journal",),
        content=curves,
    ),
    "train": Command(
        ["train", "CYCLES", "--out", "out/model", "--epochs", "6", "--folds", "3", "--hidden", "8", "--force"],
        ("model",),
        content=model,
    ),
    "compare": Command(["compare", "cubic.edges", "copy.edges"], ()),
}

MADE = {
    "model": [["train", "CYCLES", "--out", "model", "--epochs", "3", "--folds", "3", "--hidden", "8"]],
    "runs": [
        [*COMMANDS["reproduce"].arguments[:-1], "runs"],
        [*COMMANDS["reproduce"].arguments[:-1], "runs", "--method", "gin-sum"],
    ],
    "text": [["export-runs", "runs", "text"]],
}
"""What other commands need, and the commands that make it."""
SHARE = ("keys",)
"""Commands that `make test` tries too; the others, which take longer, are for `make test-faults` alone."""


def share(names: Iterable[str]) -> list[Any]:
    """These commands as parameters of a test."""
    return [name if name in SHARE else pytest.param(name, marks=pytest.mark.faults) for name in names]


def prepare(folder: Path, command: Command) -> None:
    for what in command.needs:
        if not (folder / what).exists():
            for arguments in MADE[what]:
                done = run(folder, arguments)
                assert done.returncode == 0, done.stderr


def environment(folder: Path, mark: str = "") -> dict[str, str]:
    mine = {"XDG_CACHE_HOME": str(folder / "cache"), "WLT_DATA": str(folder / "data"), "WLT_FAULTS": mark}
    return {**os.environ, **mine}


def run(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WLT, *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
