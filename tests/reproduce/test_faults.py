"""Nothing is lost, doubled or changed by whatever ends a process in the middle of its work."""

from __future__ import annotations

import multiprocessing
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from command import WLT
from drivers import drive
from small import DATASETS, jobs, write_tu

from wlt.reproduce.environment import Environment
from wlt.reproduce.job import Failed, Finished, Job, Lost, Running, run_job
from wlt.reproduce.record import Curve, Record
from wlt.reproduce.run import events as events_of
from wlt.reproduce.store import Store, StoreError, read
from wlt.work.processes import Processes, end_idle

FORKS: Any = multiprocessing.get_context("forkserver")


@pytest.fixture(scope="module")
def _warm() -> None:
    """Forks come from a process that has imported warm.py."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([before] if before else [])])
    FORKS.set_forkserver_preload(["warm"])
    FORKS.Process(target=int).start()  # starts the server, under this PYTHONPATH
    os.environ.pop("PYTHONPATH")
    if before:
        os.environ["PYTHONPATH"] = before


def undisturbed(some: list[Job]) -> dict[tuple[str, int], Curve]:
    return {(job.spec.key(), job.fold): run_job(*job, DATASETS[job.spec.dataset]) for job in some}


def stored(folder: Path) -> dict[tuple[str, int], Curve]:
    return {record.job: record.curve for record in read(folder).records}


@pytest.mark.usefixtures("_warm")
def test_driver_killed_at_twenty_random_moments(tmp_path: Path) -> None:
    some = jobs(folds=10, epochs=1, seeds=2)
    expected = undisturbed(some)
    begin = time.monotonic()
    _drive(tmp_path / "four", some[:4])
    time_of_four = time.monotonic() - begin  # so that moments suit the machine
    moments = random.Random(20)
    folders = (tmp_path / str(number) for number in count())
    folder = next(folders)
    kills, seen = 0, {0}
    while kills < 20:
        driver = FORKS.Process(target=drive, args=(folder, some))
        driver.start()
        driver.join(moments.uniform(0, time_of_four))
        driver.kill()
        driver.join()
        if driver.exitcode == 0:  # it was done; the next begins afresh
            assert stored(folder) == expected
            folder, seen = next(folders), {0}
            continue
        assert driver.exitcode == -signal.SIGKILL
        kills += 1
        there = len(stored(folder)) if _has_tables(folder) else 0
        assert there >= max(seen), "what was stored stays"
        seen.add(there)
    assert _drive(folder, some) == 0
    with sqlite3.connect(folder / "runs.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM run").fetchone() == (len(some),)
    assert stored(folder) == expected


def _drive(*arguments: Any) -> int | None:
    driver = FORKS.Process(target=drive, args=arguments)
    driver.start()
    driver.join()
    code: int | None = driver.exitcode
    return code


def _has_tables(folder: Path) -> bool:
    """A driver killed before it had made them leaves that to the next."""
    if not (folder / "runs.sqlite").exists():
        return False
    with sqlite3.connect(folder / "runs.sqlite") as connection:
        return connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,)


@pytest.mark.usefixtures("_warm")
def test_disk_full(tmp_path: Path) -> None:
    some = jobs(folds=10, epochs=1)
    assert _drive(tmp_path, some, 24 * 1024) == 2
    message = (tmp_path / "error.txt").read_text()
    assert str(tmp_path / "runs.sqlite") in message
    assert "intact" in message
    assert "same command again" in message
    before = stored(tmp_path)
    assert 0 < len(before) < len(some)
    assert _drive(tmp_path, some) == 0
    assert stored(tmp_path) == undisturbed(some)


@pytest.fixture
def foreign() -> Iterator[Path]:
    """A folder for a user to whom modes apply: root, who may write everywhere, becomes nobody for the test."""
    with tempfile.TemporaryDirectory() as folder:
        root, nobody = os.geteuid() == 0, 65534
        if root:
            os.chown(folder, nobody, -1)
            os.seteuid(nobody)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)


@pytest.mark.parametrize("what", ["folder", "store"])
def test_read_only_folder_with_a_store(foreign: Path, what: str) -> None:
    """One line that says what to do; the store stays as it is, and can be read."""
    spec, fold = jobs(folds=1, epochs=1)[0]
    curve = Curve((8, 6, 6), (1,), (1,), (1,), (1,), (), (1,))
    record = Record(spec, fold, curve, Environment("m", "v", "c"), 1.0, "now")
    with Store(foreign) as store:
        store.add(record)
    place = foreign if what == "folder" else foreign / "runs.sqlite"
    place.chmod(0o555)
    with pytest.raises(StoreError, match=r"runs\.sqlite: .*intact; .*allow writing"), Store(foreign) as store:
        store.add(record._replace(fold=1))
    assert read(foreign).records == [record]
    with pytest.raises(StoreError, match="cannot write in"):
        Store(foreign / "runs.sqlite" / "below")
    place.chmod(0o755)


@pytest.mark.usefixtures("_warm")
def test_two_runs_exclude_each_other(tmp_path: Path) -> None:
    with Store(tmp_path):
        assert _drive(tmp_path, jobs(folds=1)) == 2
        assert f"in use by another run (process {os.getpid()})" in (tmp_path / "error.txt").read_text()
        with pytest.raises(StoreError, match="in use by another run"):
            Store(tmp_path)
    with Store(tmp_path) as store:
        assert store.jobs() == set()


def test_job_of_a_killed_worker_is_restarted() -> None:
    """New processes, as users have them: first killed at work, then left in peace."""
    end_idle()
    some = jobs(folds=1, epochs=60)[:2]
    killed = False
    events = []
    for event in events_of(some, DATASETS, Processes(1)):
        events.append(event)
        if isinstance(event, Running) and not killed:
            killed = True
            (worker,) = multiprocessing.active_children()
            worker.kill()
    lost = [event for event in events if isinstance(event, Lost)]
    assert [event.job for event in lost] == [some[0]]
    assert "signal 9" in lost[0].reason
    finished = {event.job: event.outcome.curve for event in events if isinstance(event, Finished)}
    assert finished == {job: run_job(*job, DATASETS[job.spec.dataset]) for job in some}
    assert len(multiprocessing.active_children()) == 1  # it waits for more
    end_idle()
    assert multiprocessing.active_children() == []


class Deadly:
    """A dataset that ends the process it is sent to."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (7,)


