"""Jobs on this machine, in processes with one thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from wlt.graphs import Graphs
from wlt.reproduce.job import MAX_ATTEMPTS, Event, Failed, Finished, Job, Lost, Outcome, Running, measured, prepare

SPAWN: Any = multiprocessing.get_context("spawn")
"""New processes, not forks: torch and numba do not survive a fork of a process that has used them."""

REPORT_EVERY = 0.5
"""Seconds between a worker's messages about its progress."""


def run_local(
    jobs: Sequence[Job], datasets: Mapping[str, Graphs], workers: int, processes: Any = SPAWN
) -> Iterator[Event]:
    """Start the jobs in this order, and restart a job if its worker dies. Closing the iterator stops all of them.

    processes: the multiprocessing context that starts the workers."""
    waiting = deque(jobs)
    attempts: Counter[Job] = Counter()
    pool: list[_Worker] = []
    try:
        while waiting or any(worker.job for worker in pool):
            wanted = min(workers, len(waiting) + sum(worker.job is not None for worker in pool))
            pool += [_Worker(processes) for _ in range(wanted - len(pool))]
            for worker in pool:
                if worker.job is None and waiting:
                    worker.start(waiting.popleft(), datasets)
            busy = [worker for worker in pool if worker.job]
            connection.wait([end for worker in busy for end in (worker.pipe, worker.process.sentinel)])
            for worker in busy:
                yield from worker.events()
                if worker.dead:
                    pool.remove(worker)
                    yield _died(worker, waiting, attempts)
    finally:
        for worker in pool:
            worker.kill()


def _died(worker: _Worker, waiting: deque[Job], attempts: Counter[Job]) -> Event:
    worker.kill()
    job, code = worker.job, worker.process.exitcode
    assert job is not None
    reason = f"its worker was killed by signal {-code}" if code and code < 0 else f"its worker ended with code {code}"
    attempts[job] += 1
    if attempts[job] >= MAX_ATTEMPTS:
        return Failed(job, f"{reason}, {MAX_ATTEMPTS} times; perhaps the memory is too small for this many workers")
    waiting.appendleft(job)
    return Lost(job, reason)


class _Worker:
    """A process and the job it is running."""

    def __init__(self, processes: Any):
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=_work, args=(theirs,), daemon=True)
        with _interrupt_blocked():
            self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.dead = False
        self._dataset = ""

    def start(self, job: Job, datasets: Mapping[str, Graphs]) -> None:
        """Send a job, and its dataset unless the worker has it from its last job."""
        name = job.spec.dataset
        self.job = job
        try:
            self.pipe.send((job, None if name == self._dataset else datasets[name]))
        except OSError:  # the worker has died; events() will report it
            return
        self._dataset = name

    def events(self) -> Iterator[Event]:
        """What the worker has reported; sets `dead` if its job will report nothing more."""
        alive = self.process.is_alive()  # before reading: what a worker sent before it died is still in the pipe
        try:
            while self.job and self.pipe.poll():
                event: Event = self.pipe.recv()
                if not isinstance(event, Running):
                    self.job = None
                yield event
        except (EOFError, OSError):
            alive = False
        self.dead = self.job is not None and not alive

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Let workers that start in this block ignore Ctrl-C, which reaches all processes: the driver stops them itself."""
    resource_tracker.ensure_running()  # it unblocks the signal when it starts, so it must be running already
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection[Any, Any]) -> None:
    """The main loop of a worker: runs jobs from the pipe until the driver kills it, or dies itself."""
    threading.Thread(target=_exit_with_driver, daemon=True).start()
    dataset: Graphs | None = None
    while True:
        job, new_dataset = pipe.recv()
        prepare()
        dataset = new_dataset or dataset
        assert dataset is not None
        try:
            outcome: Outcome = measured(job.spec, job.fold, dataset, _reporter(pipe, job))
            pipe.send(Finished(job, outcome))
        except Exception:
            pipe.send(Failed(job, traceback.format_exc()))


def _reporter(pipe: Connection[Any, Any], job: Job) -> Any:
    """A function that tells the driver from time to time how far the job has come."""
    start, last = time.process_time(), time.monotonic()
    pipe.send(Running(job, 0, 0.0))

    def report(epoch: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= REPORT_EVERY:
            last = now
            pipe.send(Running(job, epoch, time.process_time() - start))

    return report


def _exit_with_driver() -> None:
    """End this process when the driver dies: a driver that was killed cannot stop its workers."""
    driver = multiprocessing.parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)
