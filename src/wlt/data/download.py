"""Fetching one file over HTTP, with a progress bar, and not taking a part for the whole."""

from __future__ import annotations

from typing import BinaryIO

from wlt.graphs import DataError

TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16


def fetch(url: str, file: BinaryIO, what: str) -> None:
    """Write what `url` gives into the file; DataError, in one line, where it does not give all of it."""
    import http.client
    import urllib.error
    import urllib.request

    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("downloading {task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    try:
        response = urllib.request.urlopen(url, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        raise DataError(f"{url} answered {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise DataError(f"{url} could not be reached: {getattr(error, 'reason', None) or error}") from None
    with response, bar:
        length = response.headers.get("Content-Length")
        total = int(length) if length and length.isdecimal() else None
        task = bar.add_task(what, total=total)
        received = 0
        while True:
            try:
                chunk = response.read(CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise DataError(f"{url} was cut short after {received} bytes: {error}") from None
            if not chunk:
                break
            file.write(chunk)
            received += len(chunk)
            bar.update(task, completed=received)
    if total is not None and received != total:
        raise DataError(f"{url} was cut short: {received} of {total} bytes arrived")
