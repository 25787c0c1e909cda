"""The store: a SQLite file with one row per finished job, written by one process at a time.

Each job is one transaction, so a run that is killed at any moment loses the jobs under way and nothing else. The file
carries its format; one of another format is refused and left as it is.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from wlt.reproduce.record import DAMAGE, Curve, Environment, Facts, Record, Results, reason
from wlt.reproduce.spec import Spec

FILE = "runs.sqlite"
APPLICATION = 0x574C5452  # "WLTR"
FORMAT = 1
"""Raise it when the tables, or what is in them, change."""

TABLES = """
CREATE TABLE dataset (name TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE run (
    spec TEXT NOT NULL,
    fold INTEGER NOT NULL,
    curve TEXT NOT NULL,
    machine TEXT NOT NULL,
    versions TEXT NOT NULL,
    git_commit TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,
    PRIMARY KEY (spec, fold)
);
"""


class StoreError(Exception):
    """A store that cannot be used as asked. The message is one line that names the file and says what to do."""


class Store:
    """The store of a folder, open for writing and closed to every other process until it is closed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.jobs()
    set()
    """

    def __init__(self, folder: str | os.PathLike[str]):
        """Open it, or make it where there is none."""
        self.folder = Path(folder)
        self.path = self.folder / FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"nothing can be written in {self.folder}: {error.strerror}") from None
        try:
            _take_lock(self._lock, self.folder)
            with _sqlite_errors(self.path):
                self._connection = _connect(self.path, create=True)
        except BaseException:
            os.close(self._lock)
            raise

    def add(self, record: Record) -> None:
        """Store a finished job."""
        self.add_all([record], {})

    def add_all(self, records: Iterable[Record], datasets: Mapping[str, Facts]) -> None:
        """Store these jobs and what is known about datasets, all or nothing."""
        rows = [
            (record.spec.key(), record.fold, _compact(record.curve.to_json()), *record.environment, *record[-2:])
            for record in records
        ]
        with _sqlite_errors(self.path), self._connection:
            self._connection.executemany("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.executemany(
                "INSERT OR REPLACE INTO dataset VALUES (?, ?)",
                [(name, _compact(facts.to_json())) for name, facts in datasets.items()],
            )

    def describe(self, name: str, facts: Facts) -> None:
        """Store what is known about a dataset, in place of what was."""
        self.add_all([], {name: facts})

    def jobs(self) -> set[tuple[str, int]]:
        """The jobs that are there."""
        with _sqlite_errors(self.path):
            return set(self._connection.execute("SELECT spec, fold FROM run"))

    def datasets(self) -> dict[str, Facts]:
        """What is known about datasets."""
        with _sqlite_errors(self.path):
            return _datasets(self._connection)

    def results(self) -> Results:
        """All that is there."""
        with _sqlite_errors(self.path):
            return _results(self._connection)

    def close(self) -> None:
        self._connection.close()
        os.close(self._lock)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(folder: str | os.PathLike[str]) -> Results:
    """What is in the store of this folder; possible while a run writes to it."""
    path = Path(folder) / FILE
    if not path.is_file():
        raise StoreError(f"{path} is not there: nothing was run in {folder} yet")
    with _sqlite_errors(path):
        connection = _connect(path, create=False)
        try:
            return _results(connection)
        finally:
            connection.close()


def _take_lock(lock: int, folder: Path) -> None:
    """The operating system gives the lock to one process and takes it back when that process ends, however it ends."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"
        raise StoreError(
            f"{folder} is in use by another run (process {owner}); wait for its end, or choose another folder"
        ) from None
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise StoreError(f"nothing can be written in {folder}: {error.strerror}") from None


def _connect(path: Path, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}", uri=True, timeout=30)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if create and (application, found, tables) == (0, 0, 0):
            connection.executescript(
                f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;"
            )
        elif (application, found, tables) == (0, 0, 0):
            raise StoreError(f"{path} is empty: no run has been stored there yet")
        elif application != APPLICATION:
            raise StoreError(f"{path} is not a store of wlt; it is left as it is, choose another folder")
        elif found != FORMAT:
            raise StoreError(
                f"{path} was written by another version of wlt (format {found}; this one has format {FORMAT}); it is "
                "left as it is: use that version, or another folder"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _results(connection: sqlite3.Connection) -> Results:
    records = []
    for spec, fold, curve, *environment, seconds, when in connection.execute("SELECT * FROM run ORDER BY spec, fold"):
        with _damage(f"fold {fold} of {spec}"):
            parts = Spec.from_json(json.loads(spec)), fold, Curve.from_json(json.loads(curve))
            records.append(Record(*parts, Environment(*environment), seconds, when).checked())
    return Results(records, _datasets(connection))


def _datasets(connection: sqlite3.Connection) -> dict[str, Facts]:
    found = {}
    for name, facts in connection.execute("SELECT name, facts FROM dataset ORDER BY name"):
        with _damage(f"dataset {name}"):
            found[name] = Facts.from_json(json.loads(facts))
    return found


@contextmanager
def _damage(where: str) -> Iterator[None]:
    """What is read was not written by wlt."""
    try:
        yield
    except DAMAGE as error:
        raise sqlite3.DatabaseError(f"{where} is damaged: {reason(error)}") from None


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        advice = "what was stored before is intact; make room, or allow writing, and give the same command again"
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            advice = "it is left as it is; choose another folder"
        raise StoreError(f"{path}: {error}; {advice}") from error
