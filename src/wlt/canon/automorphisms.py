"""Automorphisms: the permutations of a graph's nodes that change neither its edges nor any label."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.canon import kernels
from wlt.canon.forms import SEARCH_BUDGET, TooHard, components_in_order
from wlt.canon.labels import Labelled
from wlt.io.graphs import as_graphs, warn_of_ignored


@dataclass(frozen=True, eq=False)
class Automorphisms:
    """The automorphism group of a graph."""

    order: int
    """How many automorphisms there are."""
    orbits: NDArray[np.int64]
    """[nodes] Equal numbers: some automorphism maps one node onto the other. Numbered by first appearance."""
    ignored: tuple[str, ...]
    """What the graph has besides and was not looked at."""
    _labelled: Labelled = field(repr=False)
    _budget: int = field(repr=False)

    @cached_property
    def generators(self) -> NDArray[np.int32]:
        """[generators, nodes] Automorphisms of which all others are products: node v goes to generators[i, v].

        At most one less than there are nodes; not always as few as possible. They are found when they are first asked
        for, and every one is checked edge by edge; TooHard is raised where that takes more than the budget."""
        generators: NDArray[np.int32] = _group(self._labelled, self._budget, only_core=False).generators
        if not all(_is_automorphism(self._labelled, generator) for generator in generators):
            raise AssertionError("a permutation is no automorphism: this is a bug in wlt, please report it")
        return generators

    def __repr__(self) -> str:
        orbits = len(np.unique(self.orbits))
        return f"Automorphisms(order={self.order}, orbits={orbits} of {len(self.orbits)} nodes)"


def automorphisms(
    graph: Any,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = SEARCH_BUDGET,
) -> Automorphisms:
    """The automorphism group: its order, an exact integer, the orbits of the nodes, and generators.

    The arguments are those of `wlt.as_graphs`. TooHard is raised where the search visits more nodes and edges than the
    budget.

    >>> automorphisms((4, [(0, 1), (1, 2), (2, 3), (3, 0)]))
    Automorphisms(order=8, orbits=1 of 4 nodes)
    """
    graphs = as_graphs(graph, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    if len(graphs) != 1:
        raise ValueError(f"one graph is needed, not {len(graphs)}; ask graph by graph")
    labelled = Labelled.of(graphs)
    group = _group(labelled, budget, only_core=True)
    return Automorphisms(group.order, _by_first(group.orbits), graphs.union.ignored, labelled, budget)


def orbits(
    graph: Any,
    *,
    node_labels: ArrayLike = "auto",
    edge_labels: Hashable = "auto",
    simple: bool = False,
    budget: int = SEARCH_BUDGET,
) -> NDArray[np.int64]:
    """For every node the number of its orbit; nodes are in one orbit iff an automorphism maps one onto the other.

    Finer than `wlt.closure`, whose classes are unions of orbits. The arguments are those of `wlt.automorphisms`.

    >>> orbits((4, [(0, 1), (1, 2), (2, 3)])).tolist()
    [0, 1, 1, 0]
    """
    graphs = as_graphs(graph, node_labels=node_labels, edge_labels=edge_labels, simple=simple)
    warn_of_ignored(graphs.union, edge_labels, simple)
    return automorphisms(graphs, budget=budget).orbits


@dataclass(frozen=True)
class _Group:
    order: int
    orbits: NDArray[np.integer[Any]]  # [nodes]
    generators: NDArray[np.int32]  # all of them only where not just the core was searched


def _group(labelled: Labelled, budget: int, only_core: bool) -> _Group:
    """The group of one graph."""
    found = labelled.explored(False, only_core, budget)
    if (found.states == kernels.IN_PARTS).any():
        return _group_of_components(labelled, budget, only_core)
    if (found.states != kernels.FINISHED).any():
        raise TooHard([0], budget)
    return _Group(math.prod(found.factors.tolist()), found.orbits, found.generators)


def _group_of_components(labelled: Labelled, budget: int, only_core: bool) -> _Group:
    """Every automorphism moves components onto isomorphic ones, and each of them in itself.

    So the group is known by one component of each kind, and by how many there are of it."""
    parts = components_in_order(labelled, np.ones(1, np.bool_), budget)
    if parts.unfinished.any():
        raise TooHard([0], budget)
    n = labelled.graph.num_nodes
    order, orbits, generators = 1, np.empty(n, np.int64), []
    here = np.arange(n, dtype=np.int32)
    nodes_of = [parts.order[low:high] for low, high in pairwise(parts.starts)]
    for kind, members in groupby(range(len(nodes_of)), parts.kinds.__getitem__):
        alike = [nodes_of[i] for i in members]  # isomorphic, each with its nodes in canonical order
        group = _group(labelled.induced(alike[0], np.array([0, len(alike[0])])), budget, only_core)
        order *= group.order ** len(alike) * math.factorial(len(alike))
        for own in group.generators:
            generators.append(here.copy())
            generators[-1][alike[0]] = alike[0][own]
        for one, other in pairwise(alike):
            generators.append(here.copy())
            generators[-1][one], generators[-1][other] = other, one
        for nodes in alike:
            orbits[nodes] = group.orbits + n * int(kind)
    return _Group(order, orbits, np.array(generators, np.int32).reshape(-1, n))


def _by_first(orbits: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The same orbits, numbered by first appearance."""
    _, first, number = np.unique(orbits, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def _is_automorphism(labelled: Labelled, permutation: NDArray[np.int32]) -> bool:
    """Checked entry by entry."""
    rows, columns = labelled.graph.edge_index()
    n = labelled.graph.num_nodes
    moved = permutation[rows].astype(np.int64) * n + permutation[columns]
    order = np.argsort(moved)
    same_labels = not len(labelled.arcs) or np.array_equal(labelled.arcs[order], labelled.arcs)
    same_colors = np.array_equal(labelled.colors[permutation], labelled.colors)
    return same_labels and same_colors and np.array_equal(moved[order], rows * n + columns)
