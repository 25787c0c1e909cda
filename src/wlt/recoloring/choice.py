"""Which node of a class to recolour, so that the names of nodes have no part in it: canonical recoloring.

The paper draws the node at random, so its model is invariant under relabelling in distribution only. Here each
candidate is individualised, the stable partition refined, and the candidates with the largest invariant are kept:
(number of cells; colour of the candidate after some WL rounds; quotient matrix). The first prefers what refines most,
the second makes the choice alike in different graphs with equal surroundings, whatever else is in them, and the third
completes it. Mostly the nodes that remain are one orbit, and any of them gives the same coloured graph. That is certain
where colour refinement identifies the graph with its new partition (`core_kernels.core_cells` leaves nothing of it; see
`graphclass`). Where it is not, on strongly regular and CFI graphs, the first of them in BLISS's canonical order is
taken. So the choice is always the same up to automorphism.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.recoloring import kernels as recoloring_kernels
from wlt.refine.bliss import canonical_order

ROUNDS = 16
"""WL rounds after which the candidates of different graphs are compared by their surroundings."""

TRIAL_BUDGET = 100_000_000
"""About a second."""

REMEMBERED = 1 << 20
"""Choices that are remembered at most."""


class CanonicalChoice:
    """One node of each graph's candidates, the same up to automorphism for every relabelled copy of the graph.

    Choices are remembered by the content of the graph: in training the same graphs come back every epoch.

    >>> choose = CanonicalChoice()
    >>> path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    >>> copy = path.relabel([2, 0, 3, 1])
    >>> choose(path, np.zeros(4, np.uint64), np.array([0, 4]), np.arange(4)).tolist()
    [0]
    >>> choose(copy, np.zeros(4, np.uint64), np.array([0, 4]), np.arange(4)).tolist()
    [1]
    """

    def __init__(self, *, trial_budget: int = TRIAL_BUDGET) -> None:
        """`trial_budget`: nodes and edges that the trials on one graph may visit; beyond it BLISS decides alone."""
        self.trial_budget = trial_budget
        self._known: dict[tuple[int, int], int] = {}

    def __call__(
        self, graphs: Graph, names: NDArray[np.uint64], bounds: NDArray[np.int64], candidates: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """The chosen nodes, one of each graph that has candidates, ascending.

        names: [nodes] colours that mean the same whatever else is in the union. bounds, candidates: CSR of the
        candidates of each graph, all nodes of some cells of the stable partition that begins with the names."""
        asked = np.flatnonzero(np.diff(bounds))
        arrays = (graphs.adjacency, graphs.arc_words, graphs.starts, names, bounds, candidates.astype(np.int32))
        keys = [(a, b) for a, b in recoloring_kernels.content_words(*arrays, asked).tolist()]
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = {key: graph for key, graph in zip(keys, asked.tolist(), strict=True) if key not in self._known}
        if new:
            which = np.array(list(new.values()))
            kept_bounds, kept, equivalent = recoloring_kernels.most_refining(*arrays, which, ROUNDS, self.trial_budget)
            for i, (key, graph) in enumerate(new.items()):
                low, high = graphs.starts[graph : graph + 2]
                nodes = kept[kept_bounds[i] : kept_bounds[i + 1]] - low
                self._known[key] = int(nodes[0]) if equivalent[i] else _first(graphs[graph], names[low:high], nodes)
        return graphs.starts[asked].astype(np.int32) + np.array([self._known[key] for key in keys], np.int32)


def _first(graph: Graph, names: NDArray[np.uint64], nodes: NDArray[np.int64]) -> int:
    """Of these nodes the first in BLISS's canonical order of the coloured graph."""
    order = canonical_order(graph, np.unique(names, return_inverse=True)[1])
    return int(order[np.isin(order, nodes)][0])
