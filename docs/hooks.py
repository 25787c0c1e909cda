"""What mkdocs does besides: it runs every page, adds the files that pages write, takes in pages from other folders of
the repository, and checks every link of the finished site."""

from __future__ import annotations

import os
import posixpath
import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))

from pages import PageError, pages, run_page  # noqa: E402

ELSEWHERE = {
    "README.md": "index.md",
    "results/README.md": "reproduction/tables.md",
    "benchmarks/README.md": "benchmarks.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Pages of the repository that are not in docs/, and their places in the site."""
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
SHOWN = (".svg", ".png", ".html", ".csv")
"""Files of a page that are added to the site."""


def on_files(files: Files, config: Any) -> Files:
    for source, place in ELSEWHERE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text("utf-8")))
    for figure in sorted((ROOT / "results").glob("*.p[nd][gf]")):
        files.append(File.generated(config, f"reproduction/{figure.name}", abs_src_path=str(figure)))
    for name, path in pages().items():
        for file, content in _written_by(path).items():
            place = posixpath.join(posixpath.dirname(name), file)
            if any(each.dest_uri == place for each in files):
                raise PluginError(f"docs/{name} writes {file}, which is the name of another file of the site")
            files.append(File.generated(config, place, content=content))
    return files


def _written_by(path: Path) -> dict[str, bytes]:
    """The files that a page writes when it is run."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run_page(path, Path(folder))
        except PageError as error:
            raise PluginError(f"{path.relative_to(ROOT)} says what is not so:\n{error}") from None
        found = [file for file in sorted(Path(folder).iterdir()) if file.suffix in SHOWN]
        return {file.name: file.read_bytes() for file in found}


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links as they work in the repository become links as they work in the site."""
    place = page.file.src_uri
    source = next((source for source, to in ELSEWHERE.items() if to == place), f"docs/{place}")

    def moved(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if urlsplit(target).scheme:
            return match[0]
        repository = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if repository.startswith("results/") and not repository.endswith(".md"):
            to = f"reproduction/{posixpath.basename(repository)}"
        else:
            to = ELSEWHERE.get(repository, repository.removeprefix("docs/"))
        return posixpath.relpath(to, posixpath.dirname(place) or ".") + anchor

    return LINK.sub(moved, markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The theme would load what search needs on a disk from another host; docs/from-disk.js does it."""
    own = posixpath.relpath("from-disk.js", posixpath.dirname(page.file.src_uri) or ".")
    return output.replace("https://unpkg.com/iframe-worker/shim", own)


class _Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.places: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.places |= {value for value in (values.get("id"), values.get("name")) if value}
        source = values.get("src") or (values.get("href") if tag == "link" else None)
        if source and values.get("rel") != "canonical":
            self.loads.add(source)
        if tag == "a" and values.get("href"):
            self.links.add(values["href"] or "")


def on_post_build(config: Any) -> None:
    site = Path(config["site_dir"])
    (site / "404.html").unlink()  # for a server with an address of its own; this site has none
    if problems := dead_links(site):
        raise PluginError("links that lead nowhere:\n" + "\n".join(problems))


def dead_links(site: Path) -> list[str]:
    """Links to files or places that are not there, and whatever a page would load from another host."""
    read: dict[Path, _Links] = {}
    for path in sorted(site.rglob("*.html")):
        read[path] = _Links()
        read[path].feed(path.read_text("utf-8"))
    problems = []
    for path, found in read.items():
        for link in sorted(found.links | found.loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in found.loads and parts.scheme != "data":
                    problems.append(f"{path.relative_to(site)} loads {link} from another host")
                continue
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            places = read[target].places if target in read else {parts.fragment}
            if not target.exists() or (unquote(parts.fragment) not in places and parts.fragment not in ("top",)):
                problems.append(f"{path.relative_to(site)}: {link}")
    return problems
