"""Files of any size, line by line: no more of a file is in memory than the line that is read."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

MAX_LINE = 1 << 30
"""Bytes of one line; what is longer is no text of one graph a line."""


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a file, those of a .gz file unpacked; ValueError names the path."""
    file = Path(path)
    try:
        with file.open("rb") as raw:
            if raw.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(raw) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: cannot be unpacked: {error}") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


def beginning(path: str | os.PathLike[str], size: int = 100_001) -> bytes:
    """The first bytes of a file, unpacked."""
    with opened(path) as stream:
        return stream.read(size)


def lines_of(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1, without line ends; those of blanks only are left out."""
    with opened(path) as stream:
        number = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise ValueError(f"{path}, line {number}: longer than {MAX_LINE >> 30} GiB; is this a text file?")
            if line.strip():
                yield number, line.rstrip(b"\r\n")
