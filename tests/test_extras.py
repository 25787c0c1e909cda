"""Without the extra `nn` the light core works, and what needs torch says so in one line."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wlt.extras import EXTRAS, MissingExtra, missing, need

WITHOUT = """
import importlib.abc, importlib.util, sys
hidden = {hidden!r}
class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hide())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.split(".")[0] in hidden else found(name, package)
"""


def run_without_extras(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that has none of the libraries of the extras."""
    program = WITHOUT.format(hidden=sorted(EXTRAS)) + code
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_without_extras(f"from wlt.cli import main\nmain({list(arguments)!r})")


def test_the_light_core_compares_inspects_and_audits() -> None:
    done = run_without_extras(
        "import wlt\n"
        "print(wlt.isomorphism('EhEG', 'EwCW').verdict, wlt.graph_class('EhEG').compact)\n"
        "print(wlt.audit(['EhEG', 'EwCW'], targets=[0, 1]).bounds['wl'].ceiling)"
    )
    assert done.stdout.split() == ["non-isomorphic", "True", "50.0"], done.stderr


def test_the_commands_of_the_light_core_start() -> None:
    done = command("compare", "EhEG", "EwCW", "--json")
    assert done.returncode == 0, done.stderr
    assert '"isomorphic": false' in done.stdout


NEEDING = {
    "wlt.WLTClassifier": ("wlt.WLTClassifier", "torch"),
    "wlt.WLTRegressor": ("wlt.WLTRegressor", "torch"),
    "wlt.explain": ("wlt.explain", "torch"),
    "wlt.plot_training": ("wlt.plot_training", "torch"),
    "wlt.nn": ("wlt.nn", "torch"),
    "wlt.draw('EhEG', ax=object())": ("drawing on an axis", "matplotlib"),
    "wlt.data.molecules(['CCO'])": ("reading SMILES", "rdkit"),
    "wlt.expressiveness.evaluate('one', 'csl', mode='untrained')": ("mode untrained", "torch"),
    "wlt.expressiveness.evaluate('1-WL', 'csl').figure()": ("the figure", "matplotlib"),
}
"""Calls in Python, and the purpose and the library that their message names."""


def test_functions_say_which_extra_they_lack() -> None:
    caught = "\nexcept (ImportError, ValueError) as error: print(error)\nelse: print('nothing')"
    tried = "\n".join(f"try: {call}{caught}" for call in NEEDING)
    done = run_without_extras(f"import wlt, wlt.data\n{tried}")
    assert done.stdout.splitlines() == [missing(library, purpose) for purpose, library in NEEDING.values()], done.stderr


COMMANDS = {
    "audit table.csv": "rdkit",
    "audit CC(=O)O": "rdkit",
    "duplicates list.smi": "rdkit",
    "inspect graph.dot": "pydot",
    "keys two.g6 --out keys.parquet": "pyarrow",
    "keys two.g6 --ray auto": "ray",
    "predict model.wlt two.g6": "torch",
    "explain model.wlt EhEG": "torch",
    "expressiveness csl --mode untrained": "torch",
    "expressiveness csl --model mine.py:model": "torch",
    "expressiveness csl --policy 1-WL --save page.html": "matplotlib",
    "reproduce table1 --out runs": "torch",
}
"""Commands, and the library that they lack."""


def test_commands_say_which_extra_they_lack(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("smiles,y\nCCO,1\nCCN,0\n")
    (tmp_path / "list.smi").write_text("CCO a\nCCN b\n")
    (tmp_path / "graph.dot").write_text("graph {a -- b}")
    (tmp_path / "two.g6").write_text("EhEG\nEwCW\n")
    (tmp_path / "model.wlt").write_bytes(b"x")
    (tmp_path / "mine.py").write_text("import torch\nmodel = torch.nn.Module\n")
    tried = "\n".join(
        f"try: main({command.split()!r})\nexcept SystemExit as ended: print(ended.code, file=sys.stderr)"
        for command in COMMANDS
    )
    done = run_without_extras(f"import os\nfrom wlt.cli import main\nos.chdir({str(tmp_path)!r})\n{tried}")
    told = [line for line in done.stderr.splitlines() if line == "2" or "which is not installed" in line]
    assert told[1::2] == ["2"] * len(COMMANDS), done.stderr
    for line, (command, library) in zip(told[::2], COMMANDS.items(), strict=True):
        assert line.startswith("wlt: "), command
        assert missing(library, "").strip() in line, command


def test_a_command_that_needs_torch_says_so_in_one_line(tmp_path: Path) -> None:
    for i in range(20):
        (tmp_path / f"{i}.edges").write_text("0 1\n1 2\n")
    (tmp_path / "labels.csv").write_text("file,y\n" + "".join(f"{i}.edges,{i % 2}\n" for i in range(20)))
    done = command("train", str(tmp_path), "--target", "y", "--out", str(tmp_path / "model.wlt"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "wlt: this command needs torch, which is not installed: pip install 'wlt[nn]'"
    )


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    for library, extra in EXTRAS.items():
        assert any(line.startswith(library) for line in project["optional-dependencies"][extra]), library
        assert not any(line.startswith(library) for line in project["dependencies"]), library


def test_need_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    need("numpy", "this test")
    monkeypatch.setattr("wlt.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="reading needs rdkit"):
        need("rdkit", "reading")
