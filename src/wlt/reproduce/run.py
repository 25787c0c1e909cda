"""Running the jobs that a store lacks, and storing each as soon as it has finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from wlt.graphs import Graphs
from wlt.reproduce.environment import Environment, git_commit
from wlt.reproduce.job import Event, Failed, Finished, Job
from wlt.reproduce.progress import Estimate, display
from wlt.reproduce.record import Record
from wlt.reproduce.store import Store

Executor = Callable[[Sequence[Job], Mapping[str, Graphs]], Iterator[Event]]


def run(
    jobs: Sequence[Job], datasets: Mapping[str, Graphs], store: Store, execute: Executor, workers: int
) -> list[Failed]:
    """Run the jobs that are not in the store yet, and return those that failed."""
    stored = store.jobs()
    missing = [job for job in jobs if (job.spec.key(), job.fold) not in stored]
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


def _record(event: Finished, commit: str) -> Record:
    curve, seconds, machine, versions = event.outcome
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return Record(event.job.spec, event.job.fold, curve, Environment(machine, versions, commit), seconds, now)
