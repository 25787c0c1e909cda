"""Edge lists: an edge a line, as people and programs write them."""

from __future__ import annotations

import csv
import re
import warnings
from collections import defaultdict
from collections.abc import Hashable, Sequence
from io import BytesIO
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.io.listing import Listing
from wlt.io.text import FREE_NODES, check_size, decoded
from wlt.wording import level_of_caller

TITLES = (("source", "target"), ("from", "to"), ("src", "dst"))
LABEL_TITLES = ("label", "type")
"""A column with one of these titles labels the edges unless something else is asked for."""


class _Rows(NamedTuple):
    """The columns of the text, without the line of titles."""

    ends: list[str] | NDArray[np.int64]  # two for each edge; whole numbers from 0 on as an array
    others: Sequence[list[str] | NDArray[np.int64]]  # what stands beside the ends
    titles: list[str]  # of those other columns
    titled: bool
    """Are these the text's own titles? Otherwise they are the numbers of the columns, from 1 on."""
    line_of: list[int]  # [edges] empty: not known


def edge_list(data: bytes, names_may_have_spaces: bool = False) -> list[Any]:
    """The one graph of the text; `wlt.read_graph` says how it is to be read."""
    text = decoded(data)
    stated, body = _head(text)
    quick = _read_at_once(text[body:])
    if quick is not None:
        try:
            return [_listing(quick, stated, len(data))]
        except ValueError:
            pass  # it is said again below, with the number of the line
    rows = _read_line_by_line(text[body:], text.count("\n", 0, body), names_may_have_spaces)
    return [_listing(rows, stated, len(data))]


class _Stated(NamedTuple):
    """What a comment before the edges states."""

    nodes: int | None = None
    gaps: bool = False
    """May the numbers of nodes have gaps?"""


def _head(text: str) -> tuple[_Stated, int]:
    """What the comments before the edges state, and where the edges begin."""
    stated, begin = _Stated(), 0
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        line = text[begin:end].strip(" \n")
        if line[:1] not in ("", "#", "%"):
            break
        match = re.fullmatch(r"[#%]\s*nodes:\s*([0-9]+)(\s+edges:.*)?", line.rstrip(), re.IGNORECASE)
        if match and stated.nodes is None:
            stated = _Stated(_whole_number(match[1]), match[2] is not None)
        begin = end
    return stated, begin


def _read_at_once(body: str) -> _Rows | None:
    """By numpy's parser, if no line needs a closer look: all have as many columns, separated in one way, and there is
    nothing that may be a comment, a quote or an attribute of networkx. None otherwise."""
    text = body.encode() if body.isascii() else b""
    first, rest = text.partition(b"\n")[::2]
    cells = _cells(first.decode().strip(" ")) if first and b'"' not in first else []
    columns = _columns_of_ends(cells)
    if len(cells) <= max(columns):
        return None
    titled = not any(_is_index(cells[i]) for i in columns)
    table = _parsed(rest if titled else text, np.int64)
    if table is None:
        titled = _are_titles([cells[i] for i in columns])
        table = _parsed(rest if titled else text, np.object_)
    if table is None or table.shape[1] <= max(columns):
        return None
    ends = table[:, columns].reshape(-1)
    if table.dtype == np.object_ and not all(ends):
        return None  # an end without a name
    places = [i for i in range(table.shape[1]) if i not in columns]
    others = [table[:, i].copy() for i in places]
    titles = [cells[i] if titled and i < len(cells) else str(i + 1) for i in places]
    if table.dtype == np.int64:
        return _Rows(ends, others, titles, titled, [])
    return _Rows(ends.tolist(), [column.tolist() for column in others], titles, titled, [])


PLAIN = {
    np.int64: {b" ": None, b"\t": "\t", b",": ",", b" ,": ","},
    np.object_: {b" ": None, b"\t": "\t", b",": ","},
}
"""The separators that numpy's parser is trusted with, for numbers and for text."""


def _parsed(text: bytes, kind: type[Any]) -> NDArray[Any] | None:
    """[lines, columns] The text as whole numbers from 0 on, or as a table of words; None if it is neither for sure."""
    strange = text.translate(None, b"0123456789\n")
    if kind is np.object_:
        strange = strange.translate(None, WORDS)
    separators = bytes(sorted(set(strange)))
    if separators not in PLAIN[kind] or not text.strip():
        return None
    try:
        return np.loadtxt(BytesIO(text), kind, comments=None, delimiter=PLAIN[kind][separators], ndmin=2)
    except ValueError:
        return None


WORDS = bytes(set(range(33, 127)) - set(b'"{#%,'))
"""Characters that mean nothing but themselves."""


def _read_line_by_line(body: str, lines_before: int, names_may_have_spaces: bool) -> _Rows:
    """Any text; ValueError names the line that is no edge."""
    ends: list[str] = []
    line_of: list[int] = []
    others: list[list[str]] = []  # [edges]
    first: list[str] = []
    columns = (0, 1)
    for number, line in enumerate(body.split("\n"), lines_before + 1):
        line = line.rstrip().lstrip(" ")  # a tab in front is an empty column
        if not line or line[0] in "#%":
            continue
        try:
            cells = _cells(line)
            if not first:
                columns, first = _columns_of_ends(cells), cells
            ends += _two_ends(line, cells, names_may_have_spaces, columns)
            others.append([cell for i, cell in enumerate(cells) if i not in columns])
        except (ValueError, csv.Error) as error:
            raise ValueError(f"line {number}: {error}") from None
        line_of.append(number)
    above_numbers = len(ends) > 2 and not any(map(_is_index, ends[:2])) and all(map(_is_index, ends[2:]))
    titled = above_numbers or _are_titles(ends[:2])
    if titled:
        ends, line_of, others = ends[2:], line_of[1:], others[1:]
    width = max(map(len, others), default=0)
    places = [i for i in range(width + 2) if i not in columns]
    titles = [first[i] if titled and i < len(first) else str(i + 1) for i in places]
    filled = [[row[i] if i < len(row) else "" for row in others] for i in range(width)]
    return _Rows(ends, filled, titles, titled, line_of)


