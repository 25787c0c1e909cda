"""Cells and tables from stored runs, and the tables as Markdown. Pure functions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from wlt.data import PAPER, PUBLISHED
from wlt.reproduce import paper
from wlt.reproduce.record import Curve, Facts, Record, Results
from wlt.reproduce.report.rules import (
    EXPLANATIONS,
    TABLE1_RULES,
    TABLE2_RULES,
    Difference,
    Score,
    difference,
    lowest_validation_loss,
    score,
)
from wlt.reproduce.spec import (
    BASELINES,
    GRID_LAYERS,
    METHODS,
    TABLE1_DATASETS,
    TABLE2_DATASETS,
    TABLE2_RUNS,
    Spec,
    table1,
    table2,
)
from wlt.wording import count, duration

Changes = tuple[tuple[str, Any], ...]
"""Fields of a spec that differ from the paper's protocol, in the spec's order, with the values they have."""


@dataclass(frozen=True)
class Cell:
    """A method on a dataset: the runs of the spec that is reported, and how much of the cell was run."""

    spec: Spec
    records: tuple[Record, ...]  # of that spec, by fold
    specs_run: int
    """Grid points with as many folds as the one reported: those it was chosen from."""
    specs_all: int
    seconds: float
    """All runs of the cell together, of other specs too."""

    @cached_property
    def curves(self) -> list[Curve]:
        return [record.curve for record in self.records]

    @cached_property
    def scores(self) -> dict[str, Score]:
        rules = TABLE1_RULES if self.spec.folds else TABLE2_RULES
        return {name: score(self.curves, rule) for name, rule in rules.items()}

    @property
    def repeats(self) -> int:
        """Folds, or runs, that make the cell complete."""
        return self.spec.folds or TABLE2_RUNS

    @property
    def seconds_per_run(self) -> float:
        return sum(record.seconds for record in self.records) / len(self.records)

    @property
    def incomplete(self) -> str:
        """What is missing, in words; empty where nothing is."""
        missing = []
        if len(self.records) < self.repeats:
            missing.append(f"{len(self.records)} of {self.repeats} {'folds' if self.spec.folds else 'runs'}")
        if self.specs_run < self.specs_all:
            missing.append(f"{self.specs_run} of {self.specs_all} grid points")
        return ", ".join(missing)

    @property
    def shape(self) -> str:
        """What was trained: the structure, or a baseline's layers and width."""
        spec = self.spec
        return (
            f"{spec.structure}, {spec.hidden} hidden"
            if spec.kind == "WLT"
            else f"{len(spec.structure)} x {spec.hidden}"
        )


