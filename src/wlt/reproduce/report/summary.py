"""What a reader should take away: a few sentences about all that was run, and a few about each table."""

from __future__ import annotations

import math

from wlt.reproduce.record import Facts
from wlt.reproduce.report.rules import Difference
from wlt.reproduce.report.tables import ResultTable
from wlt.reproduce.spec import METHODS, RECOLORINGS, WITH_EDGE_LABELS
from wlt.wording import count


def findings(all_tables: list[ResultTable], datasets: dict[str, Facts]) -> list[str]:
    """At most five sentences: what was found. Only complete cells count.

    They are about the paper's own tables; about variants and other datasets only if nothing else was run."""
    papers = [table for table in all_tables if table.of_paper and not table.changes]
    shown = papers or all_tables[:1]
    lines = []
    for table in shown:
        lines += [*_beside_paper(table), *_against_control(table)] if table.number == 1 else _about_training(table)
    lines += _headroom([name for table in shown for name in table.datasets], datasets)
    labelled = [table for table in all_tables if not table.of_paper]
    for table in labelled[:1]:
        lines += _edge_labels(table)
    return lines[:5]


def remarks(table: ResultTable) -> list[str]:
    """Sentences about one table."""
    lines = [*_beside_paper(table), *_against_control(table)] if table.number == 1 else _about_training(table)
    unfinished = len(table.cells) - len(table.whole)
    if unfinished:
        cells = count(len(table.cells), "cell")
        lines.append(f"{unfinished} of {cells} incomplete and marked so; wlt reproduce runs what is missing.")
    return [*lines, *_edge_labels(table)]


def _as_in_paper(table: ResultTable) -> list[tuple[str, str]]:
    """The complete cells that have as many folds or runs as the paper's: the others are no match for its figures."""
    return [cell for cell in table.whole if table.cells[cell].as_in_paper]


def _beside_paper(table: ResultTable) -> list[str]:
    cells = [cell for cell in _as_in_paper(table) if not math.isnan(table.distance(*cell, table.rules[0]))]
    if not cells:
        return []
    near, means = [], []
    for rule in table.rules:
        near.append(f"{sum(abs(table.distance(*cell, rule)) <= 1 for cell in cells)} ({rule})")
        points = [table.difference(*cell, rule) for cell in cells]
        means.append(f"{sum(points) / len(points):+.1f} points ({rule})")
    return [
        f"{table.label}: the paper reports {count(len(cells), 'cell')} that are complete here. So many lie within one "
        f"of its standard deviations, by the rule that chooses the epoch: {', '.join(near)}.",
        f"{table.label}: our accuracy minus the paper's is on average {', '.join(means)}. The paper does not say which "
        "epoch it reports; best-mean-epoch looks at the test folds.",
    ]


def _against_control(table: ResultTable) -> list[str]:
    compared = {
        f"{METHODS[method]} on {dataset}": table.against_control(dataset, method, table.rules[0])
        for dataset in table.datasets
        for method in RECOLORINGS
        if {(method, dataset), ("gin-sum", dataset)} <= set(table.whole)
    }
    return _effect(f"{table.label}: does recoloring help, against the same network without it?", compared)


def _edge_labels(table: ResultTable) -> list[str]:
    compared = {
        f"{METHODS[method]} on {dataset.removesuffix(WITH_EDGE_LABELS)}": table.against_no_labels(
            dataset, method, table.rules[0]
        )
        for method, dataset in table.whole
        if dataset.endswith(WITH_EDGE_LABELS)
    }
    return _effect(f"{table.label}: do edge labels help, against the same network without them?", compared)


def _effect(what: str, compared: dict[str, Difference | None]) -> list[str]:
    """Does it help? By how many intervals lie beside 0."""
    known = {name: difference for name, difference in compared.items() if difference}
    if not known:
        return []
    better = [name for name, difference in known.items() if difference.low > 0]
    worse = [name for name, difference in known.items() if difference.high < 0]
    both = (("better", better), ("worse", worse))
    words = [f"{word} in {len(names)} ({', '.join(names)})" for word, names in both if names]
    if not words:
        return [f"{what} No difference is shown ({count(len(known), 'comparison')} fold by fold, 95 % intervals)."]
    chance = f"{0.05 * len(known):.1f} would be by chance"
    return [
        f"{what} Of {count(len(known), 'comparison')} fold by fold, by 95 % intervals: {', '.join(words)}; {chance}."
    ]


def _about_training(table: ResultTable) -> list[str]:
    pairs = [(table.paper(*cell), table.ours(*cell, "best-epoch")) for cell in _as_in_paper(table)]
    known = [(theirs[0], ours[0]) for theirs, ours in pairs if theirs and ours]
    if not known:
        return []
    reached = sum(round(ours, 1) >= theirs for theirs, ours in known)
    largest = max(known, key=lambda pair: abs(pair[1] - pair[0]))
    return [
        f"{table.label}: training accuracy is at least the paper's in {reached} of {count(len(known), 'cell')}; the "
        f"largest difference is {largest[1] - largest[0]:+.1f} points."
    ]


def _headroom(names: list[str], datasets: dict[str, Facts]) -> list[str]:
    """Can more expressive power than WL's show on these datasets at all?"""
    audits = {name: datasets[name].audit for name in dict.fromkeys(names) if name in datasets and datasets[name].audit}
    ceilings = {name: (audit.get("ceiling_wl"), audit.get("ceiling_isomorphism")) for name, audit in audits.items()}
    known = {name: pair for name, pair in ceilings.items() if None not in pair}
    if not known:
        return []
    open_to_more = [name for name, (wl, any_model) in known.items() if wl != any_model]
    if not open_to_more:
        where = {1: next(iter(known)), 2: "both datasets"}.get(len(known), f"all {len(known)} datasets")
        return [
            f"On {where} no model that sees the same input can fit more training graphs than one bounded by "
            "Weisfeiler-Leman (wlt audit), so more expressive power cannot be the reason for a difference there."
        ]
    return [f"More expressive power than Weisfeiler-Leman's can help on {', '.join(open_to_more)} (wlt audit)."]
