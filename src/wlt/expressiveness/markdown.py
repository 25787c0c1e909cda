"""Many results as the tables of docs/expressiveness.md: one line each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wlt.expressiveness.result import Separation
from wlt.expressiveness.table import short

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
