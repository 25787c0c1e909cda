"""A journal of keys: an SQLite file to which every chunk is added in one transaction.

So whatever happens, an interrupt, a full disk, a lost machine, the chunks that are done are done, and the same command
goes on behind them. SQLite sorts on disk, in a stated amount of memory, whatever the number of graphs.

A journal that is found is checked before it is continued: it has our tables and nothing else, and every chunk has the
rows that were put into it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wlt.bulk.work import Result
from wlt.canon.forms import SCHEME
from wlt.data.stream import CHUNK_BYTES, CHUNK_GRAPHS, Stream

CACHE_MEGABYTES = 64
"""Memory of SQLite."""

TABLES = """
CREATE TABLE meta (fingerprint text not null);
CREATE TABLE chunks (data integer, chunk integer, rows integer, checksum text, primary key (data, chunk));
CREATE TABLE graphs (number integer primary key, data integer not null, place text not null, key text not null);
CREATE TABLE problems (number integer primary key, data integer not null, place text not null, reason text not null);
CREATE TABLE remarks (sentence text primary key);
"""


BY_KEY = "CREATE INDEX by_key on graphs (key, number)"


def _checksum(rows: list[Any]) -> str:
    return hashlib.sha256(json.dumps(rows, default=repr).encode()).hexdigest()[:32]


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:400]


class JournalError(Exception):
    """A journal that cannot be used. The message is one line that says what to do."""


class Graph(NamedTuple):
    """A row of the journal."""

    data: int  # which of the streams
    place: str
    key: str


def fingerprint(streams: Sequence[Stream]) -> str:
    """What a journal is about: its sources, as they are now, and how they are read."""
    states = []
    for stream in streams:
        files = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in stream.files()]
        states.append([stream.kind, str(Path(stream.data).absolute()), asdict(stream.reading), stream.suffix, files])
    return json.dumps([SCHEME, CHUNK_GRAPHS, CHUNK_BYTES, states])


class Journal:
    """Opened, and made where there is none. Only one process at a time can have it."""

    def __init__(self, path: Path, about: str):
        self.path = path
        self._base: Any = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._base.execute("pragma locking_mode = exclusive")
            self._base.execute(f"pragma cache_size = {-1024 * CACHE_MEGABYTES}")
            self._base.execute("pragma temp_store = file")
            self._base.execute("pragma trusted_schema = off")
            self._base.execute("begin exclusive")
            if not self._base.execute("select count(*) from sqlite_schema").fetchone()[0]:
                for statement in TABLES.split(";"):
                    self._base.execute(statement)
                self._base.execute("insert into meta values (?)", [about])
            else:
                self._check(about)
            self._base.execute("commit")
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            if "locked" in str(error):
                raise JournalError(f"{path}: another wlt is at work on this; wait for it to end") from None
            raise JournalError(
                f"{path}: no journal can be kept there: {_line(error)}; remove it if it is one"
            ) from None
        except BaseException:  # also Ctrl-C: closing takes back what was begun
            if self._base is not None:
                self._base.close()
            raise

    def _check(self, about: str) -> None:
        """JournalError if what is there cannot be continued."""
        schema = [sql for (sql,) in self._base.execute("select sql from sqlite_schema where sql is not null")]
        if sorted(sql for sql in schema if sql != BY_KEY) != sorted(filter(None, map(str.strip, TABLES.split(";")))):
            raise JournalError(f"{self.path} is no journal of this wlt; remove it to begin anew")
        if self._base.execute("select fingerprint from meta").fetchall() != [(about,)]:
            raise JournalError(
                f"{self.path}: what is unfinished there was begun with other data or options, or the data have changed "
                "since; remove it to begin anew"
            )
        graphs = self._base.execute("select data, place, key from graphs order by number")
        sound = self._base.execute("pragma integrity_check").fetchone() == ("ok",)
        for rows, known in self._base.execute("select rows, checksum from chunks order by rowid"):
            sound = sound and type(rows) is int and _checksum(list(islice(graphs, max(rows, 0)))) == known
        if not sound or next(graphs, None) is not None:
            raise JournalError(f"{self.path}: what is unfinished there is damaged; remove it to begin anew")

    def _ask(self, query: str, *values: object) -> Iterator[Any]:
        """The rows of an answer."""
        try:
            # not `yield from`: it closes the cursor where no more rows are wanted, and fails in a closed journal
            for row in self._base.execute(query, values):  # noqa: UP028
                yield row
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise JournalError(f"{self.path}: {_line(error)}; remove it to begin anew") from None

    def close(self) -> None:
        self._base.close()

    def discard(self) -> None:
        """Close it and remove its file."""
        self.close()
        self.path.unlink(missing_ok=True)

    def has(self, data: int, chunk: int) -> bool:
        return any(self._ask("select 1 from chunks where data = ? and chunk = ?", data, chunk))

    def add(self, data: int, chunk: int, result: Result) -> None:
        """One chunk, all of it or nothing."""
        with self._transaction():
            rows = [(data, *row) for row in result.rows]
            self._base.execute("insert into chunks values (?, ?, ?, ?)", [data, chunk, len(rows), _checksum(rows)])
            self._base.executemany("insert into graphs (data, place, key) values (?, ?, ?)", rows)
            problems = ((data, *problem) for problem in result.problems)
            self._base.executemany("insert into problems (data, place, reason) values (?, ?, ?)", problems)
            self._base.executemany("insert or ignore into remarks values (?)", [[each] for each in result.remarks])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._base.execute("begin")
            yield
            self._base.execute("commit")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("rollback")
            raise JournalError(f"{self.path}: {error}; nothing that was done before is lost") from None
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("rollback")
            raise

    def count(self) -> int:
        """Graphs with a key."""
        ((number,),) = self._ask("select count(*) from graphs")
        return int(number)

    def graphs(self) -> Iterator[Graph]:
        """All of them, in the order of the data."""
        return map(Graph._make, self._ask("select data, place, key from graphs order by number"))

    def problems(self) -> Iterator[tuple[int, str, str]]:
        """Of which data, where, and why."""
        return self._ask("select data, place, reason from problems order by number")

    def remarks(self) -> list[str]:
        return [sentence for (sentence,) in self._ask("select sentence from remarks order by rowid")]

    def distinct(self, data: int) -> tuple[int, int]:
        """Graphs of these data, and how many of them are different."""
        query = "select count(*), count(distinct key) from graphs where data = ?"
        ((graphs, different),) = self._ask(query, data)
        return graphs, different

    def copies(self, across: bool) -> Iterator[tuple[int, Graph]]:
        """All graphs that have copies, group by group, each with the number of its group, from 1.

        across: only groups that are in more than one of the data."""
        with self._transaction():
            self._base.execute(BY_KEY.replace("INDEX", "INDEX IF NOT EXISTS"))
        enough = "count(distinct data) > 1" if across else "count(*) > 1"
        query = (
            f"select data, place, key, first from graphs natural join (select key, min(number) as first from graphs "
            f"group by key having {enough}) order by first, number"
        )
        group, last = 0, -1
        for data, place, key, first in self._ask(query):
            group, last = group + (first != last), first
            yield group, Graph(data, place, key)
