"""Jobs on a Ray cluster, whose nodes must have the same wlt. Ray moves data and results, and retries lost jobs."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from wlt.cluster import code_version, connected, other_code
from wlt.graphs import Graphs
from wlt.reproduce.job import MAX_ATTEMPTS, Event, Failed, Finished, Job, Outcome, Running, measured


def run_ray(jobs: Sequence[Job], datasets: Mapping[str, Graphs], address: str) -> Iterator[Event]:
    """Run the jobs on the cluster at this address ("auto" is the one this machine belongs to), one core each.

    Ray restarts a job if its worker or node dies. Closing the iterator disconnects from the cluster, which stops the
    jobs."""
    ray = connected(address)
    try:
        task = ray.remote(num_cpus=1, max_retries=MAX_ATTEMPTS - 1)(_remote)
        data = {name: ray.put(datasets[name]) for name in {job.spec.dataset: None for job in jobs}}
        pending = {task.remote(code_version(), job, data[job.spec.dataset]): job for job in jobs}
        waiting = iter(jobs)  # Ray starts them in this order, as many at a time as it has cores
        for job in islice(waiting, int(ray.cluster_resources().get("CPU", 0))):
            yield Running(job, 0, 0.0)
        while pending:
            (reference,), _ = ray.wait(list(pending), num_returns=1)
            yield _event(ray, pending.pop(reference), reference)
            for job in islice(waiting, 1):
                yield Running(job, 0, 0.0)
    finally:
        ray.shutdown()


def _event(ray: Any, job: Job, reference: Any) -> Event:
    try:
        result = ray.get(reference)
    except ray.exceptions.RayError as error:
        return Failed(job, f"Ray gave up: {type(error).__name__}: {error}")
    return Finished(job, result) if isinstance(result, Outcome) else Failed(job, result)


def cores(address: str) -> int:
    """The number of cores of the cluster."""
    ray = connected(address)
    try:
        return int(ray.cluster_resources().get("CPU", 0))
    finally:
        ray.shutdown()


def _remote(version: str, job: Job, dataset: Graphs) -> Outcome | str:
    """Run a job on a node: its outcome, or what went wrong as text. (Ray does not retry a job that raises.)"""
    if problem := other_code(version):
        return problem
    try:
        return measured(job.spec, job.fold, dataset)
    except Exception:
        return traceback.format_exc()
