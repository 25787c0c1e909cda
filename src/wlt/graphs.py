"""Graphs: the one container of the library. Loaders return it; audits, models, benchmarks and commands take it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.table import Table
from wlt.targets import classes_of, column_names, target_column, target_table
from wlt.wording import count

NodeKind = Literal["labels", "degrees", "features"]
EdgeKind = Literal["none", "labels", "features"]
Index = int | slice | Sequence[int] | NDArray[Any]


class DataError(ValueError):
    """Data that cannot be used. The message is one line that names the file and, where there is one, the line in it."""


@dataclass(frozen=True, eq=False)
class Graphs:
    """Graphs as one disjoint union, what their nodes carry, what is to be predicted, and what they are called.

    `codes` are numbers of this object only; what can be compared with other graphs are the `values` that they stand
    for. Like a numpy array it can be indexed by a number, a slice, several numbers or a mask, which is what
    scikit-learn's splitters do; the result is a `Graphs` again.

    >>> from wlt.data import csl
    >>> csl()
    Graphs(CSL: 150 graphs, 6150 nodes, 12300 edges; nodes: degrees; 10 classes)
    """

    union: Graph
    codes: NDArray[np.int32]  # [nodes] which of the values each node carries
    values: Sequence[Any] | NDArray[Any]  # what each code stands for: a label, a degree, or a row of features
    kind: NodeKind
    targets: NDArray[Any] | None = None  # [graphs], or [graphs, columns], what is to be predicted; NaN: a gap
    names: tuple[str, ...] = ()  # of the graphs, where they have names
    name: str = "graphs"
    table: Table | None = None  # whose rows the graphs come from
    attribute: str = ""  # the node attribute that the values are of, where it has a name
    edge_attribute: Hashable = ""  # likewise the attribute that the edge labels are of
    target_names: tuple[str, ...] = ()  # of the columns of the targets, where they have names
    unlabelled: bool = False  # do nodes carry nothing, so that their values are degrees, with the labels of loops?

    def __post_init__(self) -> None:
        union = self.union
        if self.codes.shape != (union.num_nodes,):
            raise ValueError(f"{self.name}: codes of shape {self.codes.shape} for {union.num_nodes} nodes")
        if self.codes.size and not 0 <= self.codes.min() <= self.codes.max() < len(self.values):
            raise ValueError(f"{self.name}: a node's code is not among 0 .. {len(self.values) - 1}")
        if self.names and len(self.names) != len(self):
            raise ValueError(f"{self.name}: {len(self.names)} names for {len(self)} graphs")
        if self.targets is not None and len(self.targets) != len(self):
            raise ValueError(f"{self.name}: {len(self.targets)} targets for {len(self)} graphs")
        for array in (self.codes, self.values, self.targets):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @classmethod
    def by_degree(cls, union: Graph, **others: Any) -> Graphs:
        """Graphs whose nodes carry nothing: their degrees take the place of labels."""
        values, codes = rank_rows(union.degrees)
        return cls(union, codes, values, "degrees", unlabelled=True, **others).with_loops()

    @classmethod
    def by_rows(cls, union: Graph, rows: NDArray[Any], kind: NodeKind, **others: Any) -> Graphs:
        """Graphs whose nodes carry a number or a row of numbers each; equal rows get equal codes."""
        values, codes = rank_rows(rows)
        return cls(union, codes, values, kind, **others).with_loops()

    def with_loops(self) -> Graphs:
        """The same graphs with what each node carries and the labels of its loops together as its value."""
        union = self.union
        if not len(union.loops):
            return self
        if self.kind == "features":
            rows = np.asarray(self.values).reshape(len(self.values), -1)[self.codes]
            values, codes = rank_rows(np.concatenate([rows, self._loop_features()[union.loops]], axis=1))
            return replace(self, codes=codes, values=values)
        both, number = np.unique(np.stack([self.codes, union.loops]), axis=1, return_inverse=True)
        plain = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        carried = [tuple(value) if isinstance(value, list) else value for value in plain]
        pairs = [(carried[code], union.loop_labels[loop]) for code, loop in both.T]
        return replace(self, codes=number.reshape(-1).astype(np.int32), values=pairs)

    def without_loops(self) -> Graphs:
        """The same graphs with what each node carries besides its loops as its value: undoes `with_loops`. The union
        keeps the loops."""
        union = self.union
        if not len(union.loops):
            return self
        if self.kind == "degrees":
            values, codes = rank_rows(union.degrees)
            return replace(self, codes=codes, values=values)
        if self.kind == "features":
            width = self._loop_features().shape[1]
            return replace(self, values=np.asarray(self.values)[:, :-width])
        number: dict[Any, int] = {}
        carried = [number.setdefault(value, len(number)) for value, _ in self.values]
        return replace(self, codes=np.array(carried, np.int32)[self.codes], values=list(number))

    def _loop_features(self) -> NDArray[np.float64]:
        """Numbers for each of the loop labels: how many loops they are, and the label, where loops have labels."""
        labels: Any = self.union.loop_labels
        counts = np.array([[len(loops)] for loops in labels], np.float64)
        if all(label is None for loops in labels for label in loops):
            return counts
        rows = [np.ravel(loops[0]) if loops else np.zeros(0) for loops in labels]
        width = max(map(len, rows))
        numeric = all(row.dtype.kind in "biuf" and len(row) in (0, width) for row in rows)
        if counts.max() > 1 or not numeric:
            raise ValueError(
                f"{self.name}: nodes with features and several loops, or loops labelled by words; edge_labels=None "
                "leaves the labels out"
            )
        return np.concatenate(
            [counts, [np.resize(row, width) if len(row) else np.zeros(width) for row in rows]], axis=1
        )

    @property
    def edge_kind(self) -> EdgeKind:
        """What edges carry: labels (directions and parallel edges are such), or numbers that are not whole or rows."""
        labels = [label for tokens in self.union.arc_labels for _, label in tokens]
        return kind_of_values(labels) if labels else "none"

    @cached_property
    def _classes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if self.targets is None:
            raise ValueError(f"{self.name}: the graphs have no labels")
        if self.targets.ndim > 1:
            raise ValueError(f"{self.name}: the graphs have {self.targets.shape[1]} targets, not one class each")
        return classes_of(self.targets)

    @property
    def classes(self) -> NDArray[Any]:
        """The different labels of the graphs, ascending."""
        return self._classes[0]

    @property
    def class_numbers(self) -> NDArray[np.int64]:
        """[graphs] Which of the classes each graph is in."""
        return self._classes[1]

    def with_targets(self, targets: ArrayLike) -> Graphs:
        """The same graphs with these targets: one for every graph, or a row of numbers, in which NaN is a gap."""
        several = np.ndim(targets) == 2 and np.shape(targets)[1] > 1
        read = target_table if several else target_column
        return replace(self, targets=read(targets, len(self)), target_names=column_names(targets))

    def without_labels(self) -> Graphs:
        """The same graphs with degrees in place of what their nodes carry."""
        if self.kind == "degrees":
            return self
        bare = Graphs.by_degree(self.union)
        return replace(self, codes=bare.codes, values=bare.values, kind="degrees", attribute="", unlabelled=True)

    def without_edge_labels(self) -> Graphs:
        """The same graphs without labels, directions and multiplicities of their edges; `union.ignored` says so."""
        return replace(self, union=self.union.without_labels()) if len(self.union.arcs) else self

    def relabel(self, permutation: ArrayLike) -> Graphs:
        """The same graphs with node v of the union called permutation[v]; nodes stay in their graph."""
        union = self.union.relabel(permutation)
        codes = np.empty_like(self.codes)
        codes[np.asarray(permutation)] = self.codes
        return replace(self, union=union, codes=codes)

    def carried(self) -> list[Hashable]:
        """[nodes] The value that each node carries."""
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        carried = [tuple(value) if isinstance(value, list) else value for value in values]
        return [carried[code] for code in self.codes.tolist()]

    def place(self, graph: int) -> str:
        """What messages call a graph."""
        return self.names[graph] if self.names else f"graph {graph}"

    def take(self, which: ArrayLike) -> Graphs:
        """The graphs with these indices, in this order. Codes keep their numbers, used or not."""
        index = self.union.graph_indices(which)
        return replace(
            self,
            union=self.union.take(index),
            codes=self.codes[self.union.nodes_of(index)],
            targets=None if self.targets is None else self.targets[index],
            names=tuple(self.names[i] for i in index) if self.names else (),
            table=None,
        )

    def __getitem__(self, index: Index) -> Graphs:
        count = len(self)
        if isinstance(index, (int, np.integer)) and not -count <= index < count:
            raise IndexError(f"graph {index} of {count}")
        return self.take(np.arange(count)[index].reshape(-1))

    def __iter__(self) -> Iterator[Graphs]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """One column of graphs, [graphs, 1]: what scikit-learn's own estimators, such as BaggingClassifier, pass on."""
        column = np.empty((len(self), 1), object)
        for i, graph in enumerate(self):  # a list of them numpy would take for rows
            column[i, 0] = graph
        return column

    def __len__(self) -> int:
        return self.union.num_graphs

    def __repr__(self) -> str:
        union = self.union
        numbers = count(len(self), "graph"), count(union.num_nodes, "node"), count(union.num_edges, "edge")
        sizes = f"{', '.join(numbers)}; nodes: {self.kind}"
        if self.targets is None:
            return f"Graphs({self.name}: {sizes})"
        if self.targets.ndim > 1:
            return f"Graphs({self.name}: {sizes}; {self.targets.shape[1]} targets)"
        kinds = len(np.unique(self.targets)) if self.targets.dtype.kind in "biuUO" else 0
        return f"Graphs({self.name}: {sizes}; {f'{kinds} classes' if kinds else 'targets'})"


