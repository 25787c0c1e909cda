"""EdgeTable: what a model knows about what edges carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wlt.arcs import BOTH, LOOP, NO_TOKENS, PLAIN, ArcLabel, Token, TokenTable, joined, sort_key
from wlt.estimator.label_rows import NO_COLUMNS, Columns, called, check_width
from wlt.estimator.label_table import Unseen, UnseenLabel, finite_rows, never_seen
from wlt.graph import Graph
from wlt.graphs import kind_of_values, width_of_rows
from wlt.wording import count, listed

UNSEEN: Token = ("unseen", None)
"""What takes the place of every token that was not in the training data. No edge of a user has this direction."""

IGNORED = "such edges are edges without a label"
IGNORED_IN_ROWS = "such edges are edges without this label"

EdgeTableKind = Literal["none", "labels", "rows", "features"]


@dataclass(frozen=True)
class EdgeTable:
    """Which row of a layer's edge weights belongs to what an edge may carry: its direction and its label, a token (see
    `wlt.arcs`). A loop is an edge whose direction is "loop".

    Labels: one row for each token, and a last row of zeros for tokens never seen: along such an edge comes the message
    of an edge without a label. Rows of several labels, as bonds have them: one row for every label of every column, of
    which an edge gets the sum; every direction has its own. Features are no look-up: their columns, each divided by its
    largest absolute value in training, are multiplied with the weights of the edge's direction.
    """

    kind: EdgeTableKind
    tokens: tuple[Token, ...] = ()
    """Of labels: in the order of their rows. Else: the directions that occur, with None for a label."""
    scale: tuple[float, ...] = ()
    """Of features: what each column is divided by."""
    columns: Columns = NO_COLUMNS
    """Of rows of labels."""

    @classmethod
    def learn(cls, union: Graph) -> EdgeTable:
        """The table of what the edges of these graphs carry."""
        tokens = _occurring(union)
        if tokens in ([], list(PLAIN)):
            return cls("none")
        values: Any = [value for _, value in tokens]
        directions = tuple((direction, None) for direction in sorted({direction for direction, _ in tokens}))
        if kind_of_values(values) == "labels":
            if width_of_rows(values) > 1:
                return cls("rows", directions, columns=Columns.learn(values))
            return cls("labels", tuple(tokens))
        largest = np.abs(finite_rows(values, "edge")).max(axis=0)
        return cls("features", directions, tuple(np.where(largest > 0, largest, 1.0).tolist()))

    @property
    def num_edge_labels(self) -> int:
        """Rows of a layer's edge weights; 0 where edges carry rows of labels, features or nothing."""
        return len(self.tokens) + 1 if self.kind == "labels" else 0

    @property
    def edge_features(self) -> int:
        """Numbers that every edge carries, which may be 0 and 1 for rows of labels; 0 where there are none."""
        return self.columns.inputs if self.kind == "rows" else len(self.scale)

    def apply(self, union: Graph, unseen: Unseen = "error") -> tuple[Graph, TokenTable]:
        """The graphs as the model sees them, and the rows of the weights for what their edges carry.

        An edge that is like none in training is refused or, with "ignore", the same as any other such edge."""
        if self.kind == "none":
            return union.without_labels(), NO_TOKENS
        self._check_kind(union)
        if unseen == "error":
            self._refuse_unseen(union)
        labels, loop_labels = _labels(union), union.loop_labels
        if self.kind == "rows":
            labels = tuple(_sorted((direction, self._known(row)) for direction, row in label) for label in labels)
            loop_labels = tuple(_sorted(self._known(row) for row in label) for label in loop_labels)
        if self.kind == "labels":
            known = set(self.tokens)
            labels = tuple(_sorted(token if token in known else UNSEEN for token in label) for label in labels)
            loop_labels = tuple(
                _sorted(value if (LOOP, value) in known else UNSEEN for value in label) for label in loop_labels
            )
        labels, (number,) = joined([labels])
        loop_labels, (loop_number,) = joined([loop_labels])
        seen = replace(
            union.without_labels(),
            arcs=number[_arcs(union)],
            arc_labels=labels,
            loops=loop_number[union.loops] if len(union.loops) else union.loops,
            loop_labels=loop_labels,
        )
        table = TokenTable.of(labels, loop_labels)
        if self.kind == "labels":
            row = {token: i for i, token in enumerate(self.tokens)}
            rows = np.array([row.get(token, len(row)) for token in table.tokens], np.int32)
            return seen, replace(table, tokens=(*self.tokens, UNSEEN), codes=rows[table.codes])
        return seen, replace(table, tokens=self._as_numbers(table.tokens))

    def _as_numbers(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """Tokens with the numbers that the weights are multiplied with."""
        if not tokens:
            return ()
        values: Any = [value for _, value in tokens]
        if self.kind == "rows":
            numbers = self.columns.multi_hot(values)
        else:
            rows = finite_rows(values, "edge")
            if rows.shape[1] != len(self.scale):
                trained = f"the model was trained with {len(self.scale)} numbers on every edge"
                raise ValueError(f"{trained}, not {rows.shape[1]}")
            numbers = rows / np.array(self.scale)
        return tuple((direction, tuple(row)) for (direction, _), row in zip(tokens, numbers.tolist(), strict=True))

    def _known(self, row: Any) -> Any:
        """Of a row of labels, those that the model knows, and None in place of others."""
        return self.columns.known(row)

    def _check_kind(self, union: Graph) -> None:
        """Raise ValueError where the model was trained with labels or features, and these edges have neither."""
        tokens = _occurring(union)
        plain = all(value is None for _, value in tokens)
        if tokens and plain and (self.kind != "labels" or all(value is not None for _, value in self.tokens)):
            what = "features" if self.kind == "features" else "labels"
            raise ValueError(f"the model was trained with edge {what}, and the edges of these graphs have none")
        if tokens and self.kind != "features" and not set(self.tokens) & set(tokens):
            trained = len(self.columns.labels) or width_of_rows([value for _, value in self.tokens])
            check_width("edge", trained, width_of_rows([value for _, value in tokens]))

    def _knows(self, token: Token) -> bool:
        direction, value = token
        if self.kind == "labels":
            return token in self.tokens
        return (direction, None) in self.tokens and (self.kind == "features" or self._known(value) == value)

    def _refuse_unseen(self, union: Graph) -> None:
        new = self._new(union)
        if not new:
            return
        entries = self._entries(union)
        if len(entries):
            node = int(np.searchsorted(union.offsets, entries[0], side="right")) - 1
            ends = (node, int(union.neighbors[entries[0]]))
        else:
            node = int(self._loops(union)[0])
            ends = (node, node)
        graph = int(np.searchsorted(union.starts, node, side="right")) - 1
        first, second = (end - int(union.starts[graph]) for end in ends)
        what, known = next(iter(new.items()))
        reason = f"{what} was never seen in training (known: {listed(known)})"
        ignored = IGNORED_IN_ROWS if self.kind == "rows" else IGNORED
        raise UnseenLabel(f"graph {graph}, edge ({first}, {second})", graph, reason, ignored)

    def _new(self, union: Graph) -> dict[str, Sequence[Any]]:
        """What was never seen in training, in words, and what was seen in its place."""
        tokens = _occurring(union)
        if self.kind != "rows":
            seen = sorted({value for _, value in self.tokens}, key=sort_key)
            return {_shown(token): seen for token in tokens if not self._knows(token)}
        directions = [direction for direction, _ in self.tokens]
        new: dict[str, Sequence[Any]] = {
            _shown((direction, None)): directions for direction, _ in tokens if direction not in directions
        }
        rows: Any = [row for _, row in tokens]
        for column, label in self.columns.strange(rows):
            new[f"{called(column, label, rows[0])} of an edge"] = self.columns.labels[column]
        return new

    def _entries(self, union: Graph) -> NDArray[np.int64]:
        """Entries of the adjacency with something that was never seen."""
        strange = [not all(map(self._knows, label)) for label in _labels(union)]
        return np.flatnonzero(np.array(strange, np.bool_)[_arcs(union)])

    def _loops(self, union: Graph) -> NDArray[np.int64]:
        """Nodes with loops that were never seen."""
        strange = [not all(self._knows((LOOP, value)) for value in label) for label in union.loop_labels]
        return np.flatnonzero(np.array(strange, np.bool_)[union.loops])

    def unseen(self, union: Graph) -> str:
        """What there is to say about edges that the model does not know, in one sentence; "" where there are none."""
        if self.kind == "none":
            if not len(union.arcs) and not len(union.loops):
                return ""
            return "the model was trained on edges that carry nothing: what these edges carry is not used"
        new = list(self._new(union))
        if not new:
            return ""
        total = len(self._entries(union)) // 2 + len(self._loops(union))
        without = "a label" if self.kind != "rows" else "it" if len(new) == 1 else "them"
        taken = f"{count(total, 'edge')} {'is' if total == 1 else 'are'} taken as edges without {without}"
        return f"{never_seen(new)}: {taken}"


def _labels(union: Graph) -> tuple[ArcLabel, ...]:
    """What the codes of `_arcs` stand for."""
    return union.arc_labels if len(union.arcs) else (PLAIN,) * (len(union.neighbors) > 0)


def _arcs(union: Graph) -> NDArray[np.int32]:
    return union.arcs if len(union.arcs) else np.zeros(len(union.neighbors), np.int32)


def _occurring(union: Graph) -> list[Token]:
    """The tokens of all edges and loops. (A union that was taken from a larger one knows the labels of all of it.)"""
    labels = _labels(union)
    arcs = {token for code in np.unique(_arcs(union)) for token in labels[code]}
    loops = {(LOOP, value) for code in np.unique(union.loops) for value in union.loop_labels[code]}
    return sorted(arcs | loops, key=sort_key)


def _sorted(parts: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(parts, key=sort_key))


def _shown(token: Token) -> str:
    direction, value = token
    if value is None:
        return "the edge without a label" if direction == BOTH else f"the direction {direction!r}"
    return f"the edge label {value!r}" + ("" if direction == BOTH else f" with the direction {direction!r}")
