"""Plan: which jobs a table of the paper needs, and in which order they run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wlt.data import PAPER_DATASETS
from wlt.reproduce.job import Job
from wlt.reproduce.paper import TABLE2_DATASETS
from wlt.reproduce.record import Record
from wlt.reproduce.report.rules import chosen_grid_point
from wlt.reproduce.spec import BASELINES, DEGREES, METHODS, PAPER_METHODS, TABLE2_RUNS, Spec, table1, table2

RUN_ORDER = ("wlt", "wlt0.5", "wlt-all", "gin-sum", "gcn", "sage", "gin0", "gineps")
"""The paper's own methods come first: their rows are complete long before the grids of the baselines."""


@dataclass(frozen=True)
class Plan:
    """A table of the paper and what to change about it; None leaves a setting as in the paper."""

    table: str
    """"table1" or "table2"."""
    methods: Sequence[str] = ()
    folds: int | None = None
    """Run only this many of the ten folds, the first ones."""
    runs: int | None = None
    epochs: int | None = None
    hidden: int | None = None
    dropout: float | None = None
    degrees: str | None = None
    grid_on: int | None = None
    """Choose a baseline's grid point on this many folds, the first ones, and run the other folds for that one alone."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.table not in ("table1", "table2"):
            raise ValueError(f"the paper has table1 and table2, no {self.table!r}")
        if unknown := set(self.methods) - set(METHODS):
            raise ValueError(f"unknown method {min(unknown)!r}; there are {', '.join(METHODS)}")
        if self.degrees not in (None, *DEGREES):
            raise ValueError(f"degrees must be {' or '.join(DEGREES)}, not {self.degrees!r}")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), not {self.dropout}")
        if self.grid_on is not None and not any(method in BASELINES for method in self._methods):
            raise ValueError("--grid-on is about the grids of the baselines, and there are none among these methods")
        if self.table == "table1" and self.runs is not None:
            raise ValueError("Table 1 has folds, not runs: use --folds")
        if self.table == "table2":
            if self.folds is not None:
                raise ValueError("Table 2 trains on the whole set and has no folds: use --runs")
            baselines = [method for method in self.methods if method in BASELINES]
            if baselines:
                table2("", baselines[0])  # raises ValueError with the reason

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets of this table in the paper."""
        return PAPER_DATASETS if self.table == "table1" else TABLE2_DATASETS

    @property
    def _methods(self) -> list[str]:
        """In the order in which they run."""
        of_table = [method for method in PAPER_METHODS if self.table == "table1" or method not in BASELINES]
        return [method for method in RUN_ORDER if method in (self.methods or of_table)]

    @property
    def asked(self) -> dict[str, int]:
        """How many folds or runs each method has of a dataset, as `Facts.asked` tells them."""
        return {f"{self.table} {method}": self._repeats(self._specs("", method)[0]) for method in self._methods}

    def jobs(self, datasets: Sequence[str]) -> list[Job]:
        """All jobs in the order in which they run: method by method, and cell by cell of the table.

        With `grid_on` the folds behind the choice of the grid points are not among them: `jobs_behind_choice`."""
        cells = [(dataset, method) for method in self._methods for dataset in datasets]
        return [
            Job(spec, fold)
            for cell in cells
            for spec in self._specs(*cell)
            for fold in range(spec.grid_on or self._repeats(spec))
        ]

    def jobs_behind_choice(self, datasets: Sequence[str], records: Sequence[Record]) -> list[Job]:
        """With `grid_on`: all folds of the grid points that validation chooses; the first are stored already."""
        by_spec: dict[Spec, list[Record]] = defaultdict(list)
        for record in records:
            by_spec[record.spec].append(record)
        jobs = []
        for method in self._methods:
            for dataset in datasets:
                grid = [spec for spec in self._specs(dataset, method) if spec.grid_on]
                if grid and all(len(by_spec[spec]) >= spec.grid_on for spec in grid):
                    best, _ = chosen_grid_point({spec: by_spec[spec] for spec in grid})
                    jobs += [Job(best, fold) for fold in range(self._repeats(best))]
        return jobs

    def _specs(self, dataset: str, method: str) -> list[Spec]:
        specs = (table1 if self.table == "table1" else table2)(dataset, method, self.seed)
        dropout = None if self.dropout is None else float(self.dropout)  # 0 and 0.0 would have different keys
        settings = {"epochs": self.epochs, "hidden": self.hidden, "dropout": dropout, "degrees": self.degrees}
        changes: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        if self.grid_on is not None and method in BASELINES and self.grid_on < self._repeats(specs[0]):
            changes["grid_on"] = self.grid_on
        return list(dict.fromkeys(replace(spec, **changes) for spec in specs))

    def _repeats(self, spec: Spec) -> int:
        if spec.folds == 0:
            return TABLE2_RUNS if self.runs is None else self.runs
        return spec.folds if self.folds is None else min(self.folds, spec.folds)
