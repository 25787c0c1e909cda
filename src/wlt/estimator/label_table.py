"""LabelTable: what a model knows about what nodes carry."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.estimator.label_rows import NO_COLUMNS, Columns, called, check_width
from wlt.graphs import Graphs, rank_rows, width_of_rows
from wlt.io.graphs import node_place
from wlt.io.values import frozen
from wlt.wording import count, listed

Unseen = Literal["error", "ignore"]
TableKind = Literal["labels", "rows", "degrees", "features"]


class UnseenLabel(ValueError):
    """A label of a node or an edge that a model does not know: in which graph, what is wrong with it, and what
    ignoring it would mean."""

    def __init__(self, place: str, graph: int, reason: str, ignored: str):
        super().__init__(place, graph, reason, ignored)
        self.place, self.graph, self.reason, self.ignored = place, graph, reason, ignored

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}; if unseen is 'ignore', {self.ignored}"


class UnseenLabelWarning(UserWarning):
    """Labels of nodes or edges that a model does not know and was told to ignore."""


@dataclass(frozen=True)
class LabelTable:
    """Which row of the first layer's weights belongs to which value that a node may carry.

    Labels: one row each, and a last row of zeros for labels never seen. Degrees: one row each. Rows of several labels,
    as atoms have them: one row for every label of every column, and a node gets the sum. Features are no look-up: their
    columns, each divided by its largest absolute value in training, are multiplied with the weights.
    """

    kind: TableKind
    values: tuple[Hashable, ...] = ()
    """Labels or degrees, in the order of their rows."""
    scale: tuple[float, ...] = ()
    """Of features: what each column is divided by."""
    columns: Columns = NO_COLUMNS
    """Of rows of labels."""

    @classmethod
    def learn(cls, graphs: Graphs) -> LabelTable:
        """The table of the values that occur in these graphs."""
        occurring = np.unique(graphs.codes)
        if graphs.kind == "features":
            largest = np.abs(finite_rows(graphs.values)[occurring]).max(axis=0)
            return cls("features", scale=tuple(np.where(largest > 0, largest, 1.0).tolist()))
        everything = _hashable(graphs.values)
        values = [everything[i] for i in occurring]
        if graphs.kind == "labels" and width_of_rows(values) > 1:
            return cls("rows", columns=Columns.learn(values))
        return cls(graphs.kind, tuple(values))

    @property
    def num_inputs(self) -> int:
        """Rows of the first layer's weights."""
        if self.kind == "rows":
            return self.columns.inputs
        return len(self.scale) if self.kind == "features" else len(self.values) + (self.kind == "labels")

    def apply(self, graphs: Graphs, unseen: Unseen = "error") -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """For every node the number of its row; for features and rows of labels: of its row in the second result.

        A degree that was never seen, natural in larger graphs, counts as the nearest one that was, the smaller of two.
        A label that was never seen is refused, or, with "ignore", a row of zeros: the node sends an empty message, or,
        where it carries several labels, a message of the others."""
        if self.kind == "degrees":
            known = np.array(self.values, np.int64)
            degrees = graphs.union.degrees
            above = np.searchsorted(known, degrees).clip(max=len(known) - 1)
            below = np.maximum(above - 1, 0)
            nearer_below = np.abs(degrees - known[below]) <= np.abs(known[above] - degrees)
            return np.where(nearer_below, below, above).astype(np.int32), None
        if graphs.kind == "degrees":
            raise ValueError(f"the model was trained with node {self.kind}, and these graphs have none")
        if self.kind == "features":
            rows = finite_rows(graphs.values)
            if rows.shape[1] != len(self.scale):
                raise ValueError(f"the model was trained with {len(self.scale)} node features, not {rows.shape[1]}")
            return graphs.codes, rows / np.array(self.scale)
        self._check_width(graphs)
        if self.kind == "rows":
            if unseen == "error":
                self._refuse_strange(graphs)
            table, rank = rank_rows(self.columns.multi_hot(_hashable(graphs.values)))
            return rank[graphs.codes], table
        number = {value: i for i, value in enumerate(self.values)}
        values = _hashable(graphs.values)
        rows_of_nodes = np.array([number.get(value, -1) for value in values], np.int32)[graphs.codes]
        new = rows_of_nodes < 0
        if new.any():
            if unseen == "error":
                label = values[graphs.codes[int(np.argmax(new))]]
                reason = f"the label {label!r} was never seen in training (known: {listed(self.values)})"
                raise _unseen(graphs, int(np.argmax(new)), reason, "such nodes send an empty message")
            rows_of_nodes[new] = len(self.values)
        return rows_of_nodes, None

    def unseen(self, graphs: Graphs) -> str:
        """What there is to say about labels that were never seen, in one sentence; "" where there are none."""
        if self.kind not in ("labels", "rows"):
            return ""
        values = _hashable(graphs.values)
        nodes = np.bincount(graphs.codes, minlength=len(values)).tolist()
        if self.kind == "rows":
            strange = self._strange(graphs)
            new = [called(*place, graphs.values[0]) for place in strange]
            total = sum(nodes[i] for i in {i for which in strange.values() for i in which})
            message = f"a message without {'it' if len(new) == 1 else 'them'}"
            return f"{never_seen(new)}: {count(total, 'node')} {'sends' if total == 1 else 'send'} {message}" * bool(
                new
            )
        known = set(self.values)
        unknown = {value: number for value, number in zip(values, nodes, strict=True) if number and value not in known}
        if not unknown:
            return ""
        were = f"label {listed(list(unknown))} was" if len(unknown) == 1 else f"labels {listed(list(unknown))} were"
        total = sum(unknown.values())
        sends = "1 node sends an empty message" if total == 1 else f"{total} nodes send empty messages"
        return f"the {were} never seen in training: {sends}"

    def _strange(self, graphs: Graphs) -> dict[tuple[int, Hashable], list[int]]:
        """Labels of rows that were never seen, and which of the graphs' values have them; only those that occur."""
        values = _hashable(graphs.values)
        occurring = np.unique(graphs.codes).tolist()
        found = self.columns.strange([values[i] for i in occurring])
        return {place: [occurring[i] for i in which] for place, which in found.items()}

    def _refuse_strange(self, graphs: Graphs) -> None:
        strange = self._strange(graphs)
        if strange:
            (column, label), which = next(iter(strange.items()))
            node = int(np.argmax(np.isin(graphs.codes, which)))
            known = listed(self.columns.labels[column])
            reason = f"{called(column, label, graphs.values[0])} was never seen in training (known: {known})"
            raise _unseen(graphs, node, reason, "such nodes send a message without it")

    def _check_width(self, graphs: Graphs) -> None:
        """Raise ValueError where the model was trained with single labels and these are rows, or the other way."""
        values = _hashable(graphs.values)
        trained = len(self.columns.labels) if self.kind == "rows" else width_of_rows(self.values)
        if not set(values) & set(self.values):
            check_width("node", trained, width_of_rows(values))


def _unseen(graphs: Graphs, node: int, reason: str, ignored: str) -> UnseenLabel:
    graph = int(np.searchsorted(graphs.union.starts, node, side="right")) - 1
    return UnseenLabel(node_place(graphs.union, node), graph, reason, ignored)


def never_seen(parts: Sequence[str]) -> str:
    """That these were never seen in training, as the beginning of a sentence."""
    shown = ", ".join(parts[:10]) + (f" and {len(parts) - 10} more" if len(parts) > 10 else "")
    return f"{shown} {'was' if len(parts) == 1 else 'were'} never seen in training"


def _hashable(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """Values as they can be compared: numpy's scalars as Python's, rows as tuples."""
    return [frozen(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


def finite_rows(values: Sequence[Any] | NDArray[Any], whose: Literal["node", "edge"] = "node") -> NDArray[np.float64]:
    """[values, columns] of values that are numbers or rows of numbers."""
    try:
        rows = np.array([np.reshape(value, -1) for value in values], np.float64)
    except (ValueError, TypeError):
        rows = np.full((1, 1), np.nan)
    if not np.isfinite(rows).all():
        raise ValueError(f"{whose} features must be finite numbers, the same number of them for every {whose}")
    return rows
