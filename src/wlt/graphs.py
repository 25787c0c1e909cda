"""Dataset: labelled graphs with initial node colours, the one shape that every loader gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph

ColorKind = Literal["labels", "degrees", "features"]
Index = int | slice | Sequence[int] | NDArray[Any]


class DataError(ValueError):
    """Data that cannot be used. The message is one line that names the file and, where there is one, the line in it."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Graphs (one disjoint union), an initial colour for every node and a class for every graph.

    >>> from wlt.data import csl
    >>> csl()
    Dataset(CSL: graphs=150, classes=10, nodes=6150, edges=12300, colors=1 by degrees)
    """

    name: str
    graphs: Graph
    colors: NDArray[np.int32]  # [nodes] 0 .. num_colors-1
    color_names: NDArray[Any]  # [num_colors] or [num_colors, columns]: the label, degree or feature row of each colour
    color_kind: ColorKind
    labels: NDArray[np.int64]  # [graphs] 0 .. num_classes-1
    classes: NDArray[np.int64]  # [num_classes] the label of each class in the source, ascending
    graph_names: tuple[str, ...] = ()
    """A name for every graph, where the source gives one; else empty."""

    def __post_init__(self) -> None:
        if self.labels.shape != (self.graphs.num_graphs,):
            raise ValueError(f"{self.name}: labels of shape {self.labels.shape} for {self.graphs.num_graphs} graphs")
        if self.colors.shape != (self.graphs.num_nodes,):
            raise ValueError(f"{self.name}: colours of shape {self.colors.shape} for {self.graphs.num_nodes} nodes")
        if self.graph_names and len(self.graph_names) != self.graphs.num_graphs:
            raise ValueError(f"{self.name}: {len(self.graph_names)} names for {self.graphs.num_graphs} graphs")
        for what, array, count in (
            ("label", self.labels, self.num_classes),
            ("colour", self.colors, self.num_colors),
        ):
            if array.size and (array.min() < 0 or array.max() >= count):
                raise ValueError(f"{self.name}: a {what} that is not among 0 .. {count - 1}")
        for array in (self.colors, self.color_names, self.labels, self.classes):
            array.setflags(write=False)

    @property
    def num_classes(self) -> int:
        return len(self.classes)

    @property
    def num_colors(self) -> int:
        return len(self.color_names)

    def take(self, which: ArrayLike) -> Dataset:
        """The graphs with these indices, in this order. Colours and classes keep their numbers, used or not."""
        index = self.graphs.graph_indices(which)
        return replace(
            self,
            graphs=self.graphs.take(index),
            colors=self.colors[self.graphs.nodes_of(index)],
            labels=self.labels[index],
            graph_names=tuple(self.graph_names[i] for i in index) if self.graph_names else (),
        )

    def __getitem__(self, index: Index) -> Dataset:
        """A Dataset of the chosen graphs: of one, as scikit-learn's splitters index what they split, or of several."""
        return self.take(chosen(index, len(self)))

    def __iter__(self) -> Iterator[Dataset]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return self.graphs.num_graphs

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name}: graphs={len(self)}, classes={self.num_classes}, nodes={self.graphs.num_nodes}, "
            f"edges={self.graphs.num_edges}, colors={self.num_colors} by {self.color_kind})"
        )


def chosen(index: Index, count: int) -> NDArray[np.int64]:
    """Which of so many graphs an index means: a number, a slice, several numbers or a mask, as numpy's arrays take it.

    >>> chosen(-1, 3).tolist(), chosen(slice(2), 3).tolist(), chosen(np.array([True, False, True]), 3).tolist()
    ([2], [0, 1], [0, 2])
    """
    if isinstance(index, (int, np.integer)) and not -count <= index < count:
        raise IndexError(f"graph {index} of {count}")
    return np.arange(count)[index].reshape(-1)


def rank_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The different rows in lexicographic order, and for every row its number among them; rows may be single numbers.

    >>> names, colors = rank_rows(np.array([[7, 1], [0, 5], [7, 1]]))
    >>> names.tolist(), colors.tolist()
    ([[0, 5], [7, 1]], [1, 0, 1])
    """
    if rows.ndim == 1:
        names, colors = np.unique(rows, return_inverse=True)
        return names, colors.astype(np.int32)
    rows = np.ascontiguousarray(rows)
    if rows.shape[1] == 0:
        return rows[:1], np.zeros(len(rows), np.int32)
    if rows.dtype.kind == "f":
        rows = rows + 0.0  # -0.0 and 0.0 are equal but differ in their bytes
    # Sorting rows as strings of bytes is ten times as fast as np.unique(axis=0); only the few survivors are ranked.
    as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)
    _, first, colors = np.unique(as_bytes, return_index=True, return_inverse=True)
    names = rows[first]
    order = np.lexsort(names.T[::-1])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return names[order], rank[colors]


def labelled(
    name: str,
    graphs: Graph,
    labels: NDArray[Any],
    color_rows: NDArray[Any] | None,
    color_kind: ColorKind,
    graph_names: Sequence[str] = (),
) -> Dataset:
    """The Dataset of these graphs: labels and rows of node colours as they come, or None to colour by degrees."""
    classes, dense_labels = np.unique(labels, return_inverse=True)
    rows = graphs.degrees if color_rows is None else color_rows
    color_names, colors = rank_rows(rows)
    return Dataset(
        name,
        graphs,
        colors,
        color_names,
        color_kind,
        dense_labels.astype(np.int64),
        classes.astype(np.int64),
        tuple(graph_names),
    )
