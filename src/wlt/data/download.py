"""Fetching one file over HTTP, with a progress bar, and not taking a part for the whole."""

from __future__ import annotations

from typing import BinaryIO

from wlt.graphs import DataError
from wlt.progress import progress_bar

TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16


def fetch(url: str, file: BinaryIO, what: str) -> None:
    """Write what `url` gives into the file; DataError, in one line, where it does not give all of it."""
    import http.client
    import urllib.error
    import urllib.request

    try:
        response = urllib.request.urlopen(url, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        raise DataError(f"{url} answered {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise DataError(f"{url} could not be reached: {getattr(error, 'reason', None) or error}") from None
    length = response.headers.get("Content-Length")
    total = int(length) if length and length.isdecimal() else None
    received = 0
    with response, progress_bar(f"downloading {what}", total, unit="bytes") as advance:
        while True:
            try:
                chunk = response.read(CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise DataError(f"{url} was cut short after {received} bytes: {error}") from None
            if not chunk:
                break
            file.write(chunk)
            received += len(chunk)
            advance(len(chunk), "")
    if total is not None and received != total:
        raise DataError(f"{url} was cut short: {received} of {total} bytes arrived")
