"""The driver: which jobs a table needs, which of them are missing, and their results into the store."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wlt.data import DataError, Dataset, Statistics, load
from wlt.reproduce.job import Event, Failed, Finished, Job
from wlt.reproduce.progress import Estimate, display
from wlt.reproduce.record import Environment, Facts, Record, digest
from wlt.reproduce.spec import BASELINES, TABLE1_DATASETS, TABLE2_DATASETS, TABLE2_RUNS, Spec, table1, table2
from wlt.reproduce.store import Store, StoreError
from wlt.train.folds import check_folds

Executor = Callable[[Sequence[Job], Mapping[str, Dataset]], Iterator[Event]]

RUN_ORDER = ("wlt", "wlt0.5", "gin-sum", "gcn", "sage", "gin0", "gineps")
"""The paper's own methods first: their rows of the table are whole long before the baselines' grids are."""


@dataclass(frozen=True)
class Plan:
    """What is to be run. None: as in the paper."""

    table: Literal["table1", "table2"]
    methods: Sequence[str] = ()
    folds: int | None = None
    """Of the ten folds only the first so many."""
    runs: int | None = None
    epochs: int | None = None
    hidden: int | None = None
    dropout: float | None = None
    degrees: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), not {self.dropout}")
        if self.table == "table1" and self.runs is not None:
            raise ValueError("Table 1 has folds, not runs: use --folds")
        if self.table == "table2":
            if self.folds is not None:
                raise ValueError("Table 2 trains on the whole set and has no folds: use --runs")
            baselines = [method for method in self.methods if method in BASELINES]
            if baselines:
                table2("", baselines[0])  # says why there is none

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those of the paper's table."""
        return TABLE1_DATASETS if self.table == "table1" else TABLE2_DATASETS

    def jobs(self, datasets: Sequence[str]) -> list[Job]:
        """In the order in which they are run: method by method, and one cell of the table after the other."""
        chosen = self.methods or [method for method in RUN_ORDER if self.table == "table1" or method not in BASELINES]
        methods = [method for method in RUN_ORDER if method in chosen]
        return [job for method in methods for dataset in datasets for job in self._cell(dataset, method)]

    def _cell(self, dataset: str, method: str) -> list[Job]:
        specs = (table1 if self.table == "table1" else table2)(dataset, method, self.seed)
        dropout = None if self.dropout is None else float(self.dropout)  # 0 and 0.0 would have two keys
        asked = {"epochs": self.epochs, "hidden": self.hidden, "dropout": dropout, "degrees": self.degrees}
        changes: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
        specs = list(dict.fromkeys(replace(spec, **changes) for spec in specs))
        return [Job(spec, fold) for spec in specs for fold in range(self._repeats(spec))]

    def _repeats(self, spec: Spec) -> int:
        if spec.folds == 0:
            return TABLE2_RUNS if self.runs is None else self.runs
        return spec.folds if self.folds is None else min(self.folds, spec.folds)


class Loaded(NamedTuple):
    """Datasets that were asked for, by the names they have in tables."""

    datasets: dict[str, Dataset]
    missing: dict[str, str]
    """The reason for each that could not be loaded, or not be divided into folds."""


def load_all(sources: Sequence[str], root: str | os.PathLike[str] | None, plan: Plan) -> Loaded:
    """Load these datasets; what cannot be used is left out, with the reason."""
    datasets: dict[str, Dataset] = {}
    missing: dict[str, str] = {}
    for source in sources:
        try:
            dataset = load(source, root)
            spec = plan.jobs([dataset.name])[0].spec
            if spec.folds:
                check_folds(dataset.labels, spec.folds)
        except DataError as error:
            missing[source] = str(error)
        except ValueError as error:
            missing[source] = f"{source}: {error}"
        else:
            if dataset.name in datasets and digest(datasets[dataset.name]) != digest(dataset):
                raise ValueError(f"two different datasets are called {dataset.name!r}; give them to two runs")
            if spec.degrees != "one-hot" and dataset.color_kind != "degrees":
                raise ValueError(
                    f"{dataset.name}: its nodes have {dataset.color_kind}, which models see instead of degrees; "
                    "--degrees one-hot leaves them as they are"
                )
            datasets[dataset.name] = dataset
    return Loaded(datasets, missing)


def describe_datasets(store: Store, loaded: Loaded, plan: Plan) -> None:
    """Store what is known about the datasets; StoreError where a name stands for other data than in the store."""
    known = store.datasets()
    for name, dataset in loaded.datasets.items():
        facts = Facts(digest(dataset), Statistics.of(dataset))
        old = known.get(name, Facts())
        if old.digest and old.digest != facts.digest:
            raise StoreError(f"{store.folder} has runs on other data of the name {name!r}; choose another --out")
        if not old.digest:
            store.describe(name, facts)
    for name in loaded.missing:
        if name in plan.datasets and name not in known:  # the report says that its cells are empty for want of data
            store.describe(name, Facts())


def run(
    jobs: Sequence[Job], datasets: Mapping[str, Dataset], store: Store, execute: Executor, workers: int
) -> list[Failed]:
    """Run the jobs that the store has not, and store each as it ends. Returns those that failed."""
    there = store.jobs()
    missing = [job for job in jobs if (job.spec.key(), job.fold) not in there]
    estimate = Estimate(missing, workers, store.results().records)
    commit = git_commit()
    failed = []
    with display(len(jobs), len(jobs) - len(missing)) as shown:
        events = execute(missing, datasets)
        try:
            for event in events:
                if isinstance(event, Finished):
                    store.add(_record(event, commit))
                elif isinstance(event, Failed):
                    failed.append(event)
                estimate.update(event)
                shown.show(event, estimate)
        finally:
            close = getattr(events, "close", None)  # ends the workers now, not when the iterator is collected
            if close:
                close()
    return failed


def audit_datasets(store: Store, datasets: Mapping[str, Dataset], seed: int, say: Callable[[str], None]) -> None:
    """Store the audit of every dataset that has none yet: the report shows accuracies beside their ceilings.

    seed: of the folds in which leaks are counted; the audit remembers it."""
    from wlt.auditing.audit import audit

    known = store.datasets()
    for name, dataset in datasets.items():
        if not known[name].audit:
            say(f"auditing {name}")
            found = audit(dataset, seed=seed)
            described = {**found.to_dict(), "conclusion": found.conclusion}
            store.describe(name, replace(known[name], audit=described))


def _record(event: Finished, commit: str) -> Record:
    curve, seconds, machine, versions = event.outcome
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return Record(event.job.spec, event.job.fold, curve, Environment(machine, versions, commit), seconds, now)


def git_commit() -> str:
    """The commit of wlt itself, "-dirty" with changes; empty where it does not run from its own checkout."""
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], check=True, capture_output=True)
        described = subprocess.run(
            [*git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return described.stdout.decode().strip()
