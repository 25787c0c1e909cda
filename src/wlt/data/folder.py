"""A folder of graph files, one graph each, with a table (CSV) of their labels."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any

from wlt.data.table import Target, find_column, graphs_of_rows, read_table, usable_rows
from wlt.graphs import DataError, Graphs
from wlt.io import as_graphs, read_source
from wlt.io.files import READERS
from wlt.table import Table

FILE_COLUMNS = ("file", "filename", "path", "graph", "name", "id")
"""A column with one of these names says which file a row is about."""


def read_folder(
    path: str | os.PathLike[str],
    target: Target | None = None,
    *,
    node_labels: str = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> Graphs:
    """The graphs of a folder's files and, with a `target`, the labels in that column of the folder's table.

    The table is the CSV file with a column called file (or filename, path, graph, name, id), in which the files stand
    as they are named, with or without the suffix; labels.csv if there are several. Without a target there may be no
    table: then all files are read, in the order of their names. Formats are those of `wlt.read_graph`; node_labels
    names a node attribute of .graphml and .gml files, edge_labels and simple are those of `wlt.read_graph`. The
    result's `table` says what cannot be used and why (`unreadable`), and which graph files it does not name
    (`unlisted`)."""
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder")
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    table = _table(folder, files, target)
    if table is None:
        names = [str(file.relative_to(folder)) for file in files]
        table = Table(folder, ["file"], [[name] for name in names], list(range(1, len(names) + 1)))
        if not names:
            raise DataError(f"{folder}: no files in this folder")
    key = find_column(table.columns, *FILE_COLUMNS)
    assert key is not None
    rows = usable_rows(table, key, target)
    by_name = _by_name(folder, files)
    alone = node_labels if node_labels not in ("auto", "degrees") else "degrees"
    sources: list[Any] = []
    reasons: list[str] = []
    for name in rows.keys:
        try:
            source = read_source(_file(name, by_name))
            as_graphs([source], node_labels=alone, edge_labels=edge_labels, simple=simple, empty=False)
        except (ValueError, TypeError) as error:
            reasons.append(str(error).replace("graph 0", "the graph"))
        else:
            sources.append(source)
            reasons.append("")
    graphs = None
    if sources:
        graphs = as_graphs(sources, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    named = {file for row in table.rows for file in _files(row[key] if key < len(row) else "", by_name)}
    unlisted = [file for file in files if file not in named and file != table.path and file.suffix.lower() in READERS]
    unlisted_names = [file.relative_to(folder).as_posix() for file in unlisted]
    return replace(graphs_of_rows(table, rows, graphs, reasons, unlisted_names), name=folder.resolve().name)


def table_of_folder(path: str | os.PathLike[str]) -> Table | None:
    """The folder's table of labels, if there is one."""
    folder = Path(path)
    return _table(folder, sorted(file for file in folder.glob("*") if file.is_file()), None)


def _table(folder: Path, files: list[Path], target: Target | None) -> Table | None:
    """The folder's table of labels; None if there is none and none is needed."""
    csvs = [file for file in files if file.suffix.lower() in (".csv", ".tsv") and file.parent == folder]
    tables = [file for file in csvs if names_files(file)]
    if len(tables) > 1:
        tables = [file for file in tables if file.stem.lower() == "labels"] or tables
    if len(tables) > 1:
        raise DataError(f"{folder}: several tables, {', '.join(file.name for file in tables)}; call one labels.csv")
    if tables:
        return read_table(tables[0])
    if target is not None:
        known = ", ".join(FILE_COLUMNS)
        where = f" in {csvs[0].name}" if len(csvs) == 1 else ""
        raise DataError(f"{folder}: no CSV file of labels with a column that names the files{where} (one of: {known})")
    return None


def names_files(file: Path) -> bool:
    """Has the table a column that names files? An edge list has not."""
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as opened:
            first = opened.readline()
    except OSError as error:
        raise DataError(f"{file}: {error.strerror or error}") from None
    cells = next(csv.reader([first], delimiter=max(",;\t", key=first.count)), [])
    return any(cell.strip().lower() in FILE_COLUMNS for cell in cells)


def _by_name(folder: Path, files: list[Path]) -> dict[str, list[Path]]:
    """Files by the names that a table may give them: the whole name, or that without the suffix."""
    by_name = defaultdict(list)
    for file in files:
        by_name[file.relative_to(folder).with_suffix("").as_posix()].append(file)
    for file in files:
        by_name[file.relative_to(folder).as_posix()] = [file]
    return by_name


def _files(name: str, by_name: dict[str, list[Path]]) -> list[Path]:
    return by_name.get(name.replace("\\", "/").removeprefix("./"), [])


def _file(name: str, by_name: dict[str, list[Path]]) -> Path:
    files = _files(name, by_name)
    if len(files) != 1:
        several = ", ".join(file.name for file in files)
        raise ValueError(f"several files have this name: {several}" if files else "no such file in the folder")
    return files[0]
