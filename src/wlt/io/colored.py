"""ColoredGraphs: graphs whose nodes carry something, without a class: what a trained model is asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.graph import Graph
from wlt.graphs import ColorKind, Index, chosen


@dataclass(frozen=True, eq=False)
class ColoredGraphs:
    """Graphs (one disjoint union), a colour for every node, and what each colour stands for.

    Colours are numbers of this object only; comparable are the values: labels (anything that can be hashed), degrees,
    or rows of features. It can be indexed like a list of graphs, which is what scikit-learn's splitters do.
    """

    graphs: Graph
    colors: NDArray[np.int32]  # [nodes] which of the values
    values: Sequence[Any] | NDArray[Any]
    kind: ColorKind

    def __post_init__(self) -> None:
        if self.colors.shape != (self.graphs.num_nodes,):
            raise ValueError(f"colours of shape {self.colors.shape} for {self.graphs.num_nodes} nodes")

    @classmethod
    def by_degree(cls, graphs: Graph) -> ColoredGraphs:
        degrees = graphs.degrees
        return cls(graphs, degrees.astype(np.int32), np.arange(int(degrees.max(initial=-1)) + 1), "degrees")

    def take(self, which: ArrayLike) -> ColoredGraphs:
        """The graphs with these indices, in this order."""
        return replace(self, graphs=self.graphs.take(which), colors=self.colors[self.graphs.nodes_of(which)])

    def __getitem__(self, index: Index) -> ColoredGraphs:
        return self.take(chosen(index, len(self)))

    def __iter__(self) -> Iterator[ColoredGraphs]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return self.graphs.num_graphs

    def __repr__(self) -> str:
        graphs = self.graphs
        return f"ColoredGraphs(graphs={len(self)}, nodes={graphs.num_nodes}, edges={graphs.num_edges}, by {self.kind})"
