"""How commands end: interrupts, closed pipes, full disks, narrow terminals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wlt.cli import main
from wlt.cli.console import print_table
from wlt.io.atomic import replacing

WLT = [sys.executable, "-m", "wlt_command"]


def started(*arguments: object, **environment: str) -> subprocess.Popen[str]:
    """A command as a shell starts it: in the background of a test run SIGINT may be ignored."""
    return subprocess.Popen(
        [*WLT, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def without_compiling(told: str) -> list[str]:
    """The lines, but for the one that only the first call after an installation says."""
    return [line for line in told.splitlines() if not line.startswith("wlt: compiling")]


def ended_by(process: subprocess.Popen[str], number: signal.Signals) -> int:
    """The exit code. A signal right before the system call that waits is heard with the next one only."""
    while True:
        process.send_signal(number)
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            pass


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=lambda value: str(value),
)
def test_a_stopped_command_says_so_in_one_line(number: signal.Signals, code: int) -> None:
    """It waits for its input, so it is certainly at work."""
    process = subprocess.Popen(
        [*WLT, "audit", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdin is not None
    process.stdin.write("Bw\n" * 100_000)  # more than a pipe holds: when this returns, the command is reading
    process.stdin.flush()
    assert ended_by(process, number) == code
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read() == ""
    assert process.stderr.read() == "wlt: stopped; no file was written\n"


INTERRUPTED_IMPORT = """
import builtins, signal, sys
imported = builtins.__import__
def interrupted(name, *rest, **named):
    if name == sys.argv[0]:
        signal.raise_signal(signal.SIGINT)
    return imported(name, *rest, **named)
import wlt_command
builtins.__import__ = interrupted
sys.argv = ["numba", "datasets"]
wlt_command.main()
"""


def test_an_interrupt_during_the_imports_is_one_line_too() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "wlt: stopped; no file was written\n")


STOPPED_AT_ITS_END = """
import signal, sys
import wlt_command
from wlt.bulk.journal import Journal
discard = Journal.discard
def interrupted(self):
    discard(self)
    signal.raise_signal(signal.SIGINT)
Journal.discard = interrupted
sys.argv = ["wlt", "keys", "Bw", "--out", "keys.csv"]
wlt_command.main()
"""


def test_a_command_stopped_at_its_end_names_what_it_has_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_AT_ITS_END],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "wlt: stopped; keys.csv is complete"
    assert [path.name for path in tmp_path.iterdir()] == ["keys.csv"]


INSIDE_EXEC = """
import builtins, signal
imported = builtins.__import__
def interrupted(name, *rest, **named):
    if name == "numba":
        exec("signal.raise_signal(signal.SIGINT)")
    return imported(name, *rest, **named)
builtins.__import__ = interrupted
"""


def test_an_interrupt_inside_exec_does_not_kill_what_has_ended(tmp_path: Path) -> None:
    """Python remembers it, as dataclasses and named tuples have it, and would kill itself by the signal at its end."""
    (tmp_path / "sitecustomize.py").write_text(INSIDE_EXEC)
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [*WLT, "datasets"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "wlt: stopped; no file was written\n")


INTERRUPTED_START = """
import builtins, signal
imported = builtins.__import__
def interrupted(name, *rest, **named):
    if name == "numba":
        signal.raise_signal(signal.SIGINT)
    return imported(name, *rest, **named)
builtins.__import__ = interrupted
"""


def test_python_m_wlt_is_interrupted_before_its_first_line(tmp_path: Path) -> None:
    """It imports the package before it runs `__main__`."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_START)
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "wlt", "datasets"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "wlt: stopped; no file was written\n")


LATE = """
import atexit, os, signal, sys
import wlt_command
sys.argv = ["wlt", "--version"]
atexit.register(lambda: [os.kill(os.getpid(), number) for number in (15, 1, 2)])
wlt_command.main()
"""


