"""Jobs on processes of this machine, one thread each."""

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

from wlt.data import Dataset
from wlt.reproduce.job import MAX_ATTEMPTS, Event, Failed, Finished, Job, Lost, Outcome, Running, measured, prepare

PROCESSES: Any = multiprocessing.get_context("spawn")
"""New processes, not forks: torch and numba do not survive a fork of a process that has used them."""

REPORT_EVERY = 0.5
"""Seconds between two messages of a worker about the epochs it has done."""


def run_local(jobs: Sequence[Job], datasets: Mapping[str, Dataset], workers: int) -> Iterator[Event]:
    """Run the jobs, begun in this order; a job whose worker dies is begun again. Closing the iterator ends them."""
    waiting = deque(jobs)
    attempts: Counter[Job] = Counter()
    pool: list[_Worker] = []
    try:
        while waiting or any(worker.job for worker in pool):
            wanted = min(workers, len(waiting) + sum(worker.job is not None for worker in pool))
            pool += [_Worker() for _ in range(wanted - len(pool))]
            for worker in pool:
                if worker.job is None and waiting:
                    worker.begin(waiting.popleft(), datasets)
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
        return Failed(job, f"{reason}, {MAX_ATTEMPTS} times; is there too little memory for so many workers?")
    waiting.appendleft(job)
    return Lost(job, reason)


class _Worker:
    """A process and the job it has."""

    def __init__(self) -> None:
        self.pipe, theirs = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=_work, args=(theirs,), daemon=True)
        with _interrupt_blocked():
            self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.dead = False
        self._dataset = ""

    def begin(self, job: Job, datasets: Mapping[str, Dataset]) -> None:
        """Send a job, and its dataset where that is another than the last job's."""
        name = job.spec.dataset
        self.job = job
        try:
            self.pipe.send((job, None if name == self._dataset else datasets[name]))
        except OSError:  # it died meanwhile: events() will say so
            return
        self._dataset = name

    def events(self) -> Iterator[Event]:
        """What the worker has to say; `dead` if it will not say more."""
        alive = self.process.is_alive()  # asked first: what a worker said before it died is still in the pipe
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
    """Ctrl-C reaches every process of the terminal; workers are born deaf to it, since the driver ends them."""
    resource_tracker.ensure_running()  # unblocks the signal when it starts, so it must be running before
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection[Any, Any]) -> None:
    """The life of a worker: jobs from the pipe, until the driver ends it or ends."""
    threading.Thread(target=_end_with_driver, daemon=True).start()
    dataset: Dataset | None = None
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
    """Tells the driver now and then how far the job is."""
    begin, said = time.process_time(), time.monotonic()
    pipe.send(Running(job, 0, 0.0))

    def report(epoch: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= REPORT_EVERY:
            said = now
            pipe.send(Running(job, epoch, time.process_time() - begin))

    return report


def _end_with_driver() -> None:
    """A driver that is killed cannot end its workers."""
    driver = multiprocessing.parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)
