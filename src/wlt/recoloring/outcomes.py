"""The distribution of what recoloring can give, exactly: every draw is made, and colours are integers.

The audit and `wlt expressiveness` are built on this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wlt.graph import Graph
from wlt.kernels import Adjacency
from wlt.recoloring import kernels as recoloring_kernels
from wlt.refine import round_kernels
from wlt.refine.partition import Colors


class Outcomes(NamedTuple):
    """Every outcome of every draw, for some graphs, one after the other."""

    bounds: NDArray[np.int64]  # [graphs + 1] where the outcomes of each graph begin
    histograms: NDArray[np.uint64]  # [outcomes, 2] two words of the multiset of the nodes' last colours
    steps: NDArray[np.uint64]  # [outcomes, recolorings, 2] words of the colours before it and of the colour chosen
    ways: NDArray[np.float64]  # [outcomes] its probability is 1 / ways, once the class to recolour is chosen


def recoloring_outcomes(
    graphs: Graph,
    which: NDArray[np.int64],
    colors: Colors,
    rounds: Sequence[int],
    budget: int,
    every_node: bool = False,
) -> Outcomes | None:
    """Recolour one node of a largest class, make rounds[0] WL rounds, recolour again, and so on: all that can happen.

    `colors` are those before the first recoloring, dense. Where classes tie for the largest, all of them are tried.
    every_node: recolour one node of the graph instead, whatever its class.
    None where more than `budget` nodes and edges would have to be visited."""
    words = color_words(colors)
    *outcomes, spent = recoloring_kernels.recoloring_outcomes(
        graphs.adjacency, graphs.starts, which, words, np.array(rounds), budget, every_node
    )
    return None if spent > budget else Outcomes(*outcomes)


def color_words(colors: Colors) -> NDArray[np.uint64]:
    """[2, nodes] The colours as the two words by which `Outcomes` knows them."""
    both = np.concatenate([colors, colors + (int(colors.max(initial=0)) + 1)])
    words: NDArray[np.uint64] = round_kernels.color_words(both).reshape(2, -1)
    return words


def equal_multisets(starts: NDArray[np.int64], colors: NDArray[np.int32]) -> NDArray[np.int64]:
    """Which of the runs `colors[starts[i]:starts[i + 1]]` are equal as multisets? Numbered by first appearance.

    One more WL round tells: of new nodes of one colour, each with a run as its neighbours.

    >>> equal_multisets(np.array([0, 2, 3, 5]), np.array([7, 4, 4, 4, 7], np.int32)).tolist()
    [0, 1, 0]
    """
    runs = len(starts) - 1
    colored = np.concatenate([np.zeros(runs, np.int32), colors + 1], dtype=np.int32)
    neighbors = np.arange(runs, runs + len(colors), dtype=np.int32)
    classes, _ = round_kernels.round_colors(
        Adjacency(starts, neighbors, neighbors[:0]), colored, int(colored.max(initial=0)) + 1
    )
    return classes.astype(np.int64)  # type: ignore[no-any-return]
