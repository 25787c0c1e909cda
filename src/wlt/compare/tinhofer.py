"""Algorithm 2, Tinhofer's algorithm: closure, recolour one node of each graph, and so on until every class is a pair.

Two differences: the paper leaves open which class is recoloured, here it is the first in the order of cells that is
larger than one (an order that no node name enters); and the mapping is checked edge by edge before it is returned.

With `recolor`, several nodes of a class get one new colour together. docs/theory.md says where that is still right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wlt.compare import kernels as compare_kernels
from wlt.compare.pair import Closure, Pair, Verdict, as_pair, not_looked_at
from wlt.recolor import Recolor
from wlt.refine.partition import Partition
from wlt.wording import count

Mapping = NDArray[np.int64]
ONE_NODE = Recolor(1)


class RecoloringStep(NamedTuple):
    """One recoloring: nodes of g, and as many of h, all of one class, get one new colour."""

    cell: int
    """The class, named by the position of its first node in the order of cells."""
    nodes_g: tuple[int, ...]
    nodes_h: tuple[int, ...]
    """In the last step of a rejected guided run, only as many as were found before the graphs were told apart."""
    classes: int
    """Number of classes after the closure that follows. In the last step of a rejected run the closure ends early, as
    soon as it tells the graphs apart."""

    @property
    def node_g(self) -> int:
        """The node of g, where it is one."""
        return self.nodes_g[0]

    @property
    def node_h(self) -> int:
        return self.nodes_h[0]


@dataclass(frozen=True)
class TinhoferResult:
    verdict: Verdict
    """ISOMORPHIC, with the mapping as a certificate, or POSSIBLY_NON_ISOMORPHIC."""
    mapping: Mapping | None
    """Node v of g goes to node mapping[v] of h."""
    steps: tuple[RecoloringStep, ...]
    """The recolorings of the run that found the mapping, or of the first run."""
    trials: int
    accepted: int
    ignored: tuple[str, ...] = ()
    """What the graphs have besides and was not looked at."""
    recolor: Recolor = ONE_NODE
    """How many nodes were recoloured together."""
    guided: bool = False

    @property
    def right_on_compact(self) -> bool:
        """Would a rejection prove that the graphs are not isomorphic, or that neither of them is compact?"""
        return self.recolor == ONE_NODE or self.guided

    @property
    def share_accepted(self) -> float:
        """Share of the independent runs that ended with an isomorphism."""
        return self.accepted / self.trials

    def __repr__(self) -> str:
        runs = f", {self.accepted} of {self.trials} runs accepted" if self.trials > 1 else ""
        took = f"{count(len(self.steps), 'recoloring')}{runs}{not_looked_at(self.ignored)}"
        return f"TinhoferResult({self.verdict} after {took})"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "Tinhofer's algorithm has no yes or no: write `result.verdict is wlt.Verdict.ISOMORPHIC` for the answer of "
            "which it is certain, or `bool(wlt.isomorphism(g, h))` for the exact answer"
        )


def tinhofer_test(
    g: Any,
    h: Any,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
    recolor: float | str | Recolor = 1,
    guided: bool = False,
    seed: int | None = None,
    trials: int = 1,
) -> TinhoferResult:
    """Algorithm 2. Never wrong when it says isomorphic; always right when one of the graphs is compact.

    `node_labels`: integers for the nodes of g and for those of h, or the name of a node attribute; None: all alike.
    `edge_labels` and `simple` say what of the edges is looked at, as in `as_graph`; `ignored` tells what was not.

    `recolor`: how many nodes of a class are recoloured together, 2, 3, ..., or which share of it, 0.5 or "50%"; always
    less than the whole class, which then is the smallest one. Such a run may reject copies even of a compact graph, but
    not so if it is `guided`: the nodes of g are drawn as before, those of h are chosen by what those of g refine to.

    >>> import networkx as nx
    >>> hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    >>> print(tinhofer_test(hexagon, triangles, seed=0).verdict)
    possibly non-isomorphic
    >>> result = tinhofer_test(hexagon, (6, [(0, 2), (2, 4), (4, 1), (1, 3), (3, 5), (5, 0)]), seed=0)
    >>> print(result.verdict, len(result.steps))
    isomorphic 2
    """
    drawn = random_nodes(recolor)
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    return tinhofer_result(pair, pair.closure(), seed, trials, drawn, guided)


def random_nodes(recolor: float | str | Recolor) -> Recolor:
    """How many nodes are recoloured together, checked."""
    drawn = Recolor(recolor)
    if not drawn.is_random or drawn.draws > 1:
        wanted = "a number of nodes (1, 2, ...) or a share of the class (0.5, '50%')"
        raise ValueError(f"recolor={recolor!r}: Tinhofer's algorithm recolours {wanted}; trials= repeats it")
    return drawn


def tinhofer_result(
    pair: Pair, closure: Closure, seed: int | None, trials: int, recolor: Recolor = ONE_NODE, guided: bool = False
) -> TinhoferResult:
    """Runs of the algorithm on a pair whose closure is known."""
    if isinstance(trials, bool) or not isinstance(trials, (int, np.integer)):
        raise TypeError(f"the number of trials must be an integer, not {trials!r}")
    if trials < 1:
        raise ValueError(f"trials must be at least 1, not {trials}")
    if not closure.balanced:
        return TinhoferResult(Verdict.POSSIBLY_NON_ISOMORPHIC, None, (), trials, 0, pair.graph.ignored, recolor, guided)
    random = np.random.default_rng(seed)
    accepted = 0
    reported: tuple[Mapping | None, tuple[RecoloringStep, ...]] | None = None  # the run that the result reports
    for _ in range(trials):
        run = _run(pair, closure.partition.copy(), recolor, guided, int(random.integers(0, 2**63)))
        accepted += run[0] is not None
        if reported is None or (reported[0] is None and run[0] is not None):
            reported = run
    mapping, steps = reported or (None, ())
    verdict = Verdict.POSSIBLY_NON_ISOMORPHIC if mapping is None else Verdict.ISOMORPHIC
    return TinhoferResult(verdict, mapping, steps, trials, accepted, pair.graph.ignored, recolor, guided)


def _run(
    pair: Pair, partition: Partition, recolor: Recolor, guided: bool, seed: int
) -> tuple[Mapping | None, tuple[RecoloringStep, ...]]:
    """The recolorings after the first closure, and the mapping if no closure tells the graphs apart."""
    nodes = (recolor.number, recolor.share, guided or None)
    balanced, cells, classes, bounds, *both = compare_kernels.tinhofer_run(
        pair.graph.adjacency, partition.cells, partition.num_cells, pair.border, *nodes, seed, partition.scratch()
    )
    sets = ([tuple(part[low:high][part[low:high] >= 0].tolist()) for low, high in pairwise(bounds)] for part in both)
    steps = tuple(map(RecoloringStep, cells.tolist(), *sets, classes.tolist()))
    if not balanced:
        return None, steps
    couples = np.sort(partition.cells.order.reshape(-1, 2), axis=1)  # every cell is a node of g and a node of h
    mapping = np.empty(pair.border, np.int64)
    mapping[couples[:, 0]] = couples[:, 1] - pair.border
    if not pair.is_isomorphism(mapping):
        raise AssertionError("a discrete stable colouring gave no isomorphism: this is a bug in wlt, please report it")
    return mapping, steps
