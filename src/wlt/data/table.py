"""Tables (CSV) with a graph in every row: what can be read of them, and why the rest cannot."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graphs import DataError
from wlt.io.colored import ColoredGraphs
from wlt.wording import count

MISSING = ("", "nan", "na", "n/a", "#n/a", "null")
"""Cells, in small letters, that say that there is no label. "none" may well be the name of a class."""


class Unreadable(NamedTuple):
    """A row that gives no graph, or no label."""

    line: int
    """In the file, counted from 1."""
    text: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text[:60]!r}: {self.reason}"


@dataclass(frozen=True)
class Table:
    """A CSV file as text."""

    path: Path
    columns: list[str]
    rows: list[list[str]]
    lines: list[int]
    """The line in the file where each row begins."""

    def column(self, name: str) -> int:
        """Which column has this name; the message lists those that there are."""
        if name not in self.columns:
            there = ", ".join(map(repr, self.columns))
            raise DataError(f"{self.path}: no column {name!r}; there are: {there}")
        return self.columns.index(name)

    def find(self, *names: str) -> int | None:
        """The first column with one of these names, in capital or small letters."""
        lower = [column.lower() for column in self.columns]
        return next((lower.index(name) for name in names if name in lower), None)


@dataclass(frozen=True)
class Records:
    """The graphs of a table's rows: those that can be used, in the order of the rows, and why the others cannot."""

    table: Table
    graphs: ColoredGraphs
    rows: NDArray[np.int64]  # [graphs] the row of each graph
    labels: NDArray[Any] | None  # [graphs] if a target was asked for
    unreadable: list[Unreadable]
    unlisted: tuple[str, ...] = ()
    """Graph files beside the table that it does not name."""


def read_table(path: str | os.PathLike[str]) -> Table:
    """A CSV file with a first line of column names, and commas, semicolons or tabs, what that line has most of."""
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: byte {error.start} is no UTF-8 text; is this a CSV file?") from None
    if not text.strip():
        raise DataError(f"{file}: the file is empty")
    if "\0" in text:
        raise DataError(f"{file}: a zero byte; is this a CSV file?")
    first = text.lstrip("\r\n").split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        before = 0
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise DataError(f"{file}, line {reader.line_num}: not readable as CSV: {error}") from None
    if not rows:
        raise DataError(f"{file}: nothing but empty cells")
    columns = rows[0]
    repeated = sorted({name for name in columns if columns.count(name) > 1})
    if repeated:
        raise DataError(f"{file}: two columns are named {repeated[0]!r}")
    if len(rows) == 1:
        raise DataError(f"{file}: no rows below the names of the columns ({', '.join(columns)})")
    return Table(file, columns, rows[1:], lines[1:])


def usable_rows(table: Table, key: int, target: str | None) -> tuple[list[int], NDArray[Any] | None, list[Unreadable]]:
    """The rows that have as many cells as the table has columns, a key and, if there is a target, a label.

    Labels become whole numbers where all of them are written as such, and are strings otherwise."""
    column = None if target is None else table.column(target)
    if column == key:
        raise DataError(f"{table.path}: column {target!r} holds the graphs; the target is another column")
    usable: list[int] = []
    unreadable: list[Unreadable] = []
    width = len(table.columns)
    for i, (row, line) in enumerate(zip(table.rows, table.lines, strict=True)):
        if len(row) != width:
            cells = f"{count(len(row), 'cell')}, but there are {count(width, 'column')}"
            unreadable.append(Unreadable(line, ",".join(row), cells))
        elif not row[key]:
            unreadable.append(Unreadable(line, "", f"nothing in column {table.columns[key]!r}"))
        elif column is not None and row[column].lower() in MISSING:
            unreadable.append(Unreadable(line, row[key], f"no label in column {target!r}"))
        else:
            usable.append(i)
    if column is None:
        return usable, None, unreadable
    labels = [table.rows[i][column] for i in usable]
    whole = all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", label) for label in labels)
    return usable, np.array(labels, np.int64 if whole else None), unreadable


def records(
    table: Table,
    graphs: ColoredGraphs | None,
    rows: list[int],
    labels: NDArray[Any] | None,
    read: list[bool],
    unreadable: list[Unreadable],
    unlisted: Iterable[str] = (),
) -> Records:
    """Records of the rows of which a graph could be read; an error if there is none."""
    unreadable = sorted(unreadable)
    if graphs is None:
        more = "" if len(unreadable) == 1 else f", and {len(unreadable) - 1} more"
        raise DataError(f"{table.path}: no row can be used: {unreadable[0]}{more}")
    kept = np.flatnonzero(read)
    kept_labels = None if labels is None else labels[kept]
    return Records(table, graphs, np.array(rows)[kept], kept_labels, unreadable, tuple(unlisted))
