"""Algorithm 2, Tinhofer's algorithm: closure, recolour one node of each graph, and so on until every class is a pair.

Two differences: the paper leaves open which class is recoloured, here it is the first in the order of cells that is
larger than one (an order that no node name enters); and the mapping is checked edge by edge before it is returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare import kernels as compare_kernels
from wlt.compare.pair import Pair, Verdict, as_pair
from wlt.refine.partition import Partition

Mapping = NDArray[np.int64]


class Step(NamedTuple):
    """One recoloring."""

    cell: int
    """The class, named by the position of its first node in the order of cells."""
    node_g: int
    node_h: int
    classes: int
    """Number of classes after the closure that follows. In the last step of a rejected run the closure ends early, as
    soon as it tells the graphs apart."""


@dataclass(frozen=True)
class TinhoferResult:
    verdict: Verdict
    """ISOMORPHIC, with the mapping as a certificate, or POSSIBLY_NON_ISOMORPHIC."""
    mapping: Mapping | None
    """Node v of g goes to node mapping[v] of h."""
    steps: tuple[Step, ...]
    """The recolorings of the run that found the mapping, or of the first run."""
    trials: int
    accepted: int

    @property
    def share_accepted(self) -> float:
        """Share of the independent runs that ended with an isomorphism."""
        return self.accepted / self.trials


def tinhofer_test(
    g: Any, h: Any, colors: Sequence[ArrayLike] | str | None = None, seed: int | None = None, trials: int = 1
) -> TinhoferResult:
    """Algorithm 2. Never wrong when it says isomorphic; always right when one of the graphs is compact.

    >>> import networkx as nx
    >>> hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    >>> print(tinhofer_test(hexagon, triangles, seed=0).verdict)
    possibly non-isomorphic
    >>> result = tinhofer_test(hexagon, (6, [(0, 2), (2, 4), (4, 1), (1, 3), (3, 5), (5, 0)]), seed=0)
    >>> print(result.verdict, len(result.steps))
    isomorphic 2
    """
    if isinstance(trials, bool) or not isinstance(trials, (int, np.integer)):
        raise TypeError(f"the number of trials must be an integer, not {trials!r}")
    if trials < 1:
        raise ValueError(f"trials must be at least 1, not {trials}")
    pair = as_pair(g, h, colors)
    start = Partition(pair.graph, pair.colors)
    if not (pair.same_colors and start.refine_in_bulk(border=pair.border)):
        return TinhoferResult(Verdict.POSSIBLY_NON_ISOMORPHIC, None, (), trials, 0)
    random = np.random.default_rng(seed)
    accepted = 0
    told: tuple[Mapping | None, tuple[Step, ...]] | None = None  # the run that the result tells of
    for _ in range(trials):
        run = _run(pair, start.copy(), int(random.integers(0, 2**63)))
        accepted += run[0] is not None
        if told is None or (told[0] is None and run[0] is not None):
            told = run
    mapping, steps = told or (None, ())
    verdict = Verdict.POSSIBLY_NON_ISOMORPHIC if mapping is None else Verdict.ISOMORPHIC
    return TinhoferResult(verdict, mapping, steps, trials, accepted)


def _run(pair: Pair, partition: Partition, seed: int) -> tuple[Mapping | None, tuple[Step, ...]]:
    """The recolorings after the first closure, and the mapping if no closure tells the graphs apart."""
    graph = pair.graph
    balanced, *columns = compare_kernels.tinhofer_run(
        graph.offsets,
        graph.neighbors,
        partition.order,
        partition.where,
        partition.cell,
        partition.length,
        partition.num_cells,
        pair.border,
        seed,
    )
    steps = tuple(map(Step, *(column.tolist() for column in columns)))
    if not balanced:
        return None, steps
    couples = np.sort(partition.order.reshape(-1, 2), axis=1)  # every cell is a node of g and a node of h
    mapping = np.empty(pair.border, np.int64)
    mapping[couples[:, 0]] = couples[:, 1] - pair.border
    if not pair.is_isomorphism(mapping):
        raise AssertionError("a discrete stable colouring gave no isomorphism: this is a bug in wlt, please report it")
    return mapping, steps
