"""docs/quickstart.md, run section by section: Python sessions as doctests, `$ wlt ...` through the command line."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from wlt.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "quickstart.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def sections() -> dict[str, str]:
    """Sections of the page by their titles."""
    parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(section: str) -> list[tuple[str, str]]:
    """(language, content) of the blocks of code, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("title", [title for title, text in sections().items() if blocks(text)])
def test_the_page_does_what_it_says(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = sections()[title]
    if "smiles" in section and not find_spec("rdkit"):
        pytest.skip("rdkit is not installed: pip install 'wlt[mol]'")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    if title != next(iter(sections())):
        exec("from wlt import WLTClassifier", names)
    for language, content in blocks(section):
        if language == "python":
            run_session(content, names)
        else:
            run_commands(content)


def run_session(content: str, names: dict[str, object]) -> None:
    session = doctest.DocTestParser().get_doctest(content, names, PAGE.name, str(PAGE), 0)
    assert session.examples
    complaints = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(session, out=complaints.write, clear_globs=False)
    assert not runner.failures, complaints.getvalue()
    names.update(session.globs)


def run_commands(content: str) -> None:
    for command, expected in re.findall(r"^\$ wlt (.*)\n((?:(?!\$ ).*\n)*)", content, flags=re.MULTILINE):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), pytest.raises(SystemExit) as ended:
            main(shlex.split(command))
        assert not ended.value.code, said.getvalue()
        complaint = f"$ wlt {command}\nexpected:\n{expected}\nfound:\n{said.getvalue()}"
        assert doctest.OutputChecker().check_output(expected, said.getvalue(), FLAGS), complaint


def test_the_sections_are_found() -> None:
    found = {title: [language for language, _ in blocks(text)] for title, text in sections().items()}
    assert found["networkx graphs"].count("python") >= 5
    assert found["Molecules"].count("console") == 2
