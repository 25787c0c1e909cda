"""Edge lists: an edge a line, as people and programs write them."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.io.listing import Listing
from wlt.io.text import FREE_NODES, check_size, decoded

TITLES = (("source", "target"), ("from", "to"), ("src", "dst"))
LABEL_TITLES = ("label", "type")
"""A column with one of these titles labels the edges unless something else is asked for."""


def edge_list(data: bytes, names_may_have_spaces: bool = False) -> list[Any]:
    """The one graph of the text; `wlt.read_graph` says how it is to be read."""
    ends: list[str] = []  # two for each edge
    line_of: list[int] = []  # [edges]
    others: list[list[str]] = []  # [edges] what stands beside the ends
    titles: list[str] = []  # of all columns, if the first line names them
    declared: int | None = None
    gaps = False
    columns: tuple[int, int] | None = None
    for number, line in enumerate(decoded(data).split("\n"), 1):
        line = line.rstrip().lstrip(" ")  # a tab in front is an empty column
        if line[:1] in ("#", "%"):
            stated = re.fullmatch(r"[#%]\s*nodes:\s*([0-9]+)(\s+edges:.*)?", line, re.IGNORECASE)
            if stated and declared is None and not ends:
                declared, gaps = _whole_number(stated[1]), stated[2] is not None
        elif line:
            try:
                cells = _cells(line)
                if columns is None:
                    columns, titles = _columns_of_ends(cells), cells
                ends += _two_ends(line, cells, names_may_have_spaces, columns)
                others.append([cell for i, cell in enumerate(cells) if i not in columns])
            except (ValueError, csv.Error) as error:
                raise ValueError(f"line {number}: {error}") from None
            line_of.append(number)
    odd = {end for end in set(ends) if not _is_index(end) and _is_number(end)}
    if odd:
        first = next(i for i, end in enumerate(ends) if end in odd)
        raise ValueError(
            f"line {line_of[first // 2]}: {ends[first][:40]!r} is neither a whole number from 0 on nor a name"
        )
    titled = _is_title(ends)
    if titled:
        ends, line_of, others = ends[2:], line_of[1:], others[1:]
    if not ends and declared is None:
        raise ValueError("no edges; a graph of isolated nodes needs a line '# nodes: N'")
    check_size(declared or 0, len(data))
    numbered = all(map(_is_index, ends))
    nodes = _numbered(ends, line_of, declared, gaps, len(data)) if numbered else _named(ends, declared)
    width = max(map(len, others), default=0)
    places = [i for i in range(width + 2) if i not in (columns or ())]
    keys = [titles[i] if titled and i < len(titles) else str(i + 1) for i in places]
    carried = {key: _values([row[i] if i < len(row) else "" for row in others]) for i, key in enumerate(keys) if key}
    return [
        Listing(
            nodes.number,
            nodes.pairs,
            "loose",
            carried,
            next((key for key in carried if key.lower() in LABEL_TITLES), None),
            nodes.names,
            unused="column {!r} of the edge list" if titled else "column {} of the edge list",
        )
    ]


def _columns_of_ends(first_line: list[str]) -> tuple[int, int]:
    """Where the ends of all edges stand: the first two columns, unless a title names others."""
    titles = [cell.lower() for cell in first_line]
    for source, target in TITLES:
        if source in titles and target in titles:
            return titles.index(source), titles.index(target)
    return 0, 1


def _two_ends(line: str, cells: list[str], names_may_have_spaces: bool, columns: tuple[int, int]) -> list[str]:
    last = max(columns)
    if len(cells) <= last:
        problem = f"one end only, {cells[0][:40]!r}" if last == 1 else f"{len(cells)} columns, and the title has more"
        raise ValueError(f"{problem}; an edge has two ends, separated by a comma, a tab or spaces")
    ends = [cells[column] for column in columns]
    if not (ends[0] and ends[1]):
        raise ValueError("an end without a name")
    if not names_may_have_spaces and any(len(end.split()) > 1 for end in ends) and _separator(line):
        raise ValueError("separators of two kinds; names with spaces need a .csv or .tsv file")
    return ends


def _separator(line: str) -> str | None:
    """A comma or a tab; None for spaces. networkx writes a dictionary, with commas, behind the ends."""
    head = line.partition("{")[0]
    return "," if "," in head else "\t" if "\t" in head else None


def _cells(line: str) -> list[str]:
    """The columns of a line, up to a comment; networkx's dictionary is one column."""
    separator = _separator(line)
    head, brace, rest = line.partition("{")
    if '"' in head:
        return next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True, strict=True))
    cells = [cell.strip() for cell in head.split(separator)]
    if brace:
        cells = [*(cells[:-1] if cells[-1:] == [""] else cells), brace + rest]
    comment = next((i for i, cell in enumerate(cells) if i and cell[:1] == "#"), len(cells))
    return cells[:comment]