@dataclass(frozen=True)
class Table:
    """One of the paper's tables as far as it was run, or the same with something changed."""

    number: int
    seed: int
    changes: Changes
    """What differs from the paper's protocol; empty: nothing."""
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]

    @property
    def whole(self) -> list[tuple[str, str]]:
        """Cells that lack nothing, as (method, dataset)."""
        return [key for key, cell in self.cells.items() if not cell.incomplete]

    @property
    def label(self) -> str:
        """Its name, with what differs from the paper's."""
        words = {"epochs": "{} epochs", "hidden": "{} hidden units", "degrees": "{} degrees"}
        changed = [words.get(name, name + " {}").format(value) for name, value in self.changes]
        changed += [f"seed {self.seed}"] if self.seed else []
        return f"Table {self.number}" + (f" with {', '.join(changed)}" if changed else "")

    @property
    def title(self) -> str:
        return f"{self.label}: {'test' if self.number == 1 else 'training'} accuracy in percent"

    @property
    def rules(self) -> list[str]:
        return list(TABLE1_RULES if self.number == 1 else TABLE2_RULES)

    def paper(self, method: str, dataset: str) -> tuple[float, float | None] | None:
        """The paper's mean and standard deviation; it reports no deviation in its Table 2."""
        if self.number == 1:
            return paper.TABLE1.get((method, dataset))
        best = paper.TABLE2.get((method, dataset))
        return None if best is None else (best, None)

    def ours(self, method: str, dataset: str, rule: str) -> tuple[float, float | None] | None:
        """What stands in the table: mean and deviation over folds, or the best of the runs."""
        cell = self.cells.get((method, dataset))
        if cell is None:
            return None
        found = cell.scores[rule]
        return (found.mean, found.std) if self.number == 1 else (found.best, None)

    def difference(self, method: str, dataset: str, rule: str) -> float:
        """Ours minus the paper's, in percentage points; NaN where there is nothing to compare."""
        theirs, ours = self.paper(method, dataset), self.ours(method, dataset, rule)
        return math.nan if theirs is None or ours is None else ours[0] - theirs[0]

    def distance(self, method: str, dataset: str, rule: str) -> float:
        """The same in the paper's standard deviations."""
        theirs = self.paper(method, dataset)
        deviation = None if theirs is None else theirs[1]
        return math.nan if deviation is None else self.difference(method, dataset, rule) / deviation

    def against_control(self, dataset: str, method: str, rule: str) -> Difference | None:
        """A method against the same layers without recoloring, on the folds that both have."""
        cells = [self.cells.get((name, dataset)) for name in (method, "gin-sum")]
        if self.number != 1 or cells[0] is None or cells[1] is None:
            return None
        common = {record.fold for record in cells[0].records} & {record.fold for record in cells[1].records}
        scores = []
        for cell in (cells[0], cells[1]):
            curves = [record.curve for record in cell.records if record.fold in common]
            scores.append(score(curves, TABLE1_RULES[rule]) if curves else None)
        if scores[0] is None or scores[1] is None:
            return None
        train, _, test = cells[0].curves[0].sizes
        return difference(scores[0], scores[1], train, test)


def tables(results: Results) -> list[Table]:
    """Every table of which there are runs: the paper's own first, then those with something changed."""
    cells: dict[tuple[int, int, Changes, str, str], list[Record]] = defaultdict(list)
    for record in results.records:
        spec = record.spec
        cells[1 if spec.folds else 2, spec.seed, changes(spec), spec.method, spec.dataset].append(record)
    groups: dict[tuple[int, int, Changes], list[Record]] = defaultdict(list)
    for (number, seed, changed, *_), records in cells.items():
        groups[number, seed, _with_width(changed, records)] += records
    keys = sorted(groups, key=lambda key: (len(key[2]) > 0 or key[1] > 0, key[0], key[1], str(key[2])))
    return [_table(*key, groups[key]) for key in keys]


def changes(spec: Spec) -> Changes:
    """In which fields a spec differs from the paper's protocol for its method and dataset."""
    protocol = _protocol(spec)
    if spec in protocol:
        return ()
    nearest = min(protocol, key=lambda other: len(_differing(spec, other)))
    return tuple((name, getattr(spec, name)) for name in _differing(spec, nearest))


def _with_width(changed: Changes, records: list[Record]) -> Changes:
    """A baseline with all depths and one width is what `--hidden` gives, in a table with the other methods of that run.

    A grid that is not finished looks otherwise: it is run depth by depth, with all widths of each."""
    depths = {len(record.spec.structure) for record in records}
    widths = {record.spec.hidden for record in records}
    if records[0].spec.method not in BASELINES or depths != set(GRID_LAYERS) or len(widths) > 1:
        return changed
    order = [field.name for field in fields(Spec)]
    return tuple(sorted({**dict(changed), "hidden": widths.pop()}.items(), key=lambda change: order.index(change[0])))


def _protocol(spec: Spec) -> list[Spec]:
    """The paper's specs for the spec's method and dataset."""
    return (table1 if spec.folds else table2)(spec.dataset, spec.method, spec.seed)


def _differing(first: Spec, second: Spec) -> list[str]:
    others = asdict(second)
    return [name for name, value in asdict(first).items() if value != others[name]]


