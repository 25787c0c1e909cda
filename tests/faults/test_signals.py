"""Every long command is stopped and killed at random moments: nothing lost, nothing half-written, no traceback, nothing
left running, and the same command afterwards ends as if nothing had been."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from commands import COMMANDS, WLT, environment, model, page, prepare, run

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
MOMENTS = 6
"""Of each signal for each command; with twelve commands 216 in all. A signal that came after the end does not count."""


def begun(process: subprocess.Popen[str]) -> bool:
    """Has the command taken over from Python's own start? It catches SIGTERM then."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return True
    (caught,) = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def left_running(mark: str) -> list[str]:
    """Processes that were started by the command, and by those that it started."""
    running = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"WLT_FAULTS={mark}".encode() in (entry / "environ").read_bytes():
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                running += [entry.name] if state != "Z" else []
        except OSError:
            continue
    return running


def stopped(folder: Path, arguments: list[str], number: signal.Signals, after: float) -> tuple[bool, int, str]:
    """Start the command, send it a signal some time later, and wait for its end: was it at work when the signal came,
    the exit code, and what it said."""
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [*WLT, *arguments],
        cwd=folder,
        env=environment(folder, mark),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not begun(process) and process.poll() is None:
        time.sleep(0.001)
    sent = False
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        sent = True
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
    _, told = process.communicate(timeout=120)
    deadline = time.monotonic() + 20
    while left_running(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left_running(mark) == []
    return sent, process.returncode, told


@pytest.mark.faults
@pytest.mark.parametrize("name", COMMANDS)
def test_signals_at_random_moments(name: str, there: Path) -> None:
    send_signals(name, there, MOMENTS)


def test_a_few_signals(there: Path) -> None:
    """A share of it, for `make test`."""
    send_signals("keys", there, 2)


def send_signals(name: str, there: Path, number_of_each: int) -> None:
    command = COMMANDS[name]
    prepare(there, command)
    out = there / "out"

    def begin() -> None:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    begin()
    compiled = run(there, command.arguments)  # the first run may compile, and takes far longer than all others
    assert compiled.returncode == 0, compiled.stderr
    begin()
    start = time.monotonic()
    whole = run(there, command.arguments)
    duration = time.monotonic() - start
    assert whole.returncode == 0, whole.stderr
    expected = {file: command.content(out / file) for file in command.outputs}
    assert sorted(path.name for path in out.iterdir()) == sorted(command.outputs)
    moments = random.Random(name)
    todo = [number for number in CODES for _ in range(number_of_each)]
    moments.shuffle(todo)
    begin()
    sent = stops = tries = 0
    names: set[str] = set()
    parts: set[str] = set()  # of files, which killed commands have left
    while todo:
        tries += 1
        assert tries <= 10 * number_of_each * len(CODES), "nearly all signals come too late"
        number, after, before = todo[-1], moments.uniform(0, duration), names
        in_time, code, told = stopped(there, command.arguments, number, after)
        if in_time:
            todo.pop()
            sent += 1
        assert code in (CODES[number], 0), f"{number.name} after {after:.3f} s of {duration:.3f}: {code}: {told}"
        assert "Traceback" not in told, told
        assert "Error" not in told, told
        names = {path.name for path in out.iterdir()}
        if code in (130, 143):
            stops += 1
            last = told.strip().splitlines()[-1]
            assert last.startswith("wlt: stopped; "), told
            if "no file was written" in last:
                assert {each for each in names if not each.startswith(".")} <= before, "what it says is true"
        unfinished = {each for each in names if each.startswith(".") and each.endswith(".part")}
        assert number == signal.SIGKILL or unfinished <= parts, "a command that is stopped leaves no parts"
        parts = unfinished
        assert names - parts <= {*command.outputs, *command.kept}
        for file in command.outputs:
            if file in names and command.content in (Path.read_bytes, model, page):
                assert command.content(out / file) == expected[file], "what is there is whole"
        if code == 0:
            begin()
            names, parts = set(), set()
    again = run(there, command.arguments)
    assert again.returncode == 0, again.stderr
    assert {file: command.content(out / file) for file in command.outputs} == expected
    assert sent == number_of_each * len(CODES)
    assert stops > 0


def test_there_are_two_hundred_moments() -> None:
    assert len(COMMANDS) * len(CODES) * MOMENTS >= 200


@pytest.mark.faults
def test_a_killed_run_leaves_a_sound_store(there: Path, tmp_path: Path) -> None:
    """SQLite's own check, beside ours."""
    arguments = [*COMMANDS["reproduce"].arguments[:-1], str(tmp_path)]
    for after in (0.3, 1.0, 2.0):
        stopped(there, arguments, signal.SIGKILL, after)
        if (tmp_path / "runs.sqlite").exists():
            with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.close()
