"""The documentation site in a real browser, read from a disk as `make docs` leaves it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import browser, watched

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
PAGES = (
    "index",
    "start",
    "guides/compare",
    "guides/audit",
    "guides/classify",
    "how/class-rows",
    "api/compare",
    "benchmarks",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="no mkdocs here: pip install 'wlt[docs]'")
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_and_ask_no_host(name: str, width: int, scheme: str, site: Path, chromium: Any) -> None:
    with watched(chromium, viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        assert page.evaluate("document.body.dataset.mdColorScheme") == ("default" if scheme == "light" else "slate")


def test_the_explorer_works_inside_a_page(site: Path, chromium: Any) -> None:
    with watched(chromium, viewport={"width": 1200, "height": 900}) as page:
        page.goto((site / "start.html").as_uri())
        frame = page.frame_locator("iframe[title='The explorer']")
        frame.locator("[data-go=last]").click()
        assert frame.locator("h2.title").text_content() == "The graphs are non-isomorphic"


def test_search_works_from_a_disk(site: Path, chromium: Any) -> None:
    with watched(chromium, viewport={"width": 1300, "height": 900}) as page:
        page.goto((site / "index.html").as_uri())
        page.fill("input.md-search__input", "tinhofer_test")
        page.wait_for_selector(".md-search-result__item a")
        assert "api/compare.html" in page.locator(".md-search-result__item a").first.get_attribute("href")


def test_a_link_that_leads_nowhere_is_found(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    from hooks import dead_links

    assert dead_links(site) == []
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html">x</a><a href="#here">x</a><a href="#there">x</a><a href="https://example.org">x</a>'
        '<script src="https://example.org/x.js"></script><img src="data:,">'
    )
    assert dead_links(tmp_path) == [
        "a.html: #there",
        "a.html: b.html",
        "a.html loads https://example.org/x.js from another host",
    ]
