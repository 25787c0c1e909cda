"""Counts, durations and lists as they appear in messages, and the line of code that a warning is about."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

FORMULA = re.compile(r"[=+\-@\t\r]")
"""What a cell begins with that a spreadsheet would compute."""


def count(number: int, thing: str) -> str:
    """
    >>> count(1, "graph"), count(2, "graph")
    ('1 graph', '2 graphs')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def duration(seconds: float) -> str:
    """A time span in the unit that suits its length.

    >>> duration(0.42), duration(42), duration(600), duration(9000)
    ('0.4 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: a number as it is, and words behind an apostrophe.

    >>> harmless("=1+1"), harmless("-1"), harmless("-CH3"), harmless("ring")
    ("'=1+1", '-1', "'-CH3", 'ring')
    """
    if not FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def html_table(caption: str, rows: Iterable[Sequence[object]], sentence: str = "") -> str:
    """A small table for notebooks."""
    cells = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    end = f"<p>{escape(sentence)}</p>" if sentence else ""
    return f"<table><caption>{escape(caption)}</caption>{cells}</table>{end}"


def size_of_memory(number: int) -> str:
    """Bytes in the unit that suits them.

    >>> size_of_memory(700), size_of_memory(80_000_000), size_of_memory(5 * 2**30)
    ('1 kB', '80 MB', '5.4 GB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if number >= size:
            return f"{number / size:.1f} {unit}" if number < 10 * size else f"{number / size:.0f} {unit}"
    return f"{-(-number // 1000)} kB"


def listed(items: Sequence[object], most: int = 10) -> str:
    """The first `most` items, quoted as in Python, and how many more there are.

    >>> listed(["C", "N", "O"]), listed(range(5), most=3), listed([])
    ("'C', 'N', 'O'", '0, 1, 2 and 2 more', 'none')
    """
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(shortened(repr(item)) for item in items[:most]) + more or "none"


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text of any length and any characters, on one line.

    >>> shortened("a" * 100, 5)
    'aaaaa...'
    >>> print(shortened("a name\\nof two lines"))
    a name\\nof two lines
    """
    return printable(text if len(text) <= most else f"{text[:most]}...")


def printable(text: str) -> str:
    """Line ends, escape codes of terminals and lone surrogates as Python writes them in its code.

    >>> print(printable("bold\\x1b[1m, naïve"))
    bold\\x1b[1m, naïve
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def level_of_caller() -> int:
    """The stacklevel that makes a warning point to the first caller outside of wlt and torch."""
    torch = sys.modules.get("torch")
    inside = tuple(str(Path(file).parent) for file in (__file__, torch and torch.__file__) if file)
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    return level


_said: set[tuple[type[Warning], str]] = set()


def warn_once(sentence: str, category: type[Warning], kind: str) -> None:
    """Warn, once for every kind of sentence: Python's own filters compare whole sentences, and the numbers in them
    differ from fold to fold of a cross-validation. Filters that show a warning always or make it an error still do."""
    action = next(
        (action for action, text, of, *_ in warnings.filters if issubclass(category, of) and text is None), "default"
    )
    if action in ("default", "module", "once"):
        if (category, kind) in _said:
            return
        _said.add((category, kind))
    warnings.warn(sentence, category, stacklevel=level_of_caller() - 1)