def kind_of_values(values: Sequence[Any]) -> Literal["labels", "features"]:
    """Rows of as many numbers each, and numbers that are not all whole, are features; everything else is labels."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    numbers = all(isinstance(x, Real) and not isinstance(x, bool) for row in rows for x in row)
    if not numbers or len({len(row) for row in rows}) != 1:
        return "labels"
    in_rows = isinstance(values[0], tuple)
    return "labels" if not in_rows and all(float(x).is_integer() for (x,) in rows) else "features"


def width_of_rows(values: Sequence[Any]) -> int:
    """How many labels each of these labels is a row of: tuples of one length are rows; 1 where they are single labels.

    >>> width_of_rows([("C", 0), ("N", 1)]), width_of_rows(["C", "N"]), width_of_rows([("C", 0), "N"])
    (2, 1, 1)
    """
    widths = {len(value) if isinstance(value, tuple) else 1 for value in values}
    return max(widths.pop(), 1) if len(widths) == 1 else 1


def rank_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The different rows in lexicographic order, and for every row its number among them; rows may be single numbers.

    >>> values, codes = rank_rows(np.array([[7, 1], [0, 5], [7, 1]]))
    >>> values.tolist(), codes.tolist()
    ([[0, 5], [7, 1]], [1, 0, 1])
    """
    if rows.ndim == 1:
        values, codes = np.unique(rows, return_inverse=True)
        return values, codes.astype(np.int32)
    rows = np.ascontiguousarray(rows)
    if rows.shape[1] == 0:
        return rows[:1], np.zeros(len(rows), np.int32)
    if rows.dtype.kind == "f":
        rows = rows + 0.0  # -0.0 and 0.0 are equal but differ in their bytes
    # Sorting rows as strings of bytes is ten times as fast as np.unique(axis=0); only the few survivors are ranked.
    as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)
    _, first, codes = np.unique(as_bytes, return_index=True, return_inverse=True)
    values = rows[first]
    order = np.lexsort(values.T[::-1])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return values[order], rank[codes]