def test_a_signal_after_the_end_changes_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_sigterm_stops_a_command_that_ignores_interrupts() -> None:
    """As `wlt ... &` in a script."""
    process = subprocess.Popen(
        [*WLT, "audit", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("Bw\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    process.stdin.write("Bw\n" * 100_000)  # it reads on
    process.stdin.flush()
    assert ended_by(process, signal.SIGTERM) == 143
    assert process.stderr.read() == "wlt: stopped; no file was written\n"


@pytest.fixture
def many_graphs(tmp_path: Path) -> Path:
    path = tmp_path / "many.g6"
    path.write_text("Bw\nCF\nC~\n" * 40_000)
    return path


COMMANDS = [
    ["datasets"],
    ["datasets", "--json"],
    ["compare", "A_", "A_"],
    ["inspect", "IsP@OkWHG"],
    ["audit", "MANY"],
    ["keys", "MANY"],
    ["duplicates", "MANY"],
    ["explore", "A_", "--no-open", "--html", "page.html"],
    ["expressiveness", "csl"],
    ["--help"],
    ["--version"],
    ["compare", "A_", "nothing.there"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_whose_reader_has_gone_end_quietly(
    arguments: list[str], many_graphs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(many_graphs.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(many_graphs.parent / "cache"))
    process = started(*(many_graphs if word == "MANY" else word for word in arguments))
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    mistake = "nothing.there" in arguments
    assert process.wait(120) == (2 if mistake else 141)
    assert "Traceback" not in told
    assert "BrokenPipe" not in told
    assert ("there is no" in told or "No such file" in told) == mistake


def test_nobody_reads_errors_either(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*WLT, "compare", "A_", "nothing.there"], stdout=write, stderr=write, check=False)
    os.close(write)
    assert done.returncode in (2, 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["datasets"], ["compare", "A_", "A_", "--json"], ["--help"]], ids=" ".join)
def test_output_on_a_full_disk(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*WLT, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert without_compiling(done.stderr) == ["wlt: the output cannot be written: No space left on device"]


def test_closed_standard_output() -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m wlt_command datasets >&-"], capture_output=True, check=False
    )
    assert done.returncode == 0
    assert without_compiling(done.stderr.decode()) == []


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    """Root may replace /dev/null by a file."""
    device, pipe = tmp_path / "device", tmp_path / "pipe"
    device.symlink_to(os.devnull)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for place in (device, pipe):
        with pytest.raises(ZeroDivisionError), replacing(place) as file:
            file.write(b"half" * (1 // 0))
        with replacing(place) as file:
            file.write(b"whole")
    assert os.read(reader, 100) == b"whole"
    os.close(reader)
    assert device.is_symlink()
    assert device.is_char_device()
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [device, pipe]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "g.g6:" + "9" * 5000, "A_"], "there is no file g.g6:9999999...9999"),
        (["audit", "A_", "--structure", "g" * 100_000], "more than 1000 layers at position"),
        (["audit", "A_", "--structure", "g" + "9" * 5000], "more than 1000 layers at position 1"),
        (["compare", "A_", "A_", "--recolor", "9" * 5000], "recolor must be a number of nodes"),
        (["audit", "\udcff"], "there is no file or folder \\udcff"),
    ],
    ids=["index", "layers", "repetition", "recolor", "surrogate"],
)
def test_endless_and_odd_arguments(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.g6").write_text("A_\n")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert message in told
    assert len(told) < 700


def test_a_memory_limit_without_limit(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "A_", "A_", "--k", "3", "--memory-limit", "inf"])
    assert ended.value.code == 0
    assert "3-FWL" in capsys.readouterr().out


@pytest.mark.parametrize(("closed", "rest"), [("2>&-", ""), (">&-", ""), ("<&- >&- 2>&-", "")])
def test_what_is_said_into_closed_streams_goes_nowhere(closed: str, rest: str, tmp_path: Path) -> None:
    """Not to standard output, and not into the next file that is opened, which would get the number of the stream."""
    (tmp_path / "g.g6").write_text("Bw\nA_\n")
    command = f"{sys.executable} -m wlt_command"
    script = f"{command} compare A_ nothing.there {closed}; {command} keys g.g6 --out keys.csv {closed}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, rest)
    assert len((tmp_path / "keys.csv").read_text().splitlines()) == 3


ROWS = [
    ("WL", "possibly isomorphic", "0 rounds", "not certain"),
    ("Tinhofer", "isomorphic", "1 recoloring", "certain, because the mapping was checked edge by edge"),
]


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80, 120, 200])
def test_no_width_loses_a_word(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    print_table("A title of some words", ("", "answer", "", "and that is"), ROWS)
    text = capsys.readouterr().out
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    joined = "".join(text.split())
    for cell in (cell for row in ROWS for cell in row):
        assert all(word in joined for word in cell.split())


def test_a_last_column_is_folded_before_rows_become_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_table("T", ("", "answer", "", "and that is"), ROWS)
    assert capsys.readouterr().out == (
        "T\n\n"
        "           answer                               and that is\n"
        "────────   ───────────────────   ────────────   ────────────────────────────────\n"
        "WL         possibly isomorphic   0 rounds       not certain\n"
        "Tinhofer   isomorphic            1 recoloring   certain, because the mapping was\n"
        "                                                checked edge by edge\n\n"
    )


def test_wide_letters_are_counted_as_terminals_do(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("T", ("name", "n"), [("分子", 1), ("e\u0301", 2)])
    assert capsys.readouterr().out.splitlines()[2:] == ["name   n", "────   ─", "分子   1", "e\u0301      2", ""]


@pytest.mark.parametrize("width", ["40", "80", None])
def test_a_pipe_follows_columns(width: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"COLUMNS": width} if width else {}
    done = subprocess.run([*WLT, "inspect", "IsP@OkWHG"], capture_output=True, text=True, env=environment, check=True)
    table = done.stdout.rsplit("\n\n", 1)[0]
    assert max(map(len, table.splitlines())) <= int(width or 200)
    assert "amenable" in table
    assert ("discrete    no" in table) == (width != "40")
