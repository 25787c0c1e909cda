"""Processes of this machine that make calls. They import what they need once and stay, for whatever is to be done next:
networks of an ensemble, folds, searches of scikit-learn, the experiments of the paper."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from wlt.work.calls import MAX_ATTEMPTS, Began, Call, Done, Event, Failed, Lost, Reported
from wlt.work.packing import failure, packed

SPAWN: Any = multiprocessing.get_context("spawn")
"""New processes, not forks: torch and numba do not survive a fork of a process that has used them."""

IDLE_SECONDS = 300.0
"""A process that had nothing to do for so long ends itself."""


class Processes:
    """So many processes. context: the multiprocessing context that starts them."""

    def __init__(self, number: int, context: Any = SPAWN):
        self.number, self.context = number, context

    def at_once(self) -> int:
        return self.number

    def events(
        self, calls: Iterable[Call], shared: Mapping[str, Any] | None = None, ahead: int | None = None
    ) -> Generator[Event, None, None]:
        new = enumerate(calls)
        begun, more = 0, True
        lost: deque[tuple[int, Call]] = deque()  # whose process died
        attempts: Counter[int] = Counter()
        run, busy = next(_runs), list[_Worker]()
        try:
            while True:
                while len(busy) < self.number and (lost or more):
                    oldest = min([worker.number for worker in busy], default=begun)
                    if not lost and ahead is not None and begun >= oldest + ahead:
                        break
                    numbered = lost.popleft() if lost else next(new, None)
                    if numbered is None:
                        more = False
                        break
                    begun = max(begun, numbered[0] + 1)
                    busy.append(_idle_worker(self.context))
                    busy[-1].begin(*numbered, run, shared or {})
                    yield Began(numbered[0])
                if not busy:
                    return
                connection.wait([end for worker in busy for end in (worker.pipe, worker.process.sentinel)])
                for worker in list(busy):
                    for event in worker.events():
                        if isinstance(event, (Done, Failed)):
                            busy.remove(worker)
                            _idle.append(worker)
                        yield event
                    if worker.dead:
                        busy.remove(worker)
                        yield _died(worker, lost, attempts)
        finally:
            for worker in busy:
                worker.kill()


def _died(worker: _Worker, lost: deque[tuple[int, Call]], attempts: Counter[int]) -> Event:
    worker.kill()
    number, code = worker.number, worker.process.exitcode
    reason = f"its worker was killed by signal {-code}" if code and code < 0 else f"its worker ended with code {code}"
    attempts[number] += 1
    if attempts[number] >= MAX_ATTEMPTS:
        return Failed(number, f"{reason}, {MAX_ATTEMPTS} times; perhaps the memory is too small for this many workers")
    lost.append((number, worker.call))
    return Lost(number, reason)


class _Worker:
    """A process and the call that it makes."""

    number: int
    call: Call

    def __init__(self, context: Any):
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.context = context
        with _interrupt_blocked(), _main_hidden():
            self.process.start()
        theirs.close()
        self.working = self.dead = False
        self._has: tuple[int, str] | None = None

    def begin(self, number: int, call: Call, run: int, shared: Mapping[str, Any]) -> None:
        """Send a call, and its shared value unless the worker has it from its last call."""
        self.number, self.call = number, call
        self.working = True
        new = bool(call.shared) and self._has != (run, call.shared)
        message = packed((call, new, shared[call.shared] if new else None))
        try:
            self.pipe.send(number)
            self.pipe.send_bytes(message)
        except OSError:  # the worker has died; events() will report it
            return
        self._has = (run, call.shared) if call.shared else self._has

    def events(self) -> Iterator[Event]:
        """What the worker has reported; sets `dead` if it will report nothing more."""
        alive = self.process.is_alive()  # before reading: what a worker sent before it died is still in the pipe
        try:
            while self.working and self.pipe.poll():
                event: Event = self.pipe.recv()
                if isinstance(event, (Done, Failed)):
                    self.working = False
                yield event
        except (EOFError, OSError):
            alive = False
        self.dead = self.working and not alive

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


_runs = count()
_hiding = threading.Lock()
_idle: list[_Worker] = []


def _idle_worker(context: Any) -> _Worker:
    while True:
        try:
            worker = _idle.pop()
        except IndexError:  # not asked for before: other threads take some, too
            return _Worker(context)
        if worker.process.is_alive() and worker.context is context:
            return worker
        worker.kill()


@atexit.register
def end_idle() -> None:
    """End the processes that wait for something to do."""
    while _idle:
        _idle.pop().kill()


os.register_at_fork(after_in_child=_idle.clear)  # they belong to the original


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Let workers that start in this block ignore Ctrl-C, which reaches all processes: the driver stops them itself."""
    resource_tracker.ensure_running()  # it unblocks the signal when it starts, so it must be running already
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Processes that start in this block do not run the user's script again, which need not be written for that."""
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _work(pipe: Connection[Any, Any]) -> None:
    """The main loop of a worker: makes calls from the pipe until the driver kills it, or dies itself."""
    threading.Thread(target=_exit_with_driver, daemon=True).start()
    shared: Any = None
    while pipe.poll(IDLE_SECONDS):
        number, message = pipe.recv(), pipe.recv_bytes()
        try:
            call, new, value = pickle.loads(message)
            shared = value if new else shared
            answer = packed(Done(number, call.function(_reporter(pipe, number), shared, *call.arguments)))
        except Exception as error:
            answer = packed(Failed(number, *failure(error)))
        pipe.send_bytes(answer)


def _reporter(pipe: Connection[Any, Any], number: int) -> Any:
    return lambda what: pipe.send(Reported(number, what))


def _exit_with_driver() -> None:
    """End this process when the driver dies: a driver that was killed cannot stop its workers."""
    driver = multiprocessing.parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)
