"""The screenshots of the guides: `python docs/screenshots.py` writes them to docs/pictures/ (needs chromium)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import networkx as nx
from playwright.sync_api import sync_playwright

import wlt

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    graph = wlt.as_graph(nx.petersen_graph())
    page = Path(tempfile.mkdtemp()) / "explorer.html"
    wlt.explore(graph, graph.relabel([3, 7, 1, 9, 0, 5, 8, 2, 6, 4]), titles=("Petersen", "a copy")).save(page)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, width, scheme in (("explorer-wide", 1200, "light"), ("explorer-phone", 400, "dark")):
            tab = browser.new_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
            tab.goto(page.as_uri())
            for _ in range(3):
                tab.keyboard.press("ArrowRight")
            tab.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