def _table(number: int, seed: int, changed: Changes, records: list[Record]) -> Table:
    by_cell: dict[tuple[str, str], dict[Spec, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        by_cell[record.spec.method, record.spec.dataset][record.spec].append(record)
    cells = {key: _cell(by_spec, changed) for key, by_spec in by_cell.items()}
    run = {dataset for _, dataset in cells}
    printed = TABLE1_DATASETS if number == 1 else TABLE2_DATASETS
    as_in_paper = not changed and bool(run & set(printed))
    datasets = [name for name in printed if as_in_paper or name in run] + sorted(run - set(printed))
    rows = [name for name in METHODS if number == 1 or name not in BASELINES]
    methods = rows if as_in_paper else [name for name in rows if any(method == name for method, _ in cells)]
    return Table(number, seed, changed, tuple(methods), tuple(datasets), cells)


def _cell(by_spec: dict[Spec, list[Record]], changed: Changes) -> Cell:
    """The spec of the grid that validation chooses, among those with the most folds."""
    most = max(len(records) for records in by_spec.values())
    candidates = {spec: records for spec, records in by_spec.items() if len(records) == most}
    chosen = min(
        candidates,
        key=lambda spec: lowest_validation_loss([record.curve for record in candidates[spec]]) if spec.folds else 0.0,
    )
    seconds = sum(record.seconds for records in by_spec.values() for record in records)
    in_order = tuple(sorted(candidates[chosen], key=lambda record: record.fold))
    grid = {replace(spec, **dict(changed)) for spec in _protocol(chosen)}
    return Cell(chosen, in_order, len(candidates), len(grid), seconds)


def number(mean_and_std: tuple[float, float | None]) -> str:
    """As the paper prints it.

    >>> number((75.36, 3.71)), number((98.3, None))
    ('75.4 ± 3.7', '98.3')
    """
    mean, std = mean_and_std
    return f"{mean:.1f}" if std is None or math.isnan(std) else f"{mean:.1f} ± {std:.1f}"


def empty_cell(dataset: str, datasets: dict[str, Facts]) -> str:
    """Why there is nothing."""
    facts = datasets.get(dataset)
    return "data not at hand" if facts is not None and not facts.digest else "not run"


def short(dataset: str) -> str:
    """The name at the head of a column, as the paper abbreviates it."""
    return {
        "IMDB-BINARY": "IMDB-B",
        "IMDB-MULTI": "IMDB-M",
        "REDDIT-BINARY": "REDDIT-B",
        "REDDIT-MULTI-5K": "REDDIT-M5K",
    }.get(dataset, dataset)


CEILING = "any invariant model"


@dataclass(frozen=True)
class Text:
    """A table ready to be printed: as Markdown, on the page, on a terminal."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 2
    """So many columns are words, the others numbers."""


def as_text(table: Table, datasets: dict[str, Facts]) -> Text:
    """The paper's figure, then ours under every rule, one row each, for every method."""
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
                    line.append(empty_cell(name, datasets) if rule == table.rules[0] else "")
                else:
                    line.append(
                        number(value) + (f" ({cell.incomplete})" if cell.incomplete and rule == table.rules[0] else "")
                    )
            rows.append((METHODS[method], rule, *line))
    if table.number == 2:
        ceilings = [datasets.get(name, Facts()).audit.get("ceiling_isomorphism") for name in table.datasets]
        if any(value is not None for value in ceilings):
            rows.append((CEILING, "audit", *("" if value is None else f"{value:.2f}" for value in ceilings)))
    notes = [f"{rule}: {EXPLANATIONS[rule]}." for rule in table.rules]
    if table.number == 1:
        notes.append("Mean ± standard deviation over the test folds. The paper does not say which rule it used.")
        if any(method in BASELINES for method, _ in table.cells):
            notes.append(
                "Layers and hidden units of GCN, SAGE, GIN-0 and GIN-ε: the grid point with the lowest mean over the "
                "folds of the smallest validation loss, as in PyG's benchmark; chosen once, for all three rules."
            )
    else:
        notes.append("Best of the runs, as in the paper: all graphs train, and the same are asked in evaluation mode.")
        notes.append(f"{CEILING}: the most that a model can reach which gives isomorphic graphs one answer.")
    normalized = sorted(
        {short(cell.spec.dataset) for cell in table.cells.values() if cell.spec.degrees == "normalized"}
    )
    if normalized:
        notes.append(
            f"{', '.join(normalized)}: models see a node's degree as one number, normalised, as in PyG's benchmark for "
            "degrees that reach 1000; elsewhere labels, or degrees where there are none, one-hot."
        )
    width = dict(table.changes).get("hidden")
    if width is not None:
        notes.append(
            f"Here are the runs with {width} hidden units where the paper has another number, or a choice of them: of "
            f"a baseline's grid only the depths remain. Methods that have {width} in the paper are in the table "
            "without this change."
        )
    return Text(table.title, ("method", "epoch by", *map(short, table.datasets)), tuple(rows), tuple(notes))


def control_text(table: Table) -> Text | None:
    """WLT-GNN against the same five GIN layers without recoloring."""
    rows = []
    for dataset in table.datasets:
        for method in ("wlt", "wlt0.5"):
            found = [table.against_control(dataset, method, rule) for rule in table.rules]
            if not any(found):
                continue
            words = [f"{d.mean:+.1f} [{d.low:+.1f}, {d.high:+.1f}]" if d else "" for d in found]
            rows.append((short(dataset), METHODS[method], str(found[0].folds if found[0] else ""), *words))
    if not rows:
        return None
    return Text(
        f"{table.label}: does recoloring help?",
        ("dataset", "method", "folds", *table.rules),
        tuple(rows),
        (
            "Test accuracy minus that of the control (GIN-0, ggggg, sum readout), fold by fold, in percentage points, "
            "with a 95 % interval (t distribution, variance corrected for overlapping training sets after Nadeau and "
            "Bengio). An interval that contains 0 means: no difference is shown.",
            "best-mean-epoch chooses each side's epoch on the test folds that are then compared, so its intervals say "
            "less than 95 %; the test is the one under validation.",
        ),
    )


def cost_text(table: Table) -> Text:
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
    """Statistics beside the published ones, and the ceilings of the audit."""
    run = {record.spec.dataset for record in results.records}
    names = [name for name in PAPER if name in results.datasets] + sorted(set(results.datasets) - set(PAPER))
    concluded = {name for name in run if results.datasets[name].audit.get("conclusion")}
    seeds = sorted({facts.audit.get("seed", 0) for facts in results.datasets.values() if facts.audit})
    rows = []
    for name in names:
        facts = results.datasets[name]
        if facts.statistics is None:
            rows.append((name, "data not at hand", *[""] * 9))
        elif name in run:
            rows.append((name, *_statistics(name, facts)))
    head = (
        "dataset",
        "graphs",
        "classes",
        "nodes",
        "edges",
        "majority",
        "WL",
        "WLT-GNN",
        "any invariant",
        "duplicates",
        "leaks",
    )
    return Text(
        "Datasets",
        head,
        tuple(rows),
        (
            "Nodes and edges are means per graph, loops and repeated edges removed; in brackets what the TU collection "
            "publishes, where it differs.",
            "Majority: the accuracy in percent of always answering the largest class. WL, WLT-GNN, any invariant: the "
            "best training accuracy of any model bounded by WL, of WLT-GNN averaging over all draws, and of any model "
            "that gives isomorphic graphs one answer (wlt audit); isomorphisms keep the node labels.",
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
    return [
        str(graphs),
        str(len(statistics.class_sizes)),
        nodes,
        edges,
        f"{100 * max(statistics.class_sizes) / graphs:.1f}",
        *("" if value is None else f"{value:.2f}" for value in ceilings),
        *("" if value is None else str(value) for value in counts),
    ]


def provenance(results: Results) -> list[str]:
    """Sentences about when, where and on what the runs were made."""
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


def markdown(texts: Sequence[Text], lines: Sequence[str] = ()) -> str:
    """Tables as Markdown, whatever names they contain."""
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
    """Markdown allows HTML: both are disarmed."""
    pairs = [("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
    text = " ".join(text.split())
    for character, safe in [*pairs, *((c, "\\" + c) for c in "|*`[]_")]:
        text = text.replace(character, safe)
    return text
