"""Tables (CSV) with a graph in every row: what can be read of them, and why the rest cannot."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graphs import DataError, Graphs
from wlt.io.content import file_bytes, suffix_of
from wlt.io.text import decoded
from wlt.table import Table, Unreadable
from wlt.wording import count, listed, shortened

MISSING = ("", "nan", "na", "n/a", "#n/a", "null")
"""Cells, in small letters, that say that there is no label. "none" may well be the name of a class."""


SMILES_LISTS = (".smi", ".smiles")


def read_table(path: str | os.PathLike[str], suffix: str = "") -> Table:
    """A CSV file with a first line of column names, and commas, semicolons or tabs, what that line has most of.

    A .smi or .smiles file has no such line, and a SMILES on each line, behind which a name may stand. suffix: the
    format, where the name of the file does not tell."""
    file = Path(path)
    try:
        data = file_bytes(file)
    except ValueError as error:
        raise DataError(str(error)) from None
    try:
        text = decoded(data)
    except ValueError as error:
        raise DataError(f"{file}, {error}") from None
    if not text.strip():
        raise DataError(f"{file}: the file is empty")
    if (suffix or suffix_of(file)) in SMILES_LISTS:
        return _smiles_list(file, text)
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
        raise DataError(f"{file}: two columns are named {shortened(repr(repeated[0]))}")
    if len(rows) == 1:
        raise DataError(f"{file}: no rows below the names of the columns ({shortened(', '.join(columns), 200)})")
    return Table(file, columns, rows[1:], lines[1:])


def _smiles_list(file: Path, text: str) -> Table:
    lines = [(number, line.split(None, 1)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if lines[0][1][0].lower() == "smiles":  # a title
        lines = lines[1:]
    rows = [[*cells, ""][:2] for _, cells in lines]
    if not rows:
        raise DataError(f"{file}: no SMILES in this file")
    return Table(file, ["smiles", "name"], [[cell.strip() for cell in row] for row in rows], [n for n, _ in lines])


def column(columns: Sequence[str], name: str, path: str | os.PathLike[str]) -> int:
    """Which column has this name; the message lists those that there are."""
    if name not in columns:
        raise DataError(f"{path}: no column {name!r}; there are: {listed(columns, 30)}")
    return columns.index(name)


def find_column(columns: Sequence[str], *names: str) -> int | None:
    """The first column with one of these names, in capital or small letters."""
    lower = [name.lower() for name in columns]
    return next((lower.index(name) for name in names if name in lower), None)


Target = str | Sequence[str]
"""The column, or the columns, with what is to be predicted."""
NUMBER = re.compile(r"[-+]?(((0|[1-9]\d{0,17})(\.\d*)?|\.\d+)(e[-+]?\d+)?|inf(inity)?)", re.IGNORECASE)
"""Not 007, nor the digits of a long name."""


class Rows(NamedTuple):
    """The rows of a table that have a key and, if a target was asked for, a label; and why the others have not."""

    numbers: list[int]
    keys: list[str]
    labels: NDArray[Any] | None
    label_names: tuple[str, ...]
    unreadable: list[Unreadable]


def usable_rows(table: Table, key: int, target: Target | None) -> Rows:
    """The rows that have as many cells as the table has columns, a key and, if there is a target, a label.

    Labels become numbers where all of them are written as such, and are strings otherwise. Several targets are columns
    of numbers, [rows, columns], with NaN in their gaps; a row needs a value in one of them."""
    names = (target,) if isinstance(target, str) else tuple(target or ())
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise DataError(f"{table.path}: the target {repeated[0]!r} is named twice")
    columns = [column(table.columns, name, table.path) for name in names]
    if key in columns:
        raise DataError(f"{table.path}: column {table.columns[key]!r} holds the graphs; the target is another column")
    usable: list[int] = []
    unreadable: list[Unreadable] = []
    width = len(table.columns)
    lacking = f"no label in column {names[0]!r}" if len(names) == 1 else "no value in any of the target columns"
    for i, (row, line) in enumerate(zip(table.rows, table.lines, strict=True)):
        if len(row) != width:
            cells = f"{count(len(row), 'cell')}, but there are {count(width, 'column')}"
            unreadable.append(Unreadable(line, ",".join(row), cells))
        elif not row[key]:
            unreadable.append(Unreadable(line, "", f"nothing in column {table.columns[key]!r}"))
        elif names and all(row[place].lower() in MISSING for place in columns):
            unreadable.append(Unreadable(line, row[key], lacking))
        else:
            usable.append(i)
    keys = [table.rows[i][key] for i in usable]
    labels = None
    if len(names) == 1:
        labels = as_numbers([table.rows[i][columns[0]] for i in usable])
    elif names:
        labels = np.array([[_cell(table, i, place) for place in columns] for i in usable]).reshape(-1, len(columns))
    return Rows(usable, keys, labels, names, unreadable)


def as_numbers(words: list[str]) -> NDArray[Any]:
    """Whole numbers, other numbers, or strings: what all of these are."""
    if all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", word) for word in words):
        return np.array(words, np.int64)
    return np.array(words, np.float64 if all(map(NUMBER.fullmatch, words)) else None)


def _cell(table: Table, row: int, place: int) -> float:
    word = table.rows[row][place]
    if word.lower() in MISSING:
        return np.nan
    if not NUMBER.fullmatch(word):
        raise DataError(
            f"{table.path.name}, line {table.lines[row]}: {word[:60]!r} in column {table.columns[place]!r} is no "
            "number; several targets are columns of numbers, or of 0 and 1, with empty cells for what is not known"
        )
    return float(word)


def graphs_of_rows(
    table: Table, rows: Rows, graphs: Graphs | None, reasons: Sequence[str], unlisted: Sequence[str] = ()
) -> Graphs:
    """The graphs with the labels and places of their rows; an error if there is none.

    graphs: of the rows whose reason is empty, in their order. reasons: why a row gave no graph, one for each of `rows`.
    """
    bad = [
        Unreadable(table.lines[row], text, reason)
        for row, text, reason in zip(rows.numbers, rows.keys, reasons, strict=True)
        if reason
    ]
    unreadable = sorted(rows.unreadable + bad)
    if graphs is None:
        more = "" if len(unreadable) == 1 else f", and {len(unreadable) - 1} more"
        row = "file" if table.path.is_dir() else "row"
        raise DataError(f"{table.path}: no {row} can be used: {unreadable[0]}{more}")
    kept = [i for i, reason in enumerate(reasons) if not reason]
    used = tuple(rows.numbers[i] for i in kept)
    return replace(
        graphs,
        targets=None if rows.labels is None else rows.labels[kept],
        target_names=rows.label_names,
        names=tuple(map(table.place, used)),
        name=table.path.name,
        table=replace(table, used=used, unreadable=tuple(unreadable), unlisted=tuple(unlisted)),
    )
