"""The tables of the paper, filled from stored runs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from wlt.data import PAPER_DATASETS
from wlt.reproduce import paper
from wlt.reproduce.record import Curve, Facts, Record, Results
from wlt.reproduce.report.rules import (
    TABLE1_RULES,
    TABLE2_RULES,
    Difference,
    RuleScore,
    chosen_grid_point,
    difference,
    score,
)
from wlt.reproduce.spec import (
    BASELINES,
    GRID_LAYERS,
    METHODS,
    PAPER_METHODS,
    TABLE2_RUNS,
    WITH_EDGE_LABELS,
    Spec,
    table1,
    table2,
)
from wlt.wording import count

PRINTED = {1: PAPER_DATASETS, 2: paper.TABLE2_DATASETS}
"""The datasets of the paper's tables."""

Changes = tuple[tuple[str, Any], ...]
"""Names and values of the fields in which a spec differs from the paper's protocol, in the order of Spec."""


@dataclass(frozen=True)
class Cell:
    """A method on a dataset: the runs of the spec that is reported, and how complete the cell is."""

    spec: Spec
    records: tuple[Record, ...]  # the runs of that spec, by fold
    specs_run: int
    """How many grid points have as many folds as the reported one, which was chosen from them."""
    specs_all: int
    """How many grid points the cell has when it is complete."""
    seconds: float
    """Processor time of all runs of the cell, including other grid points."""
    repeats: int
    """How many folds or runs were asked for."""

    @cached_property
    def curves(self) -> list[Curve]:
        return [record.curve for record in self.records]

    @cached_property
    def scores(self) -> dict[str, RuleScore]:
        rules = TABLE1_RULES if self.spec.folds else TABLE2_RULES
        return {name: score(self.curves, rule) for name, rule in rules.items()}

    @property
    def as_in_paper(self) -> bool:
        """Has it as many folds or runs as the paper?"""
        return len(self.records) >= (self.spec.folds or TABLE2_RUNS)

    @property
    def seconds_per_run(self) -> float:
        return sum(record.seconds for record in self.records) / len(self.records)

    @property
    def incomplete(self) -> str:
        """What is missing of what was asked for, in words; empty if the cell is complete."""
        missing = []
        if len(self.records) < self.repeats:
            missing.append(f"{len(self.records)} of {self.repeats} {'folds' if self.spec.folds else 'runs'}")
        if self.specs_run < self.specs_all:
            missing.append(f"{self.specs_run} of {self.specs_all} grid points")
        return ", ".join(missing)

    @property
    def remark(self) -> str:
        """What a reader must know beside the figure: what is missing, and what was done otherwise."""
        chosen_on = f"grid on {count(self.spec.grid_on, 'fold')}" if self.spec.grid_on else ""
        fewer = (
            ""
            if self.incomplete or self.as_in_paper
            else count(len(self.records), "fold" if self.spec.folds else "run")
        )
        return ", ".join(word for word in (self.incomplete, fewer, chosen_on) if word)

    @property
    def shape(self) -> str:
        """What was trained: the structure, or a baseline's layers and width."""
        structure, hidden = self.spec.structure, self.spec.hidden
        return f"{structure}, {hidden} hidden" if self.spec.kind == "WLT" else f"{len(structure)} x {hidden}"


@dataclass(frozen=True)
class ResultTable:
    """One of the paper's tables, as far as it was run, or a variant of it with other settings."""

    number: int
    seed: int
    changes: Changes
    """What differs from the paper's protocol; empty for the paper's own table."""
    of_paper: bool
    """Are its datasets those of the paper's table? If not, the paper has no figures for any of its cells."""
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]

    @property
    def whole(self) -> list[tuple[str, str]]:
        """The complete cells, as (method, dataset)."""
        return [key for key, cell in self.cells.items() if not cell.incomplete]

    @property
    def label(self) -> str:
        """The name of the table and what differs from the paper's."""
        name = f"Table {self.number}" if self.of_paper else f"Protocol of Table {self.number} on other datasets"
        words = {"epochs": "{} epochs", "hidden": "{} hidden units", "degrees": "{} degrees"}
        changed = [words.get(name, name + " {}").format(value) for name, value in self.changes]
        changed += [f"seed {self.seed}"] if self.seed else []
        return name + (f" with {', '.join(changed)}" if changed else "")

    @property
    def title(self) -> str:
        return f"{self.label}: {'test' if self.number == 1 else 'training'} accuracy in percent"

    @property
    def rules(self) -> list[str]:
        return list(TABLE1_RULES if self.number == 1 else TABLE2_RULES)

    def paper(self, method: str, dataset: str) -> tuple[float, float | None] | None:
        """The paper's mean and standard deviation; Table 2 has no deviations."""
        if self.number == 1:
            return paper.TABLE1.get((method, dataset))
        best = paper.TABLE2.get((method, dataset))
        return None if best is None else (best, None)

    def ours(self, method: str, dataset: str, rule: str) -> tuple[float, float | None] | None:
        """Our mean and standard deviation over the folds; in Table 2 the best of the runs."""
        cell = self.cells.get((method, dataset))
        if cell is None:
            return None
        result = cell.scores[rule]
        return (result.mean, result.std) if self.number == 1 else (result.best, None)

    def difference(self, method: str, dataset: str, rule: str) -> float:
        """Ours minus the paper's, in percentage points; NaN if either is missing."""
        theirs, ours = self.paper(method, dataset), self.ours(method, dataset, rule)
        return math.nan if theirs is None or ours is None else ours[0] - theirs[0]

    def distance(self, method: str, dataset: str, rule: str) -> float:
        """The difference in units of the paper's standard deviation; NaN if there is none."""
        theirs = self.paper(method, dataset)
        deviation = None if theirs is None else theirs[1]
        return math.nan if deviation is None else self.difference(method, dataset, rule) / deviation

    def against_control(self, dataset: str, method: str, rule: str) -> Difference | None:
        """A method compared with the same layers without recoloring, on the folds that both have."""
        return self._difference((method, dataset), ("gin-sum", dataset), rule)

    def against_no_labels(self, dataset: str, method: str, rule: str) -> Difference | None:
        """A method that sees edge labels compared with the same method without them."""
        return self._difference((method, dataset), (method, dataset.removesuffix(WITH_EDGE_LABELS)), rule)

    def _difference(self, first: tuple[str, str], second: tuple[str, str], rule: str) -> Difference | None:
        """The first cell minus the second, fold by fold: all methods have the same folds, with and without labels."""
        cells = [self.cells.get(key) for key in (first, second)]
        if self.number != 1 or first == second or not all(cells):
            return None
        curves, others = ({record.fold: record.curve for record in cell.records} for cell in cells if cell)
        common = [fold for fold in curves if fold in others]
        if not common:
            return None
        scores = [score([of[fold] for fold in common], TABLE1_RULES[rule]) for of in (curves, others)]
        train, _, test = curves[common[0]].sizes
        return difference(scores[0], scores[1], train, test)


