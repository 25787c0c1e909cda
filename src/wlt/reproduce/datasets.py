"""The datasets of a plan: loaded, recorded in the store, and audited."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wlt.data import DataError, Statistics, load
from wlt.graphs import Graphs
from wlt.reproduce.plan import Plan
from wlt.reproduce.record import Facts, digest
from wlt.reproduce.spec import WITH_EDGE_LABELS
from wlt.reproduce.store import Store, StoreError
from wlt.train.folds import check_folds


class Loaded(NamedTuple):
    """The datasets of a plan, by the names that tables give them."""

    datasets: dict[str, Graphs]
    missing: dict[str, str]
    """The reason for each dataset that could not be loaded, or not be divided into folds."""


def load_all(
    sources: Sequence[str], root: str | os.PathLike[str] | None, plan: Plan, *, edge_labels: bool = False
) -> Loaded:
    """Load these datasets; those that cannot be used are left out, with the reason.

    edge_labels: let models see what edges carry, too. The paper's do not, so such a dataset has a name of its own."""
    datasets: dict[str, Graphs] = {}
    missing: dict[str, str] = {}
    for source in sources:
        try:
            dataset = load(source, root, edge_labels="labels" if edge_labels else None)
            if edge_labels:
                dataset = replace(dataset, name=dataset.name + WITH_EDGE_LABELS)
            spec = plan.jobs([dataset.name])[0].spec
            if spec.folds:
                check_folds(dataset.class_numbers, spec.folds)
        except DataError as error:
            missing[source] = str(error)
        except ValueError as error:
            missing[source] = f"{source}: {error}"
        else:
            if dataset.name in datasets and digest(datasets[dataset.name]) != digest(dataset):
                raise ValueError(f"two different datasets are called {dataset.name!r}; use a separate run for each")
            if spec.degrees != "one-hot" and dataset.kind != "degrees":
                raise ValueError(
                    f"{dataset.name}: its nodes have {dataset.kind}, which models see instead of degrees; "
                    "use --degrees one-hot, which leaves them as they are"
                )
            datasets[dataset.name] = dataset
    return Loaded(datasets, missing)


def describe_datasets(store: Store, loaded: Loaded, plan: Plan) -> None:
    """Store the facts about the datasets; StoreError if the store has runs on different data of the same name."""
    known = store.datasets()
    for name, dataset in loaded.datasets.items():
        facts = Facts(digest(dataset), Statistics.of(dataset))
        old = known.get(name, Facts())
        if old.digest and old.digest != facts.digest:
            raise StoreError(f"{store.folder} has runs on different data named {name!r}; choose another --out")
        facts = (old if old.digest else facts).asked_too(plan.asked)
        if facts != old:
            store.describe(name, facts)
    for name in loaded.missing:
        if name in plan.datasets and name not in known:  # lets the report say that these cells lack their data
            store.describe(name, Facts())


def audit_datasets(store: Store, datasets: Mapping[str, Graphs], seed: int, say: Callable[[str], None]) -> None:
    """Store the audit of every dataset that has none yet: the report shows accuracies beside their ceilings.

    seed: the seed of the folds between which leaks are counted; the audit stores it."""
    from wlt.auditing.audit import audit

    known = store.datasets()
    for name, dataset in datasets.items():
        if not known[name].audit:
            say(f"auditing {name}")
            result = audit(dataset, seed=seed)
            described = {**result.to_dict(), "conclusion": result.conclusion}
            store.describe(name, replace(known[name], audit=described))
