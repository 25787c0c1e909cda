"""`make demo`, whole: its page in a browser, and what the front page says about it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wlt
from browser import browser, watched
from wlt.data import fullerenes

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What it prints, and its folder."""
    folder = tmp_path_factory.mktemp("demo")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(ROOT / "examples" / "demo.py")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder / "demo"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.mark.slow
def test_it_says_where_the_page_is(demo: tuple[str, Path]) -> None:
    printed, folder = demo
    assert f"Open this page: {folder.resolve() / 'index.html'}" in printed
    assert (folder / "fullerenes.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_front_page_says_what_it_finds(demo: tuple[str, Path]) -> None:
    found = {
        name.strip(): float(test)
        for name, test in re.findall(r"^(GIN-0|WLT-GNN, all nodes of the class) +[\d.]+ +([\d.]+) ", demo[0], re.M)
    }
    front_page = (ROOT / "README.md").read_text("utf-8")
    told = re.search(r"GIN stays at ([\d.]+) %.*?WLT-GNN reaches (\d+) %", front_page, re.DOTALL)
    assert told is not None
    np.testing.assert_allclose(list(found.values()), [float(told[1]), float(told[2])], atol=3)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_the_page(width: int, scheme: str, demo: tuple[str, Path], chromium: Any) -> None:
    with watched(chromium, viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        page.goto((demo[1] / "index.html").as_uri())
        page.keyboard.press("End")
        assert page.locator(".explorer h2.title").text_content() == "The graphs are non-isomorphic"
        assert page.locator(".row figure svg").count() == 6
        assert page.locator(".chart svg").bounding_box()["width"] > 250
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_fullerenes_are_drawn_without_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    from demo_page import pentagons, schlegel

    for graph in list(fullerenes().union)[:40:8]:
        assert pentagons(graph).sum() == 60  # twelve pentagons
        points = schlegel(graph)
        edges = graph.edges()
        ends = points[edges]
        for i, (p, q) in enumerate(ends):
            others = [j for j in range(i + 1, len(edges)) if not set(edges[i]) & set(edges[j])]
            r, s = ends[others].transpose(1, 0, 2)
            assert not ((_left(p, q, r) != _left(p, q, s)) & (_left(r, s, p) != _left(r, s, q))).any()
        assert wlt.draw(graph, positions=points).svg


def _left(a: Any, b: Any, c: Any) -> Any:
    """Is c to the left of the line from a to b?"""
    one, other = np.broadcast_arrays(b - a, c - a)
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0] > 0
