"""The command `wlt`, from its first line on: what ends it early is one line and an exit code, never a traceback.

This module stands beside the package, not in it: importing any part of a package first imports the package, and that is
where Ctrl-C would find nobody to catch it.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

NOTHING_KEPT = "no file was written"
"""What is said where none was, and the command does not say what it has kept, by a message of its KeyboardInterrupt."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
UNREAD = 128 + signal.SIGPIPE

_stopped_by = int(signal.SIGINT)


def main() -> NoReturn:
    """Run the command line of this process.

    Exit codes: 0 done; 1 some jobs of `wlt reproduce` failed, or a bug, with its traceback; 2 a mistake in the input,
    or something that cannot be read or written; 130, 143, 129 stopped by Ctrl-C (SIGINT), SIGTERM, SIGHUP; 141 nobody
    reads the output any more."""
    _stop_alike()
    _open_streams()
    code: object = 1
    try:
        try:
            from wlt.cli import main as run

            run()
        finally:
            for number in SIGNALS:  # all that is left takes no time, and must not be torn; at its end Python would give
                signal.signal(number, signal.SIG_IGN)  # signals back to the system, which kills
    except SystemExit as done:
        code = done.code
    except BrokenPipeError:
        code = UNREAD
    except KeyboardInterrupt as stopped:
        code = 128 + _stopped_by
        exec("")  # CPython remembers an interrupt inside exec(TEXT), as in dataclasses, until the next; and dies of it
        _say(f"stopped; {str(stopped) or _finished() or NOTHING_KEPT}")
    sys.exit(_flushed(int(str(code or 0))))


def _open_streams() -> None:
    """A stream that the caller has closed goes nowhere: its number must not become that of the next file that is
    opened, into which whatever is printed would go."""
    for number, name, way in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, way, encoding="utf-8", closefd=False))  # noqa: SIM115


def _finished() -> str:
    """The files that were written, as a part of a sentence."""
    atomic = sys.modules.get("wlt.io.atomic")
    files = [str(path) for path in atomic.finished] if atomic is not None else []
    return f"{', '.join(files)} {'are' if len(files) > 1 else 'is'} complete" if files else ""


def _stop_alike() -> None:
    """SIGTERM and SIGHUP stop the command as Ctrl-C does: files are cleaned up, and compiled code is not disturbed."""
    for number in SIGNALS[1:]:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _as_interrupt)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # in the background of a shell
        signal.signal(signal.SIGINT, _only_if_stopped)


def _as_interrupt(number: int, _frame: FrameType | None) -> None:
    global _stopped_by
    _stopped_by = number
    signal.raise_signal(signal.SIGINT)


def _only_if_stopped(_number: int, _frame: FrameType | None) -> None:
    if _stopped_by != signal.SIGINT:
        raise KeyboardInterrupt


def _flushed(code: int) -> int:
    """Write out what is still in the buffers; the exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave(sys.stdout)
        return code or UNREAD
    except OSError as error:
        _leave(sys.stdout)
        _say(f"the output cannot be written: {error.strerror}")
        return code or 2
    return code


def _leave(stream: object) -> None:
    """Python flushes once more when it ends: let that go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]


def _say(message: str) -> None:
    try:
        print("wlt:", message, file=sys.stderr, flush=True)
    except OSError:  # nobody reads that either
        _leave(sys.stderr)


if __name__ == "__main__":
    main()
