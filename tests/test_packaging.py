"""The source archive and the wheel, each installed into a fresh environment without torch and used there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import wlt

pytestmark = pytest.mark.package
ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd, env=clean, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The two archives: the wheel is built from the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    reach = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder / "probe"), "typer"],
        capture_output=True,
        check=False,
    )
    if reach.returncode:
        pytest.skip("no package index can be reached")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def test_the_archives_have_what_belongs_to_them(built: dict[str, Path]) -> None:
    files = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "wlt").rglob("*.py")}
    files |= {"wlt_command.py", "wlt/py.typed", "wlt/explorer/page.js", "wlt/explorer/page.css"}
    assert files <= set(zipfile.ZipFile(built["wheel"]).namelist())
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{file}" for file in files} <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "tests/test_packaging.py"} <= names
    assert f"wlt-{wlt.__version__}" in built["wheel"].name


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_fresh_environment_has_the_light_core(kind: str, built: dict[str, Path], tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    run(binaries / "pip", "install", "-q", "-c", ROOT / "constraints.txt", built[kind], cwd=tmp_path)
    installed = {line.split("==")[0].lower() for line in run(binaries / "pip", "list", "--format=freeze").split()}
    assert not installed & {"torch", "torch-geometric", "matplotlib", "ray", "rdkit"}
    command = binaries / "wlt"
    assert run(command, "--version", cwd=tmp_path).strip() == f"wlt {wlt.__version__}"
    assert run(binaries / "python", "-m", "wlt", "--version", cwd=tmp_path).strip() == f"wlt {wlt.__version__}"
    assert json.loads(run(command, "compare", "EhEG", "EwCW", "--json", cwd=tmp_path))["isomorphic"] is False
    assert json.loads(run(command, "inspect", "EhEG", "--json", cwd=tmp_path))["compact"] is True
    (tmp_path / "two.g6").write_text("EhEG\nEwCW\n")
    audit = "import wlt; print(wlt.audit(wlt.read_graphs('two.g6'), targets=['a', 'b']).bounds['wl'].ceiling)"
    assert run(binaries / "python", "-c", audit, cwd=tmp_path).strip() == "50.0"
    run(command, "explore", "EhEG", "EwCW", "--html", "page.html", "--no-open", cwd=tmp_path)
    assert "page.js" not in (tmp_path / "page.html").read_text("utf-8")
    assert run(command, "--show-completion", "bash", cwd=tmp_path)
    missing = subprocess.run(
        [binaries / "python", "-c", "import wlt.nn"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "wlt.nn needs torch, which is not installed: pip install 'wlt[nn]'" in missing.stderr
