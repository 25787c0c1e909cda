"""Algorithm 1, the Weisfeiler-Leman test.

One difference: HASH also sees the node's own colour; without it a recoloured node loses its mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from wlt.compare.pair import Verdict, as_pair
from wlt.refine.partition import Colors, Partition


@dataclass(frozen=True)
class WLResult:
    verdict: Verdict
    """NON_ISOMORPHIC, which is certain, or POSSIBLY_ISOMORPHIC."""
    rounds: int
    """Rounds that refined the colours, up to convergence or to the first round in which the graphs differ."""
    colors: tuple[Colors, Colors]
    """The colours of both graphs after these rounds; equal numbers are equal colours."""


def wl_test(g: Any, h: Any, colors: Sequence[ArrayLike] | str | None = None) -> WLResult:
    """Algorithm 1 on the disjoint union of two graphs, in O((n + m) log n) however many rounds it takes.

    >>> import networkx as nx
    >>> hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    >>> print(wl_test(hexagon, triangles).verdict)
    possibly isomorphic
    >>> print(wl_test(hexagon, nx.path_graph(6)).verdict)
    non-isomorphic
    """
    pair = as_pair(g, h, colors)
    partition = Partition(pair.graph, pair.colors)
    alike = pair.same_colors and partition.refine_in_bulk(border=pair.border)
    stable = partition.colors
    return WLResult(
        Verdict.POSSIBLY_ISOMORPHIC if alike else Verdict.NON_ISOMORPHIC,
        partition.rounds,
        (stable[: pair.border], stable[pair.border :]),
    )