def tables(results: Results) -> list[ResultTable]:
    """Every table that has runs: the paper's own first, then the variants."""
    cells: dict[tuple[int, int, Changes, str, str], list[Record]] = defaultdict(list)
    for record in results.records:
        spec = record.spec
        cells[1 if spec.folds else 2, spec.seed, changes(spec), spec.method, spec.dataset].append(record)
    groups: dict[tuple[int, int, Changes, bool], list[Record]] = defaultdict(list)
    for (number, seed, changed, _, dataset), records in cells.items():
        groups[number, seed, _with_width(changed, records), dataset in PRINTED[number]] += records
    keys = sorted(groups, key=lambda key: (not key[3], len(key[2]) > 0 or key[1] > 0, key[0], key[1], str(key[2])))
    return [_table(*key, groups[key], results.datasets) for key in keys]


def changes(spec: Spec) -> Changes:
    """The fields in which a spec differs from the paper's protocol for its method and dataset."""
    protocol = _protocol(spec)
    nearest = min(protocol, key=lambda other: len(_differing(spec, other)))
    return tuple((name, getattr(spec, name)) for name in _differing(spec, nearest))


def _with_width(changed: Changes, records: list[Record]) -> Changes:
    """Recognize a baseline that was run with `--hidden`, which belongs in a table with the other methods of that run.

    Such a baseline has all depths and one width. An unfinished grid looks different: it is run depth by depth, with all
    widths of each depth."""
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
    return [name for name, value in asdict(first).items() if value != others[name] and name != "grid_on"]


def _table(
    number: int, seed: int, changed: Changes, of_paper: bool, records: list[Record], facts: dict[str, Facts]
) -> ResultTable:
    by_cell: dict[tuple[str, str], dict[Spec, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        by_cell[record.spec.method, record.spec.dataset][record.spec].append(record)
    cells = {
        (method, dataset): _cell(by_spec, changed, facts[dataset].asked.get(f"table{number} {method}"))
        for (method, dataset), by_spec in by_cell.items()
    }
    run = {dataset for _, dataset in cells}
    whole_table = of_paper and not changed  # what was not run is shown as well
    datasets = [name for name in PRINTED[number] if whole_table or name in run] + sorted(run - set(PRINTED[number]))
    shown = {method for method, _ in cells} | (set(PAPER_METHODS) if whole_table else set())
    methods = [name for name in METHODS if name in shown and (number == 1 or name not in BASELINES)]
    return ResultTable(number, seed, changed, of_paper, tuple(methods), tuple(datasets), cells)


def _cell(by_spec: dict[Spec, list[Record]], changed: Changes, asked: int | None) -> Cell:
    """The cell for the grid point that validation chooses: on all folds where that was run, else on the first ones."""
    grids: dict[int, dict[Spec, list[Record]]] = defaultdict(dict)
    for spec, records in by_spec.items():
        grids[spec.grid_on][spec] = records
    cells = [_cell_of_grid(grids[grid_on], changed, asked) for grid_on in sorted(grids)]
    return next((cell for cell in cells if not cell.incomplete), cells[0])


def _cell_of_grid(by_spec: dict[Spec, list[Record]], changed: Changes, asked: int | None) -> Cell:
    chosen, candidates = chosen_grid_point(by_spec)
    seconds = sum(record.seconds for records in by_spec.values() for record in records)
    in_order = tuple(sorted(by_spec[chosen], key=lambda record: record.fold))
    grid = {replace(spec, **dict(changed)) for spec in _protocol(chosen)}
    return Cell(chosen, in_order, candidates, len(grid), seconds, asked or chosen.folds or TABLE2_RUNS)
