"""Table: a spreadsheet as text, and which of its rows are graphs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Unreadable(NamedTuple):
    """A row of which there is no graph, or no label."""

    line: int
    """In the file, counted from 1."""
    text: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text[:60]!r}: {self.reason}"


@dataclass(frozen=True)
class Table:
    """A table as text, all rows in their order; those that gave graphs, and why the others did not."""

    path: Path
    columns: list[str]
    rows: list[list[str]]
    lines: list[int]
    """The line in the file where each row begins."""
    used: tuple[int, ...] = ()
    """The row of each graph."""
    unreadable: tuple[Unreadable, ...] = ()
    unlisted: tuple[str, ...] = ()
    """Graph files beside the table that it does not name."""

    def __repr__(self) -> str:
        columns = f"columns {', '.join(map(repr, self.columns[:8]))}{', ...' if len(self.columns) > 8 else ''}"
        return f"Table({self.path.name}: {len(self.rows)} rows, {len(self.unreadable)} unreadable; {columns})"

    def place(self, row: int) -> str:
        """What messages call a row. Of a folder without a table the rows are its files."""
        if self.path.is_dir():
            return self.rows[row][0]
        return f"{self.path.name}, line {self.lines[row]} ({', '.join(self.rows[row])[:60]})"
