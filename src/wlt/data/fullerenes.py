"""Fullerenes: every isomer C_n from the face-spiral algorithm (Manolopoulos and Fowler, An Atlas of Fullerenes, 1995).

A fullerene is a cubic planar graph whose faces are twelve pentagons and n/2 - 10 hexagons. Peeling its faces off one
after the other, like an orange, gives a sequence of fives and sixes from which the graph can be wound up again. Each
isomer is kept once, as its lexicographically smallest spiral; the numbers of isomers are those of the Atlas.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wlt.data import kernels
from wlt.graph import Graph
from wlt.graphs import Graphs

SMALLEST = 20
LARGEST = 70
"""Up to here all counts were compared with the published ones; far beyond, some fullerenes have no spiral at all."""


def fullerene_spirals(n: int) -> NDArray[np.uint8]:
    """The face sizes of every isomer of C_n along its smallest spiral, shape [isomers, n/2 + 2], in increasing order.

    Row i belongs to the isomer that the Atlas calls C_n:(i + 1).

    >>> fullerene_spirals(24)
    array([[5, 5, 5, 5, 5, 6, 5, 5, 6, 5, 5, 5, 5, 5]], dtype=uint8)
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"the size of a fullerene is a whole number of atoms, not {n!r}")
    if n % 2 or not SMALLEST <= n <= LARGEST:
        raise ValueError(f"fullerenes C{n}: the size must be even, from {SMALLEST} to {LARGEST}")
    # Two pentagons touch in every fullerene below C60, so the smallest spiral begins with two of them.
    spirals: NDArray[np.uint8] = kernels.fullerene_spirals(int(n), 5 if n < 60 else 6)
    return spirals


def fullerenes(sizes: Iterable[int] = range(36, 46, 2)) -> Graphs:
    """All fullerene isomers with these numbers of atoms, named as in the Atlas ("C36:14").

    WL sees a single class of nodes, since every atom has three neighbours. The label is 1 where more edges are shared
    by two pentagons than in the median isomer of the same size, 0 where not: few such edges make a stable molecule.

    >>> fullerenes([36])
    Graphs(fullerenes: 15 graphs, 540 nodes, 810 edges; nodes: degrees; 2 classes)
    """
    wanted = list(sizes)
    if len(set(wanted)) != len(wanted):
        raise ValueError(f"a size stands twice in {wanted}")
    graphs, names = [], []
    labels = [np.zeros(0, np.int64)]
    for n in wanted:
        spirals = fullerene_spirals(n)
        isomers = len(spirals)
        if isomers == 0:  # C22
            continue
        bonds, fused = kernels.fullerene_edges(spirals)  # [isomers, 3n/2, 2], [isomers]
        first_atom = n * np.arange(isomers + 1)
        graphs.append(Graph.from_edges(n * isomers, (bonds + first_atom[:-1, None, None]).reshape(-1, 2), first_atom))
        labels.append((fused > np.median(fused)).astype(np.int64))
        names += [f"C{n}:{i + 1}" for i in range(isomers)]
    return Graphs.by_degree(Graph.union(graphs), targets=np.concatenate(labels), names=tuple(names), name="fullerenes")
