"""Without the extra `nn` the light core works, and what needs torch says so in one line."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wlt.extras import EXTRAS, MissingExtra, need

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


@pytest.mark.parametrize(
    ("code", "purpose"), [("import wlt.nn", "wlt.nn"), ("import wlt\nwlt.WLTClassifier", "wlt.WLTClassifier")]
)
def test_what_needs_torch_says_how_to_get_it(code: str, purpose: str) -> None:
    done = run_without_extras(code)
    assert done.returncode == 1
    assert f"{purpose} needs torch, which is not installed: pip install 'wlt[nn]'" in done.stderr.splitlines()[-1]


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
