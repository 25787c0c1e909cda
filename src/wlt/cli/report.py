"""`wlt report`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from wlt.cli.console import BadInput, keeping, print_table


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Results of wlt reproduce, or of wlt export-runs.")],
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the page here.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write tables and figures here.")] = None,
) -> None:
    """Write tables and curves of stored runs as a page and as Markdown, by default into DIR. Nothing is trained."""
    from wlt.reproduce.report.summary import findings
    from wlt.reproduce.report.tables import tables
    from wlt.reproduce.report.text import as_text
    from wlt.reproduce.report.write import write_html, write_markdown
    from wlt.reproduce.store import StoreError
    from wlt.reproduce.textform import read_any

    if html is None and markdown is None:
        html, markdown = folder / "report.html", folder / "report.md"
    for path in (html, markdown):
        if path is not None and path.is_dir():  # "" is the current folder
            raise BadInput(f"{path} is a folder; name the file to write")
    try:
        results = read_any(folder)
    except StoreError as error:
        raise BadInput(str(error)) from error
    if not results.records:
        raise BadInput(f"{folder}: no run has finished in this folder yet")
    written: list[Path] = []
    if html is not None:
        with _writing(html, written):
            written.append(write_html(results, html))
    if markdown is not None:
        with _writing(markdown, written), keeping(f"{markdown} is as it was, its figures may be new"):
            written += write_markdown(results, markdown, folder)
    with keeping(_named(written)):
        all_tables = tables(results)
        for table in all_tables:
            text = as_text(table, results.datasets)
            print_table(text.title, text.head, text.rows)
        for line in findings(all_tables, results.datasets):
            print(line)
        print(_named(written))


def _named(written: list[Path]) -> str:
    return f"Written: {', '.join(map(str, written))}" if written else ""


@contextmanager
def _writing(path: Path, written: list[Path]) -> Iterator[None]:
    """Report a file that cannot be written as one line, with the name that the user gave."""
    try:
        with keeping(_named(written)):
            yield
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
