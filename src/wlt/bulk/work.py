"""Work on chunks of graphs, in their order: in this process, in several, or on a Ray cluster. The answers are the same.

Of a stream no more chunks are in memory than two for every worker."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, NamedTuple, TypeVar

from wlt.canon.forms import SEARCH_BUDGET, TooHard, keys_of
from wlt.cluster import code_version, connected, other_code
from wlt.data.stream import Chunk, Problem, Reading, graphs_of

T = TypeVar("T")

ATTEMPTS = 4
"""How often Ray tries a chunk whose node dies."""


class WorkerDied(Exception):
    """A worker, or all nodes that could have worked, are gone. The message is one line."""


class Row(NamedTuple):
    """A graph."""

    place: str
    key: str


class Result(NamedTuple):
    """What was found in a chunk."""

    rows: list[Row]
    problems: list[Problem]
    remarks: list[str]
    size: int  # bytes of its text


def keys_of_chunk(chunk: Chunk, reading: Reading, budget: int = SEARCH_BUDGET) -> Result:
    """The keys of a chunk. A graph whose search does not end is a problem like one that cannot be read."""
    read = graphs_of(chunk, reading)
    keys = [key for graphs in read.graphs for key in keys_of(graphs, budget)]
    too_hard = str(TooHard([0], budget)).removeprefix("graph 0: ")
    pairs = list(zip(read.places, keys, strict=True))
    rows = [Row(place, key) for place, key in pairs if key is not None]
    problems = [*read.problems, *(Problem(place, too_hard) for place, key in pairs if key is None)]
    return Result(rows, problems, read.remarks, chunk.size)


Task = tuple[Any, ...]


def results(work: Callable[..., T], tasks: Iterator[Task], workers: int, ray: str | None) -> Iterator[T]:
    """What work(*task) gives for each of the tasks, in their order; `work` is a function of a module.

    ray: the address of a cluster, which then does all the work."""
    if ray is not None:
        yield from _on_ray(work, tasks, ray)
    elif workers == 1:
        yield from (work(*task) for task in tasks)
    else:
        yield from _in_processes(work, tasks, workers)


def _in_processes(work: Callable[..., T], tasks: Iterator[Task], workers: int) -> Iterator[T]:
    spawn = multiprocessing.get_context("spawn")  # numba does not survive a fork of a process that has used it
    pool = ProcessPoolExecutor(workers, mp_context=spawn, initializer=_ignore_interrupts)
    try:
        submit: Callable[..., Future[T]] = partial(pool.submit, work)
        yield from _in_order(tasks, 2 * workers, submit, Future.result)
    except BrokenProcessPool:
        raise WorkerDied("a worker was killed; was the memory full? Fewer --workers need less") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal; the first of them ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _on_ray(work: Callable[..., T], tasks: Iterator[Task], address: str) -> Iterator[T]:
    ray = connected(address)
    try:
        task = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_remote)
        at_once = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        for result in _in_order(tasks, at_once, partial(task.remote, code_version(), work), ray.get):
            if isinstance(result, str):
                raise WorkerDied(result)
            yield result
    except ray.exceptions.RayTaskError:
        raise  # an exception of ours
    except ray.exceptions.RayError as error:
        raise WorkerDied(f"Ray gave up: {type(error).__name__}: {str(error).splitlines()[0]}") from None
    finally:
        ray.shutdown()


def _remote(version: str, work: Callable[..., T], *task: Any) -> T | str:
    return other_code(version) or work(*task)


def _in_order(
    tasks: Iterator[Task], at_once: int, submit: Callable[..., Any], result: Callable[[Any], Any]
) -> Iterator[Any]:
    """Results in the order of the tasks, with so many of them under way at once."""
    waiting: deque[Any] = deque()
    for task in tasks:
        waiting.append(submit(*task))
        if len(waiting) >= at_once:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())
