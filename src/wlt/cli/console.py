"""What the commands say and how: one line for a user's mistake, tables, warnings as lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


TimeLimitOption = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.001, help="What exact search may take; then it is undecided.")
]
RayOption = Annotated[
    str | None, typer.Option("--ray", metavar="ADDRESS", help="Work on a Ray cluster, such as auto or host:6379.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
JSON_SCHEMA = 1
"""Of the objects that docs/json.md describes. Raise it when a field is renamed, dropped or means something else."""


class BadInput(Exception):
    """A user's mistake; its message is all that the user needs to see."""


@contextmanager
def reading_input(what: str = "") -> Iterator[None]:
    """Where a user's input is read and checked: ValueError and TypeError say what is wrong with it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise BadInput(f"{what}{error}") from error


def say(message: str) -> None:
    """One line on stderr."""
    print("wlt:", " ".join(message.split()), file=sys.stderr)


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
    if path.exists() and not force:
        raise ValueError(f"{option} {path}: it exists; --force replaces it")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; only its last column may be folded."""
    import rich.box
    import rich.console
    import rich.table

    table = rich.table.Table(*columns, title=title, title_justify="left", box=rich.box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row in rows:
        table.add_row(*map(str, row))
    width = None if sys.stdout.isatty() else 200  # a file or a pipe has no width: nothing is cut off
    rich.console.Console(markup=False, highlight=False, width=width).print(table)
