"""The store: a SQLite file with one row per finished job, written by one process at a time.

Every job is one transaction, so a run that is killed loses only the jobs that were running. The file carries its
format number; a file of another format is refused and not changed.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wlt.reproduce.environment import Environment
from wlt.reproduce.record import DAMAGE, Curve, Facts, Record, Results, reason
from wlt.reproduce.spec import Spec

FILE = "runs.sqlite"
APPLICATION = 0x574C5452  # "WLTR"
FORMAT = 1
"""Raise it when the tables, or the meaning of their columns, change."""

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
    """A store that cannot be read or written. The message is one line that names the file and says what to do."""


class Store:
    """The store of a folder, locked against other writers until it is closed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.jobs()
    set()
    """

    def __init__(self, folder: str | os.PathLike[str]):
        """Open the store, or create it if there is none."""
        self.folder = Path(folder)
        self.path = self.folder / FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"cannot write in {self.folder}: {error.strerror}") from None
        try:
            _take_lock(self.lock, self.folder)
            with _sqlite_errors(self.path):
                self._connection = _connect(self.path, create=True)
        except BaseException:
            os.close(self.lock)
            raise

    def add(self, record: Record) -> None:
        """Store a finished job."""
        self.add_all([record], {})

    def add_all(self, records: Iterable[Record], datasets: Mapping[str, Facts]) -> None:
        """Store these jobs and the facts about these datasets, all or nothing."""
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
        """Store the facts about a dataset, replacing older ones."""
        self.add_all([], {name: facts})

    def jobs(self) -> set[tuple[str, int]]:
        """The keys of all stored jobs."""
        with _sqlite_errors(self.path):
            return set(self._connection.execute("SELECT spec, fold FROM run"))

    def datasets(self) -> dict[str, Facts]:
        """The facts about all datasets, by name."""
        with _sqlite_errors(self.path):
            return _datasets(self._connection)

    def results(self) -> Results:
        """Everything that is stored."""
        with _sqlite_errors(self.path):
            return _results(self._connection)

    def close(self) -> None:
        self._connection.close()
        os.close(self.lock)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read(folder: str | os.PathLike[str]) -> Results:
    """Everything in the store of this folder; a run may be writing to it at the same time."""
    path = Path(folder) / FILE
    if not path.is_file():
        raise StoreError(f"{path} does not exist: nothing was run in {folder} yet")
    with _sqlite_errors(path):
        connection = _connect(path, create=False)
        try:
            return _results(connection)
        finally:
            connection.close()


def _take_lock(lock: int, folder: Path) -> None:
    """Lock the folder. The operating system releases the lock when this process ends, however it ends."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"
        raise StoreError(
            f"{folder} is in use by another run (process {owner}); wait until it ends, or choose another folder"
        ) from None
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise StoreError(f"cannot write in {folder}: {error.strerror}") from None


def _connect(path: Path, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}", uri=True, timeout=30)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if create and (application, version, tables) == (0, 0, 0):
            connection.executescript(
                f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;"
            )
        elif (application, version, tables) == (0, 0, 0):
            raise StoreError(f"{path} is empty: no run has been stored yet")
        elif application != APPLICATION:
            raise StoreError(f"{path} is not a store of wlt and was not changed; choose another folder")
        elif version != FORMAT:
            raise StoreError(
                f"{path} was written by another version of wlt (format {version}; this one has format {FORMAT}) and "
                "was not changed; use that version, or another folder"
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
    datasets = {}
    for name, facts in connection.execute("SELECT name, facts FROM dataset ORDER BY name"):
        with _damage(f"dataset {name}"):
            datasets[name] = Facts.from_json(json.loads(facts))
    return datasets


@contextmanager
def _damage(where: str) -> Iterator[None]:
    """Turn the errors of reading damaged content into one that names the place."""
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
        advice = "what was stored before is intact; make room, or allow writing, and run the same command again"
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            advice = "it was not changed; choose another folder"
        raise StoreError(f"{path}: {error}; {advice}") from error
