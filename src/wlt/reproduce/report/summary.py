"""What a reader should take away from the tables, in sentences."""

from __future__ import annotations

import math

from wlt.reproduce.report.tables import ResultTable
from wlt.reproduce.spec import METHODS
from wlt.wording import count


def summary(all_tables: list[ResultTable]) -> list[str]:
    """Sentences about all tables; only complete cells count."""
    lines = []
    for table in all_tables:
        lines += _beside_paper(table) if table.number == 1 else _about_training(table)
        unfinished = len(table.cells) - len(table.whole)
        if unfinished:
            lines.append(
                f"{table.label}: {unfinished} of {count(len(table.cells), 'cell')} incomplete and marked so; "
                "wlt reproduce runs what is missing."
            )
    return lines


def _beside_paper(table: ResultTable) -> list[str]:
    lines = []
    cells = [cell for cell in table.whole if not math.isnan(table.distance(*cell, table.rules[0]))]
    if cells:
        near, means, sizes = [], [], []
        for rule in table.rules:
            near.append(f"{sum(abs(table.distance(*cell, rule)) <= 1 for cell in cells)} under {rule}")
            points = [table.difference(*cell, rule) for cell in cells]
            means.append(f"{sum(points) / len(points):+.1f} under {rule}")
            sizes.append(f"{sum(map(abs, points)) / len(points):.1f}")
        lines.append(
            f"{table.label}: of {count(len(cells), 'complete cell')} that the paper reports, "
            f"{', '.join(near)} lie within one of the paper's standard deviations. Ours minus the paper's, in "
            f"percentage points, is on average {', '.join(means)}; in absolute value {', '.join(sizes)}."
        )
    tested = [
        (method, dataset, table.against_control(dataset, method, "validation"))
        for dataset in table.datasets
        for method in ("wlt", "wlt0.5")
        if {(method, dataset), ("gin-sum", dataset)} <= set(table.whole)
    ]
    compared = [(f"{METHODS[method]} on {dataset}", difference) for method, dataset, difference in tested if difference]
    if compared:
        better = [name for name, difference in compared if difference.low > 0]
        worse = [name for name, difference in compared if difference.high < 0]
        by_chance = f"{0.05 * len(compared):.1f} intervals would exclude 0 by chance, on average"
        lines.append(
            f"{table.label}: recoloring against the control, fold by fold under validation: the 95 % interval is above "
            f"0 in {len(better)} of {count(len(compared), 'case')}{_in_brackets(better)}, below 0 in {len(worse)}"
            f"{_in_brackets(worse)}. If recoloring made no difference, {by_chance}."
        )
    return lines


def _about_training(table: ResultTable) -> list[str]:
    pairs = [(table.paper(*cell), table.ours(*cell, "best-epoch")) for cell in table.whole]
    known = [(theirs[0], ours[0]) for theirs, ours in pairs if theirs and ours]
    if not known:
        return []
    reached = sum(round(ours, 1) >= theirs for theirs, ours in known)
    cells = count(len(known), "cell")
    return [f"{table.label}: training accuracy is at least the paper's in {reached} of {cells}."]


def _in_brackets(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
