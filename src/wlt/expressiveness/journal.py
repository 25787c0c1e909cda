"""Journal: outcomes on disk as they come, so that an evaluation goes on where it was stopped.

A file of JSON lines: the first says what is evaluated, every other is the outcome of one group of graphs, in order.
Where all are decided at once, the last line has what belongs to all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wlt.expressiveness.result import Outcome
from wlt.graphs import DataError
from wlt.wording import count


class Journal:
    """The outcomes so far. Without a path they are kept in memory only."""

    def __init__(self, path: Path | None, what: Mapping[str, Any]):
        self.path = path
        self.outcomes: list[Outcome] = []
        self.details: dict[str, Any] | None = None
        self.seconds = 0.0
        head = json.dumps({"evaluation": what})
        if path is None:
            return
        if not path.exists() or not path.stat().st_size:
            path.write_text(head + "\n", encoding="utf-8")
            return
        try:
            first, *lines = path.read_text("utf-8").split("\n")
            stored = json.loads(first)["evaluation"]
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{path} holds no outcomes of an evaluation; name another file") from None
        if stored != json.loads(head)["evaluation"]:
            differs = [name for name in what if stored.get(name) != json.loads(json.dumps(what[name]))]
            raise DataError(
                f"{path} holds outcomes of another evaluation ({', '.join(differs) or 'settings'} differ); name "
                "another file, or remove it"
            )
        kept = first + "\n"
        for line in lines:
            try:
                fields = json.loads(line)
                if "details" in fields:
                    self.details = dict(fields["details"])
                    kept += line + "\n"
                    break
                self.outcomes.append(Outcome.from_dict(fields))
            except (ValueError, KeyError, TypeError):
                break  # the last line, if the process was killed while it was written
            self.seconds += fields["seconds"]
            kept += line + "\n"
        path.write_text(kept, encoding="utf-8")

    def add(self, outcome: Outcome, seconds: float) -> None:
        self.outcomes.append(outcome)
        self.seconds += seconds
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps({**outcome.to_dict(), "seconds": round(seconds, 4)}), file=file)

    def add_all(self, outcomes: Sequence[Outcome], details: dict[str, Any], seconds: float) -> None:
        """What was decided at once, instead of what is there."""
        if self.path is not None:  # a part of it, if the process was killed while it was written, is of no use
            head = self.path.read_text("utf-8").partition("\n")[0]
            self.path.write_text(head + "\n", encoding="utf-8")
        self.outcomes, self.seconds = [], 0.0
        for outcome in outcomes:
            self.add(outcome, seconds / len(outcomes))
        self.details = details
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps({"details": details}), file=file)

    @property
    def kept(self) -> str:
        """How many outcomes there are so far and where, as the end of a message; empty if there are none."""
        if not self.outcomes:
            return ""
        where = "the error's `result`" if self.path is None else str(self.path)
        return f"; {count(len(self.outcomes), 'outcome')} before it kept in {where}"
