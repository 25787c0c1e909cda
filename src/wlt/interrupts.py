"""Ctrl-C and compiled code: an interrupt is held back while compiled code runs, and raised right behind it.

Python runs the handler of SIGINT wherever it next executes Python, and that may be in the middle of a compiled call:
numba runs a little Python to turn several arrays into Python objects, igraph to ask for attributes. Neither expects an
exception there; it ends in a SystemError or a crash. So every call of compiled code goes through `undisturbed`.

`end_quietly_until_main` is for `python -m wlt`, which imports the package before the first line of the command.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from importlib import import_module
from threading import get_ident, main_thread
from types import FrameType, TracebackType
from typing import Any, TypeVar

_signal = import_module("_signal")  # the module signal spends ten times as long on turning numbers into enums
getsignal, set_handler = _signal.getsignal, _signal.signal

T = TypeVar("T")
SIGINT = int(signal.SIGINT)

_held: list[FrameType | None] = []
"""Where the program was when each interrupt came that has not been raised yet."""


def end_quietly_until_main() -> None:
    """Where Python is on its way to the command (`python -m wlt`), Ctrl-C is one line and exit code 130 already."""
    words = sys.orig_argv[1:]
    module = next((i for i, word in enumerate(words) if word == "-m"), len(words))
    if sys.argv[:1] == ["-m"] and words[module + 1 : module + 2] == ["wlt"]:  # argv[0] is "-m" until then
        sys.excepthook = _end


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    print("wlt: stopped; no file was written", file=sys.stderr, flush=True)
    os._exit(128 + SIGINT)


def _hold(_number: int, frame: FrameType | None) -> None:
    _held.append(frame)


def undisturbed(call: Callable[..., T], *arguments: Any) -> T:
    """call(*arguments); an interrupt that comes meanwhile is handled when the call has ended.

    Costs about a microsecond. Only Python's main thread handles signals, so in other threads, and where SIGINT is
    ignored or has no handler of Python, there is nothing to do."""
    if get_ident() != main_thread().ident:
        return call(*arguments)
    former = getsignal(SIGINT)
    if not callable(former) or former is _hold:
        return call(*arguments)
    set_handler(SIGINT, _hold)
    try:
        return call(*arguments)
    finally:
        set_handler(SIGINT, former)
        if _held:
            frame = _held[-1]
            _held.clear()
            former(SIGINT, frame)


def between_callbacks(call: Callable[..., T], *arguments: Any) -> T:
    """call(*arguments), which compiles: it is interrupted at once, but not inside what LLVM calls back, from where no
    exception comes through. An interrupt that comes there is handled when the call has ended."""
    former = getsignal(SIGINT)
    if get_ident() != main_thread().ident or not callable(former):
        return call(*arguments)

    def unless_called_back(number: int, frame: FrameType | None) -> None:
        if _is_called_back(frame):
            _held.append(frame)
        else:
            former(number, frame)

    set_handler(SIGINT, unless_called_back)
    try:
        return call(*arguments)
    finally:
        set_handler(SIGINT, former)
        if _held:
            held = _held[-1]
            _held.clear()
            former(SIGINT, held)


def _is_called_back(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name.startswith("_raw_object_cache"):  # of llvmlite's ExecutionEngine
            return True
        frame = frame.f_back
    return False


def stoppable(stop: Callable[[], object], call: Callable[..., T], *arguments: Any) -> T:
    """call(*arguments), which takes long and ends soon after stop(): what an interrupt calls before it is raised.

    The call is made in another thread, so that this one can be interrupted meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        try:
            ended = thread.submit(call, *arguments)  # inside: the call may be interrupted before submit returns
            while not wait([ended], timeout=1).done:  # without a timeout no signal wakes it up on Windows
                pass
        except BaseException:
            stop()
            raise
    return ended.result()
