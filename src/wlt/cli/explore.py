"""`wlt explore`."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

import wlt
from wlt.cli.argument import (
    EdgeLabelsOption,
    FirstGraph,
    NodeLabelsOption,
    SeedOption,
    SimpleOption,
    read_argument,
    shortened,
)
from wlt.cli.console import check_writable, keeping, reading_input

OtherGraph = Annotated[str | None, typer.Argument(metavar="H", help="Another one, to compare.", show_default=False)]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Where to write the page; by default a temporary file.")
]


def explore(
    g: FirstGraph,
    h: OtherGraph = None,
    html: HtmlOption = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only write the page; open no browser.")] = False,
    seed: SeedOption = 0,
    node_labels: NodeLabelsOption = None,
    edge_labels: EdgeLabelsOption = None,
    simple: SimpleOption = False,
) -> None:
    """Watch color refinement: a page that steps through every WL round, and with two graphs through every recoloring of
    Tinhofer's algorithm."""
    arguments = [g] if h is None else [g, h]
    if html is not None:
        with reading_input():
            check_writable(html, "--html", *(argument for argument in arguments if Path(argument).exists()))
    sources = [read_argument(argument) for argument in arguments]
    titles = tuple(shortened(Path(argument).name) for argument in arguments)
    with reading_input(" and ".join(map(shortened, arguments)) + ": "):
        explorer = wlt.explore(
            *sources,
            node_labels=node_labels,
            edge_labels=edge_labels or "auto",
            simple=simple,
            seed=seed,
            titles=titles,
        )
    path = html or Path(tempfile.mkdtemp(prefix="wlt-")) / "explore.html"
    explorer.save(path)
    with keeping(f"{path.resolve()} is complete"):
        print(f"{path.resolve()}: open it in any browser")
        if not no_open:
            webbrowser.open(path.resolve().as_uri())
