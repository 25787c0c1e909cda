"""The page of an audit: its numbers are the audit's, and the graphs that it shows are what it says they are."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import wlt
from browser import browser, watched
from wlt.auditing.page import MOST_SHOWN, _alike, _contradicting, _groups, audit_page
from wlt.cli import main

HEXAGON, TRIANGLES = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


def small_set() -> wlt.Graphs:
    """A hexagon and two triangles, which WL cannot tell apart, and two copies of a path with different labels."""
    path = nx.path_graph(4)
    return wlt.as_graphs([HEXAGON, TRIANGLES, path, nx.relabel_nodes(path, {0: 2, 2: 0}), path], [0, 1, 0, 1, 0])


def page_of(graphs: wlt.Graphs) -> tuple[str, wlt.Audit]:
    audit = wlt.audit(graphs, folds=2)
    return audit_page(graphs, audit), audit


def test_the_page_has_the_numbers_of_the_audit() -> None:
    page, audit = page_of(small_set())
    for bound in audit.bounds.values():
        assert f"{bound.ceiling:.2f} %" in page
    assert audit.conclusion.replace('"', "&quot;").replace("'", "&#x27;") in page
    widths = [float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)%"', page)]
    shown = ("wl_rounds", "wl", "wlt_one_draw", "wlt_all", "wlt_nodes", "wlt", "isomorphism")
    ceilings = [audit.bounds[name].ceiling for name in shown]
    assert widths == [60.0, *(round(ceiling, 2) for ceiling in ceilings if ceiling is not None)]


def test_the_pairs_are_what_their_titles_say() -> None:
    random = np.random.default_rng(0)
    atlas = nx.graph_atlas_g()
    sources = [HEXAGON, TRIANGLES, *(atlas[i] for i in random.integers(1, 200, 60))]
    graphs = wlt.as_graphs(sources, random.integers(0, 3, len(sources)))
    audit, labels = wlt.audit(graphs, folds=2), graphs.class_numbers
    contradicting = list(_contradicting(audit.isomorphism_classes, labels))
    assert contradicting
    for left, right in contradicting:
        assert nx.is_isomorphic(sources[left], sources[right])
        assert labels[left] != labels[right]
    alike = _alike(audit.wl_classes, audit.isomorphism_classes, labels)
    assert alike
    for left, right in alike:
        assert not nx.is_isomorphic(sources[left], sources[right])
        assert wlt.wl_test(sources[left], sources[right]).verdict is wlt.Verdict.POSSIBLY_ISOMORPHIC
    groups = _groups(audit.isomorphism_classes)
    assert [len(group) for group in groups] == sorted((len(group) for group in groups), reverse=True)
    assert sum(len(group) - 1 for group in groups) == audit.copies.duplicates


def test_without_labels_there_are_no_contradictions_and_no_bars() -> None:
    page, _ = page_of(wlt.as_graphs([HEXAGON, TRIANGLES, HEXAGON]))
    assert "Copies with different labels" not in page
    assert 'class="bar"' not in page
    assert "Graphs that WL cannot tell apart" in page
    assert "Isomorphic copies" in page


def test_a_set_without_copies_says_nothing_about_them() -> None:
    page, _ = page_of(wlt.as_graphs([nx.path_graph(3), nx.cycle_graph(3)], [0, 1]))
    assert "<h2>Isomorphic copies" not in page
    assert "<h2>Graphs that WL" not in page


def test_many_groups_are_counted_and_large_graphs_not_drawn() -> None:
    twice = [nx.path_graph(n) for n in range(2, 12)] * 2 + [nx.path_graph(300)] * 3
    page, _ = page_of(wlt.as_graphs(twice))
    assert f"{MOST_SHOWN} of 11 groups are shown." in page
    assert "300 nodes: too large to be drawn" in page


@pytest.mark.skipif(not find_spec("rdkit"), reason="rdkit is not installed: pip install 'wlt[mol]'")
def test_molecules_are_drawn_as_chemists_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["CCO,1", "OCC,0", "C1CCC2CCCCC2C1,0", "C1CCCC1C1CCCC1,1", "c1ccccc1,0", "CCO,1"]
    (tmp_path / "set.csv").write_text("smiles,y\n" + "\n".join(rows) + "\n")
    page = tmp_path / "page.html"
    options = ["--target", "y", "--atoms", "element", "--folds", "2", "--html", str(page), "--json"]
    with pytest.raises(SystemExit) as ended:
        main(["audit", str(tmp_path / "set.csv"), *options])
    assert not ended.value.code
    said = capsys.readouterr()
    assert json.loads(said.out)["contradictions"] == 3
    assert str(page) in said.err
    content = page.read_text("utf-8")
    assert content.count('<svg class="wlt-molecule"') == 5  # ethanol twice, decalin, bicyclopentyl; ethanol's copies
    with pytest.raises(SystemExit):
        main(["audit", str(tmp_path / "set.csv"), "--html", str(page)])
    assert page.read_text("utf-8").count('<svg class="wlt-molecule"') == 1  # rings tell decalin and bicyclopentyl apart
    assert set(re.findall(r"https?://[\w./-]+", content)) <= {  # names of formats, which nobody asks for anything
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://www.rdkit.org/xml",
    }


def test_a_page_that_cannot_be_written_is_said_before_the_work(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["audit", "--fullerenes", "--html", str(tmp_path / "none" / "page.html")])
    assert ended.value.code == 2
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("width", [1200, 400])
def test_a_link_leads_to_the_explorer_of_the_pair(width: int, tmp_path: Path) -> None:
    graphs = small_set()
    (tmp_path / "page.html").write_text(page_of(graphs)[0], "utf-8")
    with browser() as opened, watched(opened, viewport={"width": width, "height": 900}) as page:
        page.goto((tmp_path / "page.html").as_uri())
        assert page.locator(".explorer:visible").count() == 0
        page.click("a[href='#alike-1']")
        explorer = page.locator("#alike-1 .explorer[data-step='0']")
        explorer.wait_for()
        assert page.locator(".explorer:visible").count() == 1
        page.keyboard.press("End")
        title = page.locator("#alike-1 h2.title")
        assert title.text_content() == "The graphs are non-isomorphic"
        page.click("a[href='#contradicting-1']")
        page.locator("#contradicting-1 .explorer[data-step]").wait_for()
        page.keyboard.press("End")
        assert page.locator("#contradicting-1 h2.title").text_content() == "The graphs are isomorphic"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