def _listing(rows: _Rows, stated: _Stated, size: int) -> Listing:
    """size: bytes of the text."""
    ends = rows.ends
    if not len(ends) and stated.nodes is None:
        raise ValueError("no edges; a graph of isolated nodes needs a line '# nodes: N'")
    check_size(stated.nodes or 0, size)
    if isinstance(ends, list) and all(map(_is_index, ends)):
        ends = np.array(list(map(_whole_number, ends)), np.int64)
    if isinstance(ends, list):
        nodes = _named(ends, rows.line_of, stated.nodes)
    else:
        nodes = _numbered(ends.reshape(-1, 2), rows.line_of, stated, size)
    carried = {title: _values(column) for title, column in zip(rows.titles, rows.others, strict=True) if title}
    return Listing(
        nodes.number,
        nodes.pairs,
        "loose",
        carried,
        next((title for title in carried if title.lower() in LABEL_TITLES), None),
        nodes.names,
        unused="column {!r} of the edge list" if rows.titled else "column {} of the edge list",
    )


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


def _values(column: list[str] | NDArray[np.int64]) -> Sequence[Any] | NDArray[Any]:
    """A column as whole numbers or numbers, if all of it are such, and as text otherwise; None for an empty cell."""
    if isinstance(column, np.ndarray):
        return column
    for convert in (int, float):
        try:
            return [convert(cell) if cell else None for cell in column]
        except ValueError:
            continue
    return [cell or None for cell in column]


def _is_index(end: str) -> bool:
    return end.isdigit() and end.isascii()


def _is_number(end: str) -> bool:
    try:
        float(end)
    except ValueError:
        return False
    return True


def _are_titles(ends: list[str]) -> bool:
    """Do these two words name columns, wherever they stand?"""
    return tuple(end.lower() for end in ends) in TITLES


def _whole_number(digits: str) -> int:
    """Its value; all numbers from 10^18 on, far beyond any node, count as 10^18."""
    return int(digits) if len(digits) <= 18 else 10**18


class _Nodes(NamedTuple):
    """The nodes of an edge list, and between which of them its edges go."""

    number: int
    pairs: NDArray[np.int64]  # [edges, 2]
    names: Sequence[Hashable] = ()


def _numbered(pairs: NDArray[np.int64], line_of: list[int], stated: _Stated, size: int) -> _Nodes:
    largest = int(pairs.max(initial=-1))
    declared = stated.nodes
    if declared is not None and stated.gaps and declared <= largest < 10**18:
        numbers = np.unique(pairs)
        if len(numbers) == declared:
            return _Nodes(declared, np.searchsorted(numbers, pairs), numbers.tolist())
    num_nodes = largest + 1 if declared is None else declared
    if largest >= min(num_nodes, max(FREE_NODES, 16 * size)):
        row = int(pairs.argmax()) // 2
        edge = f"{_line(line_of, row)}edge ({pairs[row, 0]}, {pairs[row, 1]})"
        if declared is not None:
            raise ValueError(f"{edge} is out of range: {declared} nodes are stated, numbered from 0")
        raise ValueError(
            f"{edge} in a file of {size} bytes; nodes are numbered from 0 without wide gaps, unless a first line "
            "'# Nodes: N Edges: M' states that N different numbers occur"
        )
    if declared is None and len(pairs) and pairs.min() == 1 and np.bincount(pairs.reshape(-1))[1:].all():
        sentence = "nodes are counted from 1: every number from 1 on occurs, and 0 does not"
        warnings.warn(sentence, stacklevel=level_of_caller())
        return _Nodes(largest, pairs - 1, range(1, largest + 1))
    if declared is None and len(pairs) and pairs.min() > 0:
        advice = "where nodes are numbered from 1, a first line '# Nodes: N Edges: M' with their number says so"
        sentence = f"an edge list without node 0, which is taken to be isolated; {advice}"
        warnings.warn(sentence, stacklevel=level_of_caller())
    return _Nodes(num_nodes, pairs)


def _named(ends: list[str], line_of: list[int], declared: int | None) -> _Nodes:
    number: defaultdict[str, int] = defaultdict(count().__next__)  # in the order in which they appear
    pairs = np.fromiter(map(number.__getitem__, ends), np.int64, len(ends)).reshape(-1, 2)
    for node, name in enumerate(number):
        if not _is_index(name) and _is_number(name):
            row = int(np.argmax(pairs.reshape(-1) == node)) // 2
            raise ValueError(f"{_line(line_of, row)}{name[:40]!r} is neither a whole number from 0 on nor a name")
    if declared is not None and declared < len(number):
        raise ValueError(f"{declared} nodes are stated and {len(number)} different names occur")
    unnamed = range(len(number), declared or 0)  # isolated nodes that the file counts and does not name
    return _Nodes(declared or len(number), pairs, [*number, *unnamed])


def _line(line_of: list[int], row: int) -> str:
    """The line of an edge, as messages begin with it."""
    return f"line {line_of[row]}: " if line_of else ""
