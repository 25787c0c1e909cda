"""Results as tables: one line each, and the tables of docs/expressiveness.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wlt.expressiveness.experiment import MODES
from wlt.expressiveness.result import Separation
from wlt.structure import Structure

HEAD = (
    "benchmark",
    "mode",
    "policy",
    "structure",
    "separated",
    "copies taken for different",
    "accuracy",
    "whatever the tie / by some tie",
    "CPU seconds",
)


def row(result: Separation) -> tuple[str, ...]:
    """One line of the table."""
    total = result.total
    published = result.details.get("published_separated")
    separated = f"{total.separated} of {total.pairs}" + ("" if published is None else f" (as published: {published})")
    failures = result.details.get("published_control_failures")
    copies = f"{total.control_failures} of {total.controls}" + ("" if failures is None else f" ({failures})")
    accuracy = result.details.get("accuracy")
    ties = result.details.get("separated_by_every_tie_and_by_some")
    return (
        result.benchmark,
        result.mode,
        result.policy,
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
    if set(structure) - {"g", "r"}:
        return structure
    first, *rest = Structure(structure).blocks
    if not first or len(rest) < 2 or len(set(rest)) > 1 or structure.endswith("r"):
        return structure
    return f"g{first}(rg{rest[0]}){len(rest)}"


def with_tables(text: str, results: Sequence[Separation]) -> str:
    """A Markdown page with new tables in the places that are marked in it, from <!-- MODE --> to <!-- end of MODE -->.

    Tables without a place are added behind the text."""
    for mode in MODES:
        marked = f"<!-- {mode} -->", _table([each for each in results if each.mode == mode]), f"<!-- end of {mode} -->"
        old = re.search(f"{marked[0]}.*?{marked[2]}", text, re.DOTALL)
        new = "\n".join(marked)
        text = text.replace(old[0], new) if old else f"{text}\n{new}\n"
    return text


def _table(results: Sequence[Separation]) -> str:
    rows = [row(result) for result in results]
    # the mode is the heading
    columns = [i for i, name in enumerate(HEAD) if name != "mode" and any(cells[i] for cells in rows)]
    lines = [f"| {' | '.join(cells[i] for i in columns)} |" for cells in [HEAD, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])
