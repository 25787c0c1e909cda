"""Pages that are run: Python sessions as doctests, and `$ wlt ...` through the command line."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import warnings
from pathlib import Path

from wlt.cli import COMPILING, main

DOCS = Path(__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class PageError(Exception):
    """A page says something that is not so; the message shows what it says and what was found."""


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, content) of the blocks that are run, in order."""
    found = re.findall(r"^```(python|console)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [(language, content) for language, content in found if ">>> " in content or "$ wlt" in content]


def pages() -> dict[str, Path]:
    """All pages with something to run, by their places in docs/."""
    found = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}
    return {name: path for name, path in found.items() if blocks(path.read_text("utf-8"))}


def run_page(path: Path, folder: Path) -> None:
    """Run a page from top to bottom in a folder, where it may write files. What a block defines, later ones know."""
    names: dict[str, object] = {}
    with contextlib.chdir(folder), warnings.catch_warnings():
        for number, (language, content) in enumerate(blocks(path.read_text("utf-8")), start=1):
            if language == "python":
                run_session(content, names, f"{path.name}, block {number}")
            else:
                run_commands(content)


def run_session(content: str, names: dict[str, object], page: str) -> None:
    session = doctest.DocTestParser().get_doctest(content, names, page, page, 0)
    complaints = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(session, out=complaints.write, clear_globs=False)
    if runner.failures:
        raise PageError(complaints.getvalue())
    names.update(session.globs)


def run_commands(content: str) -> None:
    for command, expected in re.findall(r"^\$ wlt (.*)\n((?:(?!\$ ).*\n)*)", content, flags=re.MULTILINE):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = _code_of(shlex.split(command))
        heard = said.getvalue().replace(f"wlt: {COMPILING}\n", "")  # once after installation, whatever the page says
        complaint = f"$ wlt {command}\nexpected:\n{expected}\nfound:\n{heard}"
        if code or not doctest.OutputChecker().check_output(expected, heard, FLAGS):
            raise PageError(complaint)


def _code_of(arguments: list[str]) -> int:
    """How the command ends."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "200"  # no table is folded
    try:
        main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
