"""Text tables as Markdown. Names cannot inject markup, whatever characters they contain."""

from __future__ import annotations

from collections.abc import Sequence

from wlt.reproduce.report.text import Text


def markdown(text: Text, remarks: Sequence[str] = ()) -> str:
    """A heading, remarks, the table and its notes."""
    numeric = ["---" if i < text.names else "---:" for i in range(len(text.head))]
    rows = [("" if i and row[0] == text.rows[i - 1][0] else row[0], *row[1:]) for i, row in enumerate(text.rows)]
    grid = [text.head, tuple(numeric), *rows]
    body = "".join("| " + " | ".join(escaped(word) for word in row) + " |\n" for row in grid)
    parts = [f"## {escaped(text.title)}\n", listed(remarks), body, listed(text.notes)]
    return "\n".join(part for part in parts if part)


def listed(lines: Sequence[str]) -> str:
    """A list of lines."""
    return "".join(f"- {escaped(line)}\n" for line in lines)


def escaped(text: str) -> str:
    """Text in which neither Markdown nor HTML has an effect."""
    pairs = [("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
    text = " ".join(text.split())
    for character, safe in [*pairs, *((c, "\\" + c) for c in "|*`[]_")]:
        text = text.replace(character, safe)
    return text
