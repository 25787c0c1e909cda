"""The store: a SQLite file with one row per finished job, written by one process at a time.

Every job is one transaction, so a run that is killed loses only the jobs that were running. Every row has a checksum,
and one row knows the checksums of all: what was changed or lost on the disk is found when the store is read. The file
carries its format number; a file of another format, or one with tables, triggers or views that wlt has not made, is
refused and not changed.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

from wlt.reproduce.environment import Environment
from wlt.reproduce.record import DAMAGE, WRONG, Curve, Facts, Record, Results, checksum, reason
from wlt.reproduce.spec import Spec, check_name

FILE = "runs.sqlite"
APPLICATION = 0x574C5452  # "WLTR"
FORMAT = 2
"""Raise it when the tables, or the meaning of their columns, change. wlt 0.1 wrote format 1, without checksums."""
LONGEST = 1 << 26
"""Bytes of one value; a curve of a thousand epochs has some ten thousand."""

RUN = """spec TEXT NOT NULL,
    fold INTEGER NOT NULL,
    curve TEXT NOT NULL,
    machine TEXT NOT NULL,
    versions TEXT NOT NULL,
    git_commit TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,"""
TABLES_1 = {
    "dataset": "CREATE TABLE dataset (name TEXT PRIMARY KEY, facts TEXT NOT NULL)",
    "run": f"CREATE TABLE run ({RUN} PRIMARY KEY (spec, fold))",
}
TABLES = {
    "dataset": "CREATE TABLE dataset (name TEXT PRIMARY KEY, facts TEXT NOT NULL, checksum TEXT NOT NULL)",
    "run": f"CREATE TABLE run ({RUN} checksum TEXT NOT NULL, PRIMARY KEY (spec, fold))",
    "whole": "CREATE TABLE whole (rows INTEGER NOT NULL, checksums TEXT NOT NULL)",
}
"""`whole` has one row: how many rows the others have, and their checksums, added without carry."""


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
        runs = [record.columns() for record in records]
        described = [facts.columns(name) for name, facts in datasets.items()]
        with _sqlite_errors(self.path), self._connection:
            _add(self._connection, runs, described)

    def describe(self, name: str, facts: Facts) -> None:
        """Store the facts about a dataset, replacing older ones."""
        self.add_all([], {name: facts})

    def jobs(self) -> set[tuple[str, int]]:
        """The keys of all stored jobs."""
        with _sqlite_errors(self.path):
            runs, _ = _rows(self._connection)
            return {(spec, fold) for spec, fold, *_ in runs}

    def datasets(self) -> dict[str, Facts]:
        """The facts about all datasets, by name."""
        return self.results().datasets

    def results(self) -> Results:
        """Everything that is stored."""
        with _sqlite_errors(self.path):
            return _results(*_rows(self._connection))

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
            return _results(*_rows(connection))
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
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
            raise StoreError(f"cannot write in {folder}: {error.strerror}") from None
        raise StoreError(
            f"{folder}: its file system has no locks ({error.strerror}), so nothing would keep a second run out; "
            "choose a folder on a local disk"
        ) from None
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise StoreError(f"cannot write in {folder}: {error.strerror}") from None


def _connect(path: Path, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}", uri=True, timeout=30)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        connection.execute("PRAGMA trusted_schema = OFF")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        schema = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
        if (application, version, schema) == (0, 0, []):
            if not create:
                raise StoreError(f"{path} is empty: no run has been stored yet")
            _create(connection)
        elif application != APPLICATION:
            raise StoreError(f"{path} is not a store of wlt and was not changed; choose another folder")
        elif version not in (1, FORMAT):
            raise StoreError(
                f"{path} was written by another version of wlt (format {version}; this one has format {FORMAT}) and "
                "was not changed; use that version, or another folder"
            )
        else:
            _check_schema(schema, TABLES_1 if version == 1 else TABLES, path)
            if create and version == 1:
                _add_checksums(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(schema: list[tuple[Any, Any, Any]], tables: Mapping[str, str], path: Path) -> None:
    """StoreError if there is anything but our tables, and the indexes that SQLite makes for their keys: a trigger could
    drop or change rows, a view could compute forever."""
    indexes = {("index", f"sqlite_autoindex_{name}_1", None) for name in ("dataset", "run")}
    ours = {("table", name, _words(sql)) for name, sql in tables.items()} | indexes
    there = {(kind, name, _words(sql)) for kind, name, sql in schema}
    for kind, name, _ in sorted(there ^ ours, key=str):
        which = "lacks the" if (kind, name) not in {entry[:2] for entry in there} else "has another"
        if (kind, name) not in {entry[:2] for entry in ours}:
            which = "has a foreign"
        raise StoreError(
            f"{path} {which} {kind} {str(name)[:60]!r}: it is not used and was not changed; restore a copy"
        )


def _words(sql: Any) -> str | None:
    return None if sql is None else " ".join(str(sql).split()).replace("( ", "(").replace(" )", ")")


def _create(connection: sqlite3.Connection) -> None:
    script = "; ".join([*TABLES.values(), f"INSERT INTO whole VALUES (0, '{0:032x}')"])
    connection.executescript(
        f"BEGIN; {script}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;"
    )


def _add_checksums(connection: sqlite3.Connection) -> None:
    """A store of format 1 becomes one of format 2, if all of it can be read; nothing else in it changes."""
    runs, datasets = _rows(connection)
    _results(runs, datasets)
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for name in TABLES_1:
            connection.execute(f"DROP TABLE {name}")
        for sql in TABLES.values():
            connection.execute(sql)
        connection.execute("INSERT INTO whole VALUES (0, ?)", [f"{0:032x}"])
        _add(connection, runs, datasets)
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def _add(connection: sqlite3.Connection, runs: list[tuple[Any, ...]], datasets: list[tuple[Any, ...]]) -> None:
    """Add these rows, in a transaction that the caller has begun or that begins here."""
    checksums = [checksum(row) for row in (*runs, *datasets)]
    connection.executemany(
        "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, sum_) for row, sum_ in zip(runs, checksums, strict=False)],
    )
    replaced = [
        known
        for name, _ in datasets
        for (known,) in connection.execute("SELECT checksum FROM dataset WHERE name = ?", [name])
    ]
    connection.executemany(
        "INSERT OR REPLACE INTO dataset VALUES (?, ?, ?)",
        [(*row, sum_) for row, sum_ in zip(datasets, checksums[len(runs) :], strict=True)],
    )
    ((rows, all_checksums),) = connection.execute("SELECT rows, checksums FROM whole")
    connection.execute(
        "UPDATE whole SET rows = ?, checksums = ?",
        [rows + len(checksums) - len(replaced), _added([all_checksums, *checksums, *replaced])],
    )


def _added(checksums: Iterable[str]) -> str:
    """The order does not matter, and what is added twice is taken away."""
    return f"{reduce(xor, (int(each, 16) for each in checksums), 0):032x}"


def _rows(connection: sqlite3.Connection) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """All runs and all facts as they were stored: none was changed and none is lost. (Of format 1: as they are.)"""
    begun = not connection.in_transaction
    if begun:
        connection.execute("BEGIN")  # one moment, whatever another process is adding
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        runs = connection.execute("SELECT * FROM run ORDER BY spec, fold").fetchall()
        datasets = connection.execute("SELECT * FROM dataset ORDER BY name").fetchall()
        whole = connection.execute("SELECT * FROM whole").fetchall() if version == FORMAT else []
    finally:
        if begun:
            connection.rollback()
    if version == 1:
        return runs, datasets
    for row in (*runs, *datasets):
        with _damage(row):
            if checksum(row[:-1]) != row[-1]:
                _results([row[:-1]] if row in runs else [], [row[:-1]] if row in datasets else [])  # may say what it is
                raise ValueError(WRONG)
    if whole != [(len(runs) + len(datasets), _added(row[-1] for row in (*runs, *datasets)))]:
        raise sqlite3.DatabaseError("it is damaged: rows were lost or added")
    return [row[:-1] for row in runs], [row[:-1] for row in datasets]


def _results(runs: list[tuple[Any, ...]], datasets: list[tuple[Any, ...]]) -> Results:
    records, described = [], {}
    for row in runs:
        with _damage(row):
            spec, fold, curve, *environment, seconds, when = row
            parts = Spec.from_json(json.loads(spec)), fold, Curve.from_json(json.loads(curve))
            records.append(Record(*parts, Environment(*environment), seconds, when).checked())
    for row in datasets:
        with _damage(row):
            name, facts = row
            check_name(name)
            described[name] = Facts.from_json(json.loads(facts))
    return Results(records, described)


@contextmanager
def _damage(row: tuple[Any, ...]) -> Iterator[None]:
    """Turn the errors of reading damaged content into one that names the place."""
    try:
        yield
    except DAMAGE as error:
        where = f"fold {row[1]!r} of {str(row[0])[:400]}" if len(row) > 3 else f"dataset {str(row[0])[:100]!r}"
        raise sqlite3.DatabaseError(f"{' '.join(where.split())} is damaged: {reason(error)}") from None


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        line = " ".join(str(error).split())[:1000]
        undecoded = isinstance(error, UnicodeDecodeError) or line.startswith("Could not decode")
        if undecoded:
            line = "it is damaged: a text in it is no text any more"
        advice = "what was stored before is intact; make room, or allow writing, and run the same command again"
        if undecoded or (isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)):
            advice = "it was not changed; restore a copy of it, or choose another folder"
        raise StoreError(f"{path}: {line}; {advice}") from error
