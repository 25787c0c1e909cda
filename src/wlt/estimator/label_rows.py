"""Rows of several labels, as atoms and bonds carry them: every column has weights of its own, which are added.

So a combination that was never seen still has weights, and of a row with one strange label the others still count.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import sort_key

Row = tuple[Hashable, ...]


@dataclass(frozen=True)
class Columns:
    """The labels that each column of the rows may have, in the order of their weights."""

    labels: tuple[tuple[Hashable, ...], ...] = ()

    @classmethod
    def learn(cls, rows: Sequence[Row]) -> Columns:
        """Of the labels that occur.

        >>> Columns.learn([("C", 0), ("N", 1), ("C", 1)]).labels
        (('C', 'N'), (0, 1))
        """
        return cls(tuple(tuple(sorted(set(column), key=sort_key)) for column in zip(*rows, strict=True)))

    @property
    def inputs(self) -> int:
        """Labels of all columns together."""
        return sum(map(len, self.labels))

    def known(self, row: Row) -> Row:
        """The row with None in place of labels that are in no column here."""
        return tuple(label if label in column else None for label, column in zip(row, self.labels, strict=True))

    def strange(self, rows: Sequence[Row]) -> dict[tuple[int, Hashable], list[int]]:
        """Labels that are not in their column: (column, label), and which of the rows have it."""
        found: dict[tuple[int, Hashable], list[int]] = {}
        sets = [set(column) for column in self.labels]
        for i, row in enumerate(rows):
            for column, label in enumerate(row):
                if label not in sets[column]:
                    found.setdefault((column, label), []).append(i)
        return found

    def multi_hot(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """[rows, inputs] 1 for each label of a row, in its column; a label that is not there is no 1.

        >>> Columns((("C", "N"), (0, 1))).multi_hot([("N", 0), ("Br", 1)]).tolist()
        [[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        """
        table = np.zeros((len(rows), self.inputs))
        begin = 0
        for column, labels in enumerate(self.labels):
            place = {label: begin + i for i, label in enumerate(labels)}
            for i, row in enumerate(rows):
                if row[column] in place:
                    table[i, place[row[column]]] = 1
            begin += len(labels)
        return table


NO_COLUMNS = Columns()


def called(column: int, label: Any, row: Any) -> str:
    """A label of a row as messages call it: columns have names in named tuples, as those of atoms are."""
    names = getattr(row, "_fields", ())
    return f"{names[column]}={label!r}" if names else f"the label {label!r} in place {column}"


def check_width(whose: str, trained: int, width: int) -> None:
    """Raise ValueError where a model was trained with rows of so many labels, and these are of another width."""
    if trained != width:
        then, now = (f"rows of {number} labels" if number > 1 else "one label" for number in (trained, width))
        raise ValueError(
            f"the model was trained with {then} on every {whose}, and these {whose}s carry {now}; atoms='element' of "
            "wlt.data.molecules gives one label, atoms='all' gives rows"
        )