def test_job_that_kills_every_worker_is_given_up() -> None:
    (job, *_) = jobs(folds=1)
    deadly: Any = {job.spec.dataset: Deadly()}
    events = [event for event in events_of([job], deadly, Processes(1)) if not isinstance(event, Running)]
    assert [type(event) for event in events] == [Lost, Lost, Failed]
    assert isinstance(events[2], Failed)
    assert "code 7, 3 times" in events[2].reason


def test_interrupt_says_how_to_continue(tmp_path: Path) -> None:
    write_tu(tmp_path / "data" / "tu" / "CYCLES" / "raw", "CYCLES")
    command = [*WLT, "reproduce", "table1", "--dataset", "CYCLES", "--data", str(tmp_path / "data")]
    command += ["--method", "wlt", "--hidden", "4", "--epochs", "60", "--workers", "1", "--out", str(tmp_path / "runs")]
    # A session of its own: the signal goes to all its processes, as Ctrl-C in a terminal does. Tests that run in the
    # background of a shell ignore it, and so would what they start.
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert run.stdout is not None
    assert run.stdout.readline().startswith("[1/10] CYCLES wlt fold")
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "Traceback" not in errors
    again = shlex.join(["wlt", *command[len(WLT) :]])
    assert f"finished jobs are stored in {tmp_path / 'runs'}. To continue: {again}" in errors
    assert 1 <= len(stored(tmp_path / "runs")) < 10
