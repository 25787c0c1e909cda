"""How far a run has come: an estimate of when it will end, shown live on a terminal or line by line in a file."""

from __future__ import annotations

import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from wlt.progress import bars, steps_done
from wlt.reproduce.job import Event, Failed, Finished, Job, Lost, Running
from wlt.reproduce.record import Record
from wlt.reproduce.spec import Spec
from wlt.wording import count, duration


class Estimate:
    """When all jobs will be done, although they differ in cost: each is assumed to take as long per epoch as the most
    similar jobs did.

    The cost of a job is known in processor time, from earlier runs too. How much longer that takes on the clock,
    while the machine does other things, is measured on the jobs of this run."""

    def __init__(
        self,
        jobs: Sequence[Job],
        workers: int,
        done: Sequence[Record] = (),
        clock: Callable[[], float] = time.monotonic,
    ):
        self.workers = workers
        self._clock = clock
        self._started: dict[Job, float] = {}
        self._spent: dict[Job, tuple[float, float]] = {}  # seconds on the clock, and of processor time
        self.left = {job: job.spec.epochs for job in jobs}
        self.running: dict[Job, int] = {}
        self._times: dict[tuple[object, ...], dict[object, tuple[float, int]]] = defaultdict(dict)
        for record in done:
            self._learn(record.spec, record.job, record.seconds, record.curve.epochs)

    def update(self, event: Event) -> None:
        job = event.job
        if isinstance(event, Running):
            if event.epoch == 0:
                self._started[job] = self._clock()
            self.running[job] = event.epoch
            self.left[job] = job.spec.epochs - event.epoch
            self._spend(job, event.seconds, event.epoch)
            return
        self.running.pop(job, None)
        if isinstance(event, Lost):
            self.left[job] = job.spec.epochs
            return
        self.left.pop(job, None)
        if isinstance(event, Finished):
            self._spend(job, event.outcome.seconds, event.outcome.curve.epochs)

    def seconds(self) -> float:
        """Seconds until all jobs are done; NaN as long as no time is known."""
        work = sum(epochs * self._epoch(job.spec) for job, epochs in self.left.items())
        if self._spent:
            on_clock, of_processor = map(sum, zip(*self._spent.values(), strict=True))
            work *= on_clock / of_processor
        return work / max(1, min(self.workers, len(self.left)))

    def _spend(self, job: Job, seconds: float, epochs: int) -> None:
        """Note the processor time that a job of this run has taken so far."""
        if seconds > 0 and job in self._started:
            self._spent[job] = (self._clock() - self._started[job], seconds)
        self._learn(job.spec, job, seconds, epochs)

    def _learn(self, spec: Spec, job: object, seconds: float, epochs: int) -> None:
        if epochs:
            for kind in _kinds(spec):
                self._times[kind][job] = (seconds, epochs)

    def _epoch(self, spec: Spec) -> float:
        """Seconds per epoch: the mean over the most similar jobs whose time is known."""
        for kind in _kinds(spec):
            if kind in self._times:
                times = self._times[kind].values()
                return sum(seconds for seconds, _ in times) / sum(epochs for _, epochs in times)
        return math.nan


def _kinds(spec: Spec) -> list[tuple[object, ...]]:
    """Keys under which similar jobs share their times, from the most similar to any job at all."""
    whole = spec.folds == 0
    exact = (spec.dataset, whole, spec.kind, spec.structure, spec.hidden, spec.recolor)
    return [exact, (spec.dataset, whole, spec.hidden), (spec.dataset,), ()]


@contextmanager
def display(total: int, done: int) -> Iterator[Lines | Live]:
    """Shows events as they arrive: bars if stdout is a terminal; if not, a line for every job that ended."""
    if not sys.stdout.isatty():
        yield Lines(total, done)
        return
    from rich.console import Console

    with bars(Console(highlight=False), steps_done()) as progress:
        yield Live(progress, total, done)


class Lines:
    """A line for every job that ended."""

    def __init__(self, total: int, done: int):
        self.total, self.done = total, done

    def show(self, event: Event, estimate: Estimate) -> None:
        if isinstance(event, Finished):
            self.done += 1
            print(f"[{self.done}/{self.total}] {described(event)}; {time_left(estimate)}", flush=True)
        elif isinstance(event, (Lost, Failed)):
            print(described(event), flush=True)


class Live:
    """One bar for the whole run, and one for every running job."""

    def __init__(self, progress: Any, total: int, done: int):
        self.progress = progress
        self.whole = progress.add_task("jobs", total=total, completed=done, remark="")
        self.bars: dict[Job, Any] = {}

    def show(self, event: Event, estimate: Estimate) -> None:
        job = event.job
        if isinstance(event, Running):
            if job not in self.bars:
                self.bars[job] = self.progress.add_task(f"  {job}", total=job.spec.epochs, remark="epochs")
            self.progress.update(self.bars[job], completed=event.epoch)
        elif job in self.bars:
            self.progress.remove_task(self.bars.pop(job))
        if isinstance(event, Finished):
            self.progress.advance(self.whole)
        if not isinstance(event, Running):
            self.progress.console.print(described(event), markup=False)
        self.progress.update(self.whole, remark=f"{len(estimate.running)} running, {time_left(estimate)}")


def described(event: Finished | Lost | Failed) -> str:
    """One line about a job that ended."""
    if isinstance(event, Lost):
        return f"{event.job}: {event.reason}; it will be restarted"
    if isinstance(event, Failed):
        return f"{event.job} failed: {event.reason.strip().splitlines()[-1]}"
    curve = event.outcome.curve
    what = "test" if curve.sizes[1] else "training"
    accuracy = 100 * curve.accuracy("test")[-1]
    epochs, seconds = count(curve.epochs, "epoch"), event.outcome.seconds
    return f"{event.job}: {what} accuracy {accuracy:.1f} % after {epochs}, {seconds:.1f} s"


def time_left(estimate: Estimate) -> str:
    """How long the run will take, and until when."""
    seconds = estimate.seconds()
    if math.isnan(seconds):
        return "time left not known yet"
    if not estimate.left:
        return "done"
    end = time.strftime("%H:%M" if seconds < 43200 else "%d %b %H:%M", time.localtime(time.time() + seconds))
    return f"{duration(seconds)} left (until {end})"
