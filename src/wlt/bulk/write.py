"""Rows into a file, CSV or Parquet, that appears whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from wlt.extras import need
from wlt.io.atomic import replacing
from wlt.wording import harmless

SUFFIXES = (".csv", ".parquet")
ROWS_AT_ONCE = 1 << 16


def check_suffix(path: Path) -> None:
    """ValueError or MissingExtra, before hours of work, where rows cannot be written into this file."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"--out {path}: the name must end in {' or '.join(SUFFIXES)}")
    if path.suffix.lower() == ".parquet":
        need("pyarrow", "writing Parquet files")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write them, a part at a time; how many there were."""
    pending = iter(rows)
    count = 0
    with replacing(path) as file:
        if path.suffix.lower() == ".parquet":
            import pyarrow
            from pyarrow import parquet

            types = [(name, pyarrow.int64() if name == "group" else pyarrow.string()) for name in columns]
            schema = pyarrow.schema(types)
            with parquet.ParquetWriter(file, schema) as writer:
                while part := list(islice(pending, ROWS_AT_ONCE)):
                    cells = [list(column) for column in zip(*part, strict=True)]
                    writer.write_table(pyarrow.table(cells, schema=schema))
                    count += len(part)
        else:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            table = csv.writer(text, lineterminator="\n")
            table.writerow(columns)
            while part := list(islice(pending, ROWS_AT_ONCE)):
                table.writerows([harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in part)
                count += len(part)
            text.flush()
            text.detach()
    return count
