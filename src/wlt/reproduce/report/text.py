"""The tables of the report as text: a head, rows and notes, ready for a terminal, Markdown or HTML."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from wlt.data import PAPER_DATASETS, PUBLISHED
from wlt.reproduce.record import Facts, Results
from wlt.reproduce.report.rules import EXPLANATIONS, Difference
from wlt.reproduce.report.tables import ResultTable
from wlt.reproduce.spec import BASELINES, METHODS, RECOLORINGS
from wlt.wording import count, duration

CEILING = "any invariant model"


def number(mean_and_std: tuple[float, float | None]) -> str:
    """Mean and standard deviation as the paper prints them.

    >>> number((75.36, 3.71)), number((98.3, None))
    ('75.4 ± 3.7', '98.3')
    """
    mean, std = mean_and_std
    return f"{mean:.1f}" if std is None or math.isnan(std) else f"{mean:.1f} ± {std:.1f}"


def empty_cell(dataset: str, datasets: dict[str, Facts]) -> str:
    """What an empty cell says: why it is empty."""
    facts = datasets.get(dataset)
    return "data not at hand" if facts is not None and not facts.digest else "not run"


def short(dataset: str) -> str:
    """The name of a dataset as the paper abbreviates it."""
    return {
        "IMDB-BINARY": "IMDB-B",
        "IMDB-MULTI": "IMDB-M",
        "REDDIT-BINARY": "REDDIT-B",
        "REDDIT-MULTI-5K": "REDDIT-M5K",
    }.get(dataset, dataset)


@dataclass(frozen=True)
class Text:
    """A table whose cells are words, ready to be printed."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 2
    """This many columns, the first ones, are names; the others are numbers."""


def as_text(table: ResultTable, datasets: dict[str, Facts]) -> Text:
    """For every method a row with the paper's figures, then a row with ours for every rule."""
    rows = []
    for method in table.methods:
        theirs = [table.paper(method, name) for name in table.datasets]
        if any(theirs):
            rows.append((METHODS[method], "paper", *(number(value) if value else "" for value in theirs)))
        for rule in table.rules:
            line = []
            for name in table.datasets:
                value, cell = table.ours(method, name, rule), table.cells.get((method, name))
                if value is None or cell is None:
                    word, remark = "", empty_cell(name, datasets)
                else:
                    word, remark = number(value), f" ({cell.remark})" if cell.remark else ""
                line.append(word + remark if rule == table.rules[0] else word)
            rows.append((METHODS[method], rule, *line))
    if table.number == 2 or not table.of_paper:
        ceilings = [datasets.get(name, Facts()).audit.get("ceiling_isomorphism") for name in table.datasets]
        if any(value is not None for value in ceilings):
            rows.append((CEILING, "audit", *("" if value is None else f"{value:.2f}" for value in ceilings)))
    notes = [f"{rule}: {EXPLANATIONS[rule]}." for rule in table.rules]
    if table.number == 1:
        which = " The paper does not say which rule it used." if table.of_paper else ""
        notes.append(f"Mean ± standard deviation over the test folds.{which}")
        if any(method in BASELINES for method, _ in table.cells):
            notes.append(
                "Layers and hidden units of GCN, SAGE, GIN-0 and GIN-ε: the grid point with the lowest mean over the "
                "folds of the smallest validation loss, as in PyG's benchmark; chosen once, for all three rules."
            )
        for grid_on in sorted({cell.spec.grid_on for cell in table.cells.values()} - {0}):
            few = count(grid_on, "fold")
            notes.append(
                f"grid on {few}: the grid point was chosen by the validation loss of the first {few} alone, and the "
                "ten folds were run for that grid point only."
            )
    else:
        notes.append("Best of the runs, as in the paper: trained on all graphs, and evaluated on the same graphs.")
    if any(name == CEILING for name, *_ in rows):
        notes.append(
            f"{CEILING}: the best training accuracy of any model that gives isomorphic graphs the same answer."
        )
    specs = [cell.spec for cell in table.cells.values()]
    normalized = sorted({short(spec.dataset) for spec in specs if spec.degrees == "normalized"})
    if normalized:
        notes.append(
            f"{', '.join(normalized)}: models see a node's degree as one number, normalised, as in PyG's benchmark "
            "where degrees reach 1000. Elsewhere they see labels, or degrees if there are no labels, one-hot."
        )
    width = dict(table.changes).get("hidden")
    if width is not None:
        notes.append(
            f"Runs with {width} hidden units where the paper has another number, or a choice of several: of a "
            f"baseline's grid only the depths remain. Methods that have {width} in the paper are in the table without "
            "this change."
        )
    return Text(table.title, ("method", "epoch by", *map(short, table.datasets)), tuple(rows), tuple(notes))


def control_text(table: ResultTable) -> Text | None:
    """WLT-GNN compared with the same five GIN layers without recoloring; None if there is nothing to compare."""
    rows = []
    for dataset in table.datasets:
        for method in RECOLORINGS:
            rows += _difference_row(table, dataset, method, table.against_control)
    if not rows:
        return None
    what = "Test accuracy minus that of the control (GIN-0, ggggg, sum readout)"
    return _differences(f"{table.label}: does recoloring help?", table, rows, what)


def edge_labels_text(table: ResultTable) -> Text | None:
    """Every method with edge labels compared with itself without them; None if there is nothing to compare."""
    rows = []
    for dataset in table.datasets:
        for method in table.methods:
            rows += _difference_row(table, dataset, method, table.against_no_labels)
    if not rows:
        return None
    what = "Test accuracy minus that of the same method without edge labels"
    return _differences(f"{table.label}: do edge labels help?", table, rows, what)


