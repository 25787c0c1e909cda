"""Ctrl-C during compiled code: one KeyboardInterrupt behind the call, never an error inside it."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wlt.interrupts import stoppable, undisturbed
from wlt.io.atomic import finished, replacing
from wlt.kernels import Kernel, csr_from_edges, kernel


@kernel
def two_arrays(n):  # type: ignore[no-untyped-def]
    """Enough work that a signal sent before the call is pending while its results become Python objects."""
    return np.zeros(n), np.ones(n), np.zeros(n)


@kernel
def calls_another(n):  # type: ignore[no-untyped-def]
    return two_arrays(n)[1].sum()


def interrupting(call: Any) -> Any:
    """The call, with an interrupt that is pending from its beginning."""

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return call(*arguments)

    return interrupted


def test_an_interrupt_during_a_call_is_raised_behind_it() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        undisturbed(interrupting(done.append), 1)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("delay", [k / 4000 for k in range(40)])
def test_a_kernel_that_returns_several_arrays_never_breaks(delay: float) -> None:
    """Without the guard most of these end in a SystemError."""
    two_arrays(3)
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        timer.start()
        while True:
            two_arrays(1000)
    timer.join()


def test_the_handler_that_was_there_is_called_once_and_stays() -> None:
    calls = []
    former = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        assert undisturbed(interrupting(lambda: 5)) == 5
        undisturbed(interrupting(lambda: signal.raise_signal(signal.SIGINT)))
        mine = signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, former)
    assert calls == [signal.SIGINT] * 2
    assert mine is not former


@pytest.mark.parametrize("ignored", [signal.SIG_IGN, signal.SIG_DFL])
def test_where_python_has_no_handler_nothing_is_touched(ignored: Any) -> None:
    former = signal.signal(signal.SIGINT, ignored)
    try:
        undisturbed(lambda: None)
        assert signal.getsignal(signal.SIGINT) is ignored
    finally:
        signal.signal(signal.SIGINT, former)


def test_an_error_of_the_call_is_not_lost() -> None:
    with pytest.raises(ZeroDivisionError):
        undisturbed(lambda: 1 // 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_call_without_ado() -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(calls_another(4)))
    thread.start()
    thread.join()
    assert results == [4.0]


def test_a_kernel_is_what_numba_makes_of_it_for_other_kernels() -> None:
    assert isinstance(csr_from_edges, Kernel)
    assert calls_another.py_func.__name__ == "calls_another"
    assert calls_another(7) == 7.0
    assert calls_another.py_func(7) == 7.0
    assert calls_another.__doc__ is None
    assert "CSR of the undirected simple graph" in csr_from_edges.__doc__


def test_every_kernel_of_wlt_is_guarded() -> None:
    import importlib
    import pkgutil

    from numba.core.dispatcher import Dispatcher

    import wlt

    unguarded = []
    harmless = ("inline", "no_cpython_wrapper")  # a part of the kernels that use it; and what Python cannot call
    for module in pkgutil.walk_packages(wlt.__path__, "wlt."):
        if module.name.endswith("kernels"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Dispatcher) and not any(map(value.targetoptions.get, harmless)):
                    unguarded.append(f"{module.name}.{name}")
    assert unguarded == []


def test_a_stoppable_call_is_stopped_before_the_interrupt_is_raised() -> None:
    begun, told = threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        told.wait()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        stoppable(told.set, call)
    sender.join()
    assert told.is_set()


def test_a_stoppable_call_gives_what_the_call_gives() -> None:
    assert stoppable(lambda: None, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        stoppable(lambda: None, divmod, 7, 0)


@kernel
def another(n):  # type: ignore[no-untyped-def]
    return 2 * n


def test_an_interrupt_while_llvm_calls_back_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles, or loads what was compiled: in both cases llvmlite is asked through ctypes, which drops
    exceptions with a traceback on stderr."""
    from llvmlite.binding import ExecutionEngine

    interrupted: list[int] = []
    find = ExecutionEngine._find_module_ptr  # what both callbacks begin with

    def finding(*arguments: Any) -> Any:
        if not interrupted:
            interrupted.append(1)
            signal.raise_signal(signal.SIGINT)
        return find(*arguments)

    monkeypatch.setattr(ExecutionEngine, "_find_module_ptr", finding)
    with pytest.raises(KeyboardInterrupt):
        another(3)
    assert interrupted
    assert another(3) == 6
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_while_a_file_gets_its_name_comes_when_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a stopped command says of its files is true."""
    replaced = os.replace

    def interrupted(*arguments: Any) -> None:
        replaced(*arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a") as file:
        file.write(b"all")
    assert (tmp_path / "a").read_bytes() == b"all"
    assert finished[-1] == tmp_path / "a"
