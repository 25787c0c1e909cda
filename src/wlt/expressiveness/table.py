"""Results as tables: one for the screen, one line each, and the tables of docs/expressiveness.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wlt.expressiveness.result import Part, Separation
from wlt.structure import Structure
from wlt.wording import duration

MODES = ("colors", "untrained", "trained")

HEAD = (
    "benchmark",
    "mode",
    "model",
    "structure",
    "separated",
    "copies taken for different",
    "accuracy",
    "whatever the tie / by some tie",
    "CPU seconds",
)


def cells(result: Separation) -> list[tuple[str, ...]]:
    """A row for every part and one for all: the pairs, then how many each model separates and which copies failed."""
    columns = [result, *result.compared]
    names = list(dict.fromkeys(part for each in columns for part in each.parts))
    rows = [("", "pairs", *(label(each) for each in columns))]
    for part in names:
        pairs = max(each.parts.get(part, Part(0, 0, 0, 0)).pairs for each in columns)
        rows.append((part, str(pairs), *(_cell(each.parts.get(part)) for each in columns)))
    if len(names) > 1:
        rows.append(("all", str(max(each.total.pairs for each in columns)), *(_cell(each.total) for each in columns)))
    rows.append(("copies", "", *(f"{e.total.control_failures} of {e.total.controls} differ" for e in columns)))
    rows.append(("decided by", "", *(", ".join(each.statistics) for each in columns)))
    rows.append(("time", "", *(duration(each.seconds) for each in columns)))
    return rows


def _cell(part: Part | None) -> str:
    return "-" if part is None else str(part.separated)


def label(result: Separation) -> str:
    """What a column is called: the model, and how it was looked at where that is not clear."""
    how = {"colors": "", "untrained": "untrained", "trained": "trained"}[result.mode]
    layers = "" if result.structure in ("", "unlimited depth") else short(result.structure)
    more = ", ".join(filter(None, (layers, how)))
    return f"{result.model} ({more})" if more else result.model


def text(result: Separation) -> str:
    """The result as it is printed."""
    rows = cells(result)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [f"{result.benchmark}: pairs told apart"]
    for number, row in enumerate(rows):
        start = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([start, *rest]).rstrip())
        if number == 0:
            lines.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    for each in (result, *result.compared):
        lines += [f"{each.model}: {sentence}" for sentence in each.sentences]
    return "\n".join(lines)


def row(result: Separation) -> tuple[str, ...]:
    """One line of the tables of the docs."""
    total = result.total
    published = result.published
    separated = f"{total.separated} of {total.pairs}" + (f" (as published: {published[0]})" if published else "")
    copies = f"{total.control_failures} of {total.controls}" + (f" ({published[1]})" if published else "")
    accuracy = result.details.get("accuracy")
    ties = result.details.get("separated_by_every_tie_and_by_some")
    return (
        result.benchmark,
        result.mode,
        result.model,
        short(result.structure),
        separated,
        copies,
        "" if accuracy is None else f"{accuracy:.1f} %",
        "" if ties is None else " / ".join(map(str, ties)),
        f"{result.details.get('cpu_seconds', result.seconds):.1f}",
    )


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


def with_tables(page: str, results: Sequence[Separation]) -> str:
    """A Markdown page with new tables in the places that are marked in it, from <!-- MODE --> to <!-- end of MODE -->.

    Tables without a place are added behind the text."""
    for mode in MODES:
        marked = f"<!-- {mode} -->", _table([each for each in results if each.mode == mode]), f"<!-- end of {mode} -->"
        old = re.search(f"{marked[0]}.*?{marked[2]}", page, re.DOTALL)
        new = "\n".join(marked)
        page = page.replace(old[0], new) if old else f"{page}\n{new}\n"
    return page


def _table(results: Sequence[Separation]) -> str:
    rows = [row(result) for result in results]
    # the mode is the heading
    columns = [i for i, name in enumerate(HEAD) if name != "mode" and any(cells[i] for cells in rows)]
    lines = [f"| {' | '.join(cells[i] for i in columns)} |" for cells in [HEAD, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])
