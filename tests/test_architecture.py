"""Imports are as docs/architecture.md says: from later layers to earlier ones, and never in a circle."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Arrows = dict[str, set[str]]
"""For every module the modules of wlt that it imports."""


def layers() -> list[str]:
    """The layers in the order of the page; `wlt` is the package's own __init__.py."""
    (line,) = re.findall(r"^Layers: (.*)$", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE)
    return re.findall(r"`(\w+)`", line)


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def arrows(source: Path) -> Arrows:
    """The imports of all modules under `source`, those inside functions and TYPE_CHECKING blocks included."""
    files = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {module: imported(path, set(files)) - {module} for module, path in files.items()}


def imported(path: Path, modules: set[str]) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}, line {node.lineno}: relative imports are not used here"
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in modules else node.module for name in members}
    return names & modules


def wrong_arrows(graph: Arrows, order: list[str]) -> list[str]:
    """The imports that point to a later layer."""
    place = {name: i for i, name in enumerate(order)}
    return [
        f"{module} imports {target}"
        for module, targets in sorted(graph.items())
        for target in sorted(targets)
        if place[layer(module)] < place[layer(target)]
    ]


def test_the_page_lists_every_layer() -> None:
    assert len(layers()) == len(set(layers()))
    assert set(layers()) == {layer(module) for module in arrows(ROOT / "src")}


def test_no_import_points_to_a_later_layer() -> None:
    assert wrong_arrows(arrows(ROOT / "src"), layers()) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(arrows(ROOT / "src")).prepare()  # raises CycleError, which names the modules


@pytest.mark.parametrize(
    "text",
    [
        "import wlt.cli.main",
        "from wlt.cli import main",
        "from wlt.cli.main import run",
        "def late():\n    from wlt.cli.main import run",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from wlt.cli.main import run",
    ],
    ids=["module", "from-package", "from-module", "in-function", "for-types"],
)
def test_the_checks_find_a_planted_import(tmp_path: Path, text: str) -> None:
    (tmp_path / "wlt" / "cli").mkdir(parents=True)
    for name in ("__init__.py", "cli/__init__.py", "cli/main.py"):
        (tmp_path / "wlt" / name).write_text("import numpy\nfrom wlt.graph import Graph\n" if "main" in name else "")
    (tmp_path / "wlt" / "graph.py").write_text("import numpy\n")
    sound = arrows(tmp_path)
    assert sound == {"wlt": set(), "wlt.cli": set(), "wlt.cli.main": {"wlt.graph"}, "wlt.graph": set()}
    assert wrong_arrows(sound, ["graph", "wlt", "cli"]) == []
    TopologicalSorter(sound).prepare()
    (tmp_path / "wlt" / "graph.py").write_text(text)
    assert wrong_arrows(arrows(tmp_path), ["graph", "wlt", "cli"]) == ["wlt.graph imports wlt.cli.main"]
    with pytest.raises(CycleError):
        TopologicalSorter(arrows(tmp_path)).prepare()
