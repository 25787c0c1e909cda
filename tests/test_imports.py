"""`import wlt` imports no torch, nor any other library that only some inputs and answers need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import wlt

HEAVY = ("torch", "torch_geometric", "networkx", "igraph", "sklearn", "matplotlib", "rich", "typer")
PACKAGE = Path(wlt.__file__).parent


def loaded_by(code: str, path: Path = PACKAGE.parent) -> set[str]:
    """Which of the heavy libraries are loaded after this code has run in a fresh interpreter, with wlt from `path`?"""
    report = f"{code}\nimport sys\nprint(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)"
    environment = os.environ | {"PYTHONPATH": str(path)}
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, env=environment, check=True)
    return set(done.stderr.split())


def test_importing_wlt_imports_nothing_heavy() -> None:
    assert loaded_by("import wlt") == set()


def test_submodules_come_when_they_are_asked_for() -> None:
    assert "torch" in loaded_by("import wlt; wlt.nn.WLTGNN")
    assert loaded_by("import wlt; wlt.train, wlt.data") == set()


def test_the_check_above_finds_an_import_planted_in_a_module(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "wlt", ignore=shutil.ignore_patterns("__pycache__"))
    assert loaded_by("import wlt", tmp_path) == set()
    (tmp_path / "torch.py").write_text("")
    with (tmp_path / "wlt" / "graph.py").open("a") as module:
        module.write("\nimport torch\n")
    assert loaded_by("import wlt", tmp_path) == {"torch"}


def test_the_command_line_waits_for_nothing_it_does_not_need() -> None:
    compare = "from wlt.cli import main\ntry: main(['compare', 'A_', 'A_', '--json'])\nexcept SystemExit: pass"
    assert loaded_by(compare) <= {"typer", "rich"}
