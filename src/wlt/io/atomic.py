"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from wlt.interrupts import undisturbed

finished: list[Path] = []
"""What this process has written, for the line that says what a stopped command has kept. Caches are not in it."""


@contextmanager
def replacing(path: Path, listed: bool = True) -> Iterator[BinaryIO]:
    """Open a file that becomes `path` when the block succeeds; if the block raises, no trace of it remains.

    listed: is it something that the user asked for? A device or a pipe, such as /dev/null, is not replaced; the whole
    goes into it when the block succeeds."""
    if path.exists() and not path.is_file() and not path.is_dir():
        with tempfile.TemporaryFile() as whole:
            yield whole
            whole.seek(0)
            with path.open("wb") as stream:
                shutil.copyfileobj(whole, stream)
        return
    new_folders = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
        undisturbed(_finish, part, path, listed)
    except BaseException:
        part.unlink(missing_ok=True)
        with suppress(OSError):  # another process has put a file into one of the new folders
            for folder in new_folders:
                folder.rmdir()
        raise


def _finish(part: Path, path: Path, listed: bool) -> None:
    os.replace(part, path)
    if listed:
        finished.append(path)
