"""Plan: which jobs a table of the paper needs, and in which order they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wlt.data import PAPER_DATASETS
from wlt.reproduce.job import Job
from wlt.reproduce.paper import TABLE2_DATASETS
from wlt.reproduce.spec import BASELINES, DEGREES, METHODS, TABLE2_RUNS, Spec, table1, table2

RUN_ORDER = ("wlt", "wlt0.5", "gin-sum", "gcn", "sage", "gin0", "gineps")
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

    def jobs(self, datasets: Sequence[str]) -> list[Job]:
        """All jobs in the order in which they run: method by method, and cell by cell of the table."""
        chosen = self.methods or [method for method in RUN_ORDER if self.table == "table1" or method not in BASELINES]
        methods = [method for method in RUN_ORDER if method in chosen]
        return [job for method in methods for dataset in datasets for job in self._cell(dataset, method)]

    def _cell(self, dataset: str, method: str) -> list[Job]:
        specs = (table1 if self.table == "table1" else table2)(dataset, method, self.seed)
        dropout = None if self.dropout is None else float(self.dropout)  # 0 and 0.0 would have different keys
        settings = {"epochs": self.epochs, "hidden": self.hidden, "dropout": dropout, "degrees": self.degrees}
        changes: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        specs = list(dict.fromkeys(replace(spec, **changes) for spec in specs))
        return [Job(spec, fold) for spec in specs for fold in range(self._repeats(spec))]

    def _repeats(self, spec: Spec) -> int:
        if spec.folds == 0:
            return TABLE2_RUNS if self.runs is None else self.runs
        return spec.folds if self.folds is None else min(self.folds, spec.folds)
