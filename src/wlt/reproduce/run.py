"""Running the jobs that a store lacks, and storing each as soon as it has finished."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

from wlt.graphs import Graphs
from wlt.reproduce.environment import Environment, git_commit
from wlt.reproduce.job import Event, Failed, Finished, Job, Lost, Running, measured
from wlt.reproduce.progress import Estimate, display
from wlt.reproduce.record import Record
from wlt.reproduce.store import Store
from wlt.work import calls
from wlt.work.calls import Call, Place


def events(jobs: Sequence[Job], datasets: Mapping[str, Graphs], place: Place) -> Generator[Event, None, None]:
    """Run the jobs, begun in this order, and tell what happens. Closing the iterator stops all of them."""
    with closing(place.events([Call(measured, job, job.spec.dataset) for job in jobs], datasets)) as all_events:
        for event in all_events:
            job = jobs[event.call]
            if isinstance(event, calls.Began):
                yield Running(job, 0, 0.0)
            elif isinstance(event, calls.Reported):
                yield Running(job, *event.what)
            elif isinstance(event, calls.Done):
                yield Finished(job, event.value)
            elif isinstance(event, calls.Lost):
                yield Lost(job, event.reason)
            else:
                yield Failed(job, event.reason)


def run(jobs: Sequence[Job], datasets: Mapping[str, Graphs], store: Store, place: Place) -> list[Failed]:
    """Run the jobs that are not in the store yet, and return those that failed."""
    stored = store.jobs()
    missing = [job for job in jobs if (job.spec.key(), job.fold) not in stored]
    estimate = Estimate(missing, place.at_once(), store.results().records)
    commit = git_commit()
    failed = []
    with (
        display(len(jobs), len(jobs) - len(missing)) as shown,
        closing(events(missing, datasets, place)) as happening,  # which ends the workers now
    ):
        for event in happening:
            if isinstance(event, Finished):
                store.add(_record(event, commit))
            elif isinstance(event, Failed):
                failed.append(event)
            estimate.update(event)
            shown.show(event, estimate)
    return failed


def _record(event: Finished, commit: str) -> Record:
    curve, seconds, machine, versions = event.outcome
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return Record(event.job.spec, event.job.fold, curve, Environment(machine, versions, commit), seconds, now)