def _difference_row(
    table: ResultTable, dataset: str, method: str, compare: Callable[[str, str, str], Difference | None]
) -> list[tuple[str, ...]]:
    differences = [compare(dataset, method, rule) for rule in table.rules]
    if not any(differences):
        return []
    words = [f"{d.mean:+.1f} [{d.low:+.1f}, {d.high:+.1f}]" if d else "" for d in differences]
    folds = str(differences[0].folds if differences[0] else "")
    return [(short(dataset), METHODS[method], folds, *words)]


def _differences(title: str, table: ResultTable, rows: list[tuple[str, ...]], what: str) -> Text:
    return Text(
        title,
        ("dataset", "method", "folds", *table.rules),
        tuple(rows),
        (
            f"{what}, fold by fold, in percentage points, with a 95 % interval (t distribution, variance corrected for "
            "overlapping training sets after Nadeau and Bengio). If an interval contains 0, no difference is shown.",
            "best-mean-epoch chooses each side's epoch on the test folds that are then compared, so its intervals "
            "cover less than 95 %; judge by the column validation.",
        ),
    )


def cost_text(table: ResultTable) -> Text:
    """What was trained, and how long it took."""
    rows = []
    for method in table.methods:
        for dataset in table.datasets:
            cell = table.cells.get((method, dataset))
            if cell:
                per_run, total = duration(cell.seconds_per_run), duration(cell.seconds)
                runs = f"{len(cell.records)} of {cell.repeats}"
                rows.append((METHODS[method], short(dataset), cell.shape, runs, per_run, total))
    head = ("method", "dataset", "model", "folds" if table.number == 1 else "runs", "time per run", "time of the cell")
    return Text(f"{table.label}: models and time", head, tuple(rows), ("Processor time; one core per run.",), names=3)


def datasets_text(results: Results) -> Text:
    """Statistics of the datasets, with the published ones where they differ, and the ceilings of the audit."""
    run = {record.spec.dataset for record in results.records}
    of_paper = [name for name in PUBLISHED if name in PAPER_DATASETS and name in results.datasets]
    names = of_paper + sorted(set(results.datasets) - set(of_paper))
    concluded = {name for name in run if results.datasets[name].audit.get("conclusion")}
    seeds = sorted({facts.audit.get("seed", 0) for facts in results.datasets.values() if facts.audit})
    rows = []
    for name in names:
        facts = results.datasets[name]
        if facts.statistics is None:
            rows.append((name, "data not at hand", *[""] * 9))
        elif name in run:
            rows.append((name, *_statistics(name, facts)))
    counted = ("graphs", "classes", "nodes", "edges", "majority")
    audited = ("WL", "WLT-GNN", "any invariant", "duplicates", "leaks")
    return Text(
        "Datasets",
        ("dataset", *counted, *audited),
        tuple(rows),
        (
            "Nodes and edges are means per graph, loops and repeated edges removed; in brackets what the TU collection "
            "publishes, where it differs.",
            "Majority: the accuracy in percent of always answering the largest class. WL, WLT-GNN, any invariant: the "
            "best training accuracy of any model bounded by WL, of WLT-GNN averaging over all draws, and of any model "
            "that gives isomorphic graphs the same answer (wlt audit); isomorphisms keep the node labels.",
            "Duplicates: graphs beyond the first of their isomorphism class. Leaks: graphs with an isomorphic copy in "
            f"another fold, in the folds of seed {' or '.join(map(str, seeds)) or 0}.",
            *(f"{name}: {results.datasets[name].audit.get('conclusion')}" for name in names if name in concluded),
        ),
        names=1,
    )


def _statistics(name: str, facts: Facts) -> list[str]:
    statistics, published, audit = facts.statistics, PUBLISHED.get(name), facts.audit
    assert statistics is not None
    graphs = statistics.graphs
    nodes, edges = f"{statistics.nodes / graphs:.2f}", f"{statistics.edges / graphs:.2f}"
    if published:
        nodes += "" if nodes == f"{published.nodes:.2f}" else f" ({published.nodes:.2f})"
        edges += "" if edges == f"{published.edges:.2f}" else f" ({published.edges:.2f})"
    ceilings = [audit.get(key) for key in ("ceiling_wl", "ceiling_wlt", "ceiling_isomorphism")]
    counts = [audit.get(key) for key in ("duplicates", "leaks")]
    majority = f"{100 * max(statistics.class_sizes) / graphs:.1f}"
    return [
        *(str(graphs), str(len(statistics.class_sizes)), nodes, edges, majority),
        *("" if value is None else f"{value:.2f}" for value in ceilings),
        *("" if value is None else str(value) for value in counts),
    ]


def provenance(results: Results) -> list[str]:
    """Sentences that say when the runs were made, on which machines, and with which versions."""
    records = results.records
    environments = sorted({record.environment for record in records})
    seconds = sum(record.seconds for record in records)
    epochs = sum(record.curve.epochs for record in records)
    first, final = min(record.finished for record in records), max(record.finished for record in records)
    total = f"{count(len(records), 'run')}, {count(epochs, 'epoch')}, {duration(seconds)} of one core"
    lines = [f"{total}, finished {first} to {final} UTC."]
    for environment in environments:
        runs = count(sum(record.environment == environment for record in records), "run")
        commit = f", commit {environment.commit}" if environment.commit else ""
        lines.append(f"{runs} on {environment.machine}: {environment.versions}{commit}.")
    return lines
