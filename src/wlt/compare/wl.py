"""Algorithm 1, the Weisfeiler-Leman test.

One difference: HASH also sees the node's own colour; without it a recoloured node loses its mark."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from numpy.typing import ArrayLike

from wlt.compare.pair import Closure, Pair, Verdict, as_pair, not_looked_at
from wlt.refine.partition import Colors
from wlt.wording import count


@dataclass(frozen=True)
class WLResult:
    verdict: Verdict
    """NON_ISOMORPHIC, which is certain, or POSSIBLY_ISOMORPHIC."""
    rounds: int
    """Rounds that refined the colours, up to convergence or to the first round in which the graphs differ."""
    colors: tuple[Colors, Colors]
    """The colours of both graphs after these rounds; equal numbers are equal colours."""
    ignored: tuple[str, ...] = ()
    """What the graphs have besides and was not looked at."""

    def __repr__(self) -> str:
        return f"WLResult({self.verdict} after {count(self.rounds, 'round')}{not_looked_at(self.ignored)})"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "WL has no yes or no: write `result.verdict is wlt.Verdict.NON_ISOMORPHIC` for the answer of which it is "
            "certain, or `bool(wlt.isomorphism(g, h))` for the exact answer"
        )


def wl_test(
    g: Any,
    h: Any,
    *,
    node_labels: Sequence[ArrayLike] | str | None = None,
    edge_labels: Hashable = "auto",
    simple: bool = False,
) -> WLResult:
    """Algorithm 1 on the disjoint union of two graphs, in O((n + m) log n) however many rounds it takes.

    `node_labels`: integers for the nodes of g and for those of h, or the name of a node attribute; None: all alike.
    `edge_labels` and `simple` say what of the edges is looked at, as in `as_graph`; `ignored` tells what was not.

    >>> import networkx as nx
    >>> hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    >>> print(wl_test(hexagon, triangles).verdict)
    possibly isomorphic
    >>> print(wl_test(hexagon, nx.path_graph(6)).verdict)
    non-isomorphic
    """
    pair = as_pair(g, h, node_labels, edge_labels, simple)
    return wl_result(pair, pair.closure())


def wl_result(pair: Pair, closure: Closure) -> WLResult:
    """What WL says of a pair whose closure is known."""
    verdict = Verdict.POSSIBLY_ISOMORPHIC if closure.balanced else Verdict.NON_ISOMORPHIC
    colors = closure.partition.colors
    both = (colors[: pair.border], colors[pair.border :])
    return WLResult(verdict, closure.partition.rounds, both, pair.graph.ignored)
