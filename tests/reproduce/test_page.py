"""The page and the figures: self-contained, the same every time, and unharmed by names."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_up import record, results

from wlt.reproduce.record import Results
from wlt.reproduce.report.page import page
from wlt.reproduce.report.summary import findings, remarks
from wlt.reproduce.report.tables import tables
from wlt.reproduce.report.write import write_html, write_markdown
from wlt.reproduce.spec import Spec, table1, table2

HOSTILE = "<script>alert(1)</script>\"'&$\\frac$../../x"


@pytest.fixture(scope="module")
def found() -> Results:
    specs = [*table1("NCI1", "wlt"), *table1("NCI1", "gin-sum"), *table1("PROTEINS", "wlt")]
    records = [record(spec, fold) for spec in specs for fold in range(10)]
    records += [record(spec, run) for spec in table2("PROTEINS", "wlt") for run in range(5)]
    records += [record(Spec(HOSTILE, "wlt", "WLT", "gggrgg", epochs=4), fold) for fold in range(2)]
    records += [record(Spec(HOSTILE, "wlt", "WLT", "gggrgg", epochs=4, folds=0), 0)]
    return results(records)


class Elements(HTMLParser):
    """All tags and their attributes; fails on tags that are not closed in order."""

    VOID = ("meta", "use")

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_page_is_sound_and_self_contained(found: Results) -> None:
    elements = Elements()
    elements.feed(page(found))
    elements.close()
    assert elements.open == []
    names = {tag for tag, _ in elements.tags}
    assert {"table", "svg", "h1"} <= names
    assert not names & {"script", "link", "iframe", "img", "object", "embed", "a"}
    for tag, attributes in elements.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src", "xlink:href"):
                assert str(value).startswith("#"), "nothing is loaded from elsewhere"
    assert "url(" not in re.sub(r"url\(#", "", page(found))
    assert HOSTILE in "".join(elements.text), "the name itself is shown"


def test_page_says_what_stands_in_the_tables(found: Results) -> None:
    text = page(found)
    for words in (
        "75.4 ± 3.7",
        "not run",
        "looks at the test folds",
        "does recoloring help?",
        "2 of 10 folds",
        "99.90",
    ):
        assert words in text
    lines = findings(tables(found), found.datasets)
    assert 1 <= len(lines) <= 5
    assert lines[0].startswith("Table 1: the paper reports 2 cells that are complete here. ")
    table = tables(found)[0]
    points = [table.ours(*cell, "last")[0] - table.paper(*cell)[0] for cell in table.cells if table.paper(*cell)]  # type: ignore[index]
    assert f"{sum(points) / 2:+.1f} points (last)" in lines[1]
    assert any(line.startswith("Table 2: training accuracy is at least the paper's in") for line in lines)
    assert any("(1 comparison fold by fold, 95 % intervals)" in line for line in lines)


def test_remarks_say_what_is_incomplete_in_both_tables() -> None:
    specs = [*table1("NCI1", "wlt"), *table2("NCI1", "wlt")]
    lines = [remarks(table) for table in tables(results([record(spec, 0) for spec in specs]))]
    assert [[line.partition(";")[0] for line in of_table] for of_table in lines] == [
        ["1 of 1 cell incomplete and marked so"],
        ["1 of 1 cell incomplete and marked so"],
    ]


def test_findings_count_whole_cells_alone() -> None:
    """One fold is no figure to hold against ten of the paper's."""
    whole = [record(spec, fold) for name in ("wlt", "gin-sum") for spec in table1("NCI1", name) for fold in range(10)]
    partly = [record(spec, 0) for name in ("wlt", "gin-sum") for spec in table1("PROTEINS", name)]
    partly += [record(*table1("NCI1", "wlt0.5"), fold) for fold in range(9)]
    alone, beside = (results(records) for records in (whole, whole + partly))
    assert findings(tables(alone), {}) == findings(tables(beside), {})
    assert remarks(tables(beside)[0])[-1].startswith("3 of 5 cells incomplete and marked so")


def test_a_page_of_other_datasets_does_not_claim_the_papers_figures(tmp_path: Path) -> None:
    found = results([record(*table1("MUTAG", method), fold) for method in ("wlt", "gin-sum") for fold in range(10)])
    (table,) = tables(found)
    assert not table.of_paper
    text = unescape(page(found))
    assert "WLT-GNN: the paper's protocol on MUTAG" in text
    assert "The paper has no figures for these datasets" in text
    assert "run again" not in text
    assert "next to" not in text
    assert "PROTEINS" not in text
    write_markdown(found, tmp_path / "page.md", Path("runs"))
    assert "run again" not in (tmp_path / "page.md").read_text()
    assert not list(tmp_path.glob("beside-the-paper*"))


def test_the_command_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "my page.md"
    write_markdown(results([record(*table1("NCI1", "wlt"), 0)]), path, Path("my results"))
    assert f"`wlt report 'my results' --markdown '{path}'`" in path.read_text()


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    specs = [Spec("NCI1", "wlt", "WLT", "gggrgg", epochs=epochs, folds=0) for epochs in (4, 5)]
    found = results([record(spec, run) for spec in specs for run in range(2)])
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        write_html(found, folder / "page.html")
        write_markdown(found, folder / "page.md", Path("results"))
    names = sorted(path.name for path in first.iterdir())
    assert names == [
        "page.html",
        "page.md",
        "training-curves-2.pdf",
        "training-curves-2.png",
        "training-curves.pdf",
        "training-curves.png",
    ]
    for name in names:
        ours, theirs = ((folder / name).read_bytes() for folder in (first, second))
        assert ours.replace(b"/1/", b"/2/") == theirs, name
    assert (first / "training-curves.png").read_bytes().startswith(b"\x89PNG")
    assert (first / "training-curves.pdf").read_bytes().startswith(b"%PDF")
    assert "(training-curves.png)" in (first / "page.md").read_text()


def test_reports_import_no_torch() -> None:
    """Tables and plots never start training: they cannot."""
    modules = ", ".join(f"wlt.reproduce.report.{name}" for name in ("page", "plots", "write"))
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
