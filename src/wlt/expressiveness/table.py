"""A table of words and numbers, for the screen and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wlt.drawing.svg import text as escaped
from wlt.structure import Structure

Rows = Sequence[Sequence[str]]  # the first is the heading; the first column are names


def as_text(title: str, rows: Rows, sentences: Iterable[str]) -> str:
    """As it is printed: names to the left, everything else to the right, sentences below."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [title]
    for number, row in enumerate(rows):
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *rest]).rstrip())
        if number == 0:
            lines.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join([*lines, *sentences])


def as_html(rows: Rows) -> str:
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in rows[0])
    body = "".join(
        f"<tr><th>{escaped(row[0])}</th>{''.join(f'<td>{escaped(cell)}</td>' for cell in row[1:])}</tr>"
        for row in rows[1:]
    )
    table = f'<table class="counts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def short(structure: str) -> str:
    """A structure with equal blocks rg..g in brackets.

    >>> short("ggggrggggrgggg"), short("gggrgg"), short("unlimited depth")
    ('g4(rg4)2', 'gggrgg', 'unlimited depth')
    """
    if not structure or set(structure) - {"g", "r"}:
        return structure
    first, *rest = Structure(structure).blocks
    if not first or len(rest) < 2 or len(set(rest)) > 1 or structure.endswith("r"):
        return structure
    return f"g{first}(rg{rest[0]}){len(rest)}"
