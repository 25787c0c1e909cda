"""What is in a file: its bytes, unpacked, and its format, by its name or else by what it begins with."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from functools import lru_cache
from pathlib import Path

from wlt.io.graph6 import HEADERS, from_graph6
from wlt.io.lines import beginning
from wlt.io.text import decoded

MAX_UNPACKED = 1 << 30
"""Bytes that a .gz file may unpack to."""
MAX_PIPED = 1 << 30
"""Bytes that are read from a pipe."""


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, of a pipe or of standard input; those of a .gz file unpacked. ValueError names the path."""
    if not os.fspath(path):
        raise ValueError("an empty path; the name of a file is needed")
    file = Path(path)
    try:
        data = file.read_bytes() if file.is_file() or file.is_dir() or not file.exists() else _piped(file)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:  # no path at all: it has a zero byte
        raise ValueError(f"{path}: {error}") from None
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return _unpacked(data)
    except (EOFError, zlib.error, OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be unpacked: {error}") from None


def first_bytes(path: str | os.PathLike[str]) -> bytes:
    """Enough of a file, unpacked, to tell what it is; all of what comes through a pipe."""
    return beginning(path) if Path(path).is_file() else file_bytes(path)


@lru_cache(maxsize=4)
def _piped(file: Path) -> bytes:
    """What comes through a pipe comes once: it is kept for whoever asks next."""
    data = bytearray()
    with file.open("rb", buffering=0) as stream:
        while part := stream.read(1 << 16):  # one read of everything would not hear Ctrl-C between two parts
            data += part
            if len(data) > MAX_PIPED:
                raise ValueError(f"more than {MAX_PIPED >> 30} GiB come through this pipe; write them into a file")
    return bytes(data)


def _unpacked(data: bytes) -> bytes:
    with gzip.open(io.BytesIO(data)) as stream:
        unpacked = stream.read(MAX_UNPACKED + 1)
    if len(unpacked) > MAX_UNPACKED:
        raise ValueError(f"more than {MAX_UNPACKED >> 30} GiB; if you trust it, unpack it yourself")
    return unpacked


def suffix_of(path: str | os.PathLike[str]) -> str:
    """What the name says of the format, in small letters: that of x.csv.gz is .csv.

    >>> suffix_of("molecules.CSV.gz"), suffix_of("graphs.g6"), suffix_of("/dev/stdin")
    ('.csv', '.g6', '')
    """
    name = Path(path).name.lower().removesuffix(".gz")
    return Path(name).suffix


STARTS = {
    ".graphml": rb"(<\?xml[^>]*>\s*)?(<!--(?:(?!-->).)*-->\s*)*<graphml",
    ".gexf": rb"(<\?xml[^>]*>\s*)?(<!--(?:(?!-->).)*-->\s*)*<gexf",
    ".mtx": rb"%%MatrixMarket",
    ".json": rb"[\[{]",
    ".net": rb"(%[^\n]*\n\s*)*\*\s*vertices",
    ".col": rb"(c[^\n]*\n\s*)*p\s+(edge|col)\s",
    ".dot": rb"(//[^\n]*\n\s*)*(strict\s+)?(di)?graph\b[^\[\n]*\{",
    ".gml": rb"((creator|version|comment|#)[^\n]*\n\s*)*graph\s*\[",
}
"""How the text of each format begins."""


def sniffed(data: bytes) -> str | None:
    """The suffix of the format that these bytes are in, as far as they show; None if they show nothing.

    >>> sniffed(b"p edge 3 1\\ne 1 2"), sniffed(b"Bw"), sniffed(b"name,SMILES\\nwater,O"), sniffed(b"0 1\\n1 2")
    ('.col', '.g6', '.csv', '.edges')
    """
    if data[:4] == b"PK\x03\x04":
        return ".zip"
    try:
        start = decoded(data[:100_000].rsplit(b"\n", 1)[0] if len(data) > 100_000 else data).lstrip()
    except ValueError:
        return None
    for suffix, pattern in STARTS.items():
        if re.match(pattern, start.encode(), re.IGNORECASE | re.DOTALL):
            return suffix
    lines = [line for line in start.split("\n") if line.strip()]
    if not lines:
        return None
    titles = [cell.strip().strip('"').lower() for cell in re.split(r"[,;\t]", lines[0])]
    if "smiles" in titles or "canonical_smiles" in titles:
        return ".csv"
    if lines[0].strip() in HEADERS or _is_graph6(lines[0]):
        return ".g6"
    data_lines = [line for line in lines if line[0] not in "#%"]
    if data_lines and all(len(re.split(r"[,\s]+", line.strip())) in (2, 3) for line in data_lines[:10]):
        return ".csv" if "," in data_lines[0] else ".edges"
    return None


def _is_graph6(line: str) -> bool:
    try:
        from_graph6(line.strip())
    except ValueError:
        return False
    return True