def _values(cells: list[str]) -> list[Any]:
    """A column as whole numbers or numbers, if all of it are such, and as text otherwise; None for an empty cell."""
    for convert in (int, float):
        try:
            return [convert(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]


def _is_index(end: str) -> bool:
    return end.isdigit() and end.isascii()


def _is_number(end: str) -> bool:
    try:
        float(end)
    except ValueError:
        return False
    return True


def _is_title(ends: list[str]) -> bool:
    """Do the first two ends name columns instead of nodes?"""
    above_numbers = len(ends) > 2 and not any(map(_is_index, ends[:2])) and all(map(_is_index, ends[2:]))
    return above_numbers or tuple(end.lower() for end in ends[:2]) in TITLES


def _whole_number(digits: str) -> int:
    """Its value; all numbers from 10^18 on, far beyond any node, count as 10^18."""
    return int(digits) if len(digits) <= 18 else 10**18


class _Nodes(NamedTuple):
    """The nodes of an edge list, and between which of them its edges go."""

    number: int
    pairs: NDArray[np.int64]  # [edges, 2]
    names: Sequence[Hashable] = ()


def _numbered(ends: list[str], line_of: list[int], declared: int | None, gaps: bool, size: int) -> _Nodes:
    pairs = np.array(list(map(_whole_number, ends)), np.int64).reshape(-1, 2)
    largest = int(pairs.max(initial=-1))
    if declared is not None and gaps and declared <= largest < 10**18:
        numbers = np.unique(pairs)
        if len(numbers) == declared:
            return _Nodes(declared, np.searchsorted(numbers, pairs), numbers.tolist())
    num_nodes = largest + 1 if declared is None else declared
    if largest >= min(num_nodes, max(FREE_NODES, 16 * size)):
        row = int(pairs.argmax()) // 2
        edge = f"line {line_of[row]}: edge ({ends[2 * row]:.20}, {ends[2 * row + 1]:.20})"
        if declared is not None:
            raise ValueError(f"{edge} is out of range: {declared} nodes are stated, numbered from 0")
        raise ValueError(
            f"{edge} in a file of {size} bytes; nodes are numbered from 0 without wide gaps, unless a first line "
            "'# Nodes: N Edges: M' states that N different numbers occur"
        )
    if declared is None and len(pairs) and pairs.min() == 1 and len(np.unique(pairs)) == largest:
        warnings.warn("nodes are counted from 1: every number from 1 on occurs, and 0 does not", stacklevel=5)
        return _Nodes(largest, pairs - 1, list(range(1, largest + 1)))
    if declared is None and len(pairs) and pairs.min() > 0:
        advice = "where nodes are numbered from 1, a first line '# Nodes: N Edges: M' with their number says so"
        warnings.warn(f"an edge list without node 0, which is taken to be isolated; {advice}", stacklevel=5)
    return _Nodes(num_nodes, pairs)


def _named(ends: list[str], declared: int | None) -> _Nodes:
    number: dict[str, int] = {}
    pairs = [number.setdefault(end, len(number)) for end in ends]
    if declared is not None and declared < len(number):
        raise ValueError(f"{declared} nodes are stated and {len(number)} different names occur")
    unnamed = range(len(number), declared or 0)  # isolated nodes that the file counts and does not name
    return _Nodes(declared or len(number), np.array(pairs, np.int64).reshape(-1, 2), [*number, *unnamed])
