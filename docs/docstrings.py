"""Docstrings as Markdown: lines that explain a parameter become a list, sessions become blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

PARAMETER = re.compile(r"(?:[a-z_]+(?:, [a-z_]+)*): ")


class AsMarkdown(griffe.Extension):
    def on_object(self, *, obj: Any, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """The text, and its parts that Markdown would take for something else."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", docstring.strip("\n")):
        lines = paragraph.split("\n")
        first = next((i for i, line in enumerate(lines) if PARAMETER.match(line)), None)
        if lines[0].startswith(">>>"):
            parts.append("\n".join(["```pycon", *lines, "```"]))
        elif first is None:
            parts.append(paragraph)
        else:
            if first:
                parts.append("\n".join(lines[:first]))
            parts.append("\n".join(_item(line) for line in lines[first:]))
    return "\n\n".join(parts)


def _item(line: str) -> str:
    match = PARAMETER.match(line)
    return f"- `{match[0][:-2]}`: {line[match.end() :]}" if match else f"    {line.strip()}"
