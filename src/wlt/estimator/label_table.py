"""LabelTable: what a model knows about what nodes carry."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.graphs import Graphs, NodeKind
from wlt.io.graphs import node_place
from wlt.io.values import frozen
from wlt.wording import listed

Unseen = Literal["error", "ignore"]


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

    Labels: one row each, and a last row of zeros for labels never seen. Degrees: one row each. Features are no
    look-up: their columns, each divided by its largest absolute value in training, are multiplied with the weights.
    """

    kind: NodeKind
    values: tuple[Hashable, ...] = ()
    """Labels or degrees, in the order of their rows."""
    scale: tuple[float, ...] = ()
    """Of features: what each column is divided by."""

    @classmethod
    def learn(cls, graphs: Graphs) -> LabelTable:
        """The table of the values that occur in these graphs."""
        occurring = np.unique(graphs.codes)
        if graphs.kind == "features":
            largest = np.abs(finite_rows(graphs.values)[occurring]).max(axis=0)
            return cls("features", scale=tuple(np.where(largest > 0, largest, 1.0).tolist()))
        values = _hashable(graphs.values)
        return cls(graphs.kind, tuple(values[i] for i in occurring))

    @property
    def num_inputs(self) -> int:
        """Rows of the first layer's weights."""
        return len(self.scale) if self.kind == "features" else len(self.values) + (self.kind == "labels")

    def apply(self, graphs: Graphs, unseen: Unseen = "error") -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """For every node the number of its row; for features: of its row in the second result.

        A degree that was never seen, natural in larger graphs, counts as the nearest one that was, the smaller of two.
        A label that was never seen is refused, or, with "ignore", a row of zeros: the node sends an empty message."""
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
        number = {value: i for i, value in enumerate(self.values)}
        values = _hashable(graphs.values)
        rows_of_nodes = np.array([number.get(value, -1) for value in values], np.int32)[graphs.codes]
        new = rows_of_nodes < 0
        if new.any():
            if unseen == "error":
                node = int(np.argmax(new))
                label = values[graphs.codes[node]]
                reason = f"the label {label!r} was never seen in training (known: {listed(self.values)})"
                graph = int(np.searchsorted(graphs.union.starts, node, side="right")) - 1
                place, ignored = node_place(graphs.union, node), "such nodes send an empty message"
                raise UnseenLabel(place, graph, reason, ignored)
            rows_of_nodes[new] = len(self.values)
        return rows_of_nodes, None

    def unseen(self, graphs: Graphs) -> str:
        """What there is to say about labels that were never seen, in one sentence; "" where there are none."""
        if self.kind != "labels":
            return ""
        values, known = _hashable(graphs.values), set(self.values)
        nodes = np.bincount(graphs.codes, minlength=len(values)).tolist()
        new = {value: number for value, number in zip(values, nodes, strict=True) if number and value not in known}
        if not new:
            return ""
        were = f"label {listed(list(new))} was" if len(new) == 1 else f"labels {listed(list(new))} were"
        total = sum(new.values())
        sends = "1 node sends an empty message" if total == 1 else f"{total} nodes send empty messages"
        return f"the {were} never seen in training: {sends}"


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
