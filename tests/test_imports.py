"""`import wlt` imports no torch, nor any other library that only some inputs and answers need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba

import wlt
from wlt.kernels import before_compiling

HEAVY = ("torch", "torch_geometric", "networkx", "igraph", "sklearn", "matplotlib", "rich", "typer")
PACKAGE = Path(wlt.__file__).parent


def loaded_by(code: str, path: Path = PACKAGE.parent) -> set[str]:
    """Which of the heavy libraries are loaded after this code has run in a fresh interpreter, with wlt from `path`?"""
    report = f"{code}\nimport sys\nprint(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)"
    environment = os.environ | {"PYTHONPATH": str(path)}
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, env=environment, check=True)
    return set(done.stderr.splitlines()[-1].split())


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


def test_exact_search_imports_no_more_of_igraph_than_it_needs() -> None:
    search = "import wlt; print(wlt.isomorphism('EhEG', 'EwCW').verdict)"
    assert loaded_by(search) == set()
    later = "import igraph; assert igraph.Graph.Ring(5).isomorphic(igraph.Graph.Ring(5))"
    assert "igraph" in loaded_by(f"{search}\n{later}")
    assert "igraph" in loaded_by(f"{later}\n{search}")


def test_what_is_called_before_compiling_is_called_once() -> None:
    calls = []
    with before_compiling(lambda: calls.append("compiling")):
        assert numba.njit(lambda x: x + 1)(1) == 2
        assert numba.njit(lambda x: x + 2)(1) == 3
    assert calls == ["compiling"]
    assert numba.njit(lambda x: x + 3)(1) == 4
    assert calls == ["compiling"]
