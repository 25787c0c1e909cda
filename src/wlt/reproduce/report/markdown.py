"""Text tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from wlt.reproduce.report.text import Text


def markdown(texts: Sequence[Text], lines: Sequence[str] = ()) -> str:
    """Tables, then a list of lines. Names cannot inject markup, whatever characters they contain."""
    parts = []
    for text in texts:
        numeric = ["---" if i < text.names else "---:" for i in range(len(text.head))]
        rows = [("" if i and row[0] == text.rows[i - 1][0] else row[0], *row[1:]) for i, row in enumerate(text.rows)]
        grid = [text.head, tuple(numeric), *rows]
        body = "\n".join("| " + " | ".join(_escaped(word) for word in row) + " |" for row in grid)
        notes = "\n".join(f"- {_escaped(note)}" for note in text.notes)
        parts.append(f"## {_escaped(text.title)}\n\n{body}\n\n{notes}\n")
    if lines:
        parts.append("\n".join(f"- {_escaped(line)}" for line in lines) + "\n")
    return "\n".join(parts)


def _escaped(text: str) -> str:
    """Text in which neither Markdown nor HTML has an effect."""
    pairs = [("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
    text = " ".join(text.split())
    for character, safe in [*pairs, *((c, "\\" + c) for c in "|*`[]_")]:
        text = text.replace(character, safe)
    return text
