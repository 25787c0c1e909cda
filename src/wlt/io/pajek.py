"""Pajek's .net files, read by networkx where it reads them rightly, and refused where it does not."""

from __future__ import annotations

import re
from typing import Any

from wlt.io.text import check_size, decoded
from wlt.wording import shortened

SECTIONS = ("*network", "*vertices", "*arcs", "*edges", "*matrix")


def pajek(data: bytes) -> Any:
    """The one network of a file: *Vertices, and then *Arcs, *Edges or *Matrix."""
    import networkx

    text = decoded(data)
    stated = re.search(r"^\s*\*vertices\s+([0-9]{1,18})\b", text, re.IGNORECASE | re.MULTILINE)
    if stated is None:
        raise ValueError("no line '*Vertices N'")
    check_size(int(stated[1]), len(data))
    lines = {number: line for number, line in enumerate(text.splitlines(), 1) if _says_something(line)}
    _check(lines)
    graph = networkx.parse_pajek(list(lines.values()))
    if len(graph) != int(stated[1]):
        raise ValueError(f"*Vertices {stated[1]}, but there are {len(graph)} different labels")
    return graph


def _says_something(line: str) -> bool:
    """Is it neither empty nor a comment?"""
    return bool(line.strip()) and not line.lstrip().startswith("%")


def _check(lines: dict[int, str]) -> None:
    """ValueError at the first line of which networkx would make another graph than Pajek does."""
    sections: list[str] = []
    missing = 0  # vertices whose lines are still to come
    for number, line in lines.items():
        words = line.split()
        section = words[0].lower()
        problem = ""
        if missing and (section.startswith("*") or len(words) < 2):
            problem = f"a vertex is expected, its number and its name; {missing} more are stated"
        elif section.startswith("*") and section not in SECTIONS:
            problem = f"{shortened(words[0])} is not read; only *Vertices, *Arcs, *Edges and *Matrix are"
        elif section in ("*arcs", "*edges") and len(words) > 1:
            problem = "several relations in one file are not read; keep one, under *Arcs or *Edges alone"
        elif section == "*vertices" and (len(words) != 2 or section in sections):
            problem = "one line '*Vertices N' is read; networks of two modes, or several in one file, are not"
        elif section in ("*arcs", "*edges", "*matrix") and {"*arcs", "*edges", "*matrix"} & {*sections} - {section}:
            problem = f"{words[0]} behind other edges; write all of them as *Arcs, those without direction both ways"
        elif not section.startswith("*") and sections[-1:] in (["*arcs"], ["*edges"]):
            problem = _problem_of_edge(line, words)
        if problem:
            raise ValueError(f"line {number}: {problem}")
        if section.startswith("*"):
            sections.append(section)
            missing = int(words[1]) if section == "*vertices" else 0
        elif missing:
            missing -= 1


def _problem_of_edge(line: str, words: list[str]) -> str:
    if len(words) < 2:
        return f"an edge is two numbers of vertices, and perhaps its weight, not {shortened(repr(line.strip()))}"
    try:
        float(words[2] if len(words) > 2 else 1)
    except ValueError:
        return f"the weight {shortened(repr(words[2]))} is no number"
    return ""
