"""The benchmarks: graphs in groups, inside of which every pair is to be told apart."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.data import DataError, csl, ladder
from wlt.data import load as load_dataset
from wlt.data.cache import data_root
from wlt.expressiveness.brec_files import read_brec
from wlt.graph import Graph
from wlt.graphs import Graphs
from wlt.io import as_graphs, read_graphs

BENCHMARKS = ("ladder", "csl", "exp", "sr25", "graph8c", "brec")


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Graphs, no two of a group isomorphic. BREC has 400 groups of two, SR25 one group of fifteen."""

    graphs: Graphs
    groups: tuple[NDArray[np.int64], ...]  # indices of graphs
    parts: tuple[str, ...]  # the part of the benchmark that each group belongs to
    names: tuple[str, ...] = ()  # what each group is called, where it has a name

    @classmethod
    def of_groups(cls, name: str, groups: list[list[Graph]], parts: list[str] | None = None) -> Benchmark:
        """From lists of graphs whose nodes carry nothing."""
        union = Graph.union(graph for group in groups for graph in group)
        ends = np.cumsum([len(group) for group in groups])
        indices = tuple(np.arange(end - len(group), end) for end, group in zip(ends, groups, strict=True))
        return cls(Graphs.by_degree(union, name=name), indices, tuple(parts or [name] * len(groups)))

    @classmethod
    def of_pairs(
        cls,
        pairs: Iterable[Sequence[Any]],
        name: str = "pairs",
        *,
        node_labels: ArrayLike = "auto",
        edge_labels: Hashable = "auto",
    ) -> Benchmark:
        """From groups of graphs of any kind, most often pairs, no two of a group isomorphic.

        node_labels, edge_labels: what nodes and edges carry, as in `as_graphs`."""
        groups = [list(group) for group in pairs]
        if not groups or min(map(len, groups)) < 2:
            raise ValueError(f"benchmark {name}: groups of two or more graphs are needed")
        every = [graph for group in groups for graph in group]
        graphs = replace(as_graphs(every, node_labels=node_labels, edge_labels=edge_labels), name=name)
        ends = np.cumsum([len(group) for group in groups])
        indices = tuple(np.arange(end - len(group), end) for end, group in zip(ends, groups, strict=True))
        return cls(graphs, indices, (name,) * len(groups))

    @property
    def name(self) -> str:
        return self.graphs.name

    def place(self, group: int) -> str:
        """What messages call a group."""
        what = "pair" if len(self.groups[group]) == 2 else "group"
        named = f"{self.parts[group]}: {self.names[group]}" if self.names else self.parts[group]
        return f"{what} {group} of {self.name} ({named})"

    def relabelled(self, seed: int = 0) -> Benchmark:
        """Every graph with its nodes renumbered at random: what must not be told apart from the original."""
        return replace(self, graphs=relabelled(self.graphs, seed))

    def each(self) -> Iterator[tuple[str, Graphs]]:
        """(part, graphs) of every group."""
        for part, group in zip(self.parts, self.groups, strict=True):
            yield part, self.graphs.take(group)


def num_pairs(graphs: int) -> int:
    return graphs * (graphs - 1) // 2


def relabelled(graphs: Graphs, seed: int | np.random.Generator) -> Graphs:
    """Every graph with its nodes renumbered at random."""
    random = np.random.default_rng(seed)  # a generator stays what it is
    starts = graphs.union.starts
    return graphs.relabel(np.concatenate([low + random.permutation(high - low) for low, high in pairwise(starts)]))


def load(name: str, data: str | os.PathLike[str] | None = None) -> Benchmark:
    """A benchmark by name. The ladder and CSL come from formulas, the others from files in expressiveness/ or tu/.

    ladder: 204 pairs, see `wlt.data.ladder`. csl: one graph of each of the ten classes. exp: the 600 pairs of the EXP
    dataset. sr25: the 15 strongly regular graphs SR(25,12,5,6). graph8c: all 11117 connected graphs on 8 nodes. brec:
    400 pairs. `data` is the folder, else the environment variable WLT_DATA, else the user's cache folder."""
    if name == "ladder":
        steps = ladder()
        names = tuple(f"{family}, {pair}" for family, pair in zip(steps.families, steps.pair_names, strict=True))
        pairs = np.arange(2 * len(steps)).reshape(-1, 2)
        return Benchmark(steps.graphs, tuple(pairs), tuple(f"rung {rung}" for rung in steps.rungs), names)
    if name == "csl":
        dataset = csl()
        first = np.unique(dataset.class_numbers, return_index=True)[1]
        return Benchmark.of_groups("csl", [list(dataset.union.take(first))])
    if name == "exp":
        dataset = replace(load_dataset("EXP", data, edge_labels=None), name="exp")
        pairs = np.arange(len(dataset)).reshape(-1, 2)
        return Benchmark(dataset, tuple(pairs), ("exp",) * len(pairs))
    if name not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    folder = data_root(data) / "expressiveness"
    if name == "brec":
        pairs_of_parts = read_brec(folder / "brec")
        groups = [list(pair) for _, pair in pairs_of_parts]
        return Benchmark.of_groups("brec", groups, [part for part, _ in pairs_of_parts])
    path = folder / {"sr25": "sr251256.g6", "graph8c": "graph8c.g6"}[name]
    if not path.is_file():
        raise DataError(f"{path} is not there; give the folder that contains expressiveness/ (--data, or WLT_DATA)")
    return Benchmark.of_groups(name, [read_graphs(path)])
