"""Every long command is stopped and killed at random moments: nothing lost, nothing half-written, no traceback, nothing
left running, and the same command afterwards ends as if nothing had been."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest

pytestmark = pytest.mark.faults

WLT = [sys.executable, "-m", "wlt_command"]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
MOMENTS = 6
"""Of each signal for each command; with twelve commands 216 in all."""


class Command(NamedTuple):
    """A command that works for some time, where it leaves what, and how to compare that."""

    arguments: list[str]
    outputs: tuple[str, ...]
    """What is there in the end, in the folder it works in."""
    kept: tuple[str, ...] = ()
    """What may be there besides when it was stopped."""
    content: Callable[[Path], Any] = Path.read_bytes


def model(path: Path) -> Any:
    import safetensors.torch

    return {name: tensor.numpy().tobytes() for name, tensor in safetensors.torch.load_file(path).items()}


def curves(path: Path) -> Any:
    from wlt.reproduce.store import read

    if path.suffix != ".sqlite":
        return None
    return {record.job: record.curve for record in read(path.parent).records}


def page(path: Path) -> Any:
    text = path.read_text("utf-8")
    assert text.rstrip().endswith("</html>")
    return len(text) > 1000


KEYS = ["keys", "many.g6", "--overwrite"]
COMMANDS = {
    "keys": Command(
        ["keys", "many.g6", "--out", "out/keys.csv", "--overwrite"], ("keys.csv",), (".keys.csv.unfinished",)
    ),
    "keys-workers": Command(
        ["keys", "many.g6", "--out", "out/keys.csv", "--overwrite", "--workers", "2"],
        ("keys.csv",),
        (".keys.csv.unfinished",),
    ),
    "duplicates": Command(
        ["duplicates", "many.g6", "--out", "out/copies.csv", "--overwrite"],
        ("copies.csv",),
        (".copies.csv.unfinished",),
    ),
    "audit": Command(["audit", "CYCLES", "--html", "out/page.html"], ("page.html",), content=page),
    "train": Command(
        ["train", "CYCLES", "--out", "out/model", "--epochs", "6", "--folds", "3", "--hidden", "8"],
        ("model",),
        content=model,
    ),
    "predict": Command(["predict", "model", "CYCLES", "--out", "out/predictions.csv"], ("predictions.csv",)),
    "reproduce": Command(
        [
            *("reproduce", "table1", "--dataset", "CYCLES", "--method", "wlt", "--hidden", "4", "--epochs", "3"),
            *("--workers", "2", "--out", "out"),
        ],
        ("runs.sqlite", "lock"),
        ("runs.sqlite-journal",),
        content=curves,
    ),
    "report": Command(
        ["report", "runs", "--html", "out/report.html", "--markdown", "out/report.md"],
        ("report.html", "report.md", "beside-the-paper.png", "beside-the-paper.pdf"),
        content=Path.exists,
    ),
    "export-runs": Command(
        ["export-runs", "runs", "out"], ("datasets.json", "table1-CYCLES-wlt.jsonl", "table1-CYCLES-gin-sum.jsonl")
    ),
    "import-runs": Command(
        ["import-runs", "text", "out"], ("runs.sqlite", "lock"), ("runs.sqlite-journal",), content=curves
    ),
    "expressiveness": Command(["expressiveness", "csl", "--mode", "random", "--policy", "all"], ()),
    "compare": Command(["compare", "cubic.edges", "copy.edges"], ()),
}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all inputs, and a cache in which numba and datasets are warm."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "reproduce"))
    from small import write_tu

    folder = tmp_path_factory.mktemp("there")
    graphs = [nx.to_graph6_bytes(nx.gnp_random_graph(9, 0.4, seed=i), header=False) for i in range(3000)]
    (folder / "many.g6").write_bytes(b"".join(graphs) * 8)
    write_tu(folder / "data" / "tu" / "CYCLES" / "raw", "CYCLES", graphs=60)
    cubic = nx.random_regular_graph(3, 20_000, seed=1)
    names = np.random.default_rng(2).permutation(20_000).tolist()
    nx.write_edgelist(cubic, folder / "cubic.edges", data=False)
    nx.write_edgelist(nx.relabel_nodes(cubic, dict(enumerate(names))), folder / "copy.edges", data=False)
    for arguments in (
        [*COMMANDS["train"].arguments[:2], "--out", "model", "--epochs", "3", "--folds", "3", "--hidden", "8"],
        [*COMMANDS["reproduce"].arguments[:-1], "runs"],
        [*COMMANDS["reproduce"].arguments[:-1], "runs", "--method", "gin-sum"],
        ["export-runs", "runs", "text"],
    ):
        done = run(folder, arguments)
        assert done.returncode == 0, done.stderr
    return folder


def environment(folder: Path, mark: str = "") -> dict[str, str]:
    mine = {"XDG_CACHE_HOME": str(folder / "cache"), "WLT_DATA": str(folder / "data"), "WLT_FAULTS": mark}
    return {**os.environ, **mine}


def run(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WLT, *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )


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


def stopped(folder: Path, arguments: list[str], number: signal.Signals, after: float) -> tuple[int, str]:
    """Start the command, send it a signal some time later, and wait for its end: the exit code and what it said."""
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
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
    _, told = process.communicate(timeout=120)
    deadline = time.monotonic() + 20
    while left_running(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left_running(mark) == []
    return process.returncode, told


@pytest.mark.parametrize("name", COMMANDS)
def test_signals_at_random_moments(name: str, there: Path) -> None:
    command = COMMANDS[name]
    out = there / "out"

    def begin() -> None:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    begin()
    start = time.monotonic()
    whole = run(there, command.arguments)
    duration = time.monotonic() - start
    assert whole.returncode == 0, whole.stderr
    expected = {file: command.content(out / file) for file in command.outputs}
    assert sorted(path.name for path in out.iterdir()) == sorted(command.outputs)
    moments = random.Random(name)
    times = [(number, moments.uniform(0, duration)) for number in CODES for _ in range(MOMENTS)]
    moments.shuffle(times)
    begin()
    stops = 0
    parts: set[str] = set()  # of files, which killed commands have left
    for number, after in times:
        code, told = stopped(there, command.arguments, number, after)
        assert code in (CODES[number], 0), f"{number.name} after {after:.3f} s of {duration:.3f}: {code}: {told}"
        assert "Traceback" not in told, told
        assert "Error" not in told, told
        names = {path.name for path in out.iterdir()}
        if code in (130, 143):
            stops += 1
            assert told.strip().splitlines()[-1].startswith("wlt: stopped; "), told
        unfinished = {each for each in names if each.startswith(".") and each.endswith(".part")}
        assert number == signal.SIGKILL or unfinished <= parts, "a command that is stopped leaves no parts"
        parts = unfinished
        assert names - parts <= {*command.outputs, *command.kept}
        for file in command.outputs:
            if file in names and command.content in (Path.read_bytes, model, page):
                assert command.content(out / file) == expected[file], "what is there is whole"
        if code == 0:
            begin()
    again = run(there, command.arguments)
    assert again.returncode == 0, again.stderr
    assert {file: command.content(out / file) for file in command.outputs} == expected
    assert stops > 0


def test_there_are_two_hundred_moments() -> None:
    assert len(COMMANDS) * len(CODES) * MOMENTS >= 200


def test_a_killed_run_leaves_a_sound_store(there: Path, tmp_path: Path) -> None:
    """SQLite's own check, beside ours."""
    arguments = [*COMMANDS["reproduce"].arguments[:-1], str(tmp_path)]
    for after in (0.3, 1.0, 2.0):
        stopped(there, arguments, signal.SIGKILL, after)
        if (tmp_path / "runs.sqlite").exists():
            with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.close()
