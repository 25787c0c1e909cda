"""Quotients of a graph by its automorphisms; one that has more symmetry than the graph shows that it is not compact.

The orbits of a group of automorphisms are cells C with numbers B[C, D], how many neighbours every node of C has in D.
Let p be a permutation of the cells that keeps their sizes, their stable colours and B. Then X with X[u, v] = 1 / |C|
for u in C and v in p(C), and 0 elsewhere, is doubly stochastic and commutes with the adjacency matrix (both products
are B[C, D] / |D| for u in C and v in p(D)), label by label where edges have labels. If X is a convex sum of
automorphisms, each of them carries every cell C to p(C). So if no automorphism does, the graph is not compact. That
cells of compact graphs are orbits (Godsil 1997, Theorem 2.3) is the same for the coarsest such cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.refine.bliss import TimeLimit, automorphisms, isomorphic
from wlt.refine.partition import Colors

FACTORS = 30
"""Generators that a random automorphism is a product of."""


def random_automorphisms(generators: NDArray[np.int64], number: int) -> Iterator[NDArray[np.int64]]:
    """The generators, and then random products of them. The seed is fixed."""
    yield from generators[:number]
    random = np.random.default_rng(0)
    for _ in range(number - len(generators)):
        product = np.arange(generators.shape[1])
        for i in random.integers(len(generators), size=FACTORS):
            product = generators[i][product]
        yield product


def cyclic_orbits(automorphism: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """[nodes] Numbers of the orbits of each of its powers but the identity, the smallest orbits first, each once."""
    nodes = np.arange(len(automorphism))
    powers = [automorphism]
    while not np.array_equal(powers[-1], nodes):
        powers.append(automorphism[powers[-1]])
    order = len(powers)
    for divisor in range(order - 1, 0, -1):
        if order % divisor == 0:
            smallest = nodes.copy()
            for power in powers[divisor - 1 :: divisor]:
                smallest = np.minimum(smallest, power)
            yield np.unique(smallest, return_inverse=True)[1]


def has_symmetry_of_its_own(graph: Graph, colors: Colors, cells: NDArray[np.int64], limit: TimeLimit) -> bool:
    """Has the quotient by these cells, the orbits of a group, an automorphism that comes from none of the graph?"""
    quotient, kinds = _quotient(graph, colors, cells)
    return any(
        not isomorphic((graph, cells), (graph, images[cells]), limit)
        for images in automorphisms(quotient, kinds, limit)
    )


def _quotient(graph: Graph, colors: Colors, cells: NDArray[np.int64]) -> tuple[Graph, NDArray[np.int64]]:
    """A node for each cell, of a kind that says its colour, its size and its inner edges; the labels of the arcs are
    the numbers of neighbours, for each label of the graph."""
    _, first = np.unique(cells, return_index=True)
    joined: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for cell, node in enumerate(first.tolist()):
        entries = slice(graph.offsets[node], graph.offsets[node + 1])
        labels = graph.arcs[entries].tolist() if len(graph.arcs) else [0] * int(graph.degrees[node])
        for neighbor, label in zip(cells[graph.neighbors[entries]].tolist(), labels, strict=True):
            joined[cell, neighbor][label] += 1
    words = {pair: tuple(sorted(numbers.items())) for pair, numbers in joined.items()}
    sizes = np.bincount(cells).tolist()
    own: list[Any] = [(sizes[i], int(colors[node]), words.get((i, i), ())) for i, node in enumerate(first.tolist())]
    table = sorted({word for (i, j), word in words.items() if i != j})
    number = {word: code for code, word in enumerate(table)}
    arcs = [(i, j, number[word]) for (i, j), word in words.items() if i != j]
    rows, columns, codes = np.array(arcs, np.int64).reshape(-1, 3).T
    kinds = np.array([sorted(set(own)).index(kind) for kind in own], np.int64)
    starts = np.array([0, len(first)])
    labels_of_arcs = tuple((("neighbors", word),) for word in table)
    return Graph.from_entries(starts, rows, columns, codes.astype(np.int32), labels_of_arcs), kinds
