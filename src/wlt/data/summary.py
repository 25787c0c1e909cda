"""What `wlt datasets` shows: the sets of the paper and what else is at hand, beside the published statistics."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wlt.data.cache import data_root
from wlt.data.tu import at_hand, load, locate
from wlt.graphs import DataError, Graphs

PAPER_DATASETS = ("PROTEINS", "COLLAB", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "REDDIT-MULTI-5K", "NCI1")
"""The datasets of the paper, in the order of its Table 1."""


@dataclass(frozen=True)
class Published:
    """Statistics as the TU collection publishes them; nodes and edges are averages over the graphs."""

    graphs: int
    classes: int
    nodes: float
    edges: float


PUBLISHED = {
    "PROTEINS": Published(1113, 2, 39.06, 72.82),
    "NCI1": Published(4110, 2, 29.87, 32.30),
    "COLLAB": Published(5000, 3, 74.49, 2457.78),
    "IMDB-BINARY": Published(1000, 2, 19.77, 96.53),
    "IMDB-MULTI": Published(1500, 3, 13.00, 65.94),
    "REDDIT-BINARY": Published(2000, 2, 429.63, 497.75),
    "REDDIT-MULTI-5K": Published(4999, 5, 508.52, 594.87),
    "MUTAG": Published(188, 2, 17.93, 19.79),
}


@dataclass(frozen=True)
class Statistics:
    """Counts of a dataset as it was loaded, that is without loops and repeated edges."""

    graphs: int
    nodes: int
    edges: int
    class_sizes: tuple[int, ...]
    node_labels: int
    """Different node labels; 0 where the set has none and its colours are degrees."""
    removed_loops: int
    removed_repeats: int

    @classmethod
    def of(cls, graphs: Graphs) -> Statistics:
        union = graphs.union
        return cls(
            graphs=len(graphs),
            nodes=union.num_nodes,
            edges=union.num_edges,
            class_sizes=tuple(np.bincount(graphs.class_numbers).tolist()),
            node_labels=len(graphs.values) if graphs.kind == "labels" else 0,
            removed_loops=union.removed_loops,
            removed_repeats=union.removed_repeats,
        )


@dataclass(frozen=True)
class Row:
    """One dataset: its own counts, and what is published about it. `problem` says why there are no counts."""

    name: str
    counts: Statistics | None
    published: Published | None
    problem: str = ""


def summary(names: Iterable[str] | None = None, root: str | os.PathLike[str] | None = None) -> list[Row]:
    """Statistics of these datasets; by default of the paper's seven and of all that are at hand. Downloads nothing."""
    folder = data_root(root) / "tu"
    if names is None:
        names = [*PAPER_DATASETS, *(name for name in at_hand(folder) if name not in PAPER_DATASETS)]
    rows = []
    for name in names:
        statistics, problem = None, ""
        if locate(name, folder) is None:
            problem = f"not in {folder}"
        else:
            try:
                statistics = Statistics.of(load(name, root, edge_labels=None))
            except DataError as error:
                problem = str(error)
        rows.append(Row(name, statistics, PUBLISHED.get(name), problem))
    return rows
