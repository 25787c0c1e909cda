"""BREC's graphs from files: our graph6 files, the original part files, or the original brec_v3.npy.

The originals are arrays of strings, which numpy reads without pickle; a file that needs pickle is refused, so nothing
in a file is ever executed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.graphs import DataError
from wlt.io import as_graph, read_graphs

PARTS = {"basic": 60, "regular": 50, "str": 50, "extension": 100, "cfi": 100, "4vtx": 20, "dr": 20}
"""The parts in BREC's own order, and how many pairs each has."""

WHOLE = "brec_v3.npy"
RELABELLINGS = 32
"""Copies of either graph of a pair in brec_v3.npy, in turn: g h g h ..."""

ARRAY = b"\x93NUMPY"
"""The first bytes of an array of numpy."""

Pair = tuple[str, tuple[Graph, Graph]]


def read_brec(folder: Path) -> list[Pair]:
    """(part, graphs) of every pair, from the files that are in the folder."""
    found = {part: _part_file(folder, part) for part in PARTS}
    if all(found.values()):
        return [(part, pair) for part, path in found.items() if path for pair in _pairs(_graphs(path), path)]
    whole = folder / WHOLE
    if whole.is_file():
        return list(_of_whole(whole))
    missing = [part for part, path in found.items() if path is None]
    there = f"{', '.join(missing)} not there" if len(missing) < len(PARTS) else "nothing there"
    raise DataError(
        f"{folder}: {there}. BREC is at github.com/GraphPKU/BREC: put brec_v3.npy from its data, or basic.npy, "
        f"regular.npy, ... from customize/Data/raw, or the same as .g6 files, into {folder} (the folder that contains "
        "expressiveness/ is --data, or WLT_DATA)"
    )


def _part_file(folder: Path, part: str) -> Path | None:
    return next((path for path in (folder / f"{part}.g6", folder / f"{part}.npy") if path.is_file()), None)


def _graphs(path: Path) -> list[Graph]:
    if path.suffix == ".g6":
        return read_graphs(path)
    return [_graph(text, path, i) for i, text in enumerate(_strings(path).ravel().tolist())]


def _pairs(graphs: list[Graph], path: Path) -> Iterator[tuple[Graph, Graph]]:
    if len(graphs) % 2 or not graphs:
        raise DataError(f"{path}: {len(graphs)} graphs; every two are a pair")
    return zip(graphs[0::2], graphs[1::2], strict=True)


def _of_whole(path: Path) -> Iterator[Pair]:
    """Pair i is in places 64 i and 64 i + 1; relabelled copies follow, and in the second half the controls."""
    strings = _strings(path)
    stride, number = 2 * RELABELLINGS, sum(PARTS.values())
    if strings.shape != (2 * number * stride,):
        shape = list(strings.shape)
        raise DataError(f"{path}: {shape} strings; BREC has {2 * number * stride}, {stride} for each pair and control")
    parts = [part for part, pairs in PARTS.items() for _ in range(pairs)]
    for i, part in enumerate(parts):
        g, h = (_graph(strings[place].item(), path, place) for place in (stride * i, stride * i + 1))
        yield part, (g, h)


def _strings(path: Path) -> NDArray[Any]:
    ours = "BREC's own files are arrays of graph6 strings"
    try:
        with path.open("rb") as file:
            beginning = file.read(len(ARRAY))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    if beginning != ARRAY:
        raise DataError(f"{path}: it is no array of numpy; {ours}")
    try:
        strings: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, OverflowError, SyntaxError, TypeError, MemoryError) as error:
        pickled = any(word in str(error) for word in ("pickle", "Python objects"))
        why = "it holds a pickle, which wlt does not open" if pickled else "its header is no numpy's, or it is cut off"
        raise DataError(f"{path}: {why}; {ours}") from None
    if strings.dtype.kind not in "SU":
        raise DataError(f"{path}: an array of {strings.dtype}; {ours}")
    if strings.dtype.kind == "U":
        letters = np.ascontiguousarray(strings).view(np.dtype(np.uint32).newbyteorder(strings.dtype.byteorder))
        if letters.max(initial=0) > 127:
            raise DataError(f"{path}: letters that are not ASCII; {ours}")
    return strings


def _graph(text: str | bytes, path: Path, place: int) -> Graph:
    plain = text.decode("latin-1") if isinstance(text, bytes) else str(text)
    try:
        return as_graph(plain)
    except ValueError as error:
        raise DataError(f"{path}: entry {place}: {error}") from None
