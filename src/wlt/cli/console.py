"""What the commands say and how: one line for a user's mistake, tables, warnings as lines."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from wlt.wording import printable

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


TimeLimitOption = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.001, help="What exact search may take; then it is undecided.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
JSON_SCHEMA = 1
"""Of the objects that docs/json.md describes. Raise it when a field is renamed, dropped or means something else."""


ARGUMENT = re.compile(
    r"(?<![\w.-])(atoms|budget|device|edge_labels|memory_limit|node_labels|recolor|simple|structure|target|time_limit|trials)="
    r"('[^']*'|\"[^\"]*\"|[\w.]*)"
)
"""An argument of a function, as messages write it, that has an option of the same name."""


class BadInput(Exception):
    """A user's mistake; its message is all that the user needs to see."""


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """Where a command has something to keep: if it is stopped here, the line that says so says what was kept."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        raise KeyboardInterrupt(str(stopped) or what) from None


@contextmanager
def reading_input(what: str = "") -> Iterator[None]:
    """Where a user's input is read and checked: ValueError and TypeError say what is wrong with it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise BadInput(f"{what}{error}") from error


def say(message: str) -> None:
    """One line on stderr."""
    print("wlt:", printable(" ".join(as_options(message).split())), file=sys.stderr)


def as_options(message: str) -> str:
    """A message that speaks of arguments of Python's functions, speaking of the options that are called like them.

    >>> as_options("edge_labels='bond': no edge has it; node_labels='degrees' or simple=True leave it out")
    '--edge-labels bond: no edge has it; --node-labels degrees or --simple leave it out'
    """

    def option(found: re.Match[str]) -> str:
        name, value = f"--{found[1].replace('_', '-')}", found[2].strip("'\"")
        return name if value in ("", "True") else f"{name} {'none' if value == 'None' else value}"

    return re.sub(ARGUMENT, option, message)


@contextmanager
def telling_warnings() -> Iterator[None]:
    """Warnings as lines on stderr, each once."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(message)


def check_writable(path: Path, option: str, *inputs: str | Path) -> None:
    """ValueError, before hours of work, where the file that an option names could not be written, or where writing it
    would destroy one of the inputs, or a table or graph in a folder of inputs."""
    from wlt.io.files import READERS

    folder = path.absolute().parent
    for source in map(Path, inputs):
        of_folder = source.is_dir() and path.suffix.lower() in READERS and source.samefile(folder)
        if path.is_file() and source.exists() and (of_folder or source.samefile(path)):
            raise ValueError(f"{option} {path}: it is read by this command and would be written over")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; {option} names a file")
    if not folder.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {folder}")
    if not all(os.access(place, os.W_OK) for place in (folder, path) if place.exists()):
        raise ValueError(f"{option} {path}: it cannot be written")


def check_new(path: Path, option: str, force: bool) -> None:
    """ValueError where a file would be replaced and nobody said that it may be."""
    if path.is_file() and not force:
        raise ValueError(f"{option} {path}: it exists; --force replaces it")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout. On a narrow terminal its last column is folded; where that is not enough, every row becomes
    some lines. Nothing is ever cut off."""
    cells = [[str(cell) for cell in row] for row in rows]
    width = _width()
    widths = [max(map(_length, column)) for column in zip(columns, *cells, strict=True)]
    last = width - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
    print(*_folded(title, width), "", sep="\n")
    if last >= min(widths[-1], LEAST_FOLDED):
        _print_columns(columns, cells, [*widths[:-1], min(widths[-1], last)])
    else:
        _print_blocks(columns, cells, width)


GAP = "   "
LEAST_FOLDED = 24
"""A column is not folded to less than this."""


def _width() -> int:
    """Columns of the terminal; COLUMNS is believed, and where there is neither, nothing is folded."""
    import shutil

    return shutil.get_terminal_size((NO_TERMINAL, 24)).columns


NO_TERMINAL = 200
"""The width of a file or a pipe, which have none."""


def _print_columns(columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
    lines = [list(columns), ["─" * width for width in widths]] if any(columns) else []
    for row in cells:
        first, *more = _folded(row[-1], widths[-1])
        lines += [[*row[:-1], first], *([""] * (len(widths) - 1) + [line] for line in more)]
    for line in lines:
        padded = (cell + " " * (width - _length(cell)) for cell, width in zip(line, widths, strict=True))
        print(GAP.join(padded).rstrip())
    print()


def _print_blocks(columns: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> None:
    """Every row as some lines: its first cell, and below it the others, each behind the title of its column."""
    for row in cells:
        print(*_folded(row[0] if not columns[0] else f"{columns[0]}: {row[0]}", width), sep="\n")
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell:
                lines = _folded(f"{column}: {cell}" if column else cell, width - 2)
                print(*(f"  {line}" for line in lines), sep="\n")
    print()


def _folded(text: str, width: int) -> list[str]:
    """The lines of a text, folded at blanks where they are longer than this; a word that is longer is broken."""
    import textwrap

    lines = [
        line for each in text.split("\n") for line in textwrap.wrap(each, max(width, 1), break_on_hyphens=False) or [""]
    ]
    return lines or [""]


def _length(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)
