"""Every page of docs/ does what it says, and has the pictures that it shows."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import wlt
from pages import DOCS, PageError, blocks, pages, run_page
from pictures import DRAWINGS, FOLDER
from wlt.cli import COMPILING
from wlt.cli.console import say

ROOT = DOCS.parent
PICTURE = re.compile(r'!\[[^]]*\]\(([^)\s]+)\)|<iframe src="([^"]+)"')


@pytest.mark.parametrize("name", pages())
def test_the_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    path = pages()[name]
    content = path.read_text("utf-8")
    if "smiles" in content and not find_spec("rdkit"):
        pytest.skip("rdkit is not installed: pip install 'wlt[mol]'")
    run_page(path, tmp_path)
    shown = {one or other for one, other in PICTURE.findall(content)}
    missing = {file for file in shown if not (tmp_path / file).exists() and not (path.parent / file).exists()}
    assert not missing, "pictures that the page shows and neither writes nor finds"


def test_the_guides_are_found() -> None:
    guides = {f"guides/{name}.md" for name in ("compare", "audit", "classify", "your-model")}
    assert guides | {"start.md", "how/class-rows.md", "how/recoloring.md"} <= set(pages())
    assert sum(language == "console" for language, _ in blocks(pages()["guides/classify.md"].read_text("utf-8"))) == 2


def test_a_page_that_says_something_wrong_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n\n```\n")
    with pytest.raises(PageError, match="Expected:\n    3\nGot:\n    2"):
        run_page(page, tmp_path)
    page.write_text("```console\n$ wlt compare EhEG EwCW\nisomorphic\n```\n")
    with pytest.raises(PageError, match="non-isomorphic"):
        run_page(page, tmp_path)
    page.write_text("```console\n$ wlt compare EhEG nothing.g6\n...\n```\n")
    with pytest.raises(PageError, match=r"nothing\.g6"):
        run_page(page, tmp_path)


def test_a_page_is_right_on_a_computer_that_has_to_compile_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiles_first(arguments: list[str]) -> None:
        say(COMPILING)
        print("the answer")

    monkeypatch.setattr("pages.main", compiles_first)
    page = tmp_path / "page.md"
    page.write_text("```console\n$ wlt ask\nthe answer\n```\n")
    run_page(page, tmp_path)


@pytest.mark.parametrize("name", DRAWINGS)
def test_stored_drawings_are_what_their_command_gives(name: str) -> None:
    """Up to rounding: places of nodes are computed by igraph."""
    stored, drawn = (FOLDER / name).read_text("utf-8"), DRAWINGS[name]()
    number = re.compile(r"-?\d+\.\d+")
    assert number.sub("", stored) == number.sub("", drawn)
    pairs = zip(number.findall(stored), number.findall(drawn), strict=True)
    assert max(abs(float(one) - float(other)) for one, other in pairs) < 0.5


def test_docstrings_become_markdown() -> None:
    griffe_extension = pytest.importorskip("docstrings", reason="no griffe here: pip install 'wlt[docs]'")
    markdown = griffe_extension.as_markdown("One line.\n\na: this\n    and that\nb, c: others\n\n>>> 1 + 1\n2")
    assert markdown == "One line.\n\n- `a`: this\n    and that\n- `b, c`: others\n\n```pycon\n>>> 1 + 1\n2\n```"


def test_every_public_name_is_in_the_reference() -> None:
    listed = {
        name
        for page in (DOCS / "api").glob("*.md")
        for name in re.findall(r"^::: wlt\.(\w+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    }
    assert set(wlt.__all__) <= listed
