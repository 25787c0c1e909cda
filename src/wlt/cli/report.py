"""`wlt report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wlt.cli.console import BadInput, print_table


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Results of wlt reproduce, or of wlt export-runs.")],
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the page here.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write tables and figure here.")] = None,
) -> None:
    """Tables and curves of stored runs: a page and Markdown, in DIR unless told where. Nothing is trained."""
    from wlt.report.page import summary
    from wlt.report.tables import as_text, tables
    from wlt.report.write import write_html, write_markdown
    from wlt.train.store import StoreError
    from wlt.train.textform import read_any

    try:
        results = read_any(folder)
        if not results.records:
            raise StoreError(f"{folder}: no run has finished there yet")
        if html is None and markdown is None:
            html, markdown = folder / "report.html", folder / "report.md"
        written = [write_html(results, html)] if html else []
        written += write_markdown(results, markdown, folder) if markdown else []
    except StoreError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be written: {error.strerror}") from error
    found = tables(results)
    for table in found:
        text = as_text(table, results.datasets)
        print_table(text.title, text.head, text.rows)
    for line in summary(found):
        print(line)
    print("Written:", ", ".join(str(path) for path in written))
